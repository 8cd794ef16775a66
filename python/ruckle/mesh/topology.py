"""The connectivity of a mesh, and the joining of vertices that UV seams have split."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance, number, whole_number
from ruckle.arrays import Float32, Int32, first_true, float32, shaped, triangles
from ruckle.mesh.animation import Animation
from ruckle.mesh.geometry import connected_roots

__all__ = ["Topology", "join_tolerance", "mesh_topology", "near_rims", "same_mesh", "topology_of", "weld"]

Int64 = NDArray[np.int64]

# Two vertices are joined if their distance is at most this share of the mesh's extent: 1/100 of the usual shortest
# edge. Exporters round the two sides of a seam to about 1e-6. A larger share would join the hems of separate parts.
JOIN_SHARE = 1e-4

# Two boundary vertices probably belong to a seam that was not joined if their distance is at most this share of the
# median length of boundary edges.
NEAR_RIM = 0.1

# Vertices are sorted along this unit vector. Planes perpendicular to it rarely contain many vertices of a mesh, so few
# vertices have equal keys.
PROJECTION = np.array([0.3713906763541037, 0.5570860145311556, 0.7427813527082074])


class Topology(_core.Topology):
    """Connectivity of a manifold triangle mesh, with or without boundary, computed once.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices. The mesh may have several components and vertices without faces.
    vertex_count : int
        Number of vertices V.

    Attributes
    ----------
    faces : (T, 3) int32
        Vertex indices, as in the parameter.
    edges : (E, 2) int32
        Vertices of each edge, the lower index first. The rows are sorted.
    face_edges : (T, 3) int32
        Edges of each face. Edge `k` connects the corners `k` and `k + 1`.
    face_neighbors : (T, 3) int32
        Face on the other side of edge `k`; -1 at the boundary.
    edge_faces : (E, 2) int32
        Faces of each edge, the lower index first; -1 for the missing face at the boundary.
    vertex_count, face_count, edge_count : int

    Raises
    ------
    MeshError
        There is no face, an index is out of range, a face has a vertex twice, or an edge has more than two faces.

    Examples
    --------
    >>> ruckle.Topology([[0, 1, 2], [0, 2, 3]], 4)
    Topology(2 faces, 4 vertices, 5 edges, 4 of them boundary)
    """

    def __init__(self, faces: ArrayLike, vertex_count: int) -> None:
        super().__init__(triangles("faces", faces), whole_number("vertex_count", vertex_count))


def mesh_topology(topology: object) -> _core.Topology:
    """Return a topology unchanged; raise TypeError for any other object, such as an array of faces."""
    return instance("topology", topology, _core.Topology, "ruckle.Topology(faces, vertex_count) makes one")


def same_mesh(topology: _core.Topology, other: _core.Topology) -> bool:
    """Return True if two topologies have equal triangles and equal numbers of vertices."""
    # all frames of a run share one topology object, so arrays are compared rarely
    return topology is other or (
        topology.vertex_count == other.vertex_count and np.array_equal(topology.faces, other.faces)
    )


def topology_of(animation: Animation) -> Topology:
    """Return an animation's connectivity. Vertices whose positions are equal in all frames are joined.

    Positions are equal within `JOIN_SHARE` of the mesh's extent, because exporters round the two sides of a UV seam
    differently.
    """
    faces = weld(animation.positions, animation.faces, tolerance=join_tolerance(animation))
    return Topology(faces, animation.vertex_count)


def join_tolerance(animation: Animation) -> float:
    """Return the distance, mesh units, within which an animation's vertices are joined."""
    return JOIN_SHARE * float(np.ptp(animation.positions[0].astype(np.float64), axis=0).max())


def weld(positions: ArrayLike, faces: ArrayLike, *, tolerance: float = 0.0) -> Int32:
    """Join vertices at equal positions, so that UV seams do not cut the cloth.

    Parameters
    ----------
    positions : (V, 3) or (F, V, 3) float, mesh units
        The first frame, or all frames. With all frames, only vertices with equal positions in every frame are joined,
        so that two pieces of cloth that touch once remain separate.
    faces : (T, 3) int
    tolerance : float, mesh units, >= 0
        Positions are equal if their distance is at most this.

    Returns
    -------
    (T, 3) int32
        Faces in which each group of equal vertices is replaced by its lowest index. A chain of vertices, each within
        the tolerance of the next, is one group. Vertices are not joined if a face would collapse, or if an edge would
        get more than two faces or two faces of opposite orientations.

    Raises
    ------
    MeshError
        An index is out of range, or a face has a vertex twice.
    ValueError
        The tolerance is negative, a position is not finite, or there is no frame.

    Examples
    --------
    The last vertex has the position of the second vertex:

    >>> ruckle.weld([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]], [[0, 1, 2], [4, 3, 2]]).tolist()
    [[0, 1, 2], [1, 3, 2]]
    """
    points = float32("positions", positions)
    reach = number("tolerance", tolerance)
    if not reach >= 0.0:
        raise ValueError(f"tolerance: expected a number of at least 0, got {tolerance}")
    if points.ndim != 3 and not reach:
        return _core.weld(points, triangles("faces", faces))
    frames = shaped("positions", points if points.ndim == 3 else points[None], ("F", "V", 3))
    if not len(frames):
        raise ValueError("positions: expected at least one frame")
    sound = np.isfinite(frames)
    if not sound.all():
        raise ValueError(f"positions: the number at {first_true(~sound)} is not finite")
    groups = connected_roots(_coincident_pairs(frames, reach), frames.shape[1])
    # The core joins vertices at equal positions. So every group gets its own position: the group's index, split into
    # two numbers that float32 represents exactly.
    return _core.weld(
        np.stack([groups % 4096, groups // 4096, 0 * groups], axis=1).astype(np.float32),
        triangles("faces", faces),
    )


def near_rims(animation: Animation, topology: _core.Topology) -> tuple[int, float]:
    """Return the number of boundary vertices that are near another one in every frame, and the limit of the distance.

    The limit is `NEAR_RIM` times the median length of boundary edges, mesh units; (0, 0) without
    boundary. The other vertex must not be a neighbour. Pairs at equal positions are not counted: such vertices are
    separate because an edge would otherwise have more than two faces.
    """
    rim_edges = topology.edges[topology.edge_faces[:, 1] < 0]
    if not len(rim_edges):
        return 0, 0.0
    rim = np.unique(rim_edges)
    positions = animation.positions[:, rim]
    first = animation.positions[0].astype(np.float64)
    reach = NEAR_RIM * float(np.median(np.linalg.norm(first[rim_edges[:, 0]] - first[rim_edges[:, 1]], axis=1)))
    near, joined = (
        np.sort(rim[_coincident_pairs(positions, tolerance)], axis=1) @ (topology.vertex_count, 1)
        for tolerance in (reach, join_tolerance(animation))
    )
    edges = topology.edges.astype(np.int64) @ (topology.vertex_count, 1)
    apart = near[~np.isin(near, joined) & ~np.isin(near, edges)]
    return len(np.unique([apart // topology.vertex_count, apart % topology.vertex_count])), reach


def _coincident_pairs(frames: Float32, tolerance: float) -> Int64:
    """Return all pairs (K, 2) of vertices whose distance is at most `tolerance` in every frame."""
    first = frames[0].astype(np.float64)
    # sort key: the coordinate along an unusual direction, which few vertices have in common
    along = first @ PROJECTION
    order = np.argsort(along, kind="stable")
    sorted_along, pairs = along[order], [np.empty((0, 2), np.int64)]
    for step in range(1, len(order)):
        near = np.flatnonzero(sorted_along[step:] - sorted_along[:-step] <= tolerance)
        if not len(near):
            break
        candidates = np.stack([order[near], order[near + step]], axis=1)
        pairs.append(candidates[_distances(first, candidates) <= tolerance])
    found = np.concatenate(pairs)
    for frame in frames[1:]:
        found = found[_distances(frame.astype(np.float64), found) <= tolerance]
    return found


def _distances(points: NDArray[np.float64], pairs: Int64) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    return found
