# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: add wrinkles to a garment or a character, edit the garment, paint its mask, remove the wrinkles."""

# no import of annotations from __future__: Blender reads the evaluated annotations of properties
import re
from collections.abc import Sequence
from typing import ClassVar

import bpy

from . import live, motion, target as targets
from .properties import LOOKS

# Words in the names of garments. Meshes without these words are wrinkled only if they are selected.
CLOTHES = (
    "shirt|tee|top|blouse|sweater|pullover|hoodie|jumper|cardigan|vest|jacket|coat|blazer|suit|overall|uniform|robe|dress|"
    "skirt|kilt|pants?|trousers?|jeans|shorts|leggings?|bottoms?|cloth|clothes|clothing|garment|outfit|cape|cloak|scarf"
)

# Name of the vertex group that the operator Paint Mask creates.
MASK = "Wrinkles"


def named_as_clothes(name: str) -> bool:
    """Return True if a name contains a word for a garment, such as "Ch08_Hoodie", "TopsShirt", "pants.001"."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return any(re.fullmatch(f"({CLOTHES})s?", word.lower()) for word in words)


def garments_of(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return the meshes to wrinkle: clothes of the selected armatures, or the selected meshes without an armature.

    If no mesh of the armatures has a name of clothes, the selected meshes are returned, or the only mesh.
    """

    def fresh(one: bpy.types.Object) -> bool:
        return one.type == "MESH" and not one.ruckle.wrinkled and one.ruckle.target is None

    chosen = {*context.selected_objects, context.object} - {None}
    rigs = {one for one in chosen if one.type == "ARMATURE"}
    selected = [one for one in context.selected_objects if fresh(one)]
    if not rigs:
        return selected or [one for one in [context.object] if one is not None and fresh(one)]
    worn = [one for one in context.scene.objects if fresh(one) and motion.armature_of(one) in rigs]
    clothes = [one for one in worn if named_as_clothes(one.name)]
    return clothes or selected or (worn if len(worn) == 1 else [])


def add_wrinkles(source: bpy.types.Object, context: bpy.types.Context) -> None:
    """Add the wrinkled mesh of a garment. On an error, remove the mesh and raise ValueError."""
    if source.library is not None:
        raise ValueError(f"{source.name}: is linked from another file; make a library override first")
    scene, view_layer = context.scene, context.view_layer
    source.ruckle.height = motion.wearer_height(source)
    target = targets.add_target(source, scene)
    view_layer.update()
    live.show(source, scene)
    problem = live.PROBLEMS.pop(source.session_uid, "")
    if problem:
        targets.remove_target(source)
        live.forget(source)
        raise ValueError(problem)
    # without the lock, the viewport could draw meshes while a render changes them
    scene.render.use_lock_interface = True
    if source.name in view_layer.objects and target.name in view_layer.objects:
        source.select_set(False)
        target.select_set(True)
        view_layer.objects.active = target


class GarmentOperator:
    """Base class of operators on the garment of the active object, which has wrinkles."""

    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the active object has wrinkles."""
        source = live.garment_of(context.object)
        return source is not None and source.ruckle.target is not None


class OBJECT_OT_ruckle_add(bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Add a wrinkled fine mesh that follows the active garment."""

    bl_idname = "object.ruckle_add"
    bl_label = "Add Wrinkles"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the active object is a mesh without wrinkles."""
        one = context.object
        return one is not None and one.type == "MESH" and one.ruckle.target is None and not one.ruckle.wrinkled

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add the mesh."""
        try:
            add_wrinkles(context.object, context)
        except live.ERRORS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class OBJECT_OT_ruckle_character(bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Add wrinkles to the clothes of a character: select its armature, or its garments."""

    bl_idname = "object.ruckle_character"
    bl_label = "Wrinkle This Character"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    look: bpy.props.EnumProperty(
        name="Look", items=[(key, *texts[:2]) for key, texts in LOOKS.items()], default="SHIRT"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if an armature or a mesh is active."""
        return context.object is not None and context.object.type in ("ARMATURE", "MESH")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add a wrinkled mesh to each garment. Report garments that cannot be wrinkled, and continue."""
        done: list[str] = []
        for source in garments_of(context):
            try:
                add_wrinkles(source, context)
                source.ruckle.look = self.look
                done.append(source.name)
            except live.ERRORS as error:
                self.report({"WARNING"}, str(error))
        if not done:
            self.report({"ERROR"}, "No garment was wrinkled: select the meshes of the clothes")
            return {"CANCELLED"}
        self.report({"INFO"}, f"Wrinkled: {', '.join(done)}")
        return {"FINISHED"}


class OBJECT_OT_ruckle_remove(GarmentOperator, bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Remove the wrinkled mesh and show the garment again."""

    bl_idname = "object.ruckle_remove"
    bl_label = "Remove Wrinkles"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the mesh."""
        source = live.garment_of(context.object)
        targets.remove_target(source)
        live.forget(source)
        activate(source, context)
        return {"FINISHED"}


class OBJECT_OT_ruckle_edit(GarmentOperator, bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Show the garment for editing in place of its wrinkled mesh, or show the wrinkled mesh again."""

    bl_idname = "object.ruckle_edit"
    bl_label = "Edit Garment"

    paint: bpy.props.BoolProperty(
        name="Paint Mask", description="Paint the mask, whose weights multiply the height of wrinkles", default=False
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Exchange the visible mesh: garment or wrinkled mesh."""
        source = live.garment_of(context.object)
        said = source.ruckle
        editing = not source.hide_viewport
        if editing and source.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        source.hide_viewport, said.target.hide_viewport = editing, not editing
        context.view_layer.update()
        activate(said.target if editing else source, context)
        if editing:
            live.show(source, context.scene)
        elif self.paint:
            paint_mask(source)
        return {"FINISHED"}


def paint_mask(source: bpy.types.Object) -> None:
    """Switch to weight painting of the mask of the active garment; create the mask if it does not exist."""
    group = source.vertex_groups.get(source.ruckle.mask)
    if group is None:
        group = source.vertex_groups.new(name=MASK)
        group.add(range(len(source.data.vertices)), 1.0, "REPLACE")
        source.ruckle.mask = group.name
    source.vertex_groups.active = group
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")


def activate(chosen: bpy.types.Object, context: bpy.types.Context) -> None:
    """Make an object the only selected one."""
    for one in context.selected_objects:
        one.select_set(False)
    if chosen.name in context.view_layer.objects:
        chosen.select_set(True)
        context.view_layer.objects.active = chosen


CLASSES: Sequence[type] = (
    OBJECT_OT_ruckle_add,
    OBJECT_OT_ruckle_character,
    OBJECT_OT_ruckle_remove,
    OBJECT_OT_ruckle_edit,
)
