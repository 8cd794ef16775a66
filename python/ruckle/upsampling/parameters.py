"""The options of learned upsampling, and the meaning of each.

Generated from cpp/options/upsampling.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ruckle.parameters import default_values, parameter_table

__all__ = ["DEFAULTS", "LENGTHS", "PARAMETERS", "Precision", "UpsamplerParameters", "UpsamplerTimings"]

Precision = Literal["half", "single"]

PARAMETERS = parameter_table("upsampler_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""


class UpsamplerParameters(TypedDict, total=False):
    """Types of the parameters of `Upsampler`."""

    precision: Precision
    rate: float
    richness: float
    threads: int


class UpsamplerTimings(TypedDict):
    """Milliseconds that each stage of the last step took, in order."""

    multiply: float
    detail: float
    normals: float
    oscillate: float
    attach: float
    total: float
