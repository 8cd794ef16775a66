"""Penetration depth of cloth in its body. Winding numbers find the inside, because body parts may intersect."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import finite_rows, triangles_of

__all__ = ["depths_inside", "winding_numbers"]

Float64 = NDArray[np.float64]

# Number of pairs of points and triangles per block. A few arrays of this size fit into the cache of a processor.
PAIRS = 65536


def depths_inside(points: ArrayLike, body_positions: ArrayLike, body_faces: ArrayLike) -> Float64:
    """Return the penetration depths (V,) of points in a body, metres: 0 outside, else the distance to the surface.

    A point is inside if its winding number is at least 1/2, which small holes barely change. This function needs scipy.

    Parameters
    ----------
    points : (V, 3) float, metres
    body_positions : (B, 3) float, metres
    body_faces : (S, 3) int
        Triangles with outward normals. They may intersect, and triangles inside the body also count as its surface.

    Raises
    ------
    ValueError
        An array has a wrong shape, a position is not finite, or a vertex index is out of range.
    """
    from ruckle.mesh.closest import closest_points

    p, body = finite_rows("points", points, ("V", 3)), finite_rows("body_positions", body_positions, ("B", 3))
    corners = triangles_of("body_faces", body_faces, len(body))
    depths = np.zeros(len(p))
    inside = np.flatnonzero(winding_numbers(p, body, corners) >= 0.5)
    if inside.size:
        faces, weights = closest_points(body, corners, p[inside])
        nearest = np.einsum("nk,nkx->nx", weights, body[corners[faces]])
        depths[inside] = np.linalg.norm(p[inside] - nearest, axis=1)
    return depths


def winding_numbers(points: ArrayLike, positions: ArrayLike, faces: ArrayLike) -> Float64:
    """Return the winding numbers (V,) of a mesh around points.

    For a closed mesh, the number is 0 outside, 1 inside, and 2 in overlaps. It is the generalized winding number
    (Jacobson, Kavan and Sorkine-Hornung 2013, section 4), the sum of the triangles' solid angles (Van Oosterom and
    Strackee 1983, equation 8).

    Parameters
    ----------
    points : (V, 3) float, metres
    positions : (B, 3) float, metres
    faces : (S, 3) int
        Triangles with outward normals; the mesh may have holes.

    Raises
    ------
    ValueError
        As in `depths_inside`.
    """
    p, corners = finite_rows("points", points, ("V", 3)), finite_rows("positions", positions, ("B", 3))
    x = corners[triangles_of("faces", faces, len(corners))]
    numbers = np.zeros(len(p))
    rows = max(1, PAIRS // max(1, len(x)))
    for start in range(0, len(p), rows):
        here = p[start : start + rows, None]
        a, b, c = (x[:, k] - here for k in range(3))
        la, lb, lc = (np.sqrt(_dot(v, v)) for v in (a, b, c))
        volume = _dot(a, np.cross(b, c))
        angle = np.arctan2(volume, la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb)
        numbers[start : start + rows] = angle.sum(axis=1) / (2.0 * np.pi)
    return numbers


def _dot(a: Float64, b: Float64) -> Float64:
    return np.asarray(np.einsum("nfx,nfx->nf", a, b))
