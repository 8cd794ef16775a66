"""A coarse mesh on the graphics card: tables of its vertices and wrinkles, and draw calls that tessellate it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.mesh.animation import Up, vertical_extent
from ruckle.mesh.colors import FaceColors, require_colors
from ruckle.mesh.sewing import Sewing
from ruckle.mesh.topology import same_mesh
from ruckle.scene.context import Device
from ruckle.scene.fabric import pattern_coordinates, tile_coordinates
from ruckle.scene.field import FieldTable
from ruckle.scene.programs import TEXTURE_UNITS
from ruckle.scene.sewing_map import SewingMap, sewn_distances
from ruckle.scene.stitching import Stitching
from ruckle.scene.tables import ClothTable, PatternTable, WaveTable
from ruckle.scene.texture import Pictures
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import HeightFrame, shapes_of
from ruckle.surface.raised import RaisedMesh

__all__ = ["BARE", "Cover", "CoveredCloth", "Division", "TessellatedCloth", "is_drawn_by_card"]

# Estimate of the vertices that the tessellator creates for one divided triangle at a hem; few triangles need more. One
# draw call draws `Device.vertices_per_draw` divided by this number of triangles.
LARGEST_DIVISION = 250


@dataclass(frozen=True)
class Division:
    """How finely a mesh is divided for drawing.

    Attributes
    ----------
    edge_length : float, mesh units
        Length of fine edges in wrinkles. Above 0 if there are wrinkles.
    curved : bool
        True if the surface below the wrinkles is smooth, False if it consists of the coarse triangles.
    base_level : int, in [1, 64]
        Number of parts of curved coarse edges without wrinkles; an upper limit if there is a viewpoint.
    raised : bool
        True if wrinkles are drawn.
    tessellated : bool
        True if heights move the vertices. If False, triangles are flat, and waves only change the normals of pixels.
    viewpoint : (4,) float32, optional
        Position of the camera, and the largest invisible gap between a curved edge and its chords at distance 1. Edges
        on the visible outline then get as many parts as are visible, and all other edges get one part. Default: fine
        enough for all views.
    """

    edge_length: float
    curved: bool
    base_level: int
    raised: bool = True
    tessellated: bool = True
    viewpoint: Float32 | None = None


@dataclass(frozen=True, eq=False)
class Cover:
    """Colours and textures on the faces of a mesh.

    Attributes
    ----------
    uv, uv_faces : (U, 2) float and (T, 3) int, optional
        Texture coordinates: one per vertex, or indexed by `uv_faces`.
    colors : FaceColors, optional
        Colours of the faces, with separate texture coordinates.
    sewing : Sewing, optional
        Patches and buttons of the garment.
    """

    uv: ArrayLike | None = None
    uv_faces: ArrayLike | None = None
    colors: FaceColors | None = None
    sewing: Sewing | None = None

    def kept(self) -> Cover:
        """Return a copy that does not share arrays with the caller, who may change them in place."""
        uv, uv_faces = (np.array(part) if isinstance(part, np.ndarray) else part for part in (self.uv, self.uv_faces))
        return replace(self, uv=uv, uv_faces=uv_faces)

    def is_same(self, other: Cover) -> bool:
        """Return True if another cover has equal texture coordinates, and the same objects for colours and sewing."""
        return (
            _same_array(self.uv, other.uv)
            and _same_array(self.uv_faces, other.uv_faces)
            and self.colors is other.colors
            and self.sewing is other.sewing
        )

    def is_same_on(self, faces: Int32, other: Cover, other_faces: Int32) -> bool:
        """Return True if another cover is equal. If the covers have texture or colours, the faces must also be equal.

        Meshes that are equal after joining of vertices can have different faces at seams.
        """
        bare = self.uv is None and self.colors is None
        return self.is_same(other) and (bare or _same_array(faces, other_faces))

    @property
    def has_cloth(self) -> bool:
        """True if some faces with colours are drawn in the colour and fabric of the garment instead."""
        return self.colors is not None and self.colors.is_cloth is not None and bool(self.colors.is_cloth.any())

    @property
    def has_gaps(self) -> bool:
        """True if pictures have transparent parts, which are not drawn."""
        return self.colors is not None and any(image.cutout is not None for image in self.colors.images)

    @property
    def cloth_faces(self) -> NDArray[np.bool_] | None:
        """Mask (T,) of the faces with the fabric of the garment; None if all faces or no faces have it."""
        return self.colors.is_cloth if self.colors is not None and self.has_cloth else None

    def tiles(self, frame: LayerFrame) -> Float32:
        """Return the coordinates of all face corners on the fabric; see `tile_coordinates`."""
        corner_uv = self.corner_uv(frame.faces, len(frame.positions))
        return tile_coordinates(frame.positions, frame.faces, corner_uv, self.cloth_faces)

    def corner_uv(self, faces: Int32, vertex_count: int) -> Float32 | None:
        """Return the texture coordinates of all face corners, (T, 3, 2); None without texture coordinates.

        If there are `colors`, their texture coordinates are returned instead of `uv`. ValueError if they do not match
        the faces.
        """
        if self.colors is not None:
            return np.ascontiguousarray(require_colors(self.colors, len(faces)).uv)
        return _corner_texture(faces, vertex_count, self.uv, self.uv_faces)

    def sewing_map(self, context: moderngl.Context, frame: LayerFrame, stitching: Stitching) -> SewingMap | None:
        """Return the distances to seams and hems.

        The result is None if no face is drawn as cloth, or if the texture coordinates are not a pattern of the cloth.
        """
        if self.colors is not None and not self.has_cloth:
            return None
        corner_uv = self.corner_uv(frame.faces, len(frame.positions))
        tiles = pattern_coordinates(frame.positions, frame.faces, corner_uv, self.cloth_faces)
        if corner_uv is None or tiles is None:
            return None
        is_open = frame.topology.edge_faces[frame.topology.face_edges, 1] < 0
        distances = sewn_distances(frame.topology.faces, corner_uv, tiles, is_open, self.sewing, stitching)
        return SewingMap(context, distances)

    def corner_colors(self) -> Float32 | None:
        """Return linear red, green, blue and the `Pictures` layer of all corners, (T, 3, 4); None without colours."""
        if self.colors is None:
            return None
        numbers = self.colors.face_images + 1
        # shaders draw layer -1 in the colour of the cloth
        numbers = numbers if self.colors.is_cloth is None else np.where(self.colors.is_cloth, -1, numbers)
        layers = np.broadcast_to(numbers[:, None, None], (len(numbers), 3, 1))
        return np.concatenate([self.colors.corners, layers], axis=2, dtype=np.float32)


BARE = Cover()


def is_drawn_by_card(frame: LayerFrame) -> bool:
    """Return True if shaders can compute all layers of a frame.

    No layer may have a shape. Every layer with heights must have a shader, and no two layers may have the same.
    """
    shaders = [part.shader for part in frame.parts if isinstance(part, HeightFrame)]
    return None not in shaders and len(set(shaders)) == len(shaders) and not shapes_of(frame)


class CoveredCloth:
    """Base class of drawn cloth: what its cover shows."""

    _context: moderngl.Context
    _cover: Cover
    _pictures: Pictures | None
    _sewing: dict[Stitching, SewingMap | None]
    frame: LayerFrame

    @property
    def is_colored(self) -> bool:
        """True if the faces have their own colours."""
        return self._pictures is not None

    @property
    def has_gaps(self) -> bool:
        """True if pictures have transparent parts, which are not drawn."""
        return self._cover.has_gaps

    @property
    def has_cloth(self) -> bool:
        """True if some faces with colours are drawn in the colour and fabric of the garment instead."""
        return self._cover.has_cloth

    def sewing_map(self, stitching: Stitching) -> SewingMap | None:
        """Return the distances to seams and hems; None if there are none (`Cover.sewing_map`)."""
        if stitching not in self._sewing:
            self._sewing = {stitching: self._cover.sewing_map(self._context, self.frame, stitching)}
        return self._sewing[stitching]

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: vertices of the mesh, for example for shadows."""
        return self.frame.positions

    def height(self, up: Up) -> float:
        """Return the extent of the mesh along the up axis, mesh units."""
        return vertical_extent(self.positions, up)


class TessellatedCloth(CoveredCloth):
    """A mesh with constant faces, drawn frame after frame. The graphics card evaluates the heights.

    Parameters
    ----------
    device : Device
        The context of the device must be current in every method.
    frame : LayerFrame
        A frame of this mesh.
    cover : Cover
    threads : int
        Number of threads that find the triangles near wrinkles.

    Attributes
    ----------
    frame : LayerFrame
        Frame of the last `prepare`.
    is_tessellated : bool
        `Division.tessellated` of the last `prepare`. If False, no triangle is divided.

    Raises
    ------
    ValueError
        The texture coordinates do not match the mesh.
    """

    # first shaders of each program: for triangles that are divided, and for all other triangles
    stages = (("cloth.vert", "cloth.tesc", "cloth.tese"), ("plain.vert",))
    hem_stages = tuple((*files, "hem.geom") for files in stages)

    def __init__(
        self,
        device: Device,
        frame: LayerFrame,
        cover: Cover = BARE,
        *,
        threads: int = 1,
    ) -> None:
        context = self._context = device.context
        self._device = device
        self._cover = cover.kept()
        corner_uv, corner_colors = cover.corner_uv(frame.faces, len(frame.positions)), cover.corner_colors()
        topology = self.topology = frame.topology
        self._faces = frame.faces
        self._raised = RaisedMesh(topology, threads)
        self._table = ClothTable(context)
        self._patterns = PatternTable(context)
        self._waves = WaveTable(context)
        self._field = FieldTable(context)
        self._corner_numbers = context.buffer(np.stack([topology.faces, topology.face_edges], axis=2))
        self._corner_uv = context.buffer(
            np.zeros((topology.face_count, 3, 2), "f4") if corner_uv is None else corner_uv
        )
        self._corner_tile = context.buffer(cover.tiles(frame))
        self._mask = frame.mask
        # For each vertex: factor of the mask, then the largest heights that other layers of cloth allow on both sides.
        # The limits change in every frame.
        self._limits: Float32 | None = None
        if frame.mask is not None or len(self._raised.core.crowding):
            self._limits = np.zeros((len(frame.positions), 3), np.float32)
            self._limits[:, 0] = 1.0 if frame.mask is None else frame.mask
        self._corner_limits = None if self._limits is None else context.buffer(self._limits[topology.faces])
        self._corner_colors = None if corner_colors is None else context.buffer(corner_colors)
        self._pictures = None if cover.colors is None else Pictures(context, cover.colors.images)
        # indices of face corners in drawing order; index / 3 is the triangle
        self._corners = np.empty((topology.face_count, 3), np.int32)
        self._order = context.buffer(reserve=self._corners.nbytes, dynamic=True)
        # bit k is set if side k of the triangle is on the boundary; the triangles with such sides are drawn as hems
        is_open = topology.edge_faces[topology.face_edges, 1] < 0
        open_sides = (is_open * np.array([1, 2, 4])).sum(axis=1).astype(np.int32)
        self._open_sides = context.buffer(np.repeat(open_sides, 3))
        self._hem_faces = np.flatnonzero(open_sides)
        self._hem_order = context.buffer(reserve=max(12 * len(self._hem_faces), 4), dynamic=True)
        self._hem_arrays: dict[int, moderngl.VertexArray] = {}
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self._unordered: dict[int, moderngl.VertexArray] = {}
        self._sewing: dict[Stitching, SewingMap | None] = {}
        self.frame = frame
        self.is_tessellated = True

    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Return True if this object can draw the frame: same mesh, cover and mask, and shaders compute all layers."""
        return (
            is_drawn_by_card(frame)
            and same_mesh(self.topology, frame.topology)
            and self._cover.is_same_on(self._faces, cover, frame.faces)
            and _same_array(self._mask, frame.mask)
        )

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the optional shader parts for the last upload: "PATTERNS", "WAVES", "LIMITS"."""
        used = {"PATTERNS": self._patterns.is_used, "WAVES": self._waves.is_used, "LIMITS": self._limits is not None}
        return tuple(name for name, is_used in used.items() if is_used)

    @property
    def allocations(self) -> int:
        """Number of textures and vertex arrays created until now; constant after the buffers are large enough."""
        arrays = [*self._arrays, *self._unordered, *self._hem_arrays]
        return sum(part.allocations for part in (self._table, self._patterns, self._waves, self._field)) + len(arrays)

    def prepare(self, frame: LayerFrame, division: Division) -> None:
        """Compute the input of the shaders on the CPU: curves, lists of wrinkles, levels and normals.

        Parameters
        ----------
        frame : LayerFrame
            Frame of this mesh.
        division : Division
        """
        self._raised.update(
            frame if division.raised else frame.coarse,
            edge_length=division.edge_length,
            curved=division.curved,
            base_level=division.base_level,
            viewpoint=division.viewpoint,
        )
        self.frame = frame
        self.is_tessellated = division.tessellated

    def upload(self) -> None:
        """Copy the results of `prepare` to the graphics card."""
        surface = self._raised.core
        *firsts, count = surface.write_texels(self._table.texels)
        if count > len(self._table.texels):
            self._table.reserve(count)
            surface.write_texels(self._table.texels)
        self._table.upload(count)
        if self._limits is not None and self._corner_limits is not None and len(surface.crowding):
            self._limits[:, 1:] = surface.crowding
            self._corner_limits.write(self._limits[self.topology.faces])
        for table in (self._patterns, self._waves):
            table.upload(zip(self._raised.sources, firsts, strict=True), self.topology.face_count)

    def upload_field(self) -> None:
        """Copy labels and compression of the triangles to the graphics card, for the modes that show them."""
        self._field.upload(self.frame)

    def draw(
        self, tessellated: moderngl.Program, plain: moderngl.Program, *, toward_eye: Sequence[float] = (0, 0, 1)
    ) -> None:
        """Draw the mesh of the last `upload`.

        Parameters
        ----------
        tessellated, plain : moderngl.Program
            Programs for triangles that are divided, and for all others.
        toward_eye : three floats
            Direction to the camera. Triangles are drawn in the order of increasing distance.
        """
        vertices = self._device.vertices_per_draw
        draws = self._raised.core.order(toward_eye, vertices_per_draw=vertices, corners=self._corners)
        self._order.write(self._corners)
        self._table.use(TEXTURE_UNITS["cloth_table"])
        self._field.use()
        self._patterns.use(tessellated, plain)
        self._waves.use(tessellated, plain)
        if self._pictures is not None:
            self._pictures.use()
        self._device.context.patch_vertices = 3
        for first, count, divided in draws:
            divides = divided and self.is_tessellated
            program, kind = (tessellated, moderngl.PATCHES) if divides else (plain, moderngl.TRIANGLES)
            self._vertex_array(program).render(kind, vertices=3 * count, first=3 * first)

    def draw_hems(self, tessellated: moderngl.Program, plain: moderngl.Program) -> None:
        """Draw the thickness of the cloth at its boundary (the hems), after `draw`.

        Parameters
        ----------
        tessellated, plain : moderngl.Program
            Programs made from `hem_stages`.
        """
        if not len(self._hem_faces):
            return
        levels = self._raised.core.levels[self._hem_faces]
        is_divided = (levels > 1.0).any(axis=1) & self.is_tessellated
        faces = np.concatenate([self._hem_faces[is_divided], self._hem_faces[~is_divided]])
        self._hem_order.write(3 * faces[:, None].astype(np.int32) + np.arange(3, dtype=np.int32))
        divided = int(is_divided.sum())
        self._patterns.use(tessellated, plain)
        self._waves.use(tessellated, plain)
        # split the triangles into several draw calls, because some drivers limit the vertices per call
        most = max(1, self._device.vertices_per_draw // LARGEST_DIVISION)
        for first in range(0, divided, most):
            count = min(most, divided - first)
            self._hem_array(tessellated).render(moderngl.PATCHES, vertices=3 * count, first=3 * first)
        if divided < len(faces):
            self._hem_array(plain).render(moderngl.TRIANGLES, vertices=3 * (len(faces) - divided), first=3 * divided)

    def draw_shadow(self, tessellated: moderngl.Program, plain: moderngl.Program, *, coarse: bool = False) -> None:
        """Draw the mesh of the last `upload` into the depth map of a light.

        Parameters
        ----------
        tessellated, plain : moderngl.Program
            Programs that other draw calls do not use.
        coarse : bool
            If True, draw the coarse triangles, without heights and unsorted.
        """
        if not coarse:
            self.draw(tessellated, plain)
            return
        self._table.use(TEXTURE_UNITS["cloth_table"])
        if plain.glo not in self._unordered:
            content = [(self._corner_numbers, "2i", "corner_numbers")]
            self._unordered[plain.glo] = self._device.context.vertex_array(plain, content)
        self._unordered[plain.glo].render(moderngl.TRIANGLES, vertices=3 * self.topology.face_count)

    def _vertex_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            self._arrays[program.glo] = self._ordered(program, self._order)
        return self._arrays[program.glo]

    def _hem_array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._hem_arrays:
            self._hem_arrays[program.glo] = self._ordered(program, self._hem_order)
        return self._hem_arrays[program.glo]

    def _ordered(self, program: moderngl.Program, order: moderngl.Buffer) -> moderngl.VertexArray:
        inputs = [
            (self._corner_numbers, "2i", "corner_numbers"),
            (self._corner_uv, "2f", "corner_uv"),
            (self._corner_tile, "2f", "corner_tile"),
            (self._corner_colors, "4f", "corner_color"),
            (self._corner_limits, "3f", "corner_limit"),
            (self._open_sides, "1i", "open_sides"),
        ]
        # omit inputs that the driver has removed as unused, for example texture coordinates without a texture
        content = [entry for entry in inputs if entry[2] in program]
        return self._device.context.vertex_array(program, content, order)


def _same_array(a: object, b: object) -> bool:
    """Return True if two arrays are equal, or both are None."""
    return a is b or (a is not None and b is not None and np.array_equal(np.asarray(a), np.asarray(b)))


def _corner_texture(
    faces: Int32, vertex_count: int, uv: ArrayLike | None, uv_faces: ArrayLike | None
) -> Float32 | None:
    """Return the texture coordinates of all corners, (T, 3, 2) float32; None without texture coordinates.

    Raise ValueError if they do not match the faces.
    """
    if uv is None:
        if uv_faces is not None:
            raise ValueError("uv_faces: given without uv")
        return None
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
