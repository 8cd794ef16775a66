# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar, and presets of its values."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bl_operators.presets import AddPresetBase

from . import live

# Values that a preset stores.
VALUES = (
    "paths", "waves", "r_min", "amplitude", "tau", "wavelength", "steepest", "seed", "detail", "most_vertices",
)  # fmt: skip


class VIEW3D_MT_ruckle_presets(bpy.types.Menu):  # noqa: N801  # as Blender names menus
    """Menu of saved presets."""

    bl_label = "Presets"
    preset_subdir = "ruckle"
    preset_operator = "script.execute_preset"
    draw = bpy.types.Menu.draw_preset


class VIEW3D_OT_ruckle_preset(AddPresetBase, bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Save or remove a preset of wrinkles."""

    bl_idname = "view3d.ruckle_preset"
    bl_label = "Add a Preset of Wrinkles"
    preset_menu = "VIEW3D_MT_ruckle_presets"
    preset_subdir = "ruckle"
    # a preset is a Python script; if a wrinkled mesh is active, its parent is the garment
    preset_defines: ClassVar = [
        "said = bpy.context.object.ruckle",
        "said = bpy.context.object.parent.ruckle if said.wrinkled else said",
    ]
    preset_values: ClassVar = [f"said.{name}" for name in VALUES]


class VIEW3D_PT_ruckle(bpy.types.Panel):  # noqa: N801  # as Blender names panels
    """The panel in the sidebar."""

    bl_label, bl_space_type, bl_region_type, bl_category = "Ruckle Wrinkles", "VIEW_3D", "UI", "Ruckle"

    def draw(self, context: bpy.types.Context) -> None:
        """Show operators and parameters."""
        source, column = live.garment_of(context.object), self.layout.column()
        column.use_property_split = True
        if source is None or source.ruckle.target is None:
            column.operator_menu_enum("object.ruckle_character", "look")
            column.operator("object.ruckle_add")
            return
        said = source.ruckle
        column.label(text=source.name, icon="MESH_DATA")
        if source.session_uid in live.PROBLEMS:
            column.label(text=live.PROBLEMS[source.session_uid], icon="ERROR")
        if said.baked:
            column.operator("object.ruckle_free")
            column.operator("object.ruckle_remove")
            return
        row = column.row(align=True)
        row.menu("VIEW3D_MT_ruckle_presets", text=VIEW3D_MT_ruckle_presets.bl_label)
        row.operator("view3d.ruckle_preset", text="", icon="ADD")
        row.operator("view3d.ruckle_preset", text="", icon="REMOVE").remove_active = True
        column.prop(said, "look")
        for name in ("height", "r_min", "amplitude"):
            column.prop(said, name)
        column.prop(said, "paths")
        if said.paths:
            column.prop(said, "tau")
        column.prop(said, "waves")
        column.template_ID(said, "picture", open="image.open")
        if said.waves or said.picture is not None:
            for name in ("wavelength", "steepest"):
                column.prop(said, name)
        column.prop_search(said, "mask", source, "vertex_groups")
        editing = not source.hide_viewport
        row = column.row(align=True)
        row.operator("object.ruckle_edit", text="Done" if editing else "Edit Garment", depress=editing)
        if not editing:
            row.operator("object.ruckle_edit", text="Paint Mask", icon="WPAINT_HLT").paint = True
        for name in ("rest", "loop", "preroll", "seed", "detail", "most_vertices"):
            column.prop(said, name)
        column.operator("object.ruckle_bake")
        column.operator("object.ruckle_remove")


CLASSES = VIEW3D_MT_ruckle_presets, VIEW3D_OT_ruckle_preset, VIEW3D_PT_ruckle
