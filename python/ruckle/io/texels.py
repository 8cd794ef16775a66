"""Finds the triangle of texture space that covers each texel of a square map."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32

__all__ = ["Texels", "cover"]


# A texel is inside a triangle, and not on its edge, if its barycentric coordinates are larger than this number. It
# exceeds rounding errors of the coordinates.
EDGE = 1e-6


class Texels(NamedTuple):
    """Texels that are covered by triangles, and texels next to them.

    A texel next to a covered texel has the face and the barycentric coordinates of that texel.

    Attributes
    ----------
    rows, columns : (N,) int64
        Position in the map. The first row is at v = 1.
    faces : (N,) int32
        Face that covers the texel's centre. If several faces cover it, the last one.
    barycentric : (N, 3) float32
        Position of the texel's centre in the face.
    overlap : float
        Share of the covered texels whose centres are inside several triangles.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    faces: Int32
    barycentric: Float32
    overlap: float


def cover(corners: Float32, size: int, padding: int = 4) -> Texels:
    """Return the texels whose centres are inside triangles, and the texels within a distance of `padding` texels.

    Parameters
    ----------
    corners : (T, 3, 2) float32, in [0, 1]
        Texture coordinates of each face's corners.
    size : int
        Number of texels along each side.
    padding : int
        Distance in texels, along rows, columns or diagonals.
    """
    faces = np.full((size, size), -1, np.int32)
    weights = np.zeros((size, size, 3), np.float32)
    shared = np.zeros((size, size), bool)
    # in these coordinates, the centre of the texel in row r and column c is (c + 1/2, r + 1/2)
    placed = np.stack([corners[..., 0], 1.0 - corners[..., 1]], axis=-1).astype(np.float64) * size
    low = np.clip(np.ceil(placed.min(axis=1) - 0.5), 0, size - 1).astype(int)
    high = np.clip(np.floor(placed.max(axis=1) - 0.5), -1, size - 1).astype(int)
    for face, (a, b, c) in enumerate(placed):
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if area == 0.0:
            continue
        box = slice(low[face, 1], high[face, 1] + 1), slice(low[face, 0], high[face, 0] + 1)
        y, x = (np.arange(part.start, part.stop) + 0.5 for part in box)
        second = ((x - a[0])[None] * (c[1] - a[1]) - (y - a[1])[:, None] * (c[0] - a[0])) / area
        third = ((b[0] - a[0]) * (y - a[1])[:, None] - (b[1] - a[1]) * (x - a[0])[None]) / area
        first = 1.0 - second - third
        inside = (first >= 0.0) & (second >= 0.0) & (third >= 0.0)
        # the centre of a texel is inside at most one of two triangles with a common edge, unless it is on this edge
        shared[box] |= inside & (faces[box] >= 0) & (np.minimum(np.minimum(first, second), third) > EDGE)
        faces[box][inside] = face
        weights[box][inside] = np.stack([first, second, third], axis=-1)[inside]
    overlap = float(shared.sum() / max((faces >= 0).sum(), 1))
    for _ in range(padding):
        _grow(faces, weights)
    rows, columns = np.nonzero(faces >= 0)
    return Texels(rows, columns, faces[rows, columns], weights[rows, columns], overlap)


def _grow(faces: Int32, weights: Float32) -> None:
    """Copy face and barycentric coordinates from covered texels to uncovered neighbours, in place, by one texel."""
    before, last = faces.copy(), len(faces) - 1
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        rows, columns = np.nonzero(faces < 0)
        r, c = np.clip(rows + down, 0, last), np.clip(columns + right, 0, last)
        found = before[r, c] >= 0
        faces[rows[found], columns[found]] = before[r[found], c[found]]
        weights[rows[found], columns[found]] = weights[r[found], c[found]]
