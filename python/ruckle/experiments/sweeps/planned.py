"""One run of a sweep, as a worker does it; it becomes a row of the table."""

from __future__ import annotations

from dataclasses import dataclass

from ruckle.experiments.sweeps.axes import Value
from ruckle.mesh.animation import Animation

__all__ = ["PlannedRun"]


@dataclass(frozen=True, eq=False)
class PlannedRun:
    """One animation with one choice of parameters.

    Attributes
    ----------
    identity : str
        Equal for equal content and name of the animation, parameters, measuring and version of ruckle.
    animation : Animation
    content : str
        Hash of the animation, see `content_hash`.
    parameters : dict
        Every parameter of `Wrinkler`, lengths in mesh units.
    every : int
        As in `ruckle.experiments.metrics.measure_paths`.
    """

    identity: str
    animation: Animation
    content: str
    parameters: dict[str, Value]
    every: int
