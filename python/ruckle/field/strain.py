"""Principal strains of the cloth at each vertex with directions, for example as a tension map for shaders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arrays import Float32, finite_rows, float32
from ruckle.mesh.topology import mesh_topology

__all__ = ["VertexStrain", "vertex_strain"]


@dataclass(frozen=True, slots=True, eq=False)
class VertexStrain:
    """Principal strains at every vertex: relative changes of length since the rest pose.

    Attributes
    ----------
    least, greatest : (V,) float32
        For example -0.2 if the cloth is 20 % shorter; 0 at a vertex without triangles. If the least strain is negative,
        the crests of folds are perpendicular to its direction.
    least_direction, greatest_direction : (V, 3) float32
        Unit vectors in the tangent plane, perpendicular to each other; 0 if both strains are equal.
    """

    least: Float32
    greatest: Float32
    least_direction: Float32
    greatest_direction: Float32


def vertex_strain(topology: _core.Topology, rest: ArrayLike, positions: ArrayLike) -> VertexStrain:
    """Compute the principal strains of each vertex relative to a rest pose, with their directions.

    The strain tensor of a vertex is the mean of the strain tensors of its triangles in its tangent plane, weighted by
    area at rest.

    Parameters
    ----------
    topology : Topology
    rest : (V, 3) float, mesh units
        Positions of the undeformed cloth, such as a bind pose.
    positions : (V, 3) float, mesh units

    Returns
    -------
    VertexStrain

    Raises
    ------
    ValueError
        An array of positions has a wrong shape, or a position is not finite.

    Examples
    --------
    A square that has lost 20 % of its width:

    >>> square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> topology = ruckle.Topology(np.array([[0, 1, 2], [0, 2, 3]]), 4)
    >>> strain = ruckle.vertex_strain(topology, square, square * [0.8, 1.0, 1.0])
    >>> strain.least.round(3)
    array([-0.2, -0.2, -0.2, -0.2], dtype=float32)
    """
    mesh = mesh_topology(topology)
    undeformed = finite_rows("rest", rest, (mesh.vertex_count, 3)).astype(np.float32)
    edges = _core.edge_matrices(undeformed, mesh.faces)
    found = _core.vertex_strains(mesh, edges, float32("positions", positions))
    found.flags.writeable = False
    return VertexStrain(found[:, 3], found[:, 7], found[:, :3], found[:, 4:7])
