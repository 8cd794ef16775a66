"""The connectivity of a garment, and the joining of vertices that UV seams have split."""

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

# Share of the mesh's extent within which vertices coincide: a hundredth of the shortest usual edge. Exporters round the
# twins of a seam to about 1e-6; a larger share would join the hems of separate parts.
JOIN_SHARE = 1e-4

# Share of a rim's median edge within which another rim is near: seams that a modeller forgot to merge.
NEAR_RIM = 0.1

# A unit vector along which vertices are sorted.
PROJECTION = np.array([0.3713906763541037, 0.5570860145311556, 0.7427813527082074])


class Topology(_core.Topology):
    """Connectivity of a triangle mesh, manifold with boundary, built once.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices. Any number of components; vertices without a face are allowed.
    vertex_count : int
        Number of vertices V.

    Attributes
    ----------
    faces : (T, 3) int32
        As given.
    edges : (E, 2) int32
        Vertices of each edge, the lower first; sorted.
    face_edges : (T, 3) int32
        Edge `k` of a face joins its vertices `k` and `k + 1`.
    face_neighbors : (T, 3) int32
        Face across edge `k`; -1 at the boundary.
    edge_faces : (E, 2) int32
        The one or two faces of each edge, the lower first; -1 if there is only one.
    vertex_count, face_count, edge_count : int

    Raises
    ------
    MeshError
        No face, an index out of range, a face that names a vertex twice, an edge of more than two faces.

    Examples
    --------
    >>> ruckle.Topology([[0, 1, 2], [0, 2, 3]], 4)
    Topology(2 faces, 4 vertices, 5 edges, 4 of them boundary)
    """

    def __init__(self, faces: ArrayLike, vertex_count: int) -> None:
        super().__init__(triangles("faces", faces), whole_number("vertex_count", vertex_count))


def mesh_topology(topology: object) -> _core.Topology:
    """Return a topology unchanged; TypeError for any other object, such as faces."""
    return instance("topology", topology, _core.Topology, "ruckle.Topology(faces, vertex_count) makes one")


def same_mesh(topology: _core.Topology, other: _core.Topology) -> bool:
    """Return True if two topologies are of one mesh: the same triangles and number of vertices."""
    # frames of one run share theirs, so that arrays are seldom compared
    return topology is other or (
        topology.vertex_count == other.vertex_count and np.array_equal(topology.faces, other.faces)
    )


def topology_of(animation: Animation) -> Topology:
    """Return an animation's connectivity, with the vertices joined that coincide in all frames.

    Vertices coincide within `JOIN_SHARE` of the mesh's extent: exporters round the twins of a UV seam differently.
    """
    faces = weld(animation.positions, animation.faces, tolerance=join_tolerance(animation))
    return Topology(faces, animation.vertex_count)


def join_tolerance(animation: Animation) -> float:
    """Return the distance, in mesh units, within which vertices of an animation coincide."""
    return JOIN_SHARE * float(np.ptp(animation.positions[0].astype(np.float64), axis=0).max())


def weld(positions: ArrayLike, faces: ArrayLike, *, tolerance: float = 0.0) -> Int32:
    """Join vertices at the same position, so that UV seams do not cut the cloth.

    Parameters
    ----------
    positions : (V, 3) or (F, V, 3) float, mesh units
        The first frame, or all frames: then only vertices that coincide in each of them are joined. Two cloths that
        touch once remain two.
    faces : (T, 3) int
    tolerance : float, mesh units, >= 0
        Distance within which positions are the same.

    Returns
    -------
    (T, 3) int32
        Faces that name, of each group of coincident vertices, the lowest index. Vertices remain separate if joining
        them would collapse a face, or give an edge more than two faces or two faces of opposite winding.

    Raises
    ------
    MeshError
        An index out of range or a face that names a vertex twice.
    ValueError
        A negative tolerance, or positions that are not finite, or no frame.

    Examples
    --------
    The last vertex coincides with the second:

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
    # the core joins equal positions: those of a group are its number, in two parts that float32 holds exactly
    return _core.weld(
        np.stack([groups % 4096, groups // 4096, 0 * groups], axis=1).astype(np.float32),
        triangles("faces", faces),
    )


def near_rims(animation: Animation, topology: _core.Topology) -> tuple[int, float]:
    """Return how many vertices of rims are near another rim vertex in each frame, and the distance.

    Neighbours do not count, nor vertices that coincide: these remain separate because joining them would give an edge
    more than two faces.
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
    """Return pairs of vertices (K, 2) that connect all vertices within a distance of each other in each frame."""
    first = frames[0].astype(np.float64)
    # few vertices coincide along a direction that no mesh prefers
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
