"""The flicker of the wrinkled surface: how fast its normals turn beyond those of the coarse mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.animation import Animation
from ruckle.paths.wrinkler import Wrinkler
from ruckle.surface.surface import Base, Surface, SurfacePoints

__all__ = ["Flicker", "measure_flicker", "normal_turns"]

# Points per coarse triangle: the corners of its 16 quarters of quarters, edges left out.
_SIDE = 8
_POINTS = np.array(
    [(i, j, _SIDE - i - j) for i in range(1, _SIDE) for j in range(1, _SIDE - i)], dtype=np.float32
) / np.float32(_SIDE)


def normal_turns(normals: ArrayLike, previous: ArrayLike) -> NDArray[np.float64]:
    """Return by how much unit normals have turned.

    Parameters
    ----------
    normals, previous : (N, 3) float
        Of the same points of the cloth in two frames; a zero normal has not turned.

    Returns
    -------
    (N,) float64, degrees in [0, 180]
    """
    a, b = np.asarray(normals, np.float64), np.asarray(previous, np.float64)
    # of the half angle's tangent: exact for normals that are alike, where the cosine is flat
    turns = 2.0 * np.degrees(np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1)))
    known = a.any(axis=1) & b.any(axis=1)
    return np.where(known, turns, 0.0)


@dataclass(frozen=True)
class Flicker:
    """Mean turn of the normals from frame to frame, over the points that wrinkles raise in one of both frames.

    Attributes
    ----------
    fine, coarse : float, degrees per frame
        Of the wrinkled surface, and of the smooth normals of the coarse mesh at the same points.
    worst : float, degrees per frame
        Largest difference of both in one frame.
    """

    fine: float
    coarse: float
    worst: float

    @property
    def excess(self) -> float:
        """What wrinkles add, degrees per frame."""
        return self.fine - self.coarse


def measure_flicker(animation: Animation, *, base: Base = "curved", **parameters: Any) -> Flicker:
    """Run an animation and measure how its surface's normals turn.

    Parameters
    ----------
    animation : Animation
    base : {"curved", "flat"}
        What wrinkles rise from.
    **parameters
        Those of `Wrinkler.for_animation`.

    Returns
    -------
    Flicker
    """
    wrinkler = Wrinkler.for_animation(animation, **parameters)
    topology = wrinkler.topology
    faces = np.repeat(np.arange(topology.face_count, dtype=np.int32), len(_POINTS))
    barycentric = np.tile(_POINTS, (topology.face_count, 1))
    fine, coarse = Surface(topology, base=base), Surface(topology, base=base)
    before: tuple[SurfacePoints, SurfacePoints] | None = None
    sums = np.zeros(2)
    count, worst = 0, 0.0
    for positions in animation.positions:
        frame = wrinkler.step(positions, 1.0 / animation.fps)
        fine.update(frame)
        coarse.update(frame.coarse)
        now = fine.evaluate(faces, barycentric), coarse.evaluate(faces, barycentric)
        if before is not None:
            raised = (now[0].heights > 0.0) | (before[0].heights > 0.0)
            turns = [
                normal_turns(new.normals[raised], old.normals[raised]) for new, old in zip(now, before, strict=True)
            ]
            if raised.any():
                sums += [float(turn.sum()) for turn in turns]
                count += int(np.count_nonzero(raised))
                worst = max(worst, float(turns[0].mean() - turns[1].mean()))
        before = now
    means = sums / count if count else sums
    return Flicker(float(means[0]), float(means[1]), worst)
