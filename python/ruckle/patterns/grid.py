"""Grids of a coarse mesh: nodes on its vertices, on its edges and in its faces, at which patterns have heights."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import float32, float64, int32, shaped, triangles, triangles_of
from ruckle.mesh.topology import mesh_topology
from ruckle.patterns.cells import Float64

__all__ = ["PatternGrid", "pattern_grid"]


class PatternGrid(_core.PatternGrid):
    """Nodes of a coarse mesh, at which patterns store heights. The nodes do not depend on texture coordinates.

    The number of parts of each edge is a power of two, at most 64; edges that are long in the rest pose have more
    parts. A triangle is divided like its most divided edge. A node on a vertex or edge is stored once and shared by all
    faces there, so surfaces do not have cracks (mesh colours, Yuksel 2010).

    Parameters
    ----------
    topology : Topology
    rest : (V, 3) float, mesh units
        Positions of the undeformed cloth.
    spacing : float, mesh units
        Largest distance of two neighbouring nodes on an edge. Choose at most a quarter of a wavelength, better an
        eighth.
    edge_parts : (E,) int, optional
        Number of parts of each edge, for example from another grid of this mesh. If given, `spacing` is ignored.

    Attributes
    ----------
    edge_parts, face_parts : (E,), (T,) int32
        Number of parts of every edge and face.
    faces : (N,) int32
        A face that contains each node.
    barycentric : (N, 3) float32
        Barycentric coordinates of each node in that face.
    cell_offsets : (T + 1,) int32
        The cells of face t have the indices [cell_offsets[t], cell_offsets[t + 1]).

    Raises
    ------
    ValueError
        `rest` has a wrong shape, `spacing` is not above 0, or a number of parts is not a power of two in [1, 64].
    """

    def __init__(
        self,
        topology: _core.Topology,
        rest: ArrayLike,
        *,
        spacing: float = 0.0,
        edge_parts: ArrayLike | None = None,
    ) -> None:
        parts = None if edge_parts is None else int32("edge_parts", edge_parts)
        super().__init__(
            mesh_topology(topology), float32("rest", rest), spacing=number("spacing", spacing), edge_parts=parts
        )

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial(type(self), edge_parts=self.edge_parts), (self.topology, self.rest)

    def at(self, values: ArrayLike, faces: ArrayLike | None = None) -> Float64:
        """Interpolate values of the face corners at the nodes.

        Parameters
        ----------
        values : (V, ...) float
        faces : (T, 3) int, optional
            Index into `values` of each face corner; default: the vertex of the corner.

        Returns
        -------
        (N, ...) float64

        Raises
        ------
        ValueError
            An array has a wrong shape, or an index is out of range.
        """
        rows, count = float64("values", values), self.topology.vertex_count
        if not rows.ndim or (faces is None and len(rows) != count):
            wanted = count if faces is None else "N"
            raise ValueError(f"values: expected an array of shape ({wanted}, ...), got {rows.shape}")
        indices = self.topology.faces if faces is None else triangles_of("faces", faces, len(rows))
        shaped("faces", indices, self.topology.faces.shape)
        corners = rows[indices[self.faces]]
        found: Float64 = np.einsum("na,na...->n...", self.barycentric.astype(np.float64), corners)
        return found

    @cached_property
    def nodes(self) -> Float64:
        """(N, 3) float64, mesh units: positions of the nodes on the undeformed cloth."""
        return self.at(self.rest)

    @cached_property
    def normals(self) -> Float64:
        """(N, 3) float64: unit normals of the undeformed cloth at the nodes."""
        normals = self.at(vertex_normals(self.rest, self.topology.faces))
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        return normals

    def uv(self, uv: ArrayLike, uv_faces: ArrayLike | None = None) -> Float64:
        """Return the texture coordinates of the nodes.

        Parameters
        ----------
        uv : (U, 2) float
        uv_faces : (T, 3) int, optional
            Index into `uv` of each face corner; default: the vertex of the corner.

        Returns
        -------
        (N, 2) float64
            A node on a seam gets the coordinates of one of the two sides.

        Raises
        ------
        ValueError
            An array has a wrong shape, or an index is out of range.
        """
        coordinates = float32("uv", uv)
        corners = self.topology.faces if uv_faces is None else triangles("uv_faces", uv_faces)
        if coordinates.ndim != 2 or coordinates.shape[1] != 2 or not np.isfinite(coordinates).all():
            raise ValueError(f"uv: expected finite numbers of shape (U, 2), got {coordinates.shape}")
        if corners.shape != self.topology.faces.shape:
            raise ValueError(f"uv_faces: expected shape {self.topology.faces.shape}, got {corners.shape}")
        if corners.min() < 0 or corners.max() >= len(coordinates):
            raise ValueError(
                f"uv_faces: expected indices in [0, {len(coordinates)}), got {corners.min()} to {corners.max()}"
            )
        return self.at(coordinates, corners)

    def __repr__(self) -> str:
        return (
            f"PatternGrid({len(self.faces)} nodes on {self.topology.face_count} faces, "
            f"1 to {int(self.edge_parts.max())} parts per edge)"
        )


def pattern_grid(grid: object) -> PatternGrid:
    """Return a grid unchanged; for any other object raise a TypeError that explains how to make a grid."""
    return instance("grid", grid, PatternGrid, "ruckle.PatternGrid(topology, rest, spacing=...) makes one")


def vertex_normals(positions: ArrayLike, faces: ArrayLike) -> Float64:
    """Return area-weighted vertex normals (V, 3) float64, not of unit length.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
    """
    points, corners = np.asarray(positions, np.float64), np.asarray(faces)
    normals = np.zeros_like(points)
    e1, e2 = (points[corners[:, k]] - points[corners[:, 0]] for k in (1, 2))
    np.add.at(normals, corners, np.cross(e1, e2)[:, None])
    return normals
