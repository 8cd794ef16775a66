"""Splits polygons into triangles: convex polygons into fans, other polygons by ear clipping.

A fan around the first corner would split some concave quadrilaterals into triangles of opposite orientation. The Newell
normal is the orientation of a polygon. A polygon is concave if one of its corners turns in the other direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["triangle_corners"]

Indices = NDArray[np.int64]

# Tolerance for rounding: a corner counts as straight if the triangle of its two edges has less than this share of the
# polygon's area.
STRAIGHT = 1e-6


def triangle_corners(counts: Indices, corners: Indices, positions: NDArray[np.floating]) -> Indices:
    """Return the triangles of polygons as indices of corners.

    Parameters
    ----------
    counts : (N,) int64
        Number of corners of each polygon. A polygon with less than three corners does not create triangles.
    corners : (sum of counts,) int64
        Vertex of each corner. A polygon with an invalid vertex becomes a fan; a later check reports this vertex.
    positions : (V, 3) float
        Vertices in the first frame, mesh units.

    Returns
    -------
    (T, 3) int64
        Indices into `corners`. Triangles have the orientation and the order of their polygons.
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
        # Newell normal, whose length is twice the polygon's area
        following = np.concatenate([points[:, 1:], points[:, :1]], axis=1)
        normals = _cross(points, following).sum(axis=1)
        edges = following - points
        preceding = np.concatenate([edges[:, -1:], edges[:, :-1]], axis=1)
        turns = np.einsum("nkd,nd->nk", _cross(preceding, edges), normals)
        concave = (turns < -STRAIGHT * np.einsum("nd,nd->n", normals, normals)[:, None]).any(axis=1)
        for n in np.flatnonzero(concave).tolist():
            clipped = _clip_ears(points[n], normals[n])
            # keep the fan if ear clipping returns too few triangles, as for degenerate polygons
            if len(clipped) == size - 2:
                end = ends[members[n]]
                triangles[end - len(clipped) : end] = clipped + starts[members[n]]
    return triangles


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cross products of vectors (N, K, 3), with the bits of `np.cross`, which is 2 to 10 times slower."""
    products = np.empty_like(a)
    for axis, (one, other) in enumerate(((1, 2), (2, 0), (0, 1))):
        np.subtract(a[..., one] * b[..., other], a[..., other] * b[..., one], out=products[..., axis])
    return products


def _clip_ears(points: NDArray[np.float64], normal: NDArray[np.float64]) -> Indices:
    """Return the triangles of a concave polygon in its orientation, by earcut after projection along an axis.

    For degenerate polygons, the result has too few triangles.
    """
    # import on use, because concave polygons are rare
    from mapbox_earcut import triangulate_float64

    # drop the largest component of the normal; if it is negative, mirror the first axis to preserve the orientation
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
