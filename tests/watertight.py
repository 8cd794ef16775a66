"""Checks that a fine mesh is watertight: its boundary is exactly the subdivided boundary of the coarse mesh."""

from itertools import pairwise
from typing import Any

import numpy as np

from ruckle import FineMesh


def faults(fine: FineMesh, topology: Any, levels: Any) -> list[str]:
    """Return the reasons why a fine mesh is not watertight; an empty list if it is.

    `levels` are the parts of each coarse edge.
    """
    directed = side_keys(fine.faces)
    undirected, uses = np.unique(side_keys(np.sort(fine_sides(fine.faces), axis=1)), return_counts=True)
    found = []
    if uses.max() > 2:
        found.append("an edge has more than two faces")
    # each coarse boundary edge must consist of the right number of fine boundary edges
    inside = topology.vertex_count + np.cumsum([0, *(levels - 1)])
    chains = [
        [topology.edges[edge, 0], *range(inside[edge], inside[edge + 1]), topology.edges[edge, 1]]
        for edge in np.flatnonzero(topology.edge_faces[:, 1] < 0)
    ]
    expected = [sorted(pair) for chain in chains for pair in pairwise(chain)]
    if not np.array_equal(undirected[uses == 1], np.unique(side_keys(np.array(expected).reshape(-1, 2)))):
        found.append("the fine mesh has other boundary edges than the coarse mesh")
    coarse = side_keys(topology.faces)
    if len(np.unique(coarse)) == len(coarse) and len(np.unique(directed)) != len(directed):
        found.append("neighbouring faces have opposite winding")
    used = np.unique(fine.faces)
    euler = len(used) - len(undirected) + len(fine.faces)
    if euler != len(np.unique(topology.faces)) - topology.edge_count + topology.face_count:
        found.append("it has another Euler characteristic")
    return found


def fine_sides(faces: Any) -> Any:
    return np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])


def side_keys(faces_or_sides: Any) -> Any:
    """Return one number per directed side. The argument contains faces (M, 3) or sides (M, 2)."""
    sides = fine_sides(faces_or_sides) if faces_or_sides.shape[1] == 3 else faces_or_sides
    return sides[:, 0].astype(np.int64) << 32 | sides[:, 1].astype(np.int64)
