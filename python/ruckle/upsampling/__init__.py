"""Learned upsampling: a fine mesh for coarse cloth, by one constant matrix that is learnt from simulated pairs."""

from __future__ import annotations

from ruckle.upsampling.model import UpsamplingModel, load_model
from ruckle.upsampling.upsampler import UpsampledFrame, Upsampler

__all__ = ["UpsampledFrame", "Upsampler", "UpsamplingModel", "load_model"]
