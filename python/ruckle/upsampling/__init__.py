"""Learned upsampling: a fine mesh for coarse cloth, by one constant matrix that is learnt from simulated pairs."""

from __future__ import annotations

from ruckle.upsampling.derived import derive_coarse
from ruckle.upsampling.garment import Garment
from ruckle.upsampling.harmonics import Harmonics
from ruckle.upsampling.learn import PRIORS, Learner, Prior, Profile, prior_of
from ruckle.upsampling.locality import Locality
from ruckle.upsampling.mean_detail import MeanDetail
from ruckle.upsampling.measures import Comparison, Comparisons
from ruckle.upsampling.model import UpsamplingModel, load_model
from ruckle.upsampling.neural_detail import DetailMotion, learn_detail
from ruckle.upsampling.oscillations import Oscillation, fit_oscillations, normal_residual, with_oscillations
from ruckle.upsampling.statistics import Fit, TrainingStatistics
from ruckle.upsampling.subdivision import loop_map
from ruckle.upsampling.training import Trainer, train
from ruckle.upsampling.upsampler import UpsampledFrame, Upsampler

__all__ = [
    "PRIORS",
    "Comparison",
    "Comparisons",
    "DetailMotion",
    "Fit",
    "Garment",
    "Harmonics",
    "Learner",
    "Locality",
    "MeanDetail",
    "Oscillation",
    "Prior",
    "Profile",
    "Trainer",
    "TrainingStatistics",
    "UpsampledFrame",
    "Upsampler",
    "UpsamplingModel",
    "derive_coarse",
    "fit_oscillations",
    "learn_detail",
    "load_model",
    "loop_map",
    "normal_residual",
    "prior_of",
    "train",
    "with_oscillations",
]
