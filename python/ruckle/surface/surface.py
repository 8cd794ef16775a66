"""The wrinkled surface of a frame. Its points and fine meshes include the results of all layers.

For the formula see `ruckle/surface/surface.h` (thesis 7). Heights displace a base surface along the interpolated
normals of the coarse mesh. The base is "flat" (the coarse triangles) or "curved" (a smooth surface through the
vertices). The base "smooth" is "curved" with one more step: it moves the vertices of fine meshes until the normals of
their triangles agree with the drawn normals (`ruckle/surface/fitting.h`). A shape's fine mesh replaces the coarse mesh.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import MOST_THREADS, choice, mesh_length, whole_number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.mesh.topology import mesh_topology, same_mesh
from ruckle.surface.drawn_normals import corner_sides, parted_edges, parted_normals
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import CoarseFrame, LayerFrame, layer_frame
from ruckle.surface.layers import FineShape
from ruckle.surface.raised import RaisedMesh

__all__ = ["Base", "FineBase", "Surface", "SurfacePoints", "base_name", "displace"]

Base = Literal["flat", "curved"]
"""Base surfaces that pictures can show. Heights are added to the base surface."""

FineBase = Literal["flat", "curved", "smooth"]
"""Base surfaces of fine meshes. Heights are added to the base surface."""

# Largest number of parts of a coarse edge. Every implementation of OpenGL 4.1 supports this number.
MOST_PARTS = 64

# Solver of the base "smooth": weight of vertex movements relative to errors of normals, number of rounds, and number of
# steps per round. A fifth of this weight reduces the errors of normals by a tenth, but moves the cloth a third more.
# Three times the steps also reduce the errors by a tenth.
STIFFNESS, ROUNDS, STEPS = 0.5, 2, 60

# Before the fit, vertices move this share of the way to the limit surface of the coarse mesh's subdivision. With a
# share of 0, more triangles turn over. A share of 0.5 reduces the errors of normals by 1 to 4 %, but outlines differ
# more from pictures.
EVENNESS = 0.25


def base_name(value: object) -> Base:
    """Return `value` if it is the name of a base that pictures can show; otherwise TypeError or ValueError."""
    return cast(Base, choice("base", value, get_args(Base)))


class SurfacePoints(NamedTuple):
    """Points of a wrinkled surface.

    Attributes
    ----------
    positions : (N, 3) float32, mesh units
    normals : (N, 3) float32
        Unit normals of the wrinkled surface. A normal is zero if the coarse normal is undefined.
    heights : (N,) float32, mesh units
        Heights above the base surface.
    """

    positions: Float32
    normals: Float32
    heights: Float32


class Surface:
    """The wrinkled surface over a coarse mesh, for one frame after another.

    Parameters
    ----------
    topology : Topology
        Topology of the frames, for example `Wrinkler.topology`.
    base : {"flat", "curved", "smooth"}
        Base surface of the wrinkles: "flat" triangles, as in the thesis, or a "curved" smooth surface through the
        vertices. "smooth" is "curved", but also moves the vertices of fine meshes so that their triangles agree with
        the drawn normals. If a layer has a shape, "smooth" is the same as "curved".
    edge_length : float, mesh units, optional
        Length of the fine edges; in tight wrinkles, down to half this length. Default: the shortest `edge_length` of
        the layers, which is half of the least radius for wrinkle paths. A coarse edge is divided into at most 64 parts.
    base_level : int, in [1, 64]
        Number of parts of coarse edges without wrinkles; 1 if the base is "flat".
    threads : int
        Number of threads. It does not change the result.

    Raises
    ------
    ValueError
        A parameter is out of its range.
    """

    def __init__(
        self,
        topology: _core.Topology,
        *,
        base: FineBase = "smooth",
        edge_length: float | None = None,
        base_level: int = 4,
        threads: int = 1,
    ) -> None:
        self.topology = mesh_topology(topology)
        self.base: FineBase = cast(FineBase, choice("base", base, get_args(FineBase)))
        self.base_level = whole_number("base_level", base_level, 1, MOST_PARTS)
        self._given_length = None if edge_length is None else mesh_length("edge_length", edge_length)
        if self._given_length is not None and not (np.isfinite(self._given_length) and self._given_length > 0.0):
            raise ValueError(f"edge_length: expected a finite length above 0, got {edge_length}")
        self._is_fine_enough = edge_length is None
        self._raised = RaisedMesh(topology, whole_number("threads", threads, 1, MOST_THREADS))
        self._parted_edges: NDArray[np.bool_] | None = None
        self._frame: LayerFrame = CoarseFrame(np.zeros((topology.vertex_count, 3), np.float32), topology)

    @property
    def frame(self) -> LayerFrame:
        """The frame of the last `update`."""
        return self._frame

    @property
    def edge_length(self) -> float:
        """Length of the fine edges, mesh units: the parameter, or half of the frame's length unit."""
        return self._given_length or 0.5 * self._frame.length_unit

    def update(
        self,
        frame: LayerFrame,
        *,
        edge_levels: ArrayLike | None = None,
        parted_edges: NDArray[np.bool_] | None = None,
    ) -> None:
        """Set the next frame.

        Parameters
        ----------
        frame : LayerFrame
            Frame of a layer or of a stack on this mesh.
        edge_levels : (E,) int, in [1, 64], optional
            Number of parts of every edge, for example so that the fine mesh has the same topology in all frames.
        parted_edges : (E,) bool, optional
            Coarse edges whose two faces may have different normals, for example the same edges in all frames. Default:
            the creases of the frame.

        Raises
        ------
        TypeError
            The object is not a frame.
        ValueError
            The frame has another mesh, a position is not finite, or the length of fine edges is below 1/64 of the
            shortest coarse edge.
        """
        if not same_mesh(layer_frame(frame).topology, self.topology):
            raise ValueError(f"frame: is of another mesh, expected {self.topology.face_count} triangles of this one")
        self._require_edge_length(frame)
        self._raised.update(
            frame,
            edge_length=self._given_length,
            curved=self.base != "flat",
            base_level=self.base_level,
            edge_levels=None if edge_levels is None else int32("edge_levels", edge_levels),
        )
        self._frame = frame
        self._parted_edges = parted_edges

    @property
    def shape(self) -> FineShape | None:
        """The fine mesh of a layer that replaces the coarse mesh; None without such a layer."""
        return self._raised.shape

    @property
    def divided_topology(self) -> _core.Topology:
        """Topology of the mesh whose edges are divided: the coarse mesh, or the fine mesh of a layer with a shape."""
        return self._raised.topology

    @property
    def edge_levels(self) -> Int32:
        """(E,) int32: number of parts of each edge of `divided_topology`."""
        return self._raised.core.edge_levels

    @property
    def levels(self) -> Float32:
        """(T, 4) float32 for shaders: levels of the edges 0, 1, 2 of each face, and its inner level.

        Edge k connects vertices k and k + 1. OpenGL numbers an outer level by the opposite vertex, so
        `gl_TessLevelOuter` is (levels 1, 2, 0).
        """
        return self._raised.core.levels

    @property
    def vertex_normals(self) -> Float32:
        """(V, 3) float32: unit normals of the coarse mesh, weighted by angle; 0 if all faces there have collapsed."""
        return self._raised.core.vertex_normals

    @property
    def corner_normals(self) -> Float32:
        """(T, 3, 3) float32: unit normals for lighting face corners: the vertex normals, except at creases."""
        return self._raised.core.corner_normals

    @property
    def parted_edges(self) -> NDArray[np.bool_]:
        """(E,) bool: coarse edges whose two faces have different normals; all False if a layer has a shape."""
        if self._parted_edges is not None:
            return self._parted_edges
        if self.shape is not None:
            return np.zeros(self.topology.edge_count, bool)
        return parted_edges(self.topology, self.corner_normals)

    @property
    def vertex_roundness(self) -> Float32:
        """(V,) float32, in [0, 1]: factor of the "curved" base's curvature; 1 on smooth cloth, down to 0 at folds."""
        return self._raised.core.vertex_roundness

    def evaluate(self, faces: ArrayLike, barycentric: ArrayLike) -> SurfacePoints:
        """Return points of the surface. If the base is "smooth", return points of the "curved" surface.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces; if a layer has a shape, faces of its fine mesh.
        barycentric : (N, 3) float
            Barycentric coordinates of each point in its face: at least 0, with sum 1.

        Raises
        ------
        ValueError
            A face does not exist, or barycentric coordinates are invalid.
        """
        rows, weights = int32("faces", faces), float32("barycentric", barycentric)
        return SurfacePoints(*self._raised.evaluate(rows, weights))

    def displace(self) -> FineMesh:
        """Return the surface as a mesh, divided by `levels` in the pattern of OpenGL.

        Vertices that are split at UV seams get the positions of their joined vertices. If a layer has a shape, the
        vertices of its fine mesh come first.
        """
        fine = FineMesh.of(self._raised.displace(), self.topology)
        if self.shape is not None:
            return fine
        sides = corner_sides(fine, self.topology, self.parted_edges)
        normals = parted_normals(fine, self.vertex_normals, self.corner_normals)
        fine = replace(fine, corner_normals=normals, corner_sides=sides)
        if self.base == "smooth":
            fine = replace(fine, positions=self._fitted(fine))
        return fine.with_seams(self._frame.faces)

    def _fitted(self, fine: FineMesh) -> Float32:
        """Return the positions of a fine mesh, moved so that its triangles agree with its normals.

        Masked cloth does not move. Cloth moves less where `vertex_roundness`, which is below 1 in folds, is smaller.
        """
        topology, positions, mask = self.topology, self._frame.positions, self._frame.mask
        sides = positions[topology.edges]
        length = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).mean(dtype=np.float64))
        if not length > 0.0:
            return fine.positions
        free = self.vertex_roundness if mask is None else self.vertex_roundness * mask
        # the offsets are along the normals, so that flat cloth and the corners of collars do not move
        normals = self.vertex_normals
        along = (normals * _core.limit_offsets(topology, positions)).sum(axis=1)
        offsets = (np.float32(EVENNESS) * free * along)[:, None] * normals
        corners = topology.faces[np.where(fine.coarse_faces < 0, 0, fine.coarse_faces)]
        start, shares = fine.positions.copy(), np.zeros(fine.vertex_count, np.float32)
        for k in range(3):
            weights = fine.barycentric[:, k]
            start += weights[:, None] * offsets[corners[:, k]]
            shares += weights * free[corners[:, k]]
        fitted = _core.fit_to_normals(
            start, fine.faces, fine.corner_normals, np.clip(shares, 0.0, 1.0),
            length=length, stiffness=STIFFNESS, rounds=ROUNDS, steps=STEPS,
        )  # fmt: skip
        fitted.flags.writeable = False
        return fitted

    def _require_edge_length(self, frame: LayerFrame) -> None:
        """Raise ValueError in the first frame if the given length is below 1/MOST_PARTS of the shortest edge."""
        if self._is_fine_enough or self._given_length is None:
            return
        sides = frame.positions[self.topology.edges]
        least = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).min()) / MOST_PARTS
        if self._given_length < least:
            raise ValueError(
                f"edge_length: expected at least {least:.3g}, the mesh's shortest edge in {MOST_PARTS} parts, "
                f"got {self._given_length:.3g}"
            )
        self._is_fine_enough = True

    def __repr__(self) -> str:
        return (
            f'Surface({self.topology.face_count} coarse faces, base "{self.base}", edge length {self.edge_length:.3g})'
        )


def displace(
    frame: LayerFrame,
    *,
    edge_length: float | None = None,
    base: FineBase = "smooth",
    base_level: int = 4,
    edge_levels: ArrayLike | None = None,
    threads: int = 1,
) -> FineMesh:
    """Return the wrinkled surface of one frame as a mesh (thesis 7). For many frames use `Surface`.

    Parameters
    ----------
    frame : LayerFrame
        Frame of a layer, from `ruckle.run` or `Wrinkler.step`.
    edge_length : float, mesh units, optional
        Length of the fine edges in wrinkles; in tight wrinkles, down to half this length. Default: the shortest
        `edge_length` of the layers, which is half of the least radius for wrinkle paths. A coarse edge is divided into
        at most 64 parts.
    base : {"flat", "curved", "smooth"}
        Base surface, see `Surface`.
    base_level : int, in [1, 64]
        Number of parts of coarse edges without wrinkles; 1 if the base is "flat".
    edge_levels : (E,) int, in [1, 64], optional
        Number of parts of every coarse edge, in the order of `Topology.edges`.
    threads : int
        Number of threads. It does not change the result.

    Returns
    -------
    FineMesh
        A mesh without cracks: neighbouring faces share the fine vertices on their common edge. Its only boundary is the
        boundary of the coarse mesh.

    Raises
    ------
    TypeError
        The object is not a frame.
    ValueError
        A parameter is out of its range, or a position is not finite.

    Examples
    --------
    >>> *_, frame = ruckle.run(ruckle.sample("sawing").cut(0, 60))
    >>> fine = ruckle.displace(frame)
    >>> fine.vertex_count > 10 * len(frame.positions), fine.faces.shape[1]
    (True, 3)
    """
    surface = Surface(
        layer_frame(frame).topology, base=base, edge_length=edge_length, base_level=base_level, threads=threads
    )
    surface.update(frame, edge_levels=edge_levels)
    return surface.displace()
