"""The connectivity of a garment, and the joining of vertices that UV seams have split."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, whole_number
from ruckle.arrays import Int32, float32, triangles
from ruckle.mesh.animation import Animation

__all__ = ["Topology", "mesh_topology", "same_mesh", "topology_of", "weld"]


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
    """Tell whether two topologies are of one mesh: the same triangles of as many vertices."""
    # frames of one run share theirs, so that arrays are seldom compared
    return topology is other or (
        topology.vertex_count == other.vertex_count and np.array_equal(topology.faces, other.faces)
    )


def topology_of(animation: Animation) -> Topology:
    """Return an animation's connectivity, vertices joined that coincide in its first frame."""
    return Topology(weld(animation.positions[0], animation.faces), animation.vertex_count)


def weld(positions: ArrayLike, faces: ArrayLike) -> Int32:
    """Join vertices at exactly the same position, so that UV seams do not cut the cloth.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
        The animation's first frame.
    faces : (T, 3) int

    Returns
    -------
    (T, 3) int32
        Faces that name, of each group of coincident vertices, the lowest index. Vertices remain separate if joining
        them would collapse a face, or give an edge more than two faces or two faces of opposite winding.

    Raises
    ------
    MeshError
        An index out of range or a face that names a vertex twice.

    Examples
    --------
    The last vertex coincides with the second:

    >>> ruckle.weld([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]], [[0, 1, 2], [4, 3, 2]]).tolist()
    [[0, 1, 2], [1, 3, 2]]
    """
    return _core.weld(float32("positions", positions), triangles("faces", faces))
