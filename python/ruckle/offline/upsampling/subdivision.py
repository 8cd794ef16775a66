"""Loop subdivision as a matrix: the smooth surface that games draw without training. It is a prior and a baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Int32, triangles
from ruckle.offline.simulation.tracking import linear_map

__all__ = ["loop_map", "subdivide"]

# Number of subdivisions before the surface is interpolated at the fine vertices.
LEVELS = 3


def subdivide(faces: ArrayLike, vertex_count: int, *, smooth: bool) -> tuple[Any, Int32]:
    """Return the sparse map (V + E, V) of one subdivision level, and the new faces (4T, 3) int32.

    Parameters
    ----------
    faces : (T, 3) int
    vertex_count : int
        Number V of vertices.
    smooth : bool
        True uses Loop's weights, with cubic spline weights on the boundary. False creates edge midpoints and does not
        move old vertices.
    """
    import scipy.sparse as sparse

    corners = triangles("faces", faces).astype(np.int64)
    sides = np.sort(corners[:, [1, 2, 2, 0, 0, 1]].reshape(-1, 2), axis=1)
    edges, number, uses = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    # column k is the edge opposite to corner k
    opposite, rim = number.reshape(-1, 3), uses == 1
    count = len(edges)

    def entries(values: float, rows: NDArray[Any], columns: NDArray[Any], height: int) -> Any:
        return sparse.csr_matrix((np.full(len(rows), values), (rows, columns)), (height, vertex_count))

    both = np.repeat(np.arange(count), 2)
    odd: Any = entries(0.5, both, edges.ravel(), count)
    even: Any = sparse.identity(vertex_count, format="csr")
    if smooth:
        inner, outer = sparse.diags((~rim).astype(float)), sparse.diags(rim.astype(float))
        far = entries(0.125, opposite.ravel(), corners.ravel(), count)
        odd = inner @ (entries(0.375, both, edges.ravel(), count) + far) + outer @ odd
        even = _even_rows(edges, rim, vertex_count)
    a, b, c = corners.T
    d, e, f = (opposite + vertex_count).T
    fine = np.concatenate([np.stack(corner, 1) for corner in ((a, f, e), (b, d, f), (c, e, d), (d, e, f))])
    return sparse.vstack([even, odd]).tocsr(), fine.astype(np.int32)


def _even_rows(edges: NDArray[np.int64], rim: NDArray[np.bool_], count: int) -> Any:
    """Return the sparse map (V, V) that moves old vertices in one step of Loop subdivision."""
    import scipy.sparse as sparse

    def neighbors(pairs: NDArray[np.int64]) -> Any:
        rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
        return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (count, count))

    ring, along = neighbors(edges), neighbors(edges[rim])
    valence, on_rim = np.maximum(np.asarray(ring.sum(1)).ravel(), 1.0), np.asarray(along.sum(1)).ravel() > 0
    share = (0.625 - (0.375 + 0.25 * np.cos(2.0 * np.pi / valence)) ** 2) / valence
    own = np.where(on_rim, 0.75, 1.0 - valence * share)
    return sparse.diags(own) + sparse.diags(np.where(on_rim, 0.0, share)) @ ring + sparse.diags(on_rim * 0.125) @ along


def loop_map(coarse: ArrayLike, faces: ArrayLike, fine: ArrayLike, *, levels: int = LEVELS) -> Any:
    """Return the sparse (N, M) map from coarse vertices to the subdivided surface at the fine vertices.

    The closest point of each fine vertex is computed on the subdivided but unsmoothed rest mesh.

    Parameters
    ----------
    coarse : (M, 3) float, metres
        Coarse vertices at rest.
    faces : (T, 3) int
        Triangles of the coarse mesh.
    fine : (N, 3) float, metres
        Fine vertices at rest.
    levels : int
        Number of subdivisions.
    """
    import scipy.sparse as sparse

    rest, current = np.asarray(coarse, np.float64), triangles("faces", faces)
    smooth = flat = sparse.identity(len(rest), format="csr")
    for _ in range(levels):
        count = smooth.shape[0]
        smooth = subdivide(current, count, smooth=True)[0] @ smooth
        step, current = subdivide(current, count, smooth=False)
        flat = step @ flat
    return linear_map(flat @ rest, current, fine) @ smooth
