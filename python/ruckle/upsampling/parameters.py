"""The parameters of learned upsampling, those of `Upsampler`."""

from __future__ import annotations

from typing import Literal, TypedDict

from ruckle import _core
from ruckle.parameters import default_values, parameter_table

__all__ = ["DEFAULTS", "PARAMETERS", "Precision", "UpsamplerParameters"]

Precision = Literal["half", "single"]

PARAMETERS = parameter_table(_core.upsampler_parameters())
"""By their names, in the order in which they are shown."""

DEFAULTS = default_values(PARAMETERS)
"""The values that `Upsampler` takes by itself."""


class UpsamplerParameters(TypedDict, total=False):
    """Types of the parameters of `Upsampler`."""

    precision: Precision
    rate: float
    richness: float
    threads: int
