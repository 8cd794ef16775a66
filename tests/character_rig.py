"""A character in Blender as Mixamo exports it: centimetres, Y up, in a rotated armature with scale 0.01."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Numbers of vertices around the sleeve and along it. The sleeve has 1,008 triangles.
AROUND, ALONG = 18, 29

# Heights of the arm's joints in centimetres.
SHOULDER, ELBOW, WRIST = 100.0, 130.0, 160.0

# Length of the zone around the elbow, in centimetres, in which the skin weights change from one bone to the other.
BLEND = 24.0

FRAMES = 24


def sleeve(radius: float) -> tuple[Array, list[tuple[int, ...]]]:
    """Return positions (V, 3) in centimetres, and quads, of a tube around the arm. The arm points along +Y."""
    turns = 2.0 * np.pi * np.arange(AROUND) / AROUND
    heights = np.linspace(SHOULDER + 2.0, WRIST - 2.0, ALONG)
    positions = [(radius * np.cos(turn), height, -radius * np.sin(turn)) for height in heights for turn in turns]
    quads = [
        (i * AROUND + j, i * AROUND + (j + 1) % AROUND, (i + 1) * AROUND + (j + 1) % AROUND, (i + 1) * AROUND + j)
        for i in range(ALONG - 1)
        for j in range(AROUND)
    ]
    return np.array(positions), quads


def add_character(bpy: Any, scale: float = 0.01, name: str = "") -> tuple[Any, Any, Any]:
    """Add an armature, a hoodie and a body to the scene. Return the three objects.

    The elbow bends and straightens once in 24 frames, which also become the frame range of the scene. `scale` is the
    scale of the armature, `name` a suffix of all object names.
    """
    rig = bpy.data.objects.new(f"Armature{name}", bpy.data.armatures.new("Armature"))
    collection = bpy.context.scene.collection
    collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    previous = None
    for bone, low, high in (("Spine", 0, SHOULDER), ("Arm", SHOULDER, ELBOW), ("ForeArm", ELBOW, WRIST)):
        made = rig.data.edit_bones.new(f"mixamorig:{bone}")
        made.head, made.tail, made.parent = (0.0, low, 0.0), (0.0, high, 0.0), previous
        previous = made
    bpy.ops.object.mode_set(mode="OBJECT")
    # Factor from centimetres to the unit of the armature, so that the character has the same size for each scale.
    unit = 0.01 / scale
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    fore = rig.pose.bones["mixamorig:ForeArm"]
    for frame, share in ((1, 0.0), (FRAMES // 2, 1.0), (FRAMES + 1, 0.0)):
        fore.rotation_euler = (1.6 * share, 0.7 * share, 0.0)
        fore.keyframe_insert("rotation_euler", frame=frame)
    rig.rotation_euler, rig.scale = (0.5 * np.pi, 0.0, 0.0), (scale,) * 3
    if unit != 1.0:
        rig.data.transform([[unit, 0, 0, 0], [0, unit, 0, 0], [0, 0, unit, 0], [0, 0, 0, 1]])
    hoodie, body = (
        _skinned(bpy, f"{mesh}{name}", rig, radius, unit) for mesh, radius in (("Ch01_Hoodie", 7.0), ("Ch01_Body", 5.0))
    )
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, FRAMES
    return rig, hoodie, body


def _skinned(bpy: Any, name: str, rig: Any, radius: float, unit: float) -> Any:
    positions, quads = sleeve(radius)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((unit * positions).tolist(), [], quads)
    layer = mesh.uv_layers.new(name="UVMap")
    i, corner = np.divmod(np.arange(4 * len(quads)), 4)
    uv = np.stack([(i % AROUND + (corner % 3 > 0)) / AROUND, (i // AROUND + (corner > 1)) / (ALONG - 1)], axis=1)
    layer.uv.foreach_set("vector", uv.astype(np.float32).ravel())
    mesh.materials.append(bpy.data.materials.new(name))
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    made.parent = rig
    made.modifiers.new("Armature", "ARMATURE").object = rig
    fore = np.clip((positions[:, 1] - ELBOW) / BLEND + 0.5, 0.0, 1.0)
    for bone, weights in (("Arm", 1.0 - fore), ("ForeArm", fore)):
        group = made.vertex_groups.new(name=f"mixamorig:{bone}")
        for vertex, weight in enumerate(weights):
            group.add([vertex], float(weight), "REPLACE")
    return made
