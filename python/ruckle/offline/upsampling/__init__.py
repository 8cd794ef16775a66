"""Training of learned upsampling: from simulated pairs of coarse and fine cloth to a model file."""

from __future__ import annotations

from ruckle.offline.upsampling.derived import derive_coarse
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.harmonics import Harmonics
from ruckle.offline.upsampling.learn import PRIORS, HarmonicPenalties, Learner, Prior, prior_of
from ruckle.offline.upsampling.locality import Locality
from ruckle.offline.upsampling.mean_detail import MeanDetail
from ruckle.offline.upsampling.measures import Comparison, Comparisons
from ruckle.offline.upsampling.neural_detail import DetailMotion, learn_detail
from ruckle.offline.upsampling.oscillations import Oscillation, fit_oscillations, normal_residual, with_oscillations
from ruckle.offline.upsampling.statistics import Fit, TrainingStatistics
from ruckle.offline.upsampling.subdivision import loop_map
from ruckle.offline.upsampling.training import Trainer, train

__all__ = [
    "PRIORS",
    "Comparison",
    "Comparisons",
    "DetailMotion",
    "Fit",
    "Garment",
    "HarmonicPenalties",
    "Harmonics",
    "Learner",
    "Locality",
    "MeanDetail",
    "Oscillation",
    "Prior",
    "Trainer",
    "TrainingStatistics",
    "derive_coarse",
    "fit_oscillations",
    "learn_detail",
    "loop_map",
    "normal_residual",
    "prior_of",
    "train",
    "with_oscillations",
]
