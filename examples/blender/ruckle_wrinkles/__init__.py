# SPDX-License-Identifier: GPL-3.0-or-later
"""Ruckle Wrinkles: a fine mesh with dynamic wrinkles that follows a skinned or cached garment, live and baked."""

# annotations are evaluated: Blender makes properties of them
import struct
from typing import Any, ClassVar

import bpy
import numpy as np
from bpy.app.handlers import persistent
from numpy.typing import NDArray

from .garment import Garment, Look, corner_values
from .library import FineMesh, Library

Array = NDArray[Any]

# Garments by the session_uid of their object, because names can change; they are not saved in the file.
GARMENTS: dict[int, Garment] = {}
LIBRARY: list[Library] = []


def library() -> Library:
    """Return the extension's library, opened once."""
    if not LIBRARY:
        import ruckle_c

        LIBRARY.append(Library(ruckle_c.PATH))
    return LIBRARY[0]


def coordinates(mesh: bpy.types.Mesh) -> Array:
    """Return the positions (V, 3) float32 of a mesh's vertices."""
    found = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", found.ravel())
    return found


def triangles(mesh: bpy.types.Mesh, kind: str) -> Array:
    """Return the "vertices" or the "loops" of a mesh's triangles, (T, 3) int32."""
    mesh.calc_loop_triangles()
    found = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get(kind, found.ravel())
    return found


def posed(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """Return the positions of a garment after its modifiers; ValueError if these change the number of vertices."""
    evaluated = source.evaluated_get(depsgraph)
    found = coordinates(evaluated.to_mesh())
    evaluated.to_mesh_clear()
    if len(found) != len(source.data.vertices):
        raise ValueError(
            f"{source.name}: its modifiers make {len(found)} vertices of {len(source.data.vertices)}; "
            "put Subdivision and their like on the wrinkled mesh instead"
        )
    return found


def mask_of(source: bpy.types.Object) -> Array | None:
    """Return the weights of the garment's mask, a vertex group; None without one."""
    group = source.vertex_groups.get(source.ruckle.mask)
    if group is None:
        return None
    weights = np.zeros(len(source.data.vertices), np.float32)
    for vertex in source.data.vertices:
        for entry in vertex.groups:
            if entry.group == group.index:
                weights[vertex.index] = entry.weight
    return weights


def garment_of(source: bpy.types.Object) -> Garment:
    """Return the garment of an object, made on the first call."""
    if source.session_uid not in GARMENTS:
        said = source.ruckle
        r_min = said.r_min or 0.005 * said.height
        look = Look(r_min, said.amplitude, said.tau, said.seed, said.detail)
        # once, from the mesh at rest: posed quads may be split along the other diagonal
        faces = triangles(source.data, "vertices")
        GARMENTS[source.session_uid] = Garment(library(), coordinates(source.data), faces, look, mask_of(source))
    return GARMENTS[source.session_uid]


def refresh(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, source: bpy.types.Object) -> None:
    """Bring the wrinkled mesh of a garment to the scene's frame."""
    garment, target = garment_of(source), source.ruckle.target
    fine = garment.frame(scene.frame_current, posed(source, depsgraph), scene.render.fps_base / scene.render.fps)
    if len(target.data.vertices) != len(fine.positions):
        make_mesh(target, source, garment, fine)
    target.data.attributes["position"].data.foreach_set("vector", fine.positions.ravel())
    target.data.update()


def make_mesh(target: bpy.types.Object, source: bpy.types.Object, garment: Garment, fine: FineMesh) -> None:
    """Give the target the faces, texture coordinates and materials of a fine mesh."""
    mesh = bpy.data.meshes.new(target.name)
    mesh.vertices.add(len(fine.positions))
    mesh.loops.add(fine.faces.size)
    mesh.polygons.add(len(fine.faces))
    mesh.loops.foreach_set("vertex_index", fine.faces.ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, fine.faces.size, 3, dtype=np.int32))
    mesh.attributes["position"].data.foreach_set("vector", fine.positions.ravel())
    mesh.update(calc_edges=True)
    loops = triangles(source.data, "loops")
    for layer in source.data.uv_layers:
        uv = np.empty((len(source.data.loops), 2), np.float32)
        layer.uv.foreach_get("vector", uv.ravel())
        values = corner_values(fine, garment.faces, uv[loops]).astype(np.float32)
        mesh.uv_layers.new(name=layer.name).uv.foreach_set("vector", np.ascontiguousarray(values).ravel())
    polygons = np.empty(len(source.data.loop_triangles), np.int32)
    source.data.loop_triangles.foreach_get("polygon_index", polygons)
    slots = np.empty(len(source.data.polygons), np.int32)
    source.data.polygons.foreach_get("material_index", slots)
    mesh.polygons.foreach_set("material_index", slots[polygons][fine.face_coarse_faces])
    for material in source.data.materials:
        mesh.materials.append(material)
    old, target.data = target.data, mesh
    bpy.data.meshes.remove(old)
    mesh.shade_smooth()


@persistent
def on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Follow a change of the frame; the panel shows errors."""
    for source in scene.objects:
        if source.type == "MESH" and source.ruckle.target is not None:
            try:
                refresh(scene, depsgraph, source)
                source.ruckle.problem = ""
            except ValueError as error:
                source.ruckle.problem = str(error)


@persistent
def on_load(*_: object) -> None:
    """Forget the garments of another file."""
    GARMENTS.clear()


def changed(properties: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Restart the garment with changed parameters."""
    GARMENTS.pop(properties.id_data.session_uid, None)
    if properties.target is not None:
        on_frame(context.scene, context.evaluated_depsgraph_get())


class RuckleProperties(bpy.types.PropertyGroup):
    """Properties of a garment in the panel."""

    target: bpy.props.PointerProperty(type=bpy.types.Object, name="Wrinkled Mesh")
    problem: bpy.props.StringProperty()
    height: bpy.props.FloatProperty(
        name="Character Height", description="Of the wearer, from which the least radius follows",
        default=1.75, min=0.001, unit="LENGTH", update=changed,
    )  # fmt: skip
    r_min: bpy.props.FloatProperty(
        name="Least Radius", description="Of a wrinkle; 0 for 0.5 % of the height",
        default=0.0, min=0.0, unit="LENGTH", precision=4, update=changed,
    )  # fmt: skip
    amplitude: bpy.props.FloatProperty(
        name="Strength", description="Times the height that keeps the length of the cloth",
        default=1.0, min=0.0, max=10.0, soft_max=3.0, update=changed,
    )  # fmt: skip
    tau: bpy.props.FloatProperty(
        name="Threshold", description="Compression above which wrinkles form: smaller for thin fabrics",
        default=1.4, min=1.001, max=4.0, update=changed,
    )  # fmt: skip
    seed: bpy.props.IntProperty(name="Seed", default=0, min=0, update=changed)
    detail: bpy.props.FloatProperty(
        name="Fine Edges", description="Their length, in least radii", default=1.0, min=0.25, max=8.0, update=changed
    )
    mask: bpy.props.StringProperty(name="Mask", description="Vertex group: where wrinkles may rise", update=changed)


class OBJECT_OT_ruckle_add(bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Add a wrinkled fine mesh that follows the active garment."""

    bl_idname = "object.ruckle_add"
    bl_label = "Add Wrinkles"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the active object is a mesh without wrinkles."""
        return context.object is not None and context.object.type == "MESH" and context.object.ruckle.target is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add the mesh."""
        source = context.object
        target = bpy.data.objects.new(f"{source.name} wrinkled", bpy.data.meshes.new("wrinkled"))
        source.users_collection[0].objects.link(target)
        target.matrix_world = source.matrix_world
        source.ruckle.target = target
        try:
            refresh(context.scene, context.evaluated_depsgraph_get(), source)
        except (ValueError, OSError, ImportError) as error:
            source.ruckle.target = None
            bpy.data.objects.remove(target)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        source.hide_render = True
        return {"FINISHED"}


class OBJECT_OT_ruckle_bake(bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Step through the frames of the scene and keep the wrinkled mesh of each."""

    bl_idname = "object.ruckle_bake"
    bl_label = "Bake Wrinkles"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Into",
        items=[
            ("CACHE", "Point Cache", "A PC2 file, read by a Mesh Cache modifier"),
            ("KEYS", "Shape Keys", "A shape key for each frame, in the file itself"),
        ],
    )
    filepath: bpy.props.StringProperty(subtype="FILE_PATH", default="//wrinkles.pc2")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the active object is a garment with wrinkles."""
        return context.object is not None and context.object.type == "MESH" and context.object.ruckle.target is not None

    def invoke(self, context: bpy.types.Context, _event: object) -> set[str]:
        """Show a dialog for the kind and the path of the result."""
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Bake; the mesh then moves without the garment."""
        source, scene = context.object, context.scene
        target, first = source.ruckle.target, scene.frame_start
        # restarts at the first frame, independent of the frames shown before
        GARMENTS.pop(source.session_uid, None)
        baked = []
        for number in range(first, scene.frame_end + 1):
            # the handler updates the mesh
            scene.frame_set(number)
            if source.ruckle.problem:
                self.report({"ERROR"}, source.ruckle.problem)
                return {"CANCELLED"}
            baked.append(coordinates(target.data))
        source.ruckle.target = None
        if self.kind == "CACHE":
            path = bpy.path.abspath(self.filepath)
            write_cache(path, baked)
            modifier = target.modifiers.new("Wrinkles", "MESH_CACHE")
            modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", path, first
        else:
            key_shapes(target, baked, first)
        scene.frame_set(scene.frame_current)
        return {"FINISHED"}


def write_cache(path: str, frames: list[Array]) -> None:
    """Write positions as a PC2 file."""
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0.0, 1.0, len(frames)))
        for positions in frames:
            file.write(positions.astype("<f4").tobytes())


def key_shapes(target: bpy.types.Object, frames: list[Array], first: int) -> None:
    """Give a mesh a shape key for each frame, with weight 1 in that frame and 0 in its neighbours."""
    target.shape_key_add(name="Basis")
    for number, positions in enumerate(frames, start=first):
        key = target.shape_key_add(name=f"frame {number}")
        key.data.foreach_set("co", positions.ravel())
        for frame, value in ((number - 1, 0.0), (number, 1.0), (number + 1, 0.0)):
            key.value = value
            key.keyframe_insert("value", frame=frame)


class VIEW3D_PT_ruckle(bpy.types.Panel):  # noqa: N801  # as Blender names panels
    """The sidebar's page."""

    bl_label, bl_space_type, bl_region_type, bl_category = "Ruckle Wrinkles", "VIEW_3D", "UI", "Ruckle"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if a mesh is active."""
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context: bpy.types.Context) -> None:
        """Show the parameters."""
        said, column = context.object.ruckle, self.layout.column()
        column.use_property_split = True
        for name in ("height", "r_min", "amplitude", "tau", "seed", "detail"):
            column.prop(said, name)
        column.prop_search(said, "mask", context.object, "vertex_groups")
        column.operator("object.ruckle_add")
        column.operator("object.ruckle_bake")
        if said.problem:
            column.label(text=said.problem, icon="ERROR")


CLASSES = RuckleProperties, OBJECT_OT_ruckle_add, OBJECT_OT_ruckle_bake, VIEW3D_PT_ruckle


def register() -> None:
    """Register classes and handlers in Blender."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.ruckle = bpy.props.PointerProperty(type=RuckleProperties)
    bpy.app.handlers.frame_change_post.append(on_frame)
    bpy.app.handlers.load_post.append(on_load)


def unregister() -> None:
    """Unregister classes and handlers."""
    bpy.app.handlers.load_post.remove(on_load)
    bpy.app.handlers.frame_change_post.remove(on_frame)
    del bpy.types.Object.ruckle
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
    GARMENTS.clear()
