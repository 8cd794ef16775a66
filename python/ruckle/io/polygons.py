"""Polygons as triangles: fans if they are convex, ear clipping if they are not.

A fan around the first corner splits a concave quadrilateral into two triangles of opposite orientation. The polygon's
orientation is its Newell normal; a corner that turns against it makes the polygon concave.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["triangle_corners"]

Indices = NDArray[np.int64]

# Share of the polygon's area by which rounding may bend a straight corner.
STRAIGHT = 1e-6


def triangle_corners(counts: Indices, corners: Indices, positions: NDArray[np.floating]) -> Indices:
    """Return the triangles of polygons as numbers of corners.

    Parameters
    ----------
    counts : (N,) int64
        Corners of each polygon; fewer than three give no triangle.
    corners : (sum of counts,) int64
        Vertex of each corner. A vertex that does not exist makes its polygon a fan; a later check names it.
    positions : (V, 3) float
        Vertices in the first frame, mesh units.

    Returns
    -------
    (T, 3) int64
        Indices into `corners`. Triangles have the orientation of their polygon, and polygons keep their order.
    """
    starts, inner = np.cumsum(counts) - counts, np.maximum(counts - 2, 0)
    ends = np.cumsum(inner)
    first = np.repeat(starts, inner)
    second = np.arange(inner.sum()) - np.repeat(ends - inner, inner) + first + 1
    triangles = np.stack([first, second, second + 1], axis=1)
    for size in np.unique(counts[counts > 3]).tolist():
        members = np.flatnonzero(counts == size)
        vertices = corners[starts[members, None] + np.arange(size)]
        exist = ((vertices >= 0) & (vertices < len(positions))).all(axis=1)
        members, points = members[exist], positions[vertices[exist]].astype(np.float64)
        points -= points[:, :1]
        # Newell: twice the area of each polygon
        normals = np.cross(points, np.roll(points, -1, axis=1)).sum(axis=1)
        edges = np.roll(points, -1, axis=1) - points
        turns = np.einsum("nkd,nd->nk", np.cross(np.roll(edges, 1, axis=1), edges), normals)
        concave = (turns < -STRAIGHT * np.einsum("nd,nd->n", normals, normals)[:, None]).any(axis=1)
        for n in np.flatnonzero(concave).tolist():
            clipped = _clip_ears(points[n], normals[n])
            # degenerate polygons lose ears; a fan keeps their number of triangles
            if len(clipped) == size - 2:
                end = ends[members[n]]
                triangles[end - len(clipped) : end] = clipped + starts[members[n]]
    return triangles


def _clip_ears(points: NDArray[np.float64], normal: NDArray[np.float64]) -> Indices:
    """Return the triangles of a concave polygon, oriented like it, by earcut in the plane of its normal."""
    # imported here because few files have concave polygons
    from mapbox_earcut import triangulate_float64

    # the two axes that follow the normal's largest component cyclically keep the orientation if it is positive
    axis = int(np.argmax(abs(normal)))
    plane = points[:, [(axis + 1) % 3, (axis + 2) % 3]] * [1.0 if normal[axis] > 0 else -1.0, 1.0]
    found = (
        triangulate_float64(np.ascontiguousarray(plane), np.array([len(plane)], np.uint32))
        .astype(np.int64)
        .reshape(-1, 3)
    )
    a, b, c = plane[found].transpose(1, 0, 2)
    flipped = (b - a)[:, 0] * (c - a)[:, 1] < (b - a)[:, 1] * (c - a)[:, 0]
    found[flipped] = found[flipped][:, ::-1]
    return found
