"""A baseline for learned operators: a smooth surface with constant detail in all frames.

With six training motions, the error of the learned operator is only as small as the error of this baseline.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.mesh.geometry import vertex_normals

__all__ = ["MeanDetail", "local_frames"]

Float64 = NDArray[np.float64]


class MeanDetail:
    """A smooth operator with the mean residual detail of the training motions, in local surface frames.

    Parameters
    ----------
    base : (N, M) float
        Operator of the smooth surface, for example of the smooth prior.
    faces : (T, 3) int
        Triangles of the fine mesh; every vertex has at least one triangle.
    """

    def __init__(self, base: ArrayLike, faces: ArrayLike) -> None:
        self.base, self.faces = np.asarray(base, np.float64), triangles("faces", faces)
        self._sum, self._frames = np.zeros((len(self.base), 3)), 0

    @property
    def detail(self) -> Float64:
        """Mean detail (N, 3) float64, metres: along an edge, across the edge, and along the normal."""
        return self._sum / max(self._frames, 1)

    def add(self, coarse: ArrayLike, fine: ArrayLike) -> None:
        """Add the frames of a motion to the mean.

        Parameters
        ----------
        coarse : (F, M, 3) float, metres
        fine : (F, N, 3) float, metres
        """
        for positions, true in zip(float32("coarse", coarse), float32("fine", fine), strict=True):
            surface = self._surface(positions)
            self._sum += np.einsum("nxk,nx->nk", local_frames(surface, self.faces), true - surface)
            self._frames += 1

    def step(self, positions: ArrayLike) -> Float32:
        """Return the fine vertices (N, 3) float32 for a coarse frame (M, 3), metres."""
        surface = self._surface(float32("positions", positions))
        return float32("positions", surface + np.einsum("nxk,nk->nx", local_frames(surface, self.faces), self.detail))

    def _surface(self, positions: Float32) -> Float64:
        center = positions.mean(axis=0, dtype=np.float64)
        return np.asarray(self.base @ (positions - center) + center)


def local_frames(positions: ArrayLike, faces: Int32) -> Float64:
    """Return a right-handed frame (N, 3, 3) at each vertex; columns: along an edge, across it, along the normal.

    Parameters
    ----------
    positions : (N, 3) float
    faces : (T, 3) int
    """
    points = np.asarray(positions, np.float64)
    neighbors = np.zeros(len(points), np.int64)
    # each vertex uses an edge of its last face, so the same edge in every frame
    for corner in range(3):
        neighbors[faces[:, corner]] = faces[:, (corner + 1) % 3]
    normals = vertex_normals(points, faces)
    edges = points[neighbors] - points
    along = edges - normals * (edges * normals).sum(axis=1, keepdims=True)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-30)
    return np.stack([along, np.cross(normals, along), normals], axis=2)
