"""One coarse mesh on the graphics card: its tables of vertices and wrinkles, and the draws that tessellate it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arrays import Float32, Int32, float32, int32, triangles
from ruckle.field.stretch import Stretch
from ruckle.mesh.animation import Up, vertical_extent
from ruckle.mesh.topology import Topology, weld
from ruckle.surface.surface import PackedWrinkles
from ruckle.view.context import Device
from ruckle.view.field import field_texels
from ruckle.view.programs import TEXTURE_UNITS
from ruckle.view.tables import Table

__all__ = ["Cloth", "Division", "Faces"]

Faces = _core.Topology | ArrayLike

# Texels of one triangle in the table, as in shaders/common/tables.glsl.
FACE_TEXELS = 7


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
        Parts of curved coarse edges without wrinkles; from a viewpoint the most.
    viewpoint : (4,) float32, optional
        The eye, and the largest gap between a curved edge and its chords per distance from it: edges get as many parts
        as show, and inside the outline none. Without one the surface is as well seen from all sides.
    """

    edge_length: float
    curved: bool
    base_level: int
    viewpoint: Float32 | None = None


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
        self._table = Table(context)
        self._field_table = Table(context)
        self._corner_texels = context.buffer(FACE_TEXELS * topology.face_count + 2 * topology.faces)
        self._corner_places = context.buffer(places)
        # corners in the order of drawing; a corner's number tells its triangle
        self._corners = np.empty((topology.face_count, 3), np.int32)
        self._order = context.buffer(reserve=self._corners.nbytes, dynamic=True)
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self._positions = positions

    def is_made_from(self, faces: Faces, uv: ArrayLike | None, uv_faces: ArrayLike | None) -> bool:
        """Tell whether another mesh is this one."""
        return all(_equal(a, b) for a, b in zip(self._source, (faces, uv, uv_faces), strict=True))

    def height(self, up: Up) -> float:
        """Return the extent along the axis that points up, mesh units."""
        return vertical_extent(self._positions, up)

    @property
    def allocations(self) -> int:
        """Textures and vertex arrays made so far; stays the same once buffers have grown to an animation's needs."""
        return self._table.allocations + self._field_table.allocations + len(self._arrays)

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
            viewpoint=division.viewpoint,
            edge_levels=None,
        )
        self._positions = positions

    def upload(self) -> None:
        """Copy to the graphics card what `prepare` found."""
        count = self._surface.write_texels(self._table.texels)
        if count > len(self._table.texels):
            self._table.reserve(count)
            self._surface.write_texels(self._table.texels)
        self._table.upload(count)

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units, of the last frame."""
        return self._positions

    def upload_field(self, labels: ArrayLike | None, stretch: Stretch | None) -> None:
        """Copy to the graphics card what pictures of labels and of the field show."""
        texels = field_texels(self._positions, self.topology.faces, labels, stretch).reshape(-1, 4)
        self._field_table.reserve(len(texels))
        self._field_table.texels[: len(texels)] = texels
        self._field_table.upload(len(texels))

    def draw(
        self, tessellated: moderngl.Program, plain: moderngl.Program, toward_eye: Sequence[float] = (0, 0, 1)
    ) -> None:
        """Draw everything that was uploaded last.

        Parameters
        ----------
        tessellated, plain : moderngl.Program
            For triangles that are divided, and for the others.
        toward_eye : three floats
            Direction from which the cloth is seen: triangles are drawn from near to far.
        """
        draws = self._surface.order(toward_eye, vertices_per_draw=self._device.vertices_per_draw, corners=self._corners)
        self._order.write(self._corners)
        self._table.use(TEXTURE_UNITS["cloth_table"])
        self._field_table.use(TEXTURE_UNITS["field_table"])
        self._device.context.patch_vertices = 3
        for first, count, divided in draws:
            program, kind = (tessellated, moderngl.PATCHES) if divided else (plain, moderngl.TRIANGLES)
            self._vertex_array(program).render(kind, vertices=3 * count, first=3 * first)

    def draw_coarse(self, plain: moderngl.Program) -> None:
        """Draw the coarse triangles of the last upload as they are, in their own order.

        Parameters
        ----------
        plain : moderngl.Program
            That of no other draw.
        """
        self._table.use(TEXTURE_UNITS["cloth_table"])
        if plain.glo not in self._arrays:
            content = [(self._corner_texels, "1i", "corner_texel")]
            self._arrays[plain.glo] = self._device.context.vertex_array(plain, content)
        self._arrays[plain.glo].render(moderngl.TRIANGLES, vertices=3 * self.topology.face_count)

    def _vertex_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            inputs = [
                (self._corner_texels, "1i", "corner_texel"),
                (self._corner_places, "2f", "corner_texture_place"),
            ]
            # a picture without texture has no use for texture coordinates, and the driver drops them
            content = [entry for entry in inputs if entry[2] in program]
            self._arrays[program.glo] = self._device.context.vertex_array(program, content, self._order)
        return self._arrays[program.glo]


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
