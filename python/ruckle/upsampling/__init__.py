"""Learned upsampling: a constant matrix, trained on pairs of meshes, computes a fine mesh from coarse cloth."""

from __future__ import annotations

from ruckle.upsampling.model import UpsamplingModel, load_model
from ruckle.upsampling.upsampler import UpsampledFrame, Upsampler

__all__ = ["UpsampledFrame", "Upsampler", "UpsamplingModel", "load_model"]
