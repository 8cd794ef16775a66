"""Steadiness of the wrinkled surface: jumps of heights, and rotations of normals relative to the coarse mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.geometry import triangle_areas
from ruckle.paths.wrinkler import Wrinkler
from ruckle.surface.surface import Base, Surface, SurfacePoints

__all__ = ["Flicker", "SurfaceChange", "measure_flicker", "measure_surface_change", "normal_turns"]

# Number of parts per side of a triangle. The inner points of this grid are the sample points of the triangle.
_SIDE = 8
_POINTS = np.array(
    [(i, j, _SIDE - i - j) for i in range(1, _SIDE) for j in range(1, _SIDE - i)], dtype=np.float32
) / np.float32(_SIDE)


def normal_turns(normals: ArrayLike, previous: ArrayLike) -> NDArray[np.float64]:
    """Return the angles between unit normals of two frames.

    Parameters
    ----------
    normals, previous : (N, 3) float
        Unit normals at the same points of the cloth in two frames. If a normal is zero, its angle is 0.

    Returns
    -------
    (N,) float64, degrees in [0, 180]
    """
    a, b = np.asarray(normals, np.float64), np.asarray(previous, np.float64)
    # the tangent of half the angle is accurate even for nearly equal normals
    turns = 2.0 * np.degrees(np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1)))
    known = a.any(axis=1) & b.any(axis=1)
    return np.where(known, turns, 0.0)


@dataclass(frozen=True)
class Flicker:
    """Mean rotation of normals per frame, over points with wrinkles in either frame; 0 without wrinkles.

    Attributes
    ----------
    fine, coarse : float, degrees per frame
        Rotation of the wrinkled surface's normals, and of the coarse mesh's smooth normals at the same points.
    worst : float, degrees per frame
        Largest difference, fine minus coarse, of the means in one frame; at least 0.
    """

    fine: float
    coarse: float
    worst: float

    @property
    def excess(self) -> float:
        """Mean rotation that wrinkles cause, in degrees per frame."""
        return self.fine - self.coarse


def measure_flicker(animation: Animation, *, base: Base = "curved", **parameters: Any) -> Flicker:
    """Run an animation and measure the rotation of its surface's normals.

    Parameters
    ----------
    animation : Animation
    base : {"curved", "flat"}
        Base surface of the wrinkles.
    **parameters
        Parameters of `Wrinkler.for_animation`.

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


# One sample point per square with this side, as a fraction of the character's height (4 mm for 1.7 m). A triangle has
# at least 6 and at most 60 sample points.
_SPACING, _LEAST_POINTS, _MOST_POINTS = 0.004 / 1.7, 6, 60

# Fraction of all changes, chosen at random, of which quantiles are computed; smallest height, in r_min, of a point that
# counts.
_KEPT, _LEAST_HEIGHT = 0.1, 1e-3


@dataclass(frozen=True)
class SurfaceChange:
    """Changes of the drawn heights at fixed points of the cloth, per 1/30 s, in r_min (the least wrinkle radius).

    Attributes
    ----------
    p99, p999 : float
        Quantiles (99 %, 99.9 %) over all points with a wrinkle.
    largest : float
        Largest change over all points and frames.
    jumping : float
        Fraction of frames in which any point changes by more than 0.5.
    """

    p99: float
    p999: float
    largest: float
    jumping: float


def measure_surface_change(animation: Animation, **parameters: Any) -> SurfaceChange:
    """Run an animation and measure the changes of its surface heights from frame to frame.

    Parameters
    ----------
    animation : Animation
    **parameters
        Parameters of `Wrinkler.for_animation`; `r_min` must be above 0.

    Returns
    -------
    SurfaceChange
    """
    wrinkler = Wrinkler.for_animation(require_animation(animation), **parameters)
    random = np.random.default_rng(0)
    points = _points_of(animation.positions[0], wrinkler.topology.faces, _SPACING * animation.height, random)
    before: NDArray[np.float64] | None = None
    changes, largest = [np.zeros(1)], [0.0]
    for positions in animation.positions:
        frame = wrinkler.step(positions, 1.0 / animation.fps)
        now = frame.heights(*points)[0].astype(np.float64) / frame.length_unit
        if before is not None:
            change = np.abs(now - before) * animation.fps / 30.0
            raised = change[np.maximum(now, before) > _LEAST_HEIGHT]
            changes.append(raised[random.random(len(raised)) < _KEPT])
            largest.append(float(change.max(initial=0.0)))
        before = now
    p99, p999 = np.quantile(np.concatenate(changes), (0.99, 0.999))
    return SurfaceChange(float(p99), float(p999), max(largest), float(np.mean(np.array(largest[1:] or [0.0]) > 0.5)))


def _points_of(
    positions: NDArray[np.float32], faces: NDArray[np.int32], spacing: float, random: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return random points on a mesh: faces (N,) and barycentric coordinates (N, 3).

    Each triangle has one point per `spacing`² of its area, but at least 6 and at most 60 points.
    """
    wanted = np.ceil(triangle_areas(positions, faces) / spacing**2)
    counts = np.clip(wanted, _LEAST_POINTS, _MOST_POINTS).astype(np.int64)
    owners = np.repeat(np.arange(len(faces), dtype=np.int32), counts)
    uv = random.random((len(owners), 2))
    outside = uv.sum(axis=1) > 1.0
    uv[outside] = 1.0 - uv[outside]
    return owners, np.column_stack([1.0 - uv.sum(axis=1), uv]).astype(np.float32)
