"""Normals for lighting the corners of a fine mesh: vertex normals, but one per side of a crease, as in the shaders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32, Int32
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["corner_sides", "parted_edges", "parted_normals"]

# Cosine of 1 degree. If the corner normals of two faces at a common edge differ by less, the faces share their normals.
SHARED_COSINE = 0.99985


def parted_edges(topology: _core.Topology, corner_normals: Float32) -> NDArray[np.bool_]:
    """Return a mask (E,) of parted edges: the two faces of the edge have different normals at one of its ends.

    Parameters
    ----------
    topology : Topology
        Topology of the coarse mesh.
    corner_normals : (T, 3, 3) float32
        Normals for lighting the corners of the coarse faces.
    """
    ends = np.zeros((topology.edge_count, 2, 2, 3), np.float32)
    faces = np.arange(topology.face_count)
    for k in range(3):
        edges = topology.face_edges[:, k]
        face_is_second = (topology.edge_faces[edges, 0] != faces).astype(int)
        starts_high = (topology.edges[edges, 0] != topology.faces[:, k]).astype(int)
        ends[edges, face_is_second, starts_high] = corner_normals[:, k]
        ends[edges, face_is_second, 1 - starts_high] = corner_normals[:, (k + 1) % 3]
    found: NDArray[np.bool_] = ((ends[:, 0] * ends[:, 1]).sum(axis=2) < SHARED_COSINE).any(axis=1)
    return found & (topology.edge_faces[:, 1] >= 0)


def corner_sides(fine: FineMesh, topology: _core.Topology, parted: NDArray[np.bool_]) -> Int32:
    """Return side numbers (M, 3) of a fine mesh's corners. Corners of one vertex with equal numbers share a normal.

    Parameters
    ----------
    fine : FineMesh
        Fine mesh of a frame in which no layer replaces the coarse mesh.
    topology : Topology
        Topology of the coarse mesh.
    parted : (E,) bool
        Coarse edges whose two faces have different normals, see `parted_edges`.
    """
    result = np.zeros(fine.faces.shape, np.int32)
    if not parted.any():
        return result
    at_vertices = _sides_at_vertices(topology, parted)
    of_edges = parted[topology.face_edges]
    is_near = np.any(of_edges | (at_vertices > 0), axis=1)
    rows = np.flatnonzero(is_near[fine.face_coarse_faces])
    weights, held = fine.own_weights(rows), fine.face_coarse_faces[rows]
    own = np.zeros((len(rows), 3), np.int32)
    for k in range(3):
        on_edge = (weights[:, :, (k + 2) % 3] == 0.0) & of_edges[held, k, None]
        own = np.where(on_edge, held[:, None] + 1, own)
    for k in range(3):
        own = np.where(weights[:, :, k] == 1.0, at_vertices[held, k, None], own)
    result[rows] = own
    return result


def _sides_at_vertices(topology: _core.Topology, parted: NDArray[np.bool_]) -> Int32:
    """Return side numbers (T, 3) of coarse corners: equal at a vertex if unparted edges connect the faces around it.

    They are 0 at vertices with one side only.
    """
    sides = np.repeat(np.arange(1, topology.face_count + 1, dtype=np.int32)[:, None], 3, axis=1)
    joined = np.flatnonzero(~parted & (topology.edge_faces[:, 1] >= 0))
    pairs = topology.edge_faces[joined]
    # corners of both faces at both ends of each edge
    corners = np.stack(
        [np.argmax(topology.faces[pairs] == topology.edges[joined, end, None, None], axis=2) for end in range(2)],
        axis=1,
    )
    while True:
        before = sides.copy()
        for end in range(2):
            first, second = (pairs[:, 0], corners[:, end, 0]), (pairs[:, 1], corners[:, end, 1])
            low = np.minimum(sides[first], sides[second])
            np.minimum.at(sides, first, low)
            np.minimum.at(sides, second, low)
        if np.array_equal(before, sides):
            break
    # 0 for vertices with one side only
    lowest = np.full(topology.vertex_count, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(lowest, topology.faces, sides)
    is_divided = np.zeros(topology.vertex_count, bool)
    is_divided[topology.faces[sides != lowest[topology.faces]]] = True
    result: Int32 = np.where(is_divided[topology.faces], sides, 0).astype(np.int32)
    return result


def parted_normals(fine: FineMesh, vertex_normals: Float32, corner_normals: Float32) -> Float32:
    """Return the unit normals (M, 3, 3) for lighting the corners of a fine mesh.

    Parameters
    ----------
    fine : FineMesh
        Fine mesh of a frame in which no layer replaces the coarse mesh.
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
