"""Normals for lighting the corners of a fine mesh: vertex normals, but one per side of a crease, as in the shaders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["parted_normals"]


def parted_normals(fine: FineMesh, vertex_normals: Float32, corner_normals: Float32) -> Float32:
    """Return the unit normals (M, 3, 3) for lighting the corners of a fine mesh.

    Parameters
    ----------
    fine : FineMesh
        Fine mesh of a frame in which no layer has a shape.
    vertex_normals : (V, 3) float32
        Vertex normals of the coarse mesh, which are the directions of the heights.
    corner_normals : (T, 3, 3) float32
        Normals for lighting the corners of the coarse faces.
    """
    result = fine.normals[fine.faces]
    own = vertex_normals[fine.coarse]
    is_parted = (corner_normals != own).any(axis=(1, 2))
    rows = np.flatnonzero(is_parted[fine.face_coarse_faces])
    weights, held = fine.own_weights(rows).astype(np.float64), fine.face_coarse_faces[rows]
    raised = _unit(np.einsum("mck,mkd->mcd", weights, own[held].astype(np.float64)))
    lit = _unit(np.einsum("mck,mkd->mcd", weights, corner_normals[held].astype(np.float64)))
    drawn = result[rows].astype(np.float64)
    # Gradient of the heights, computed from the drawn normal and the normal of the base. As in the shaders, subtracting
    # the gradient from the corner normal gives the normal for lighting.
    along = (drawn * raised).sum(axis=2, keepdims=True)
    slope = raised - np.divide(drawn, along, out=raised.copy(), where=along > 0.0)
    result[rows] = _unit(lit - slope + lit * (lit * slope).sum(axis=2, keepdims=True))
    result.flags.writeable = False
    return result


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-30)
    return unit
