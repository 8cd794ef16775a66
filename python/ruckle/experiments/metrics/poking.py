"""Visible skin that cloth should hide: the body penetrates the garment at or between vertices.

The unit is pixels. A pixel counts if its ray hits the body first, and then, still inside the body, the outside of the
cloth. This cloth is under the skin. A hand in front of a skirt does not count, because the ray leaves the hand before
it hits the cloth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import positive_number, whole_number
from ruckle.arrays import Int32, triangles

__all__ = ["PokeThrough", "poke_through"]

Float64 = NDArray[np.float64]

# Camera angle in radians. Views look down and up in turn, so that no view is along the rows of a mesh.
TILT = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class PokeThrough:
    """Skin that is visible through cloth, in views from all sides.

    Attributes
    ----------
    counts : (D,) int64
        Number of such pixels in each view.
    points : (K, 3) float64, metres
        Positions of these pixels on the skin, for all views.
    depths : (K,) float64, metres
        Distance from the skin to the cloth behind it, along the view direction.
    pixel : float, metres
        Side length of a pixel.
    """

    counts: NDArray[np.int64]
    points: Float64
    depths: Float64
    pixel: float

    @property
    def area(self) -> float:
        """Projected area of the visible skin in the worst view, m²."""
        return float(self.counts.max()) * self.pixel**2


def poke_through(
    positions: ArrayLike,
    faces: ArrayLike,
    body_positions: ArrayLike,
    body_faces: ArrayLike,
    *,
    views: int = 8,
    pixel: float = 0.002,
    reach: float = 0.03,
) -> PokeThrough:
    """Return the visible points of a body that cloth should hide, in orthographic views around the y axis.

    Parameters
    ----------
    positions : (V, 3) float, metres
        Cloth vertices.
    faces : (T, 3) int
        Triangles whose front sides are the outside of the cloth.
    body_positions : (B, 3) float, metres
    body_faces : (S, 3) int
        Triangles with outward normals.
    views : int
        Number of views at equal angles; they look up and down by 14 degrees alternately.
    pixel : float, metres
        Side length of a pixel. With 2 mm, a character fills the height of a film picture.
    reach : float, metres
        Cloth that is further behind the skin is ignored, because it covers another part of the body.

    Returns
    -------
    PokeThrough
    """
    cloth, body = (np.asarray(p, np.float64) for p in (positions, body_positions))
    corners, body_corners = triangles("faces", faces), triangles("body_faces", body_faces)
    side, farthest = positive_number("pixel", pixel), positive_number("reach", reach)
    counts, points, depths = [], [np.zeros((0, 3))], [np.zeros(0)]
    for view in range(whole_number("views", views, 1)):
        axes = _view_axes(2.0 * np.pi * view / views, TILT * (-1.0) ** view)
        skin, behind = _seen(cloth @ axes / side, corners, body @ axes / side, body_corners, farthest / side)
        counts.append(len(skin))
        points.append(skin @ axes.T * side)
        depths.append(behind * side)
    return PokeThrough(np.array(counts), np.concatenate(points), np.concatenate(depths), side)


def _view_axes(turn: float, tilt: float) -> Float64:
    """Return an orthonormal matrix (3, 3) whose columns are the directions right, down, and away from the camera."""
    away = np.array([np.sin(turn) * np.cos(tilt), np.sin(tilt), np.cos(turn) * np.cos(tilt)])
    right = np.array([-np.cos(turn), 0.0, np.sin(turn)])
    return np.stack([right, np.cross(away, right), away], axis=1)


def _seen(cloth: Float64, faces: Int32, body: Float64, body_faces: Int32, reach: float) -> tuple[Float64, Float64]:
    """Return points (K, 3) of skin that is visible through cloth, and distances (K,) to the cloth behind, in pixels.

    `cloth` and `body` are vertices in axes right, down and away, also in pixels. Distances above `reach` do not count.
    """
    # the first sample has a margin of half a pixel
    low = np.floor(np.minimum(cloth.min(axis=0), body.min(axis=0)))[:2]
    width, height = (np.ceil(np.maximum(cloth.max(axis=0), body.max(axis=0)))[:2] - low).astype(np.int64) + 1
    shift = np.array([*low, 0.0])
    fabric = _fragments(cloth - shift, faces, width)
    skin = _fragments(body - shift, body_faces, width)
    first_fabric, first_skin = (_nearest(f, width * height) for f in (fabric, skin))
    both = np.isfinite(first_fabric) & np.isfinite(first_skin)
    gap = np.subtract(first_fabric, first_skin, out=np.full(len(both), np.inf), where=both)
    wanted = (gap > 0.0) & (gap <= reach)
    # a point is inside the body if its ray has entered the body more often than left it
    before = skin.subset(wanted[skin.pixels] & (skin.depths < first_fabric[skin.pixels]))
    inside = np.bincount(before.pixels, before.fronts, len(wanted)) > 0.0
    outside_of_cloth = np.zeros(len(wanted), bool)
    front = fabric.fronts > 0.0
    outside_of_cloth[fabric.pixels[front & (fabric.depths == first_fabric[fabric.pixels])]] = True
    found = np.flatnonzero(wanted & inside & outside_of_cloth)
    row, column = np.divmod(found, width)
    return np.stack([column, row, first_skin[found]], axis=1) + 0.5 * np.array([1.0, 1.0, 0.0]) + shift, gap[found]


@dataclass(frozen=True, slots=True, eq=False)
class _Fragments:
    """Pixels of drawn faces, arrays (K,): index of the pixel, depth, and 1 for the front or -1 for the back."""

    pixels: NDArray[np.int64]
    depths: Float64
    fronts: Float64

    def subset(self, kept: NDArray[np.bool_]) -> _Fragments:
        return _Fragments(self.pixels[kept], self.depths[kept], self.fronts[kept])


def _nearest(fragments: _Fragments, count: int) -> Float64:
    """Return the smallest depth in each pixel, (count,). It is infinite for an empty pixel."""
    nearest = np.full(count, np.inf)
    np.minimum.at(nearest, fragments.pixels, fragments.depths)
    return nearest


def _fragments(points: Float64, faces: Int32, width: int) -> _Fragments:
    """Rasterise faces with points (V, 3) in pixel units; pixels are numbered row by row, `width` per row."""
    corners = points[faces]
    # rows of pixels whose centres can be inside the face
    first, last = (np.ceil(bound - 0.5).astype(np.int64) for bound in (corners[..., 1].min(1), corners[..., 1].max(1)))
    owners, rows = _runs(first, last)
    begin, end = np.full(len(owners), np.inf), np.full(len(owners), -np.inf)
    for k in range(3):
        (px, py), (qx, qy) = corners[owners, k - 1, :2].T, corners[owners, k, :2].T
        share = (rows + 0.5 - py) / np.where(qy == py, np.inf, qy - py)
        # with half-open intervals, each row crosses exactly two sides of a face, and there are no gaps between faces
        crossed = (np.minimum(py, qy) <= rows + 0.5) & (rows + 0.5 < np.maximum(py, qy))
        at = px + share * (qx - px)
        begin, end = np.where(crossed, np.minimum(begin, at), begin), np.where(crossed, np.maximum(end, at), end)
    kept = end > begin
    owners, rows, begin, end = owners[kept], rows[kept], begin[kept], end[kept]
    spans, columns = _runs(np.ceil(begin - 0.5).astype(np.int64), np.ceil(end - 0.5).astype(np.int64))
    owners, rows = owners[spans], rows[spans]
    # the depth is a linear function of right and down in the plane of the face
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    slopes = -normals[:, :2] / np.where(normals[:, 2] == 0.0, np.inf, normals[:, 2])[:, None]
    base = corners[:, 0, 2] - (slopes * corners[:, 0, :2]).sum(axis=1)
    depths = base[owners] + slopes[owners, 0] * (columns + 0.5) + slopes[owners, 1] * (rows + 0.5)
    # right, down, away is a right-handed frame, so the normal of a front side has a negative depth component
    return _Fragments(rows * width + columns, depths, -np.sign(normals[owners, 2]))


def _runs(begin: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each element of the concatenated ranges [begin, end) the index of its range, and its value."""
    lengths = np.maximum(end - begin, 0)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners, np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths - begin, lengths)
