# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Blender meshes: poses of a garment in any frame, its triangles, mask and UVs, and its wearer's height."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Estimated ratio of the wearer's height to the largest dimension of the garment, for garments without a skeleton.
WEARER = 1.75

# Type of the modifier that makes a wrinkled mesh depend on its garment.
DEPENDENCY = "MESH_DEFORM"

# Settings of a scene that can change a pose.
SETTINGS = ("fps", "fps_base", "frame_map_old", "frame_map_new", "use_simplify", "simplify_subdivision")

# Not empty while this module evaluates other frames. The handlers of the add-on do nothing during this time.
reading: list[bool] = []


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


def corner_uv(mesh: bpy.types.Mesh, layer: Any) -> Array:
    """Return a layer's texture coordinates at the corners of a mesh's triangles, (T, 3, 2) float32."""
    uv = np.empty((len(mesh.loops), 2), np.float32)
    layer.uv.foreach_get("vector", uv.ravel())
    return uv[triangles(mesh, "loops")]


def posed(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Array:
    """Return the positions of a garment after its modifiers. Raise ValueError if they change the vertex count."""
    evaluated = source.evaluated_get(depsgraph)
    found = coordinates(evaluated.to_mesh())
    evaluated.to_mesh_clear()
    if len(found) != len(source.data.vertices):
        raise ValueError(
            f"{source.name}: its modifiers change the number of vertices from {len(source.data.vertices)} to "
            f"{len(found)}; apply these modifiers, or move them to the wrinkled mesh"
        )
    return found


def read_poses(
    source: bpy.types.Object, scene: bpy.types.Scene, frames: Sequence[int]
) -> tuple[list[Array], list[Array]]:
    """Return object-space positions (V, 3) and world matrices (4, 4) of a garment in some frames."""
    found = read_together([source], scene, frames)[source.session_uid]
    return [positions for positions, _ in found], [matrix for _, matrix in found]


def read_together(
    sources: Sequence[bpy.types.Object], scene: bpy.types.Scene, frames: Sequence[int]
) -> dict[int, list[tuple[Array, Array]]]:
    """Return object-space positions and world matrices of garments in some frames, by the session_uid of each.

    A temporary scene evaluates the frames, because a change of the frame would delete poses without keys in the
    user's scene. Modifiers have their viewport settings, also in renders. A rig with several garments is evaluated
    once. An error of the first garment is raised; other garments with an error are left out.
    """
    stage = bpy.data.scenes.new("Ruckle")
    for name in SETTINGS:
        setattr(stage.render, name, getattr(scene.render, name))
    stage.unit_settings.scale_length = scene.unit_settings.scale_length
    # Blender evaluates even hidden garments if a visible object depends on them
    mesh = bpy.data.meshes.new("Ruckle")
    probe = bpy.data.objects.new("Ruckle", mesh)
    for source in sources:
        depend_on(probe, source)
    stage.collection.objects.link(probe)
    reading.append(True)
    found: dict[int, list[tuple[Array, Array]]] = {source.session_uid: [] for source in sources}
    try:
        for number in frames:
            stage.frame_set(number)
            depsgraph = stage.view_layers[0].depsgraph
            for source in [one for one in sources if one.session_uid in found]:
                try:
                    world = np.array(source.evaluated_get(depsgraph).matrix_world, np.float64)
                    found[source.session_uid].append((posed(source, depsgraph), world))
                except ValueError:
                    if source == sources[0]:
                        raise
                    del found[source.session_uid]
    finally:
        reading.pop()
        bpy.data.batch_remove([stage, probe, mesh])
    return found


def depend_on(target: bpy.types.Object, source: bpy.types.Object) -> None:
    """Add a modifier to `target` that makes Blender evaluate `source` first.

    A Mesh Deform modifier without a binding does not move vertices. It also enables motion blur: Cycles blurs a mesh
    only if it has a deforming modifier.
    """
    modifier = target.modifiers.new("Ruckle", DEPENDENCY)
    modifier.object, modifier.show_expanded = source, False


def mask_of(source: bpy.types.Object) -> Array | None:
    """Return the weights (V,) of the vertex group that is the garment's mask; None without a mask."""
    group = source.vertex_groups.get(source.ruckle.mask)
    if group is None:
        return None
    weights = np.zeros(len(source.data.vertices), np.float32)
    for vertex in source.data.vertices:
        for entry in vertex.groups:
            if entry.group == group.index:
                weights[vertex.index] = entry.weight
    return weights


def armature_of(source: bpy.types.Object) -> bpy.types.Object | None:
    """Return the armature that deforms a mesh."""
    for modifier in source.modifiers:
        if modifier.type == "ARMATURE" and modifier.object is not None:
            return modifier.object
    parent = source.parent
    return parent if parent is not None and parent.type == "ARMATURE" else None


def wearer_height(source: bpy.types.Object) -> float:
    """Return the height of a garment's wearer: the vertical extent of its skeleton and of all meshes on it at rest."""
    armature = armature_of(source)
    if armature is None:
        return WEARER * max(source.dimensions)
    heights = []
    for bone in armature.data.bones:
        heights += [(armature.matrix_world @ end).z for end in (bone.head_local, bone.tail_local)]
    for mesh in bpy.data.objects:
        if (
            mesh.type == "MESH"
            and len(mesh.data.vertices)
            and armature_of(mesh) == armature
            and not mesh.ruckle.wrinkled
        ):
            matrix = np.array(mesh.matrix_world)
            found = coordinates(mesh.data) @ matrix[2, :3] + matrix[2, 3]
            heights += [float(found.min()), float(found.max())]
    return max(heights, default=0.0) - min(heights, default=0.0) or WEARER * max(source.dimensions)
