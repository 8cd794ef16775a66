"""Averages, slopes and neighbourhoods of fields on a mesh at rest. This module requires scipy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.offline.simulation.tracking import cotangent_stiffness, vertex_areas

__all__ = ["RestSurface", "face_slopes"]

Float64 = NDArray[np.float64]

# Number of steps of implicit diffusion. With two steps, the weights of the average are nearly a Gaussian.
STEPS = 2


def face_slopes(heights: Float64, positions: Float64, faces: Int32) -> tuple[Float64, Float64]:
    """Return the gradients (..., S, 3) of heights (..., N) on faces (S, 3), and the face areas (S,).

    The gradient on a face of zero area is 0.
    """
    corners = positions[faces]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(first, second)
    square = (normal**2).sum(axis=1, keepdims=True)
    rises = heights[..., faces[:, 1:]] - heights[..., faces[:, :1]]
    slopes = np.cross(rises[..., :1] * second - rises[..., 1:] * first, normal) / np.where(square > 0.0, square, np.inf)
    return slopes, 0.5 * np.sqrt(square[:, 0])


class RestSurface:
    """Averages and gradients of fields, and dilation of masks, on a mesh at rest.

    Parameters
    ----------
    positions : (N, 3) float, metres
    faces : (S, 3) int
    """

    def __init__(self, positions: ArrayLike, faces: ArrayLike) -> None:
        import scipy.sparse as sparse

        self.faces: Int32 = triangles("faces", faces)
        self.points: Float64 = np.asarray(positions, np.float64)
        self.areas: Float64 = vertex_areas(self.points, self.faces)
        self._stiffness = cotangent_stiffness(self.points, self.faces)
        crosses = face_crosses(self.points, self.faces)
        count, owners = len(self.points), np.arange(len(self.faces)).repeat(3)
        # a vertex has a third of the area of each of its faces
        thirds = np.linalg.norm(crosses, axis=1).repeat(3) / 6.0
        shape = count, len(self.faces)
        self._shares = sparse.csr_matrix((thirds / self.areas[self.faces.ravel()], (self.faces.ravel(), owners)), shape)
        around = sparse.csr_matrix((np.ones(len(owners)), (self.faces.ravel(), owners)), shape)
        self._around = around
        self.normals: Float64 = unit(around @ crosses)

    def normals_of(self, positions: Float64) -> Float64:
        """Return the vertex normals (N, 3) of the mesh with other positions (N, 3)."""
        return unit(self._around @ face_crosses(positions, self.faces))

    @property
    def corners(self) -> tuple[Int32, Float32]:
        """The first face (N,) of each vertex, and the barycentric coordinates (N, 3) of the vertex in this face.

        Every vertex must have a face.
        """
        order = np.arange(self.faces.size)[::-1]
        place = np.zeros(len(self.points), np.int64)
        place[self.faces.ravel()[order]] = order
        return (place // 3).astype(np.int32), float32("weights", np.eye(3, dtype=np.float32)[place % 3])

    def slopes(self, heights: Float64) -> Float64:
        """Return the gradients (E, S, 3) of heights (E, N) on the faces."""
        return face_slopes(heights, self.points, self.faces)[0]

    def to_vertices(self, values: Float64) -> Float64:
        """Return area-weighted means (E, N) at the vertices of face values (E, S)."""
        return np.asarray((self._shares @ values.T).T)

    def average(self, reach: float) -> Callable[[Float64], Float64]:
        """Return a function that smooths fields (E, N) with a kernel of standard deviation `reach`, metres.

        Implicit diffusion follows the surface, so two layers of a garment do not mix.
        """
        import scipy.sparse as sparse
        from scipy.sparse.linalg import splu

        masses = sparse.diags(self.areas)
        # the variance of diffusion is twice its time
        solver = splu((masses + reach**2 / (2.0 * STEPS) * self._stiffness).tocsc())

        def averaged(fields: Float64) -> Float64:
            columns = fields.T
            for _ in range(STEPS):
                columns = solver.solve(np.ascontiguousarray(self.areas[:, None] * columns))
            return np.ascontiguousarray(columns.T)

        return averaged

    def within(self, distance: float) -> Callable[[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Return a function that extends vertex masks (E, N) to all vertices within a straight distance in metres.

        Unlike `average`, it also reaches another layer of cloth nearby.
        """
        import scipy.sparse as sparse
        from scipy.spatial import KDTree

        pairs = KDTree(self.points).query_pairs(distance, output_type="ndarray")
        count, own = len(self.points), np.arange(len(self.points))
        rows = np.concatenate([pairs[:, 0], pairs[:, 1], own])
        columns = np.concatenate([pairs[:, 1], pairs[:, 0], own])
        near = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (count, count))
        return lambda masks: np.asarray((near @ masks.T.astype(np.float32)).T > 0.0)
