"""One run of a sweep, before a worker executes it."""

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
        Hash of everything that affects the results: content and name of the animation, parameters, `every`, version.
    animation : Animation
    content : str
        Hash of the animation; see `content_hash`.
    parameters : dict
        Values of all parameters of `Wrinkler`; lengths are in mesh units.
    every : int
        See `ruckle.experiments.metrics.measure_paths`.
    """

    identity: str
    animation: Animation
    content: str
    parameters: dict[str, Value]
    every: int
