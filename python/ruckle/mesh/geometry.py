"""Areas of triangles and normals of vertices, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["triangle_areas", "vertex_normals"]

Float64 = NDArray[np.float64]


def triangle_areas(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return the area of each triangle, (T,) float64, square mesh units, for positions (V, 3) and faces (T, 3)."""
    return np.asarray(0.5 * np.linalg.norm(_across(positions, faces), axis=1))


def vertex_normals(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return unit normals of vertices, (V, 3) float64, triangles weighted by their areas; 0 where there are none."""
    across = _across(positions, faces)
    total = np.stack(
        [sum(np.bincount(corner, across[:, axis], len(positions)) for corner in faces.T) for axis in range(3)], axis=1
    )
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30))


def _across(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return normals (T, 3) of twice the triangles' areas."""
    a, b, c = np.asarray(positions, np.float64)[faces].transpose(1, 0, 2)
    return np.asarray(np.cross(b - a, c - a))
