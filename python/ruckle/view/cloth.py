"""One coarse mesh on the graphics card: its tables of vertices and wrinkles, and the draws that tessellate it."""

from __future__ import annotations

from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.animation import Up, vertical_extent
from ruckle.stages import Float32, Int32, Stretch, Topology, float32, int32, triangles, weld
from ruckle.surface import PackedWrinkles
from ruckle.view.context import Device
from ruckle.view.field import field_texels
from ruckle.view.order import draw_order
from ruckle.view.programs import TEXTURE_UNITS
from ruckle.view.runs import segment_runs
from ruckle.view.tables import Table

__all__ = ["Cloth", "Division", "Faces"]

Faces = _core.Topology | ArrayLike


@dataclass(frozen=True)
class Division:
    """How finely a mesh is divided.

    Attributes
    ----------
    edge_length : float, mesh units
        Of fine edges where wrinkles are; above 0 where there are any.
    curved : bool
        The cloth under the wrinkles is smooth.
    base_level : int, in [1, 64]
        Parts of curved coarse edges without wrinkles.
    """

    edge_length: float
    curved: bool
    base_level: int


class Cloth:
    """A mesh of fixed topology that is drawn frame after frame.

    Parameters
    ----------
    device : Device
        Its context is current, here and in every method.
    positions : (V, 3) float32, mesh units
        A frame; vertices that coincide in it count as one.
    faces : (T, 3) int, or Topology
        A Topology is taken as it is.
    uv, uv_faces : (U, 2) float and (T, 3) int, optional
        Texture coordinates, of the vertices where `uv_faces` is not given.
    threads : int
        Threads that find the triangles which wrinkles reach.

    Raises
    ------
    MeshError, ValueError
        Faces that are no manifold mesh; texture coordinates that do not fit them.
    """

    def __init__(
        self,
        device: Device,
        positions: Float32,
        faces: Faces,
        uv: ArrayLike | None = None,
        uv_faces: ArrayLike | None = None,
        *,
        threads: int = 1,
    ) -> None:
        context = device.context
        self._device = device
        # copies: the caller may change an array in place
        self._source = tuple(np.array(part) if isinstance(part, np.ndarray) else part for part in (faces, uv, uv_faces))
        if isinstance(faces, _core.Topology):
            indices, topology = faces.faces, faces
        else:
            indices = triangles("faces", faces)
            topology = Topology(weld(positions, indices), len(positions))
        places = _corner_places(indices, len(positions), uv, uv_faces)
        self.topology = topology
        self._surface = _core.Surface(topology, threads=threads)
        self._tables = {
            "position_table": Table(context, 3),
            "normal_table": Table(context, 4),
            "corner_normal_table": Table(context, 3),
            "level_table": Table(context, 4),
            "list_table": Table(context, 1, "i4"),
            "curve_table": Table(context, 4),
            "run_table": Table(context, 4, "i4"),
            "field_table": Table(context, 4),
        }
        self._corner_vertices = context.buffer(np.ascontiguousarray(topology.faces))
        self._corner_places = context.buffer(places)
        # corners in the order of drawing; a corner's number tells its triangle
        self._order = context.buffer(reserve=12 * topology.face_count, dynamic=True)
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self._positions = positions
        self._faces = topology.faces
        self._middles = sum_of_corners(positions, self._faces)
        self._levels = np.ones(topology.face_count, np.float32)
        # normals with the roundness as fourth number
        self._normals = np.zeros((len(positions), 4), np.float32)

    def is_made_from(self, faces: Faces, uv: ArrayLike | None, uv_faces: ArrayLike | None) -> bool:
        """Tell whether another mesh is this one."""
        return all(_equal(a, b) for a, b in zip(self._source, (faces, uv, uv_faces), strict=True))

    def height(self, up: Up) -> float:
        """Return the extent along the axis that points up, mesh units."""
        return vertical_extent(self._positions, up)

    @property
    def allocations(self) -> int:
        """Textures and vertex arrays made so far; stays the same once buffers have grown to an animation's needs."""
        return sum(table.allocations for table in self._tables.values()) + len(self._arrays)

    def prepare(self, positions: Float32, wrinkles: PackedWrinkles, division: Division) -> None:
        """Find on the CPU what is drawn: curves, lists, levels, normals.

        Parameters
        ----------
        positions : (V, 3) float32, mesh units
        wrinkles : PackedWrinkles
        division : Division
        """
        self._surface.update(
            positions,
            *wrinkles[:-1],
            edge_length=division.edge_length,
            curved=division.curved,
            base_level=division.base_level,
            edge_levels=None,
        )
        self._positions = positions

    def upload(self) -> None:
        """Copy to the graphics card what `prepare` found."""
        surface, tables = self._surface, self._tables
        levels, curve_vertices = surface.levels, surface.curve_vertices
        offsets, runs = segment_runs(surface.face_offsets, surface.face_segments, curve_vertices)
        tables["position_table"].write(self._positions)
        self._normals[:, :3], self._normals[:, 3] = surface.vertex_normals, surface.vertex_roundness
        tables["normal_table"].write(self._normals)
        tables["corner_normal_table"].write(surface.corner_normals)
        tables["level_table"].write(levels)
        tables["list_table"].write(offsets)
        tables["curve_table"].write(curve_vertices)
        tables["run_table"].write(runs)
        self._levels = np.where(np.diff(offsets) > 0, np.maximum(levels[:, 3], 2), levels[:, 3])
        self._middles = sum_of_corners(self._positions, self._faces)

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units, of the last frame."""
        return self._positions

    def upload_field(self, labels: ArrayLike | None, stretch: Stretch | None) -> None:
        """Copy to the graphics card what pictures of labels and of the field show."""
        self._tables["field_table"].write(field_texels(self._positions, self.topology.faces, labels, stretch))

    def draw(self, tessellated: moderngl.Program, plain: moderngl.Program, toward_eye: ArrayLike = (0, 0, 1)) -> None:
        """Draw everything that was uploaded last.

        Parameters
        ----------
        tessellated, plain : moderngl.Program
            For triangles that are divided, and for the others.
        toward_eye : (3,) float
            Direction from which the cloth is seen: triangles are drawn from near to far.
        """
        order = draw_order(self._levels, self._middles @ np.asarray(toward_eye), self._device.vertices_per_draw)
        self._order.write(order.corners)
        for name, table in self._tables.items():
            table.use(TEXTURE_UNITS[name])
        self._device.context.patch_vertices = 3
        for first, count in order.tessellated:
            self._vertex_array(tessellated).render(moderngl.PATCHES, vertices=3 * count, first=3 * first)
        first, count = order.plain
        if count:
            self._vertex_array(plain).render(moderngl.TRIANGLES, vertices=3 * count, first=3 * first)

    def draw_coarse(self, plain: moderngl.Program) -> None:
        """Draw the coarse triangles of the last upload as they are, in their own order.

        Parameters
        ----------
        plain : moderngl.Program
            That of no other draw.
        """
        for name, table in self._tables.items():
            table.use(TEXTURE_UNITS[name])
        if plain.glo not in self._arrays:
            content = [(self._corner_vertices, "1i", "corner_vertex")]
            self._arrays[plain.glo] = self._device.context.vertex_array(plain, content)
        self._arrays[plain.glo].render(moderngl.TRIANGLES, vertices=3 * len(self._faces))

    def _vertex_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            inputs = [
                (self._corner_vertices, "1i", "corner_vertex"),
                (self._corner_places, "2f", "corner_texture_place"),
            ]
            # a picture without texture has no use for texture coordinates, and the driver drops them
            content = [entry for entry in inputs if entry[2] in program]
            self._arrays[program.glo] = self._device.context.vertex_array(program, content, self._order)
        return self._arrays[program.glo]


def sum_of_corners(positions: Float32, faces: Int32) -> Float32:
    """Return three times the centre of each triangle, (T, 3): a fifth of the time of NumPy's mean."""
    return positions.take(faces[:, 0], 0) + positions.take(faces[:, 1], 0) + positions.take(faces[:, 2], 0)


def _equal(a: object, b: object) -> bool:
    if isinstance(a, _core.Topology) or isinstance(b, _core.Topology) or a is None or b is None:
        return a is b
    return np.array_equal(np.asarray(a), np.asarray(b))


def _corner_places(faces: Int32, vertex_count: int, uv: ArrayLike | None, uv_faces: ArrayLike | None) -> Float32:
    """Return the texture coordinates of all corners, (T, 3, 2) float32."""
    if uv is None:
        if uv_faces is not None:
            raise ValueError("uv_faces: given without uv")
        return np.zeros((len(faces), 3, 2), np.float32)
    coordinates = float32("uv", uv)
    if coordinates.ndim != 2 or coordinates.shape[1] != 2 or (uv_faces is None and len(coordinates) != vertex_count):
        raise ValueError(
            f"uv: expected shape ({vertex_count if uv_faces is None else 'U'}, 2), got {coordinates.shape}"
        )
    corners = faces if uv_faces is None else int32("uv_faces", uv_faces)
    if corners.shape != faces.shape:
        raise ValueError(f"uv_faces: expected shape {faces.shape}, got {corners.shape}")
    if corners.min() < 0 or corners.max() >= len(coordinates):
        raise ValueError(
            f"uv_faces: expected numbers from 0 to {len(coordinates) - 1}, got {corners.min()} to {corners.max()}"
        )
    return np.ascontiguousarray(coordinates[corners])
