"""The parameters of modulated patterns, those of `Modulator`."""

from __future__ import annotations

from typing import TypedDict

from ruckle import _core
from ruckle.parameters import default_values, parameter_table
from ruckle.patterns.modulation import Conserve

__all__ = ["DEFAULTS", "PARAMETERS", "AnimationModulation", "ModulatorParameters"]

PARAMETERS = parameter_table(_core.modulator_parameters())
"""By their names, in the order in which they are shown."""

DEFAULTS = default_values(PARAMETERS)
"""The values that `Modulator.for_animation` takes by itself; None for what follows from others."""


class _Common(TypedDict, total=False):
    rest_slope: float
    conserve: Conserve
    slack: float
    sharpness: float
    corrections: int
    steepest: float
    scale: float
    bias: float
    smoothing: float
    threads: int


class ModulatorParameters(_Common, total=False):
    """Types of the parameters of `Modulator`."""

    highest: float | None
    r_min: float | None


class AnimationModulation(_Common, total=False):
    """Types of the parameters of `Modulator.for_animation`, whose lengths may be percentages."""

    highest: float | str | None
    r_min: float | str
