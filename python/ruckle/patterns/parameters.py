"""The options of modulated patterns, and the meaning of each.

Generated from cpp/options/patterns.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ruckle.parameters import default_values, parameter_table

__all__ = [
    "DEFAULTS",
    "LENGTHS",
    "PARAMETERS",
    "SLIDERS",
    "AnimationModulation",
    "Conserve",
    "ModulatorParameters",
    "ModulatorStats",
    "ModulatorTimings",
]

Conserve = Literal["length", "area"]

PARAMETERS = parameter_table("modulator_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""

SLIDERS: dict[str, tuple[float, float, bool]] = {
    "rest_slope": (0.0, 1.0, False),
    "conserve": (0.0, 1.0, False),
    "slack": (0.0, 0.2, False),
    "sharpness": (0.5, 16.0, True),
    "steepest": (0.1, 4.0, True),
    "scale": (0.0, 3.0, False),
    "bias": (-0.5, 1.0, False),
    "smoothing": (0.0, 1.0, False),
}
"""Low and high end of the slider of each option, and True for a logarithmic scale."""


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


class ModulatorTimings(TypedDict):
    """Milliseconds that each stage of the last step took, in order."""

    gram: float
    fold: float
    modulate: float
    follow: float
    total: float


class ModulatorStats(TypedDict):
    """Counts of one step.

    Attributes
    ----------
    limited : int
        Vertices with a factor at its limit (options `steepest` and `highest`).
    hurried : int
        Vertices whose heights changed as fast as r_min allows.
    degenerate : int
        Triangles without area in the rest pose.
    flat_patterns : int
        Patterns without any slope, which cannot restore length.
    """

    limited: int
    hurried: int
    degenerate: int
    flat_patterns: int
