# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates, fills and removes the Blender object of a garment's wrinkled mesh."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .garment import Garment, corner_values
from .library import FineMesh
from .motion import DEPENDENCY, corner_uv, depend_on, triangles

Array = NDArray[Any]

# Types of modifiers that are switched off, because the fine mesh replaces subdivision.
SUBDIVIDING = ("SUBSURF", "MULTIRES")

# Custom property of a mesh: a hash of its faces, which shows a change of the faces even if the vertex count is equal.
TOPOLOGY = "ruckle_topology"


def add_target(source: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object:
    """Add an empty object for the wrinkled mesh as a child of the garment, and hide the garment."""
    target = bpy.data.objects.new(f"{source.name} wrinkled", bpy.data.meshes.new(f"{source.name} wrinkled"))
    # objects cannot be added to linked collections and their overrides
    own = [one for one in source.users_collection if one.library is None and one.override_library is None]
    for collection in own or [scene.collection]:
        collection.objects.link(target)
    target.ruckle.wrinkled = True
    attach(target, source)
    source.ruckle.target = target
    source.ruckle.was_hidden = source.hide_viewport, source.hide_render
    switched_off = [one for one in source.modifiers if one.type in SUBDIVIDING and one.show_viewport]
    for modifier in switched_off:
        modifier.show_viewport = False
    source.ruckle.switched_off = "\n".join(one.name for one in switched_off)
    hide(source, hidden=True)
    return target


def attach(target: bpy.types.Object, source: bpy.types.Object) -> None:
    """Make a wrinkled mesh a child of its garment without an offset, so that both have the same transform."""
    target.parent, target.parent_type = source, "OBJECT"
    target.matrix_parent_inverse = target.matrix_basis = Matrix()
    depend_on(target, source)


def release(target: bpy.types.Object, source: bpy.types.Object) -> None:
    """Make a baked mesh a child of the garment's parent, so that the user can delete the garment.

    If keys or constraints move the garment's object, the mesh remains a child of the garment.
    """
    for modifier in [one for one in target.modifiers if one.type == DEPENDENCY and one.object == source]:
        target.modifiers.remove(modifier)
    if source.animation_data is None and not source.constraints:
        # a parent that also deforms would move the baked mesh twice
        kind = "OBJECT" if source.parent_type == "ARMATURE" else source.parent_type
        target.parent, target.parent_type, target.parent_bone = source.parent, kind, source.parent_bone
        target.matrix_parent_inverse, target.matrix_basis = source.matrix_parent_inverse, source.matrix_basis


def hide(source: bpy.types.Object, *, hidden: bool) -> None:
    """Hide a garment in the viewport and in renders, or restore its visibility from before the wrinkles."""
    viewport, render = (True, True) if hidden else source.ruckle.was_hidden
    source.hide_viewport, source.hide_render = viewport, render


def remove_target(source: bpy.types.Object) -> None:
    """Remove the wrinkled mesh of a garment, and show the garment again."""
    said, target = source.ruckle, source.ruckle.target
    hide(source, hidden=False)
    for name in said.switched_off.split("\n"):
        if name in source.modifiers:
            source.modifiers[name].show_viewport = True
    said.target, said.baked, said.switched_off = None, False, ""
    if target is not None and not any(one.ruckle.target == target for one in bpy.data.objects):
        discard(target)


def discard(target: bpy.types.Object) -> None:
    """Remove the object of a wrinkled mesh, and its mesh data if no other object uses the data."""
    mesh = target.data
    bpy.data.objects.remove(target)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)


def fill(target: bpy.types.Object, source: bpy.types.Object, garment: Garment, fine: FineMesh) -> None:
    """Write a fine mesh into its object. Faces, texture coordinates and materials are written only after a change."""
    mesh = target.data
    if mesh.get(TOPOLOGY) != garment.topology or len(mesh.vertices) != len(fine.positions):
        make_faces(mesh, source, garment, fine)
        mesh[TOPOLOGY] = garment.topology
    mesh.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(fine.positions, np.float32).ravel())
    mesh.update()


def make_faces(mesh: bpy.types.Mesh, source: bpy.types.Object, garment: Garment, fine: FineMesh) -> None:
    """Give a mesh the faces, texture coordinates, colours and materials of a fine mesh."""
    mesh.clear_geometry()
    mesh.vertices.add(len(fine.positions))
    mesh.loops.add(fine.faces.size)
    mesh.polygons.add(len(fine.faces))
    mesh.loops.foreach_set("vertex_index", fine.faces.ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, fine.faces.size, 3, dtype=np.int32))
    mesh.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(fine.positions, np.float32).ravel())
    mesh.update(calc_edges=True)
    coarse = source.data
    for layer in coarse.uv_layers:
        values = corner_values(fine, garment.faces, corner_uv(coarse, layer)).astype(np.float32)
        mesh.uv_layers.new(name=layer.name).uv.foreach_set("vector", np.ascontiguousarray(values).ravel())
    for layer in coarse.color_attributes:
        copy_colors(mesh, coarse, layer, garment, fine)
    polygons = np.empty(len(coarse.loop_triangles), np.int32)
    coarse.loop_triangles.foreach_get("polygon_index", polygons)
    slots = np.empty(len(coarse.polygons), np.int32)
    coarse.polygons.foreach_get("material_index", slots)
    mesh.materials.clear()
    for slot in source.material_slots:
        mesh.materials.append(slot.material)
    mesh.polygons.foreach_set("material_index", slots[polygons][fine.face_coarse_faces])
    mesh.shade_smooth()


def copy_colors(mesh: bpy.types.Mesh, coarse: bpy.types.Mesh, layer: Any, garment: Garment, fine: FineMesh) -> None:
    """Copy a colour attribute of the coarse mesh to the corners of the fine mesh."""
    colors = np.empty((len(layer.data), 4), np.float32)
    layer.data.foreach_get("color", colors.ravel())
    corners = triangles(coarse, "vertices" if layer.domain == "POINT" else "loops")
    values = corner_values(fine, garment.faces, colors[corners]).astype(np.float32)
    made = mesh.color_attributes.new(layer.name, "FLOAT_COLOR", "CORNER")
    made.data.foreach_set("color", np.ascontiguousarray(values).ravel())
