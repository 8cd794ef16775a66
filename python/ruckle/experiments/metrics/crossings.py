"""Search for self-intersections of cloth."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arrays import Int32, float32, int32

__all__ = ["find_crossings"]


def find_crossings(positions: ArrayLike, faces: ArrayLike) -> Int32:
    """Return the mesh edges that intersect faces with which they do not share a vertex.

    For speed, connected faces whose normals are all within 40 degrees of one direction are not tested with each other.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int

    Returns
    -------
    (N, 3) int32
        The two vertices of an edge, the lower index first, and the face index; rows are sorted.

    Raises
    ------
    MeshError
        The faces are not a manifold mesh.
    ValueError
        A position is not finite, or an array has a wrong shape.
    """
    return _core.find_crossings(float32("positions", positions), int32("faces", faces))
