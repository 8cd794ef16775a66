"""Unit vectors, edge lengths, triangle areas and normals in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected_roots", "edge_lengths", "face_crosses", "triangle_areas", "unit", "vertex_normals"]

Float64 = NDArray[np.float64]


def unit(vectors: Float64) -> Float64:
    """Return vectors (..., 3) scaled to length 1; zero vectors remain zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0))


def edge_lengths(positions: NDArray[Any], edges: NDArray[Any]) -> Float64:
    """Return the length of each edge, (E,) float64, mesh units, for positions (V, 3) and edges (E, 2)."""
    a, b = np.asarray(positions, np.float64)[edges].transpose(1, 0, 2)
    return np.asarray(np.linalg.norm(b - a, axis=1))


def triangle_areas(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return the area of each triangle, (T,) float64, square mesh units, for positions (V, 3) and faces (T, 3)."""
    return np.asarray(0.5 * np.linalg.norm(face_crosses(positions, faces), axis=1))


def face_crosses(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return face normals whose length is twice the face's area, (T, 3) float64."""
    a, b, c = np.asarray(positions, np.float64)[faces].transpose(1, 0, 2)
    return np.asarray(np.cross(b - a, c - a))


def vertex_normals(positions: NDArray[Any], faces: NDArray[Any]) -> Float64:
    """Return unit vertex normals (V, 3) float64, weighted by area; 0 if all faces at the vertex have no area."""
    across = face_crosses(positions, faces)
    total = np.stack(
        [sum(np.bincount(corner, across[:, axis], len(positions)) for corner in faces.T) for axis in range(3)], axis=1
    )
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30))


def connected_roots(pairs: NDArray[np.integer[Any]], count: int) -> NDArray[np.intp]:
    """Return, for each node of a graph, the lowest node of its connected component: (count,). `pairs` (N, 2): edges."""
    roots = np.arange(count)
    while True:
        ends = roots[pairs]
        lowest = ends.min(axis=1)
        if (ends == lowest[:, None]).all():
            return roots
        np.minimum.at(roots, ends[:, 0], lowest)
        np.minimum.at(roots, ends[:, 1], lowest)
        while (jumped := roots[roots]).tobytes() != roots.tobytes():
            roots = jumped
