"""The options of wrinkle paths, and the meaning of each.

Generated from cpp/options/paths.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import TypedDict

from numpy.typing import ArrayLike

from ruckle.field.parameters import Method
from ruckle.parameters import default_values, parameter_table

__all__ = [
    "DEFAULTS",
    "LENGTHS",
    "PARAMETERS",
    "SLIDERS",
    "AnimationParameters",
    "Stats",
    "Timings",
    "WrinklerParameters",
]

PARAMETERS = parameter_table("wrinkler_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""

SLIDERS: dict[str, tuple[float, float, bool]] = {
    "r_min": (0.05, 3.0, True),
    "amplitude": (0.0, 3.0, False),
    "tau": (1.02, 2.0, False),
    "grow_tau": (1.01, 2.0, False),
    "least_aspect": (0.0, 10.0, False),
    "aspect": (0.5, 10.0, False),
    "seed": (0, 99, False),
    "path_alpha": (0.0, 2.0, False),
    "straightness": (0.0, 5.0, False),
    "length_change": (0.01, 1.0, False),
    "fade_in": (0.0, 2.0, False),
    "fade_out": (0.0, 2.0, False),
    "coherent": (0.0, 1.0, False),
    "sigma": (0.005, 0.5, True),
    "alpha": (1.0, 50.0, True),
    "beta": (5.0, 500.0, True),
    "method": (0.0, 1.0, False),
    "relaxation": (0.0, 1.0, False),
    "threads": (1, 8, False),
}
"""Low and high end of the slider of each option, and True for a logarithmic scale."""


class _Common(TypedDict, total=False):
    amplitude: float
    tau: float
    grow_tau: float | None
    least_aspect: float
    aspect: float
    seed: int
    path_alpha: float
    straightness: float
    length_change: float
    fade_in: float
    fade_out: float
    coherent: bool
    sigma: float
    alpha: float
    beta: float
    pairwise: ArrayLike
    method: Method
    relaxation: float
    threads: int


class WrinklerParameters(_Common, total=False):
    """Types of the parameters of `Wrinkler`."""

    r_min: float | None


class AnimationParameters(_Common, total=False):
    """Types of the parameters of `Wrinkler.for_animation`, whose lengths may be percentages."""

    r_min: float | str


class Timings(TypedDict):
    """Milliseconds that each stage of the last step took, in pipeline order."""

    stretch: float
    label: float
    reference: float
    persist: float
    trace: float
    shape: float
    total: float


class Stats(TypedDict):
    """Counts of one frame: triangles, then wrinkles.

    Attributes
    ----------
    compression_labels : int
        Triangles with the label compression.
    rest_labels : int
        Triangles with the label rest.
    stretch_labels : int
        Triangles with the label stretch.
    label_changes : int
        Triangles whose label differs from that in the previous frame.
    degenerate : int
        Collapsed triangles, whose deformation is undefined.
    wrinkles : int
        All wrinkles of the frame, including those that fade out.
    fading : int
        Wrinkles that fade out.
    born : int
        Wrinkles that begin in this frame.
    died : int
        Wrinkles that were removed in this frame, because they have faded to nothing.
    slid : int
        Times that a path passed over a mesh vertex.
    rebuilt : int
        Times that a path was rebuilt around a mesh vertex.
    clamped : int
        Times that a path could not be rebuilt around a mesh vertex.
    extended : int
        Segments that were added at the ends of paths.
    trimmed : int
        Segments that were removed at the ends of paths.
    tried : int
        Seeds from which tracing was tried, with or without a new path.
    refused : int
        1 if tracing ended early because the pool of paths was full.
    """

    compression_labels: int
    rest_labels: int
    stretch_labels: int
    label_changes: int
    degenerate: int
    wrinkles: int
    fading: int
    born: int
    died: int
    slid: int
    rebuilt: int
    clamped: int
    extended: int
    trimmed: int
    tried: int
    refused: int
