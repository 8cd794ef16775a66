"""Test functions with which fine cloth tracks coarse cloth.

The test functions are the lowest Laplacian eigenvectors ("harmonics") of the fine mesh. Their moments for coarse cloth
use the interpolation from coarse to fine vertices.

This module requires scipy (extra `ruckle[simulation]`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, float32, triangles
from ruckle.errors import MeshError
from ruckle.mesh.closest import closest_points
from ruckle.mesh.geometry import triangle_areas

__all__ = [
    "Tracker",
    "cotangent_stiffness",
    "harmonics",
    "linear_map",
    "map_of",
    "vertex_areas",
]

Float64 = NDArray[np.float64]

# Number of eigenvalues that are computed at once (in one slice of the spectrum).
SLICE = 160


def vertex_areas(positions: ArrayLike, faces: ArrayLike) -> Float64:
    """Return a third of the area of all faces at each vertex, (V,) float64, m²; positions (V, 3) and faces (T, 3)."""
    corners = np.asarray(faces, np.int64)
    thirds = triangle_areas(np.asarray(positions), corners) / 3
    return np.bincount(corners.ravel(), np.repeat(thirds, 3), len(np.asarray(positions))).astype(np.float64)


def harmonics(positions: ArrayLike, faces: ArrayLike, count: int) -> tuple[Float64, Float64]:
    """Return the lowest Laplacian eigenvectors of a mesh, (V, K), 1/m, and their eigenvalues (K,), 1/m², ascending.

    They solve C φ = λ V φ with the cotangent stiffness C and vertex areas V, so that Φᵀ V Φ = I (Kavan et al. 2011,
    section 3). In each eigenvector, the entry of largest magnitude is positive.

    Parameters
    ----------
    positions : (V, 3) float, mesh units: metres
    faces : (T, 3) int
    count : int
        Number K of eigenvectors, in [1, V].

    Raises
    ------
    MeshError
        A vertex has no face with an area, or so many eigenvectors cannot be computed.
    ValueError
        `count` is out of its range.
    """
    import scipy.sparse as sparse

    points, corners = np.asarray(positions, np.float64), triangles("faces", faces)
    n = len(points)
    count = whole_number("count", count, 1, n)
    areas = vertex_areas(points, corners)
    if not areas.min() > 0:
        raise MeshError(f"positions: vertex {int(areas.argmin())} has no face with an area")
    root = sparse.diags(areas**-0.5)
    symmetric = root @ cotangent_stiffness(points, corners) @ root
    values, vectors = np.linalg.eigh(symmetric.toarray()) if 4 * count >= n else _lowest(symmetric.tocsc(), count)
    vectors = vectors[:, :count] * (areas**-0.5)[:, None]
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(count)]), np.maximum(values[:count], 0.0)


def cotangent_stiffness(positions: ArrayLike, faces: ArrayLike) -> Any:
    """Return the cotangent stiffness C of a mesh, sparse (V, V), symmetric and positive semidefinite.

    Every triangle must have an area; otherwise entries are infinite or NaN.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
    """
    import scipy.sparse as sparse

    points, corners = np.asarray(positions, np.float64), np.asarray(faces)
    n = len(points)
    weights = sparse.coo_matrix((n, n))
    for k in range(3):
        apex, u, v = corners[:, k], corners[:, k - 2], corners[:, k - 1]
        a, b = points[u] - points[apex], points[v] - points[apex]
        cotangents = (a * b).sum(1) / np.linalg.norm(np.cross(a, b), axis=1)
        weights = weights + sparse.coo_matrix((0.5 * cotangents, (u, v)), (n, n))
    weights = weights + weights.T
    return sparse.diags(np.asarray(weights.sum(1)).ravel()) - weights


def _lowest(matrix: Any, count: int) -> tuple[Float64, Float64]:
    """Return at least `count` smallest eigenvalues of a sparse semidefinite matrix, ascending, and their eigenvectors.

    The spectrum is computed in slices, because the cost of a slice grows with the square of its size.
    """
    from scipy.sparse.linalg import eigsh

    def around(shift: float, wanted: int) -> tuple[Float64, Float64, float]:
        """Return the eigenvalues nearest to `shift`, their vectors, and the radius within which none is missing."""
        values, vectors = eigsh(matrix, wanted, sigma=shift, v0=np.ones(matrix.shape[0]))
        order = np.argsort(values, kind="stable")
        return values[order], vectors[:, order], float(np.abs(values - shift).max())

    # the shift is slightly below 0, because the matrix is singular
    values, vectors, _ = around(-1e-3 * float(matrix.diagonal().mean()), min(count, SLICE))
    while len(values) < count:
        # eigenvalues of surfaces are almost evenly spaced, so the new slice overlaps the known eigenvalues by a quarter
        shift = float(values[-1]) + 0.5 * float(values[-1] - values[-SLICE // 2])
        found, more, reach = around(shift, SLICE)
        common = np.flatnonzero(values > shift - reach)
        if len(common) < 2:
            raise MeshError("positions: the Laplacian eigenvectors of this mesh cannot be computed; use fewer of them")
        # cut at the widest gap among the eigenvalues of both slices, so that close eigenvalues are not separated
        cut = int(common[np.diff(values[common]).argmax()]) + 1
        level = 0.5 * (values[cut - 1] + values[cut])
        new = found > level
        values, vectors = np.concatenate([values[:cut], found[new]]), np.hstack([vectors[:, :cut], more[:, new]])
    return values, vectors


def linear_map(coarse: ArrayLike, faces: ArrayLike, fine: ArrayLike) -> Any:
    """Return the sparse (N, M) map that interpolates coarse vertices at the rest points closest to fine vertices.

    Parameters
    ----------
    coarse : (M, 3) float, metres
    faces : (T, 3) int
        Faces of the coarse mesh.
    fine : (N, 3) float, metres
    """
    return map_of(*closest_points(coarse, faces, fine), faces, len(np.asarray(coarse)))


def map_of(holders: ArrayLike, weights: ArrayLike, faces: ArrayLike, vertex_count: int) -> Any:
    """Return the sparse (N, M) map that interpolates M vertices at points of faces, as found by `closest_points`."""
    import scipy.sparse as sparse

    columns = triangles("faces", faces)[np.asarray(holders)].ravel()
    rows = np.repeat(np.arange(len(columns) // 3), 3)
    return sparse.csr_matrix((np.asarray(weights).ravel(), (rows, columns)), (len(columns) // 3, vertex_count))


class Tracker:
    """Test functions of a fine mesh, and their moments for a coarse simulation of the same garment.

    Parameters
    ----------
    coarse, coarse_faces : (M, 3) float, metres, and (T, 3) int
        The coarse mesh at rest.
    fine, fine_faces : (N, 3) float, metres, and (S, 3) int
        The fine mesh at rest, on the same surface.
    count : int
        Number R of harmonics in which fine cloth must match coarse cloth. With a larger number, tracking is closer and
        fine cloth has less detail of its own.
    """

    def __init__(
        self, coarse: ArrayLike, coarse_faces: ArrayLike, fine: ArrayLike, fine_faces: ArrayLike, *, count: int = 60
    ) -> None:
        vectors, _ = harmonics(fine, fine_faces, count)
        areas = vertex_areas(fine, fine_faces)
        tests = (vectors * areas[:, None]).T
        self._tests = float32("tests", tests)
        self.linear_map = linear_map(coarse, coarse_faces, fine)
        # uses the rounded float32 tests of the core, so that the moments of equal shapes are equal up to the last digit
        self._coarse_tests = np.asarray((self.linear_map.T @ self._tests.T.astype(np.float64)).T)

    @property
    def tests(self) -> Float32:
        """Test functions (R, N) float32, m, for `ClothSimulation.track`."""
        return self._tests

    def targets(self, coarse_positions: ArrayLike) -> Float64:
        """Return the moments (S, R, 3), m², of coarse positions (S, M, 3), metres, for S substeps."""
        return np.asarray(self._coarse_tests @ np.asarray(coarse_positions, np.float64))

    def residual(self, coarse_positions: ArrayLike, fine_positions: ArrayLike) -> float:
        """Return the difference between the moments of fine positions (N, 3) and coarse positions (M, 3), metres.

        It is the length of a shift of the whole cloth that changes the moments by the same norm.
        """
        off = self._coarse_tests @ np.asarray(coarse_positions, np.float64)
        off = off - self._tests.astype(np.float64) @ np.asarray(fine_positions, np.float64)
        return float(np.linalg.norm(off) / np.linalg.norm(self._tests.sum(axis=1, dtype=np.float64)))
