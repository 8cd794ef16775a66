"""Finds the points of a mesh that are closest to given points. Requires scipy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import triangles

__all__ = ["closest_points", "closest_weights"]

Float64 = NDArray[np.float64]

# Number of faces that are tested first for each point: the faces with the nearest centers.
CANDIDATES = 24


def closest_points(coarse: ArrayLike, faces: ArrayLike, fine: ArrayLike) -> tuple[NDArray[np.int64], Float64]:
    """Return the closest point of a mesh for each given point: faces (N,) and barycentric coordinates (N, 3) float64.

    Parameters
    ----------
    coarse : (M, 3) float, mesh units
    faces : (T, 3) int
        Triangles of the coarse mesh. A triangle without area is a segment or a point.
    fine : (N, 3) float, mesh units
    """
    from scipy.spatial import KDTree

    points, corners, wanted = np.asarray(coarse, np.float64), triangles("faces", faces), np.asarray(fine, np.float64)
    centers = points[corners].mean(axis=1)
    count = min(CANDIDATES, len(corners))
    far, candidates = (found.reshape(len(wanted), count) for found in KDTree(centers).query(wanted, k=count))
    best = np.full(len(wanted), np.inf)
    chosen, weights = np.zeros(len(wanted), np.int64), np.zeros((len(wanted), 3))

    def look(which: NDArray[np.int64], column: NDArray[np.int64]) -> None:
        """Test pairs of a point `which` and a face `column`. No pair may occur twice.

        If the face is nearer than the best face so far, update `best`, `chosen` and `weights` of the point.
        """
        shares = closest_weights(wanted[which], *points[corners[column]].transpose(1, 0, 2))
        away = wanted[which] - np.einsum("nk,nkx->nx", shares, points[corners[column]])
        gap = np.sqrt(_dot(away, away))
        nearer = np.flatnonzero(gap < best[which])
        # sort by descending distance: if a point occurs several times, NumPy keeps the last write, the nearest face
        nearer = nearer[np.argsort(-gap[nearer], kind="stable")]
        at = which[nearer]
        best[at], chosen[at], weights[at] = gap[nearer], column[nearer], shares[nearer]

    # A sphere of this radius around the center contains the face. Distance to the center minus radius is therefore a
    # lower bound of the distance to the face.
    radii = np.linalg.norm(points[corners] - centers[:, None], axis=2).max(axis=1)
    for distance, column in zip(far.T, candidates.T, strict=True):
        asking = np.flatnonzero(distance - radii[column] < best)
        look(asking, column[asking])
    # all other centers are further away than the candidates, so another face can only be closer if it is large
    for size, members in _by_size(radii) if count < len(corners) else []:
        asking = np.flatnonzero(best + size > far[:, -1])
        found = KDTree(centers[members]).query_ball_point(wanted[asking], best[asking] + size, return_sorted=True)
        if sum(map(len, found)):
            which, column = np.repeat(asking, list(map(len, found))), members[np.concatenate(found).astype(np.int64)]
            distance = np.linalg.norm(wanted[which] - centers[column], axis=1)
            reached = (distance >= far[which, -1]) & (distance - radii[column] < best[which])
            look(which[reached], column[reached])
    return chosen, weights


def _by_size(radii: Float64) -> list[tuple[float, NDArray[np.int64]]]:
    """Return groups of face indices with radii within a factor of two, and the largest radius of each group."""
    octaves = np.frexp(radii)[1]
    groups = [np.flatnonzero(octaves == octave) for octave in np.unique(octaves)]
    return [(float(radii[members].max()), members) for members in groups]


def _dot(a: Float64, b: Float64) -> Float64:
    """Return the dot products (N,) of vectors (N, 3)."""
    return np.asarray(np.einsum("nx,nx->n", a, b))


def closest_weights(p: Float64, a: Float64, b: Float64, c: Float64) -> Float64:
    """Return barycentric coordinates (N, 3) of the point of triangle a, b, c nearest to p. All arguments are (N, 3).

    A triangle without area is a segment or a point.
    """
    ab, ac, ap = b - a, c - a, p - a
    d00, d01, d11 = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    d20, d21 = _dot(ap, ab), _dot(ap, ac)
    area = d00 * d11 - d01 * d01
    v, w = _ratio(d11 * d20 - d01 * d21, area), _ratio(d00 * d21 - d01 * d20, area)
    along_ab, along_ac = np.clip(_ratio(d20, d00), 0, 1), np.clip(_ratio(d21, d11), 0, 1)
    bc = c - b
    along_bc = np.clip(_ratio(_dot(p - b, bc), _dot(bc, bc)), 0, 1)
    zero = np.zeros_like(v)
    choices = np.stack([np.stack(s, 1) for s in ((v, w), (along_ab, zero), (zero, along_ac), (1 - along_bc, along_bc))])
    gaps = np.stack([_dot(way, way) for way in ap[None] - choices[..., :1] * ab - choices[..., 1:] * ac])
    gaps[0][(v < 0) | (w < 0) | (v + w > 1) | (area <= 0)] = np.inf
    best = choices[gaps.argmin(axis=0), np.arange(len(p))]
    return np.concatenate([1 - best.sum(axis=1, keepdims=True), best], axis=1)


def _ratio(numerator: Float64, denominator: Float64) -> Float64:
    """Return the quotient of two arrays (N,), and 0 where the denominator is not above 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
