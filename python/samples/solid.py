"""Solids of the wearer's body: signed distances that are blended into one smooth surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Below", "Blend", "Bounded", "Ellipsoid", "Limb", "Part", "Slab", "Solid", "smooth_minimum"]

FloatArray = NDArray[np.float64]
Point = tuple[float, float, float]

GRADIENT_STEP = 1e-5
"""Half width of the central difference, metres: far above rounding errors, far below the size of features."""

PROJECTION_STEPS = 3
"""Newton steps of a projection. The distance is almost exact, so three steps have an error of a micrometre."""

MARGIN = 0.05
"""Margin around a bounded solid, metres. It is larger than all rounding radii, so bounds do not change surfaces."""


class Solid:
    """A body defined by its signed distance in metres, negative inside."""

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3) from the solid, exact to first order, metres."""
        raise NotImplementedError

    def gradient(self, positions: FloatArray) -> FloatArray:
        """Return the gradient (N, 3) of the signed distance."""
        result = np.empty_like(positions)
        for axis in range(3):
            offset = np.zeros(3)
            offset[axis] = GRADIENT_STEP
            change = self.distance(positions + offset) - self.distance(positions - offset)
            result[:, axis] = change / (2.0 * GRADIENT_STEP)
        return result

    def project(self, positions: FloatArray, allowed: FloatArray) -> FloatArray:
        """Return `positions` (N, 3) projected onto the surface; `allowed` (N, 3, 3) limits each to a plane or line.

        Newton's method along the gradient, multiplied by the orthogonal projection `allowed`.
        """
        points = positions.copy()
        for _ in range(PROJECTION_STEPS):
            gradient = np.einsum("nij,nj->ni", allowed, self.gradient(points))
            # the lower limit prevents huge steps if the gradient is almost orthogonal to the allowed directions
            length_squared = np.maximum(np.sum(gradient**2, axis=1), 0.1)
            points -= (self.distance(points) / length_squared)[:, None] * gradient
        return points


@dataclass(frozen=True)
class Limb(Solid):
    """A chain of round cones: `points` (K, 3) and `radii` (K,) in metres; `blend` is the rounding at its root."""

    points: Sequence[Sequence[float]]
    radii: Sequence[float]
    blend: float = 0.0

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3) from the chain, metres."""
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
class Ellipsoid(Solid):
    """An ellipsoid: `centre` and `radii` along its axes, metres; `pitch` about x and `yaw` about y, degrees."""

    centre: Point
    radii: Point
    pitch: float = 0.0
    yaw: float = 0.0

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,), exact to first order at the surface, metres."""
        p, y = np.radians([self.pitch, self.yaw])
        about_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
        about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
        local = (positions - self.centre) @ (about_y @ about_x)
        scaled = local / self.radii
        length = np.linalg.norm(scaled, axis=1)
        slope = np.linalg.norm(scaled / self.radii, axis=1) + 1e-12
        return np.asarray(length * (length - 1.0) / slope)


@dataclass(frozen=True)
class Slab(Solid):
    """A plate between the heights `low` and `high`; its outline is that of a chain of circles.

    Rows of `outline` are (x, z, radius) in metres. `rounding` is the radius of the plate's edges.
    """

    outline: Sequence[Point]
    low: float
    high: float
    rounding: float

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,), metres."""
        flat = [(x, 0.0, z) for x, z, _ in self.outline]
        aside = Limb(flat, [radius for *_, radius in self.outline]).distance(positions * (1.0, 0.0, 1.0))
        middle, half = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)
        return -smooth_minimum(-aside, half - np.abs(positions[:, 1] - middle), self.rounding)


@dataclass(frozen=True)
class Below(Solid):
    """All points below the plane through `point` with the unit normal `up`."""

    point: Point
    up: Point = (0.0, 1.0, 0.0)

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,), metres."""
        return np.asarray((positions - self.point) @ np.asarray(self.up))


@dataclass(frozen=True)
class Bounded(Solid):
    """A solid that is computed only inside the box from `low` to `high`, which is `MARGIN` larger than the solid."""

    solid: Solid
    low: Point
    high: Point

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,); outside the box, a lower bound of the distance."""
        outside = np.maximum(np.maximum(self.low - positions, positions - self.high), 0.0)
        result: FloatArray = np.linalg.norm(outside, axis=1) + MARGIN
        near = ~outside.any(axis=1)
        result[near] = self.solid.distance(positions[near])
        return result


@dataclass(frozen=True)
class Part:
    """A solid that is added to a blend or carved out of it, with the rounding `radius` at the junction, metres."""

    solid: Solid
    radius: float
    carved: bool = False


@dataclass(frozen=True)
class Blend(Solid):
    """Parts that are blended one after another.

    If `mirrored`, the half x < 0 is the mirror image of the half x >= 0.
    """

    parts: Sequence[Part]
    mirrored: bool = True

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3), metres."""
        points = np.abs(positions) * (1, 0, 0) + positions * (0, 1, 1) if self.mirrored else positions
        result = np.full(len(points), np.inf)
        for part in self.parts:
            other = part.solid.distance(points)
            result = (
                -smooth_minimum(-result, other, part.radius)
                if part.carved
                else smooth_minimum(result, other, part.radius)
            )
        return result


def smooth_minimum(a: FloatArray, b: FloatArray, radius: float) -> FloatArray:
    """Return the minimum of `a` and `b`, smoothed if they differ by less than `radius`."""
    if radius == 0.0:
        return np.minimum(a, b)
    overlap = np.maximum(radius - np.abs(a - b), 0.0) / radius
    result: FloatArray = np.minimum(a, b) - 0.25 * radius * overlap**2
    return result
