"""Adds wrinkles to the clothes of an Actor in Panda3D: call `wrinkle(actor, "shirt")` once.

In each frame, Panda skins the garment, the library steps the wrinkles, and one texture is uploaded to the graphics
card. Each material of a garment is one draw call: tessellated patches with raised vertices, or triangles with a tilted
normal per pixel. The shaders are those of the library. `scene.glsl` replaces their uniform block by Panda's matrices.
"""

import ctypes
import re
from pathlib import Path

import numpy as np
from direct.actor.Actor import Actor
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import (
    AntialiasAttrib,
    ClockObject,
    Geom,
    GeomNode,
    GeomPatches,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    GraphicsEngine,
    MaterialAttrib,
    OmniBoundingVolume,
    RenderState,
    SamplerState,
    Shader,
    ShaderAttrib,
    Texture,
    TextureAttrib,
    Thread,
)  # fmt: skip

import ruckle
from characters import cloth_names, find_mesh, masks
from ruckle import _core
from ruckle.c_structures import structures

LIBRARY = ctypes.CDLL(_core.__file__)
LIBRARY.ruckle_error_message.restype = ctypes.c_char_p
for name in ("ruckle_garment_faces", "ruckle_face_edges"):
    getattr(LIBRARY, name).restype = ctypes.POINTER(ctypes.c_int32)
for name in ("ruckle_garment_waves", "ruckle_garment_wrinkler"):
    getattr(LIBRARY, name).restype = ctypes.c_void_p
STRUCTS = structures(LIBRARY)
TABLE_WIDTH = 128  # RUCKLE_TABLE_WIDTH
WAVE_TABLE_WIDTH = 1024  # TABLE_WIDTH of shaders/common/tables.glsl

# the shaders of the installed package, or of the source tree
_PACKAGE = Path(ruckle.__file__).parent
SHADERS = _PACKAGE / "shaders" if (_PACKAGE / "shaders").is_dir() else _PACKAGE.parents[1] / "shaders"
OWN_SHADERS = Path(__file__).parent

# With Mesa's software drivers, more than 65,535 fine vertices per draw call damage the picture, or the call takes more
# than a minute. So a draw call has only as many triangles as stay below this number at the largest level.
SOFTWARE_DRIVERS = ("llvmpipe", "softpipe", "SWR")
LARGEST_LEVEL, MOST_VERTICES = 64, 65535

# texture formats that the graphics card converts to linear colours
SRGB_FORMATS = (Texture.F_srgb, Texture.F_srgb_alpha, Texture.F_sluminance, Texture.F_sluminance_alpha)

# linear colour of cloth whose material does not have a colour
CLOTH_COLOR = (0.1946, 0.2789, 0.4233)

# directions toward the lights in camera space, and intensities
LIGHTS = {"key": (-0.82, 0.52, 0.28, 2.4), "fill": (0.85, 0.10, 0.50, 0.25), "rim": (0.50, 0.60, -0.70, 0.60)}


def call(function: str, *arguments) -> None:
    """Call a function of the library. Raise ValueError with its error message if it fails."""
    if getattr(LIBRARY, function)(*arguments):
        raise ValueError(LIBRARY.ruckle_error_message().decode())


def shader_text(name: str, *features: str) -> str:
    """Return the text of a shader with its includes. Files of this folder replace files of the library."""
    found: set[str] = set()

    def lines(path: Path):
        for line in path.read_text(encoding="utf-8").splitlines():
            include = re.fullmatch(r'#include "(.+)"', line.strip())
            if include is None:
                yield line
            elif include[1] not in found:
                found.add(include[1])
                own = OWN_SHADERS / Path(include[1]).name
                yield from lines(own if own.exists() else SHADERS / include[1])

    own = OWN_SHADERS / name
    text = "\n".join(lines(own if own.exists() else SHADERS / name))
    return "\n".join(["#version 410 core", *(f"#define {feature}" for feature in features), text]) + "\n"


class Garment:
    """One garment of an Actor. `change` and `set_paint` may be called at any time.

    Parameters
    ----------
    actor : Actor
    name : str
        Name of a mesh.
    paths, waves : bool or dict
        True for a layer with default options, False for none, or a dict with at least one option.
    height : float, optional
        Height of the character, which determines the minimum radius of wrinkles. Default: height of the Actor.
    color : three floats, optional
        Linear colour of the cloth, instead of the colours and textures of the materials.
    pixels : bool
        True if waves only tilt the normal of each pixel, which is faster; False if they also move the surface. Has no
        effect on a garment with paths.
    edge_length : float, optional
        Length of fine edges in wrinkles, mesh units. By default half of the minimum radius, or longer if the mesh would
        have more than MOST_VERTICES fine vertices with wrinkles everywhere.
    """

    def __init__(
        self, actor, name, *, paths=True, waves=False, height=None, color=None, pixels=False, edge_length=None
    ):
        self.actor, self.node, self.name = actor, find_mesh(actor, name), name
        self.pixels, self.color = pixels and not paths, color
        geoms = [self.node.node().get_geom(i) for i in range(self.node.node().get_num_geoms())]
        self.states = [self.node.node().get_geom_state(i) for i in range(len(geoms))]
        self.vertices = [geom.get_vertex_data() for geom in geoms]
        points = np.concatenate([column(data, "vertex") for data in self.vertices]).astype(np.float32)
        starts = np.cumsum([0] + [data.get_num_rows() for data in self.vertices])
        parts = [corners(geom) + start for geom, start in zip(geoms, starts, strict=False)]
        self.face_counts = [len(part) for part in parts]
        self.corners, self.vertex_count = np.concatenate(parts), len(points)
        uv = np.concatenate([texture_coordinates(data) for data in self.vertices])
        # Panda has several vertices at seams and hard edges; the garment has one
        self.kept, numbers = np.unique(ruckle.weld(points, self.corners), return_inverse=True)
        self.rest, self.faces = points[self.kept], numbers.reshape(-1, 3).astype(np.uint32)
        self.positions = self.rest.copy()
        # for each part, its kept vertices, and their rows of `positions`
        ends = np.searchsorted(self.kept, starts)
        self.parts = [
            (data, self.kept[begin:end] - start, self.positions[begin:end])
            for data, start, begin, end in zip(self.vertices, starts, ends, ends[1:], strict=False)
        ]
        low, high = actor.get_tight_bounds(actor)
        size = height or high[2] - low[2]
        self.options = {
            "paths": options("ruckle_options", "ruckle_default_options", size, paths),
            "waves": options("ruckle_wave_options", "ruckle_waves_default_options", size, waves),
        }
        if edge_length is None:
            least = 0.5 * min(option.r_min for option in self.options.values() if option)
            edge_length = affordable_edge_length(self.rest[self.faces], least)
        self.edge_length = edge_length
        mesh = STRUCTS["ruckle_garment_mesh"](
            address(self.rest), 12, len(self.rest), address(self.faces), 4, len(self.faces), 0
        )
        self.handle = ctypes.c_void_p()
        given = [ctypes.byref(option) if option else None for option in self.options.values()]
        call("ruckle_garment_create", ctypes.byref(mesh), *given, ctypes.byref(self.handle))
        self.has_waves = bool(waves)
        self.face_count = len(self.faces)
        self._at = address(self.positions)
        self._make_node(np.ascontiguousarray(uv[self.corners], np.float32))
        self._make_shader()
        self.update(1 / 30)
        taskMgr.add(self._task, "wrinkles", sort=40)  # before Panda draws, at 50

    def change(self, **layers):
        """Change options without a jump: ``garment.change(paths={"tau": 1.2})``."""
        for layer, values in layers.items():
            for key, value in values.items():
                setattr(self.options[layer], key, value)
            call(
                "ruckle_garment_set_options",
                self.handle,
                *(ctypes.byref(self.options[name]) if name == layer else None for name in ("paths", "waves")),
            )

    def set_paint(self, paint):
        """Multiply the heights by one number in [0, 1] for each vertex of the mesh; None for 1."""
        kept = None if paint is None else np.asarray(paint, np.float32)[self.kept]
        call("ruckle_garment_set_paint", self.handle, None if kept is None else address(kept))

    def update(self, dt):
        """Read the Actor's pose of this frame and step the cloth by `dt` seconds."""
        self.read_pose()
        self.step(dt)

    def read_pose(self):
        """Copy the positions that Panda has skinned."""
        self.actor.update(force=True)
        for data, kept, rows in self.parts:
            # Panda caches the result, so that it skins once per frame
            moved = column(data.animate_vertices(True, Thread.get_current_thread()), "vertex")
            moved.take(kept, axis=0, out=rows, mode="clip")

    def step(self, dt):
        """Step the cloth to `positions`, and write the texture."""
        call("ruckle_garment_step", self.handle, self._at, 0, ctypes.c_float(max(dt, 1e-4)))
        self._write_pixels() if self.pixels else self._write_table()

    def _write_pixels(self):
        self._texture.modify_ram_image()
        call("ruckle_garment_write_vertices", self.handle, self._texels_at)

    def _write_table(self):
        call("ruckle_garment_make_table", self.handle, ctypes.byref(self._surface), ctypes.byref(self._table))
        rows = self._table.row_count
        if rows > self._texture.get_y_size():
            self._texture.setup_2d_texture(TABLE_WIDTH, rows + 8, Texture.T_unsigned_int, Texture.F_rgba32i)
            self._texels_at = address(np.frombuffer(self._texture.modify_ram_image(), np.uint32))
        self._texture.modify_ram_image()
        ctypes.memmove(self._texels_at, self._table.texels, 16 * TABLE_WIDTH * rows)
        if self.has_waves:
            first = self._table.source_texels[0]
            if first != self._first:
                self.drawn.set_shader_input("waves", (first, first, self.face_count))
                self._first = first

    def _make_node(self, uv):
        numbers = np.zeros((self.face_count, 3, 2), np.int32)
        wrinkler = ctypes.c_void_p(LIBRARY.ruckle_garment_wrinkler(self.handle))
        numbers[:, :, 0] = np.ctypeslib.as_array(LIBRARY.ruckle_garment_faces(self.handle), (self.face_count, 3))
        numbers[:, :, 1] = np.ctypeslib.as_array(LIBRARY.ruckle_face_edges(wrinkler), (self.face_count, 3))
        array = GeomVertexArrayFormat()
        array.add_column("corner_numbers", 2, Geom.NT_int32, Geom.C_other)
        array.add_column("corner_uv", 2, Geom.NT_float32, Geom.C_other)
        format = GeomVertexFormat.register_format(GeomVertexFormat(array))
        data = GeomVertexData("garment", format, Geom.UH_static)
        data.unclean_set_num_rows(3 * self.face_count)
        rows = np.concatenate([numbers.reshape(-1, 2), uv.reshape(-1, 2).view(np.int32)], axis=1)
        memoryview(data.modify_array(0)).cast("B")[:] = rows.astype(np.int32).tobytes()
        node = GeomNode("wrinkled")
        most = self.face_count if self.pixels else triangles_per_draw() or self.face_count
        first = 0
        for count, state in zip(self.face_counts, self.states, strict=True):
            geom = Geom(data)
            for start in range(first, first + count, most):
                primitive = GeomTriangles(Geom.UH_static) if self.pixels else GeomPatches(3, Geom.UH_static)
                primitive.add_consecutive_vertices(3 * start, 3 * min(most, first + count - start))
                primitive.close_primitive()
                geom.add_primitive(primitive)
            node.add_geom(geom, look_of(state, self.color))
            first += count
        # without culling, because the shader moves the vertices
        node.set_bounds(OmniBoundingVolume())
        node.set_final(True)
        self.drawn = self.node.get_parent().attach_new_node(node)
        self.drawn.set_transform(self.node.get_transform())
        self.drawn.set_two_sided(True)
        self.drawn.set_antialias(AntialiasAttrib.M_multisample)
        self.node.hide()

    def _make_shader(self):
        self._texture, wave_table = Texture("frame"), Texture("rest")
        for texture in (self._texture, wave_table):
            texture.set_minfilter(SamplerState.FT_nearest)
            texture.set_magfilter(SamplerState.FT_nearest)
        if self.pixels:
            self._texture.setup_2d_texture(4, len(self.rest), Texture.T_float, Texture.F_rgb32)
            self._texels_at = address(np.frombuffer(self._texture.modify_ram_image(), np.float32))
            stages = ["waves.vert", None, None, "waves.frag"]
        else:
            self._surface, self._table = STRUCTS["ruckle_surface_options"](), STRUCTS["ruckle_table"]()
            LIBRARY.ruckle_default_surface_options(ctypes.byref(self._surface))
            self._surface.curved, self._surface.edge_length = 1, self.edge_length
            self._first = -1
            stages = ["cloth.vert", "cloth.tesc", "cloth.tese", "shaded.frag"]
        texts = [shader_text(stage, *(["WAVES"] if self.has_waves else [])) if stage else "" for stage in stages]
        self.drawn.set_shader(
            Shader.make(
                Shader.SL_GLSL, vertex=texts[0], fragment=texts[3], tess_control=texts[1], tess_evaluation=texts[2]
            )
        )
        if self.has_waves:
            profile = (ctypes.c_float * 4)()
            count = self.face_count + len(self.rest)
            wave_table.setup_2d_texture(
                WAVE_TABLE_WIDTH, -(-count // WAVE_TABLE_WIDTH), Texture.T_float, Texture.F_rgba32
            )
            texels = np.frombuffer(wave_table.modify_ram_image(), np.float32)
            call(
                "ruckle_waves_write_rest_texels",
                ctypes.c_void_p(LIBRARY.ruckle_garment_waves(self.handle)),
                address(texels),
                profile,
            )
            # Panda stores images in the order blue, green, red, alpha
            rgba = texels.reshape(-1, 4)
            rgba[:, :3] = rgba[:, 2::-1].copy()
            self.drawn.set_shader_inputs(
                wave_table=wave_table, wave_profile=tuple(profile), wave_share=0.0, waves=(0, 0, self.face_count)
            )
        self.drawn.set_shader_inputs(
            **{"frame_table" if self.pixels else "cloth_table": self._texture},
            depth_bias=0.0,
            highlight_strength=0.05,
            sheen=0.16,
            **LIGHTS,
            world_up=(0, 0, 1, 0),
        )

    def _task(self, task):
        self.update(ClockObject.get_global_clock().get_dt())
        return task.cont


def wrinkle(actor: Actor, names: str | list[str] | None = None, *, mask=None, **settings):
    """Add wrinkles to meshes of an Actor.

    Parameters
    ----------
    actor : Actor
    names : str or list of str, optional
        Names of meshes. By default the clothes that `ruckle.load` finds in the file.
    mask : terms, optional
        Parts that wrinkle, see `ruckle.make_mask`: "-hand*" excludes hands. By default the automatic mask, with which
        skin, heads, hands, boots and armour keep their shape. False: everything may wrinkle.
    **settings
        See `Garment`.

    Returns
    -------
    Garment, or a list of them if `names` is not one name

    Raises
    ------
    ValueError
        The Actor does not have a mesh of this name, or an option is invalid.
    """
    listed = [names] if isinstance(names, str) else list(names or cloth_names(actor))
    garments = [Garment(actor, name, **settings) for name in listed]
    counts = [garment.vertex_count for garment in garments]
    paints = masks(actor, listed, [garment.corners for garment in garments], counts, mask)
    for garment, paint in zip(garments, paints, strict=True):
        garment.set_paint(paint)
    return garments[0] if isinstance(names, str) else garments


def affordable_edge_length(triangles: np.ndarray, least: float) -> float:
    """Return the length of fine edges with which triangles (T, 3, 3) have at most MOST_VERTICES fine vertices.

    The length is at least `least`. A triangle whose edges have n parts has (3 n^2 + 6 n + 4) / 4 fine vertices.
    """
    longest = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
    length, largest = least, max(least, float(longest.max()))
    while length < largest:
        levels = np.clip(np.ceil(longest / length), 1, LARGEST_LEVEL)
        if (3 * levels**2 + 6 * levels + 4).sum() <= 4 * MOST_VERTICES:
            break
        length *= 1.1
    return length


def triangles_per_draw() -> int | None:
    """Return how many tessellated triangles a draw call may have; None if the graphics driver has no limit."""
    engine = GraphicsEngine.get_global_ptr()
    drivers = [window.gsg.driver_renderer for window in engine.get_windows() if window.gsg]
    if any(name in driver for driver in drivers for name in SOFTWARE_DRIVERS):
        return MOST_VERTICES * 4 // (3 * LARGEST_LEVEL**2 + 6 * LARGEST_LEVEL + 4)
    return None


def look_of(state: RenderState, color) -> RenderState:
    """Return shader inputs with the base colour and texture of a material; `color` replaces both."""
    textures, material = state.get_attrib(TextureAttrib), state.get_attrib(MaterialAttrib)
    texture, base = None, CLOTH_COLOR if color is None else color
    if color is None and textures and textures.get_num_on_stages():
        # the base colour has the least sort number
        stage = min((textures.get_on_stage(i) for i in range(textures.get_num_on_stages())), key=lambda one: one.sort)
        texture, base = textures.get_on_texture(stage), (1.0, 1.0, 1.0)
    if color is None and material and material.get_material() and material.get_material().has_base_color():
        base = tuple(material.get_material().get_base_color())[:3]
    if texture is None:
        image = Texture("albedo")
        image.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgb)
    elif texture.get_format() in SRGB_FORMATS:
        image = texture
    else:
        # the shader needs linear colours
        image = texture.make_copy()
        image.set_format(Texture.F_srgb_alpha if image.get_num_components() == 4 else Texture.F_srgb)
    inputs = ShaderAttrib.make()
    for name, value in (("albedo", image), ("cloth_color", base), ("textured", texture is not None)):
        inputs = inputs.set_shader_input(name, value)
    return RenderState.make(inputs)


def options(struct: str, defaults: str, height: float, given):
    """Return the options of a layer, with `r_min` 0.5 % of the height by default; None if `given` is False or empty."""
    if not given:
        return None
    made = STRUCTS[struct]()
    getattr(LIBRARY, defaults)(ctypes.byref(made))
    made.r_min = 0.005 * height
    for key, value in (given if isinstance(given, dict) else {}).items():
        setattr(made, key, value)
    return made


def address(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def column(data: GeomVertexData, name) -> np.ndarray:
    """Return one column of the vertex table, such as "vertex", as a view of Panda's memory."""
    number = data.get_format().get_array_with(name)
    rows, found = data.get_array(number), data.get_format().get_array(number).get_column(name)
    stride, count = rows.get_array_format().get_stride(), found.get_num_components()
    return np.ndarray((data.get_num_rows(), count), np.float32, memoryview(rows), found.get_start(), (stride, 4))


def texture_coordinates(data: GeomVertexData) -> np.ndarray:
    """Return the first texture coordinates (V, 2); 0 if the mesh does not have any."""
    if not data.get_format().get_num_texcoords():
        return np.zeros((data.get_num_rows(), 2), np.float32)
    return column(data, data.get_format().get_texcoord(0))[:, :2]


def corners(geom: Geom) -> np.ndarray:
    """Return the vertex indices (T, 3) of all triangles."""
    parts = [geom.get_primitive(i).decompose() for i in range(geom.get_num_primitives())]
    return np.array(
        [[part.get_vertex(3 * i + k) for k in range(3)] for part in parts for i in range(part.get_num_primitives())],
        np.int64,
    )
