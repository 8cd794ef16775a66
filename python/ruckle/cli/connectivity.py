"""Connectivity of a mesh: connected components, boundary loops and edge lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.animation import Animation
from ruckle.mesh.geometry import connected_roots, edge_lengths
from ruckle.mesh.topology import Topology, topology_of

__all__ = ["boundary_loop_count", "component_count", "describe_mesh"]

Indices = NDArray[np.intp]


def describe_mesh(animation: Animation) -> dict[str, Any]:
    """Return properties of an animation's mesh after merging vertices that UV seams have split.

    Returns
    -------
    dict
        `vertices`, `triangles`, `edges`, `components`, `boundary_loops`, and `edge_length`, a dict with `min`, `median`
        and `max` of the first frame in mesh units.

    Raises
    ------
    MeshError
        The mesh is not manifold.
    """
    topology = topology_of(animation)
    lengths = edge_lengths(animation.positions[0], topology.edges)
    return {
        "vertices": len(np.unique(topology.faces)),
        "triangles": topology.face_count,
        "edges": topology.edge_count,
        "components": component_count(topology),
        "boundary_loops": boundary_loop_count(topology),
        "edge_length": {
            "min": float(lengths.min()),
            "median": float(np.median(lengths)),
            "max": float(lengths.max()),
        },
    }


def component_count(topology: Topology) -> int:
    """Return the number of connected components of the mesh; vertices without faces are ignored."""
    roots = connected_roots(topology.edges, topology.vertex_count)
    return len(np.unique(roots[topology.edges]))


def boundary_loop_count(topology: Topology) -> int:
    """Return the number of closed loops of boundary edges; two loops that share a vertex count as two."""
    boundary = np.flatnonzero(topology.edge_faces[:, 1] < 0)
    # from each end of each boundary edge, walk through the fan of faces around this end to the next boundary edge
    starts = np.repeat(boundary, 2)
    pivots = topology.edges[boundary].ravel()
    edges, faces = starts.copy(), topology.edge_faces[starts, 0].astype(np.intp)
    walking = np.arange(len(starts))
    while len(walking):
        around = topology.face_edges[faces[walking]]
        holds_pivot = (topology.edges[around] == pivots[walking, None, None]).any(axis=2)
        onward = holds_pivot & (around != edges[walking, None])
        edges[walking] = around[onward]
        pair = topology.edge_faces[edges[walking]]
        faces[walking] = np.where(pair[:, 0] == faces[walking], pair[:, 1], pair[:, 0])
        walking = walking[pair[:, 1] >= 0]
    roots = connected_roots(np.stack([starts, edges], axis=1), topology.edge_count)
    return len(np.unique(roots[boundary]))
