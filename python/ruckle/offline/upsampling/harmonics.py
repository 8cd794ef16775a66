"""Harmonics (Laplacian eigenvectors) of the fine mesh: the basis in which the operator is trained."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import float32, triangles
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.replacing import replacing
from ruckle.offline.simulation.tracking import harmonics, vertex_areas

__all__ = ["Harmonics"]

Float64 = NDArray[np.float64]

# Eigenvalues whose relative difference is smaller count as equal. Their eigenvectors are defined only up to a rotation,
# so they are kept or removed together.
PAIR_GAP = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Harmonics:
    """Eigenvectors of a mesh Laplacian: C φ = λ V φ, Φᵀ V Φ = I (Kavan et al. 2011, section 3).

    **Departs from the paper:** the paper uses the eigenvectors of V^-½ C V^-½. With our area-weighted inner product,
    the constant function is an eigenvector. So the sum of an operator's row depends only on the first harmonic, and
    dense regions of a mesh have the same weight as sparse regions.

    Attributes
    ----------
    vectors : (N, K) float64, 1/m
        Φ; the entry of largest magnitude of each vector is positive.
    values : (K,) float64, 1/m²
        λ, in ascending order.
    areas : (N,) float64, m²
        V, vertex areas: a third of the area of all faces at each vertex.
    """

    vectors: Float64
    values: Float64
    areas: Float64

    @classmethod
    def of(cls, positions: ArrayLike, faces: ArrayLike, count: int, *, cache: str | Path | None = None) -> Harmonics:
        """Compute the lowest harmonics of a mesh.

        This requires scipy (extra `ruckle[train]`), and takes about a minute for 1,000 harmonics of 7,000 vertices.

        Parameters
        ----------
        positions : (N, 3) float, metres
            Positions at rest.
        faces : (T, 3) int
        count : int
            Number K, in [1, N]. The result has fewer harmonics if equal eigenvalues would be separated.
        cache : path, optional
            Folder in which the result is stored, so that the next call with the same mesh only reads a file. The folder
            is created if it is missing.

        Raises
        ------
        MeshError
            A vertex has no face with an area, or so many eigenvectors cannot be computed.
        ValueError
            `count` is out of its range, or the stored file is damaged.
        """
        points, corners = float32("positions", positions), triangles("faces", faces)
        wanted = whole_number("count", count, 1, len(points))
        areas = vertex_areas(points, corners)
        path = None if cache is None else Path(cache) / f"harmonics_{_mesh_hash(points, corners)}_{wanted}.npz"
        if path is not None and path.exists():
            archive = Archive(path, Budget())
            return cls(archive.array("vectors", "f"), archive.array("values", "f"), areas)
        # one more than wanted, to detect equal eigenvalues at the end of the list
        vectors, values = harmonics(points, corners, min(wanted + 1, len(points)))
        kept = wanted
        while 1 < kept < len(values) and values[kept] - values[kept - 1] < PAIR_GAP * values[kept]:
            kept -= 1
        result = cls(np.ascontiguousarray(vectors[:, :kept]), values[:kept], areas)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                np.savez(file, vectors=result.vectors, values=result.values)
        return result

    @property
    def count(self) -> int:
        """Number K of harmonics."""
        return len(self.values)

    @property
    def sums(self) -> Float64:
        """Φᵀ V 1, (K,) float64, m: √area for the constant function of a connected mesh, 0 for all other harmonics."""
        return self.vectors.T @ self.areas

    def project(self, values: ArrayLike) -> Float64:
        """Return the coefficients Φᵀ V f, (K, n) float64, of vertex values f (N, n)."""
        given = np.asarray(values, np.float64)
        return np.asarray(self.vectors.T @ (self.areas[:, None] * given))

    def lowest(self, values: Float64, count: int) -> Float64:
        """Return the projection of vertex values (N, n) onto the `count` lowest harmonics, (N, n) float64."""
        low = self.vectors[:, :count]
        return np.asarray(low @ ((low * self.areas[:, None]).T @ values))

    def __repr__(self) -> str:
        return f"Harmonics({self.count} of {len(self.areas)} vertices, up to {self.values[-1]:.4g} per m²)"


def _mesh_hash(positions: NDArray[np.float32], faces: NDArray[np.int32]) -> str:
    content = positions.astype("<f4").tobytes() + faces.astype("<i4").tobytes()
    return hashlib.sha256(content).hexdigest()[:16]
