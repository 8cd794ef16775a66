"""The wrinkled surface of a frame: curves, lists and levels for the shaders, points and fine meshes for the rest.

The formula of `ruckle/surface/surface.h` (thesis 7): wrinkles raise the cloth along its interpolated normals, over
the flat triangles of the coarse mesh (base "flat") or over a smooth surface through its vertices ("curved").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import MOST_THREADS, choice, flag, mesh_length, mistyped, whole_number
from ruckle.arrays import Float32, Int32, float32, int32, triangles
from ruckle.mesh.topology import Topology, mesh_topology, weld
from ruckle.paths.frame import SCALARS, Frame, Wrinkle
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["Base", "PackedWrinkles", "Surface", "SurfacePoints", "displace", "pack_wrinkles"]

Base = Literal["flat", "curved"]

# Parts of a coarse edge, at most: what every OpenGL 4.1 draws.
MOST_PARTS = 64

LARGEST_SHARE_LOST = 1.0 - 2.0 / np.pi
LEAST_SHARE_LOST = 1e-3

# columns of a frame's wrinkles
PROFILE = [SCALARS.index(name) for name in ("width", "perimeter", "fade", "first_cut", "last_cut")]
SIZES = [SCALARS.index(name) for name in ("full_width", "kappa")]


class PackedWrinkles(NamedTuple):
    """Wrinkles as the core takes them; vertices of wrinkle i are [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    offsets : (W + 1,) int32
    edges, t, faces, heights : (n,) int32, float32, int32, float32
        Of `Wrinkle`, one after the other; the last face of each wrinkle means nothing.
    profiles : (W, 5) float32
        Width in the middle and perimeter, mesh units; fade; the two cuts.
    r_min : float, mesh units
        The least radius with which the wrinkles were made; 0 where there is none.
    """

    offsets: Int32
    edges: Int32
    t: Float32
    faces: Int32
    heights: Float32
    profiles: Float32
    r_min: float


def base_name(value: object) -> Base:
    """Return the name of what wrinkles rise from."""
    return cast(Base, choice("base", value, get_args(Base)))


def pack_wrinkles(wrinkles: Frame | Sequence[Wrinkle]) -> PackedWrinkles:
    """Return wrinkles as flat arrays; those of a `Frame` are packed already and cost next to nothing."""
    if isinstance(wrinkles, Frame):
        return _of_frame(wrinkles)
    if not isinstance(wrinkles, Sequence):
        raise mistyped("wrinkles", "a Frame or a sequence of Wrinkle", wrinkles)
    for place, wrinkle in enumerate(wrinkles):
        if not isinstance(wrinkle, Wrinkle):
            raise mistyped(f"wrinkles[{place}]", "a Wrinkle", wrinkle)
    counts = [len(wrinkle.edges) for wrinkle in wrinkles]
    profiles = [(w.full_width * w.size, w.perimeter, w.fade, *w.cuts) for w in wrinkles]
    return PackedWrinkles(
        np.cumsum([0, *counts], dtype=np.int32),
        np.concatenate([np.empty(0, np.int32), *(w.edges for w in wrinkles)]),
        np.concatenate([np.empty(0, np.float32), *(w.t for w in wrinkles)]),
        np.concatenate(
            [np.empty(0, np.int32), *(array for w in wrinkles for array in (w.faces, [-1]))], dtype=np.int32
        ),
        np.concatenate([np.empty(0, np.float32), *(w.height for w in wrinkles)]),
        np.array(profiles, np.float32).reshape(-1, 5),
        _least_radius(wrinkles[0].full_width, wrinkles[0].kappa) if len(wrinkles) else 0.0,
    )


def _of_frame(frame: Frame) -> PackedWrinkles:
    columns = frame.columns
    r_min = _least_radius(*columns.scalars[0, SIZES].tolist()) if len(columns.ids) else 0.0
    profiles = columns.scalars[:, PROFILE]
    return PackedWrinkles(
        columns.offsets, columns.edges, columns.t, columns.faces, columns.heights, np.ascontiguousarray(profiles), r_min
    )


def _least_radius(full_width: float, kappa: float) -> float:
    """Return R_min from r = R_min (1 - 2/π) / κ (thesis 6)."""
    return 0.5 * full_width * min(max(kappa, LEAST_SHARE_LOST), LARGEST_SHARE_LOST) / LARGEST_SHARE_LOST


class SurfacePoints(NamedTuple):
    """Points of a surface.

    Attributes
    ----------
    positions : (N, 3) float32, mesh units
    normals : (N, 3) float32
        Unit normals of the wrinkled surface; zero where the coarse mesh has none.
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
        The one on which the wrinkles run: `Wrinkler.topology`.
    base : {"flat", "curved"}
        What wrinkles rise from: the flat triangles, as in the thesis, or a smooth surface through the vertices.
    edge_length : float, mesh units, optional
        Length of the fine edges, down to half of it where wrinkles are tight; half of the wrinkles' least radius when
        not given. No coarse edge is divided into more than 64 parts.
    base_level : int, in [1, 64]
        With base "curved": parts of coarse edges that no wrinkle touches.
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
        base: Base = "curved",
        edge_length: float | None = None,
        base_level: int = 4,
        threads: int = 1,
    ) -> None:
        self.topology = mesh_topology(topology)
        self.base = base_name(base)
        self.base_level = whole_number("base_level", base_level, 1, MOST_PARTS)
        self._edge_length = None if edge_length is None else mesh_length("edge_length", edge_length)
        if self._edge_length is not None and not (np.isfinite(self._edge_length) and self._edge_length > 0.0):
            raise ValueError(f"edge_length: expected a finite length above 0, got {edge_length}")
        self._is_fine_enough = edge_length is None
        self._core = _core.Surface(topology, threads=whole_number("threads", threads, 1, MOST_THREADS))
        self._faces = topology.faces
        self._positions = np.zeros((topology.vertex_count, 3), np.float32)

    @property
    def edge_length(self) -> float:
        """Length of the fine edges, mesh units; 0 as long as neither it nor a wrinkle was given."""
        return self._edge_length or 0.0

    def update(
        self, positions: ArrayLike, wrinkles: Frame | Sequence[Wrinkle], *, edge_levels: ArrayLike | None = None
    ) -> None:
        """Take the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        wrinkles : Frame or sequence of Wrinkle
            What a `Wrinkler` with this topology found; passing the Frame is fastest.
        edge_levels : (E,) int, in [1, 64], optional
            Parts of every coarse edge, for a fine mesh whose topology is always the same.

        Raises
        ------
        ValueError
            Wrong shapes, positions that are not finite, wrinkles of another mesh.
        """
        packed = pack_wrinkles(wrinkles)
        if self._edge_length is None and packed.r_min > 0.0:
            self._edge_length = 0.5 * packed.r_min
        points = float32("positions", positions)
        if not self._is_fine_enough:
            self._require_edge_length(points)
        self._core.update(
            points,
            *packed[:-1],
            edge_length=self.edge_length,
            curved=self.base == "curved",
            base_level=self.base_level,
            viewpoint=None,
            edge_levels=None if edge_levels is None else int32("edge_levels", edge_levels),
        )
        self._positions = points

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: the coarse vertices as they were given."""
        return self._positions

    @property
    def curve_vertices(self) -> Float32:
        """(N, 3, 4) float32, for upload: the vertices of all wrinkles' curves as three RGBA texels each.

        Position x, y, z, half width; joint normal x, y, z, height; slope of the height, number of the wrinkle,
        1 at the wrinkle's last vertex, 0. Segment k joins vertices k and k + 1 of one wrinkle. Mesh units.
        """
        return self._core.curve_vertices

    @property
    def face_offsets(self) -> Int32:
        """(T + 1,) int32: the segments that reach face f are `face_segments[face_offsets[f]:face_offsets[f + 1]]`."""
        return self._core.face_offsets

    @property
    def face_segments(self) -> Int32:
        """(K,) int32: segments that reach each face, ascending; a segment has the number of its first vertex."""
        return self._core.face_segments

    @property
    def edge_levels(self) -> Int32:
        """(E,) int32: parts into which each coarse edge is divided."""
        return self._core.edge_levels

    @property
    def levels(self) -> Float32:
        """(T, 4) float32, for upload: levels of the face's edges 0, 1, 2, edge k from vertex k to k + 1; inner level.

        OpenGL counts the outer levels by the opposite vertex: `gl_TessLevelOuter` = levels 1, 2, 0.
        """
        return self._core.levels

    @property
    def vertex_normals(self) -> Float32:
        """(V, 3) float32: unit normals of the coarse mesh, weighted by angle; zero where all faces have collapsed."""
        return self._core.vertex_normals

    @property
    def corner_normals(self) -> Float32:
        """(T, 3, 3) float32: unit normals to light the corners of faces by, parted at creases, else the vertices'."""
        return self._core.corner_normals

    @property
    def vertex_roundness(self) -> Float32:
        """(V,) float32, in [0, 1]: with base "curved", 1 where the coarse cloth is smooth, falling to 0 at folds."""
        return self._core.vertex_roundness

    def evaluate(self, faces: ArrayLike, barycentric: ArrayLike) -> SurfacePoints:
        """Return points of the surface.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Weights of their vertices, which sum to 1.
        """
        return SurfacePoints(*self._core.evaluate(int32("faces", faces), float32("barycentric", barycentric)))

    def displace(self) -> FineMesh:
        """Return the surface as a mesh, tessellated by `levels` in OpenGL's pattern."""
        core = self._core.displace()
        return FineMesh(
            core.positions,
            core.faces,
            core.normals,
            core.heights,
            core.coarse_faces,
            core.barycentric,
            core.face_coarse_faces,
            self._faces,
        )

    def _require_edge_length(self, positions: Float32) -> None:
        """Refuse a length that would divide every edge into as many parts as can be: it is in another unit."""
        if len(positions) != self.topology.vertex_count:
            return
        sides = positions[self.topology.edges]
        least = float(np.linalg.norm(sides[:, 1] - sides[:, 0], axis=1).min()) / MOST_PARTS
        if self.edge_length < least:
            raise ValueError(
                f"edge_length: expected at least {least:.3g}, the mesh's shortest edge in {MOST_PARTS} parts, "
                f"got {self.edge_length:.3g}"
            )
        self._is_fine_enough = True

    def __repr__(self) -> str:
        return (
            f'Surface({self.topology.face_count} coarse faces, base "{self.base}", edge length {self.edge_length:.3g})'
        )


def displace(
    positions: ArrayLike,
    faces: ArrayLike,
    wrinkles: Frame | Sequence[Wrinkle],
    *,
    edge_length: float | None = None,
    base: Base = "flat",
    base_level: int = 4,
    edge_levels: ArrayLike | None = None,
    joined: bool = True,
    threads: int = 1,
) -> FineMesh:
    """Return the wrinkled surface of one frame as a mesh (thesis 7). For many frames keep a `Surface` instead.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
        Vertex indices.
    wrinkles : Frame or sequence of Wrinkle
    edge_length : float, mesh units, optional
        Length of the fine edges where there are wrinkles, down to half of it where they are tight; half of their least
        radius when not given. No coarse edge is divided into more than 64 parts.
    base : {"flat", "curved"}
        What wrinkles rise from: the flat triangles, as in the thesis, or a smooth surface through the vertices.
    base_level : int, in [1, 64]
        With base "curved": parts of coarse edges that no wrinkle touches.
    edge_levels : (E,) int, in [1, 64], optional
        Parts of every coarse edge, in the order of `Topology.edges`.
    joined : bool
        Join vertices that coincide, as `Wrinkler.for_animation` does; False where the wrinkles come from a Wrinkler
        that was made from these faces as they are.
    threads : int
        The result is the same bits for any number.

    Returns
    -------
    FineMesh
        Without cracks: its vertices inside a coarse edge belong to both faces, and its open ends are the coarse mesh's.

    Raises
    ------
    MeshError
        Faces that are no manifold mesh.
    ValueError
        A parameter out of its range, or wrinkles of another mesh.
    """
    points, given = float32("positions", positions), triangles("faces", faces)
    topology = Topology(weld(points, given) if flag("joined", joined) else given, len(points))
    surface = Surface(topology, base=base, edge_length=edge_length, base_level=base_level, threads=threads)
    surface.update(points, wrinkles, edge_levels=edge_levels)
    return surface.displace().with_seams(given)
