"""Geometry of pictures: axes in 3D space, orthographic projection, and soft shading."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.field.axes import axes_in_space
from ruckle.mesh.animation import UPRIGHT, Up
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.mesh.topology import weld

__all__ = ["Projection", "hidden_points", "shade", "ticks_in_space"]

Float64 = NDArray[np.float64]

# Direction to the light in the viewer's axes (right, up, toward the viewer): from the upper left behind the viewer.
LIGHT = np.array([-0.40, 0.48, 0.78]) / np.linalg.norm([-0.40, 0.48, 0.78])
# Smallest brightness, for surfaces that face away from the light, so that the colour of the data remains readable.
AMBIENT = 0.66
# Brightness of the inner side of the cloth relative to its outer side.
INSIDE = 0.60
# Weight of vertex normals in normals for shading. It hides the edges of triangles, but keeps the shape of the mesh.
SMOOTHNESS = 0.7

# Length of a tick relative to the space inside its triangle. Its width is relative to the mesh's median triangle, and
# limited relative to the tick's length. So a tick is visible at a few pixels, and the colour around it remains visible.
TICK_LENGTH = 0.95
TICK_WIDTH = 0.11
TICK_ASPECT = 0.25

# A point is hidden by cloth that is nearer to the viewer by more than this fraction of the mesh's diagonal. If smaller,
# the cloth under a point would hide it; if larger, points behind a thin fold would be visible.
NEARER = 0.004
# Number of pairs of points and triangles per block: about ten megabytes per array.
PAIRS = 1_000_000


def ticks_in_space(positions: ArrayLike, faces: ArrayLike, axis: ArrayLike) -> Float64:
    """Return a thin rectangle along the axis of every triangle, centred in the triangle and inside it.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
    axis : (T, 2) float
        Axes as for `axes_in_space`.

    Returns
    -------
    (T, 4, 3) float64, mesh units
        Corners of the rectangles. They coincide if the triangle does not have an axis.
    """
    corners = np.asarray(positions, np.float64)[np.asarray(faces)]
    direction = axes_in_space(positions, faces, axis).astype(np.float64)
    centre = corners.mean(axis=1)
    sides = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(sides[:, 0], -sides[:, 2])
    inward = unit(np.cross(normal[:, None], sides))
    across = unit(np.cross(normal, direction))
    # Projected half extents of the tick on each side's normal; the half width is at most TICK_ASPECT of the half
    # length.
    distance = np.einsum("tsk,tsk->ts", inward, centre[:, None] - corners)
    approach = np.abs(np.einsum("tsk,tk->ts", inward, direction))
    approach += TICK_ASPECT * np.abs(np.einsum("tsk,tk->ts", inward, across))
    room = np.divide(distance, approach, out=np.zeros_like(distance), where=approach > 0).min(axis=1)
    half_length = TICK_LENGTH * room[:, None]
    size = np.sqrt(np.median(np.linalg.norm(normal, axis=1)))
    half_width = np.minimum(TICK_WIDTH / 2 * size, TICK_ASPECT * half_length)
    lengthwise, widthwise = half_length * direction, half_width * across
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.stack([centre + a * lengthwise + b * widthwise for a, b in signs], axis=1)


@dataclass(frozen=True)
class Projection:
    """An orthographic projection of the mesh.

    Attributes
    ----------
    azimuth : float, degrees
        0 shows the front, from +Z (from -Y if Z points up); positive values move the viewer to the right.
    elevation : float, degrees
        Angle of the viewpoint above the horizon.
    up : {"y", "z"}
        Upward axis.
    """

    azimuth: float = 22.0
    elevation: float = 9.0
    up: Up = "y"

    def project(self, points: ArrayLike) -> Float64:
        """Return points in the viewer's frame: right, up, toward the viewer.

        Parameters
        ----------
        points : (..., 3) float, mesh units

        Returns
        -------
        (..., 3) float64, mesh units
        """
        a, e = radians(self.azimuth), radians(self.elevation)
        turn = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
        tilt = np.array([[1, 0, 0], [0, np.cos(e), -np.sin(e)], [0, np.sin(e), np.cos(e)]])
        seen: Float64 = np.asarray(points, np.float64) @ (tilt @ turn @ UPRIGHT[self.up]).T
        return seen


def shade(view: ArrayLike, faces: ArrayLike) -> tuple[Float64, NDArray[np.bool_]]:
    """Return soft Lambert shading of each triangle, with an ambient minimum and partly smoothed normals.

    Parameters
    ----------
    view : (V, 3) float
        Positions in the viewer's frame.
    faces : (T, 3) int
        Triangles, counterclockwise if seen from outside.

    Returns
    -------
    brightness : (T,) float64, above 0 to 1
    inside : (T,) bool
        True if the triangle shows its inner side.
    """
    points, triangles = np.asarray(view, np.float64), np.asarray(faces)
    normal = face_crosses(points, triangles)
    joined = weld(points, triangles)
    at_vertex = np.zeros_like(points)
    np.add.at(at_vertex, joined, normal[:, None])
    smooth = unit(unit(at_vertex)[joined].sum(axis=1))
    inside = normal[:, 2] < 0
    mixed = unit((1 - SMOOTHNESS) * unit(normal) + SMOOTHNESS * smooth)
    facing = np.where(inside[:, None], -mixed, mixed)
    brightness = AMBIENT + (1 - AMBIENT) * np.clip(facing @ LIGHT, 0.0, 1.0)
    return np.where(inside, INSIDE * brightness, brightness), inside


def hidden_points(points: ArrayLike, view: ArrayLike, faces: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of points that are hidden by triangles.

    Parameters
    ----------
    points : (n, 3) float, mesh units
        Points in the viewer's frame.
    view : (V, 3) float, mesh units
        Positions of the mesh in the viewer's frame.
    faces : (T, 3) int

    Returns
    -------
    (n,) bool
    """
    tested, vertices = np.asarray(points, np.float64), np.asarray(view, np.float64)
    corners = vertices[np.asarray(faces)]
    slack = NEARER * float(np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0))) if corners.size else 0.0
    a, b, c = (corners[:, k] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    # triangles that are seen exactly from the side cannot hide points
    seen = np.abs(area) > 0
    a, b, c, area = a[seen], b[seen], c[seen], area[seen]
    hidden = np.zeros(len(tested), bool)
    block = max(1, PAIRS // max(1, len(a)))
    for start in range(0, len(tested), block):
        x, y, z = (tested[start : start + block, k, None] for k in range(3))
        v = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
        w = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area
        depth = a[:, 2] + v * (b[:, 2] - a[:, 2]) + w * (c[:, 2] - a[:, 2])
        over = (v >= 0) & (w >= 0) & (v + w <= 1) & (depth > z + slack)
        hidden[start : start + block] = over.any(axis=1)
    return hidden
