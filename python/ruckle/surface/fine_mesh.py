"""The fine mesh of a wrinkled surface, with the position of its vertices and faces on the coarse mesh."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arrays import Float32, Int32, float32, int32, shaped
from ruckle.mesh.animation import Animation

__all__ = ["FineMesh", "NormalRows"]


class NormalRows(NamedTuple):
    """List of the different normals of a fine mesh, and the index of each corner's normal in this list.

    Attributes
    ----------
    corners : (K,) int
        For each normal, a corner that has it (3 f + k for corner k of face f); -1 for a vertex without faces.
    faces : (M, 3) int32
        Index of the normal of each corner.
    """

    corners: NDArray[np.integer]
    faces: Int32

    def of(self, fine: FineMesh) -> Float32:
        """Return the normals (K, 3) of a fine mesh with the same faces and creases, for example of another frame."""
        normals: Float32 = fine.corner_normals.reshape(-1, 3)[self.corners]
        alone = np.flatnonzero(self.corners < 0)
        normals[alone] = fine.normals[alone]
        return normals


@dataclass(frozen=True, eq=False)
class FineMesh:
    """A triangle mesh of the wrinkled surface, watertight if the coarse mesh is watertight. Its arrays are read-only.

    The vertices have this order: the V vertices of the coarse mesh with unchanged indices; vertices inside coarse
    edges, once per edge; vertices inside coarse faces. If a layer has a shape, read "coarse mesh" as the fine mesh of
    this layer.

    Attributes
    ----------
    positions : (N, 3) float32, mesh units
    faces : (M, 3) int32
        Triangles with the same orientation as the coarse faces.
    normals : (N, 3) float32
        Unit normals of the wrinkled surface.
    heights : (N,) float32, mesh units
        Heights above the base surface.
    coarse_faces : (N,) int32
        Index of a coarse face that contains the vertex; -1 for coarse vertices without faces.
    barycentric : (N, 3) float32
        Barycentric coordinates of the vertex in that face.
    face_coarse_faces : (M,) int32
        The coarse face that contains each fine face.
    coarse : (T, 3) int32
        Vertex indices of the coarse faces.
    corner_normals : (M, 3, 3) float32
        Unit normals for lighting: the vertex normals, but different ones on the two sides of a crease.
    corner_sides : (M, 3) int32
        Number of the side of a crease on which a corner is. Corners of one vertex with equal numbers share a normal.
    """

    positions: Float32
    faces: Int32
    normals: Float32
    heights: Float32
    coarse_faces: Int32
    barycentric: Float32
    face_coarse_faces: Int32
    coarse: Int32
    corner_normals: Float32
    corner_sides: Int32

    @classmethod
    def of(cls, core: _core.FineMesh, coarse: _core.Topology) -> FineMesh:
        """Return a fine mesh from the core's result and the coarse mesh, with one normal per vertex."""
        own = ("coarse", "corner_normals", "corner_sides")
        parts = {field.name: getattr(core, field.name) for field in fields(cls) if field.name not in own}
        sides = np.zeros(core.faces.shape, np.int32)
        return cls(**parts, coarse=coarse.faces, corner_normals=core.normals[core.faces], corner_sides=sides)

    @property
    def vertex_count(self) -> int:
        """Number of vertices N."""
        return len(self.positions)

    @property
    def face_count(self) -> int:
        """Number of triangles M."""
        return len(self.faces)

    @cached_property
    def corner_barycentric(self) -> Float32:
        """(M, 3, 3) float32: barycentric coordinates of each fine face's corners in its coarse face.

        Corner c of fine face f interpolates values of the coarse vertices with the weights [f, c].
        """
        return self.own_weights(np.arange(self.face_count))

    def normal_rows(self) -> NormalRows:
        """Return the normals to write to a file: one per vertex, then one for each further side of a crease."""
        vertices, sides = self.faces.ravel(), self.corner_sides.ravel()
        corners = np.full(self.vertex_count, -1)
        # the last corner of each vertex, whose side is the first one
        corners[vertices] = np.arange(len(vertices))
        rows = vertices.copy()
        apart = np.flatnonzero(sides != np.where(corners >= 0, sides[corners], 0)[vertices])
        keys = vertices[apart].astype(np.int64) << 32 | sides[apart]
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        rows[apart] = self.vertex_count + numbers
        return NormalRows(np.concatenate([corners, apart[first]]), rows.reshape(-1, 3).astype(np.int32))

    def own_weights(self, rows: NDArray[np.integer]) -> Float32:
        """Return the `corner_barycentric` (n, 3, 3) of the fine faces `rows` (n,)."""
        # `coarse_faces` of a vertex may be a neighbouring face, so weights are matched by the coarse vertex index
        named = self.coarse[self.coarse_faces[self.faces[rows]]]
        own = self.coarse[self.face_coarse_faces[rows]]
        weights = self.barycentric[self.faces[rows]]
        result = np.zeros(weights.shape, np.float32)
        for k in range(3):
            for j in range(3):
                result[:, :, k] += np.where(named[:, :, j] == own[:, None, k], weights[:, :, j], np.float32(0.0))
        return result

    def corner_values(self, values: ArrayLike, faces: ArrayLike | None = None) -> Float32:
        """Interpolate values of the coarse faces' corners, such as texture coordinates or colours.

        Parameters
        ----------
        values : (U, n) float
        faces : (T, 3) int, optional
            Index into `values` of each coarse face corner; default: the vertex of the corner.

        Returns
        -------
        (M, 3, n) float32
            Value at each corner of each fine face. Adjacent faces have equal bits there if they use the same rows of
            `values`.

        Raises
        ------
        ValueError
            An array has a wrong shape or type, a value is not finite, or an index is out of range.
        """
        given = shaped("values", float32("values", values), ("U", "n"))
        if not np.isfinite(given).all():
            raise ValueError(f"values: expected finite numbers, got {given[~np.isfinite(given)][0]}")
        corners = given[self._coarse_faces(self.coarse if faces is None else faces, len(given))[self.face_coarse_faces]]
        weights = self.corner_barycentric
        result: Float32 = weights[:, :, 0, None] * corners[:, None, 0]
        for k in (1, 2):
            result = result + weights[:, :, k, None] * corners[:, None, k]
        return result

    def save(self, path: str | os.PathLike[str], *, animation: Animation | None = None) -> None:
        """Write the mesh to a file. The file name's extension selects the format.

        Existing files are replaced. Materials of `.obj` files are written as NAME.mtl and pictures in the same folder.

        Parameters
        ----------
        path : path
            `.obj`, `.ply`, `.glb`, `.usda`, `.usdc`, `.usd` or `.abc`.
        animation : Animation, optional
            Animation of the frame. Its texture coordinates are written. Its materials are also written, except in PLY
            files.

        Raises
        ------
        FormatError
            The extension is unknown, or the file cannot be written.
        ModuleNotFoundError
            The format requires a package that is not installed.
        ValueError
            The animation's mesh does not match.

        Examples
        --------
        >>> ruckle.displace(frame).save("shirt.obj")  # doctest: +SKIP
        """
        # imported from the package, which loads the file formats on first use
        from ruckle import save

        save(self, path, animation=animation)

    def with_seams(self, faces: ArrayLike) -> FineMesh:
        """Return a mesh in which vertices split at UV seams are at the positions of their joined vertices.

        The split vertices were not used by faces, because they had been joined.

        Parameters
        ----------
        faces : (T, 3) int
            The coarse faces before the vertices were joined.

        Raises
        ------
        ValueError
            An array has a wrong shape or type, or an index is out of range.
        """
        split = self._coarse_faces(faces, self.vertex_count)
        apart = split != self.coarse
        if not apart.any():
            return self
        mine, theirs = split[apart], self.coarse[apart]
        moved = {}
        for name in ("positions", "normals", "heights"):
            moved[name] = getattr(self, name).copy()
            moved[name][mine] = moved[name][theirs]
            moved[name].flags.writeable = False
        return replace(self, **moved)

    def _coarse_faces(self, faces: ArrayLike, count: int) -> Int32:
        """Return faces as int32; ValueError if the shape is not that of `coarse` or an index is not in [0, count)."""
        given = shaped("faces", int32("faces", faces), self.coarse.shape)
        outside = (given < 0) | (given >= count)
        if outside.any():
            face, corner = np.argwhere(outside)[0]
            raise ValueError(f"faces: face {face} refers to vertex {given[face, corner]}, allowed are 0 to {count - 1}")
        return given

    def __repr__(self) -> str:
        return (
            f"FineMesh({self.vertex_count} vertices, {self.face_count} faces over {len(self.coarse)} coarse ones, "
            f"highest {self.heights.max(initial=0.0):.3g})"
        )
