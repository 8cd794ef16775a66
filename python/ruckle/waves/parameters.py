"""The options of wrinkle waves, and the meaning of each.

Generated from cpp/options/waves.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import TypedDict

from ruckle.parameters import default_values, parameter_table

__all__ = [
    "DEFAULTS",
    "LENGTHS",
    "PARAMETERS",
    "SLIDERS",
    "AnimationWaves",
    "WaveParameters",
    "WaveStats",
    "WaveTimings",
]

PARAMETERS = parameter_table("wave_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""

SLIDERS: dict[str, tuple[float, float, bool]] = {
    "wavelength": (0.5, 12.0, True),
    "gain": (0.0, 4.0, False),
    "slack": (0.0, 0.5, False),
    "steepest": (0.2, 4.0, False),
    "sharpness": (0.0, 0.5, False),
    "detail": (0.0, 1.0, False),
    "sag": (0.0, 1.0, False),
    "lift": (0.0, 1.0, False),
    "irregularity": (0.0, 2.0, False),
    "coherence": (0.0, 2.0, False),
    "hang": (0.0, 2.0, False),
    "hem": (0.0, 1.0, False),
    "calm": (0.1, 5.0, True),
    "seed": (0, 99, False),
}
"""Low and high end of the slider of each option, and True for a logarithmic scale."""


class _Common(TypedDict, total=False):
    gain: float
    slack: float
    steepest: float
    sharpness: float
    detail: float
    sag: float
    lift: float
    irregularity: float
    coherence: float
    hang: float
    hem: float
    calm: float
    seed: int
    threads: int


class WaveParameters(_Common, total=False):
    """Types of the parameters of `WaveField`."""

    r_min: float | None
    wavelength: float | None


class AnimationWaves(_Common, total=False):
    """Types of the parameters of `WaveField.for_animation`, whose lengths may be percentages."""

    r_min: float | str
    wavelength: float | str | None


class WaveTimings(TypedDict):
    """Milliseconds that each stage of the last step took, in order."""

    field: float
    direction: float
    phase: float
    pull: float
    amplitude: float
    total: float


class WaveStats(TypedDict):
    """Counts of one step.

    Attributes
    ----------
    limited : int
        Vertices whose heights changed as fast as `calm` allows.
    degenerate : int
        Triangles without area in the rest pose.
    """

    limited: int
    degenerate: int
