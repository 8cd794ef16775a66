"""The surface of a frame: points and fine meshes of all that its layers add to the cloth.

The formula of `ruckle/surface/surface.h` (thesis 7): heights raise the cloth along its interpolated normals, over the
flat triangles of the coarse mesh (base "flat") or over a smooth surface through its vertices ("curved"). Fine meshes of
the base "smooth" move so that their triangles agree with the drawn normals (`ruckle/surface/fitting.h`). The fine mesh
of a shape layer replaces the coarse mesh.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import MOST_THREADS, choice, mesh_length, whole_number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.mesh.topology import mesh_topology, same_mesh
from ruckle.surface.drawn_normals import parted_normals
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import CoarseFrame, LayerFrame, layer_frame
from ruckle.surface.layers import FineShape
from ruckle.surface.raised import RaisedMesh

__all__ = ["Base", "FineBase", "Surface", "SurfacePoints", "base_name", "displace"]

Base = Literal["flat", "curved"]
"""Bases of drawn surfaces."""

FineBase = Literal["flat", "curved", "smooth"]
"""Bases of fine meshes."""

# Largest number of parts of a coarse edge: the limit of every OpenGL 4.1.
MOST_PARTS = 64

# Weight of the movements of the base "smooth" against normals, and rounds and steps of the solver. A fifth of the
# weight brings normals closer by a tenth, and moves the cloth further by a third; thrice the steps are worth a tenth.
STIFFNESS, ROUNDS, STEPS = 0.5, 2, 60


def base_name(value: object) -> Base:
    """Return the name of the base of a drawn surface."""
    return cast(Base, choice("base", value, get_args(Base)))


class SurfacePoints(NamedTuple):
    """Points of a surface.

    Attributes
    ----------
    positions : (N, 3) float32, mesh units
    normals : (N, 3) float32
        Unit normals of the wrinkled surface; zero if the coarse normal is undefined.
    heights : (N,) float32, mesh units
        Above the base.
    """

    positions: Float32
    normals: Float32
    heights: Float32


class Surface:
    """The wrinkled surface of one frame after another, over a coarse mesh.

    Parameters
    ----------
    topology : Topology
        That of the frames: `Wrinkler.topology`.
    base : {"flat", "curved", "smooth"}
        Base surface of the wrinkles: the flat triangles, as in the thesis, or a smooth surface through the vertices.
        "smooth" is "curved", and moves the vertices of fine meshes so that their triangles agree with the drawn
        normals as far as they can. Fine meshes of a shape layer are curved instead.
    edge_length : float, mesh units, optional
        Length of the fine edges, down to half of it in tight wrinkles; by default half of the wrinkles' least radius. A
        coarse edge is divided into at most 64 parts.
    base_level : int, in [1, 64]
        Unless the base is "flat": parts of coarse edges that no wrinkle touches.
    threads : int
        Threads that share the work; the result is the same bits for any number.

    Raises
    ------
    ValueError
        A parameter out of its range.
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
        self._frame: LayerFrame = CoarseFrame(np.zeros((topology.vertex_count, 3), np.float32), topology)

    @property
    def frame(self) -> LayerFrame:
        """The frame that was taken last."""
        return self._frame

    @property
    def edge_length(self) -> float:
        """Length of the fine edges, mesh units: as given, or half of the frame's length unit."""
        return self._given_length or 0.5 * self._frame.length_unit

    def update(self, frame: LayerFrame, *, edge_levels: ArrayLike | None = None) -> None:
        """Take the next frame.

        Parameters
        ----------
        frame : LayerFrame
            A frame of a layer, or of a stack of layers, on this mesh.
        edge_levels : (E,) int, in [1, 64], optional
            Parts of every coarse edge, for a fine mesh whose topology is always the same.

        Raises
        ------
        TypeError
            Something else than a frame.
        ValueError
            A frame of another mesh, or whose positions are not finite.
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

    @property
    def shape(self) -> FineShape | None:
        """The fine mesh by which a layer has replaced the coarse one; None without such a layer."""
        return self._raised.shape

    @property
    def divided_topology(self) -> _core.Topology:
        """Topology of the mesh whose edges are divided: the coarse mesh, or the fine mesh of a shape layer."""
        return self._raised.topology

    @property
    def edge_levels(self) -> Int32:
        """(E,) int32: parts into which each edge is divided; with a shape layer, each edge of its fine mesh."""
        return self._raised.core.edge_levels

    @property
    def levels(self) -> Float32:
        """(T, 4) float32, for upload: levels of the face's edges 0, 1, 2, edge k from vertex k to k + 1; inner level.

        OpenGL counts the outer levels by the opposite vertex: `gl_TessLevelOuter` = levels 1, 2, 0.
        """
        return self._raised.core.levels

    @property
    def vertex_normals(self) -> Float32:
        """(V, 3) float32: unit normals of the coarse mesh, weighted by angle; zero if all faces have collapsed."""
        return self._raised.core.vertex_normals

    @property
    def corner_normals(self) -> Float32:
        """(T, 3, 3) float32: unit normals to light the corners of faces by, parted at creases, else the vertices'."""
        return self._raised.core.corner_normals

    @property
    def vertex_roundness(self) -> Float32:
        """(V,) float32, in [0, 1]: with base "curved", 1 for smooth coarse cloth, falling to 0 at folds."""
        return self._raised.core.vertex_roundness

    def evaluate(self, faces: ArrayLike, barycentric: ArrayLike) -> SurfacePoints:
        """Return points of the surface; with base "smooth", of the curved one from which fine meshes move.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces; with a shape layer, faces of its fine mesh.
        barycentric : (N, 3) float
            Weights of their vertices, at least 0, which sum to 1.

        Raises
        ------
        ValueError
            No face of the mesh, or weights that name no point of it.
        """
        rows, weights = int32("faces", faces), float32("barycentric", barycentric)
        return SurfacePoints(*self._raised.evaluate(rows, weights))

    def displace(self) -> FineMesh:
        """Return the surface as a mesh, tessellated by `levels` in OpenGL's pattern.

        Vertices that a UV seam has split off move with their replacements. With a shape layer the first vertices are
        those of its fine mesh.
        """
        fine = FineMesh.of(self._raised.displace(), self.topology)
        if self.shape is not None:
            return fine
        fine = replace(fine, corner_normals=parted_normals(fine, self.vertex_normals, self.corner_normals))
        if self.base == "smooth":
            fine = replace(fine, positions=self._fitted(fine))
        return fine.with_seams(self._frame.faces)

    def _fitted(self, fine: FineMesh) -> Float32:
        """Return the positions of a fine mesh whose triangles agree with its normals; folds and hems stay."""
        roundness, mask, topology = self.vertex_roundness, self._frame.mask, self.topology
        corners = topology.faces[np.where(fine.coarse_faces < 0, 0, fine.coarse_faces)]
        shares = ((roundness if mask is None else roundness * mask)[corners] * fine.barycentric).sum(axis=1)
        hems = topology.edge_faces[:, 1] < 0
        shares[topology.edges[hems]] = 0.0
        # the vertices inside edges follow those of the coarse mesh
        inside = self.edge_levels - 1
        owners = np.repeat(hems, inside)
        shares[topology.vertex_count : topology.vertex_count + len(owners)][owners] = 0.0
        sides = self._frame.positions[topology.edges]
        length = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).mean(dtype=np.float64))
        if not length > 0.0:
            return fine.positions
        fitted = _core.fit_to_normals(
            fine.positions, fine.faces, fine.corner_normals, shares,
            length=length, stiffness=STIFFNESS, rounds=ROUNDS, steps=STEPS,
        )  # fmt: skip
        fitted.flags.writeable = False
        return fitted

    def _require_edge_length(self, frame: LayerFrame) -> None:
        """Refuse, at the first frame, a length that divides every edge as finely as can be: it is in another unit."""
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
    """Return the wrinkled surface of one frame as a mesh (thesis 7). For many frames keep a `Surface` instead.

    Parameters
    ----------
    frame : LayerFrame
        A frame of a layer, from `ruckle.run` or `Wrinkler.step`.
    edge_length : float, mesh units, optional
        Length of the fine edges in wrinkles, down to half of it in tight ones; by default half of their least radius. A
        coarse edge is divided into at most 64 parts.
    base : {"flat", "curved", "smooth"}
        As for `Surface`.
    base_level : int, in [1, 64]
        Unless the base is "flat": parts of coarse edges that no wrinkle touches.
    edge_levels : (E,) int, in [1, 64], optional
        Parts of every coarse edge, in the order of `Topology.edges`.
    threads : int
        The result is the same bits for any number.

    Returns
    -------
    FineMesh
        Without cracks: its vertices inside a coarse edge belong to both faces, and its open ends are the coarse mesh's.

    Raises
    ------
    TypeError
        Something else than a frame.
    ValueError
        A parameter out of its range.

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
