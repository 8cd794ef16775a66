"""Learned upsampling: a fine mesh for coarse cloth, by one constant matrix that is learnt from simulated pairs."""

from __future__ import annotations

from ruckle.upsampling.garment import Garment
from ruckle.upsampling.harmonics import Harmonics
from ruckle.upsampling.learn import PRIORS, Learner, Prior, Profile, prior_of
from ruckle.upsampling.model import UpsamplingModel, load_model
from ruckle.upsampling.statistics import TrainingStatistics
from ruckle.upsampling.subdivision import loop_map
from ruckle.upsampling.training import Trainer, train
from ruckle.upsampling.upsampler import UpsampledFrame, Upsampler

__all__ = [
    "PRIORS",
    "Garment",
    "Harmonics",
    "Learner",
    "Prior",
    "Profile",
    "Trainer",
    "TrainingStatistics",
    "UpsampledFrame",
    "Upsampler",
    "UpsamplingModel",
    "load_model",
    "loop_map",
    "prior_of",
    "train",
]
