"""The shapes of garments and of who wears them: signed distances to bodies in rest pose, dressed or bare.

A torso with elliptic cross-sections and limbs with round ones, joined by a smooth minimum, so that
shoulders, armpits and the crotch come out rounded without being modelled one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .spline import MonotoneSpline

__all__ = ["Form", "Limb"]

FloatArray = NDArray[np.float64]

TORSO_END = 0.10
"""Rounding of the torso's lower end, metres."""

GRADIENT_STEP = 1e-5
"""Half width of the central difference, in metres: far above rounding, far below any feature."""

PROJECTION_STEPS = 3
"""Newton steps of a projection; the distance is nearly exact, so three reach a micrometre."""


@dataclass(frozen=True)
class Limb:
    """A chain of round cones, metres: `points` (K, 3), `radii` (K,), `blend` the rounding at its root."""

    points: Sequence[Sequence[float]]
    radii: Sequence[float]
    blend: float

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the distance (N,) of `positions` (N, 3) to the chain, negative inside, metres."""
        nearest = np.full(len(positions), np.inf)
        for index in range(len(self.points) - 1):
            start, end = np.asarray(self.points[index]), np.asarray(self.points[index + 1])
            along = end - start
            s = np.clip((positions - start) @ along / (along @ along), 0.0, 1.0)
            axis_distance = np.linalg.norm(positions - start - s[:, None] * along, axis=1)
            radius = (1.0 - s) * self.radii[index] + s * self.radii[index + 1]
            nearest = np.minimum(nearest, axis_distance - radius)
        return nearest


@dataclass(frozen=True)
class Form:
    """A body that is mirror symmetric about x = 0, in rest pose, Y up, facing +Z, metres.

    Parameters
    ----------
    torso : rows (height, half width, half depth, centre z) of the torso's cross-sections; None for limbs alone
    limbs : limbs of the +X side; the other side is their mirror image
    floor, ceiling : heights of the torso's ends, metres; the lower end is rounded by TORSO_END
    """

    torso: Sequence[tuple[float, float, float, float]] | None
    limbs: Sequence[Limb]
    floor: float = 0.0
    ceiling: float = np.inf

    def section(self, heights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return half width, half depth and centre z of the torso at `heights` (N,), metres."""
        rows = np.asarray(self.torso)
        widths, depths, centres = MonotoneSpline(rows[:, 0], rows[:, 1:])(heights).T
        return widths, depths, centres

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3) to the form, to first order, metres."""
        folded = positions.copy()
        folded[:, 0] = np.abs(folded[:, 0])
        result = np.full(len(folded), np.inf) if self.torso is None else self.torso_distance(folded)
        for limb in self.limbs:
            result = smooth_minimum(result, limb.distance(folded), limb.blend)
        return result

    def torso_distance(self, folded: FloatArray) -> FloatArray:
        """Return the distance (N,) of points with x >= 0 (N, 3) to the torso."""
        width, depth, centre = self.section(folded[:, 1])
        x, z = folded[:, 0], folded[:, 2] - centre
        radial = np.sqrt((x / width) ** 2 + (z / depth) ** 2)
        gradient = np.sqrt((x / width**2) ** 2 + (z / depth**2) ** 2) + 1e-12
        # the negated smooth minimum of negated values is a smooth maximum
        result = -smooth_minimum(-radial * (radial - 1.0) / gradient, folded[:, 1] - self.floor, TORSO_END)
        return np.maximum(result, folded[:, 1] - self.ceiling)

    def project(self, positions: FloatArray, allowed: FloatArray) -> FloatArray:
        """Return `positions` (N, 3) moved onto the form, each within its `allowed` (N, 3, 3) plane or line.

        Newton's method along the distance's gradient after the orthogonal projection `allowed`.
        """
        points = positions.copy()
        for _ in range(PROJECTION_STEPS):
            gradient = np.empty_like(points)
            for axis in range(3):
                offset = np.zeros(3)
                offset[axis] = GRADIENT_STEP
                change = self.distance(points + offset) - self.distance(points - offset)
                gradient[:, axis] = change / (2.0 * GRADIENT_STEP)
            gradient = np.einsum("nij,nj->ni", allowed, gradient)
            # the limit avoids an unbounded step for a gradient along the plane
            length_squared = np.maximum(np.sum(gradient**2, axis=1), 0.1)
            points -= (self.distance(points) / length_squared)[:, None] * gradient
        return points


def smooth_minimum(a: FloatArray, b: FloatArray, radius: float) -> FloatArray:
    """Return the minimum of `a` and `b`, rounded if they differ by less than `radius`."""
    if radius == 0.0:
        return np.minimum(a, b)
    overlap = np.maximum(radius - np.abs(a - b), 0.0) / radius
    result: FloatArray = np.minimum(a, b) - 0.25 * radius * overlap**2
    return result
