"""Acts like an artist with the add-on: python users_day.py EXTENSION.zip FOLDER morning|evening [SIZE].

The morning installs the extension, wrinkles a character, plays, scrubs, edits, copies, renders, bakes, removes and
saves. The evening opens the file in another process and renders the same frame. Pictures are written to the folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

EXTENSION, FOLDER, PART = sys.argv[1:4]
MODULE = "bl_ext.user_default.ruckle_wrinkles"
SIZE = int(sys.argv[4]) if len(sys.argv) > 4 else 64
# the folder in which Blender stores extensions and settings of the user
os.environ["BLENDER_USER_RESOURCES"] = str(Path(FOLDER) / "blender")
sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy  # noqa: E402  # reads the environment
import numpy as np  # noqa: E402

from character_rig import FRAMES, add_character  # noqa: E402


def positions(target: Any) -> Any:
    """Return the vertex positions of the wrinkled mesh in the current frame."""
    mesh = target.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", found.ravel())
    return found


def render(name: str) -> Any:
    """Render the current frame to a PNG file in FOLDER, and return the pixels."""
    scene = bpy.context.scene
    scene.render.filepath = str(Path(FOLDER) / f"{name}.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    found = np.array(image.pixels[:])
    bpy.data.images.remove(image)
    return found


def select(chosen: Any) -> None:
    """Select only one object, and make it active."""
    for one in bpy.context.selected_objects:
        one.select_set(False)
    chosen.select_set(True)
    bpy.context.view_layer.objects.active = chosen


def add_studio() -> None:
    """Add a camera and a light, and choose settings of Cycles that render quickly."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (1.0, 0.06, 1.32), (1.55, 0.0, 0.5 * np.pi)
    camera.data.lens = 45.0
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 4.0, 0.0, (0.3, 1.0, 0.9)
    for one in (camera, sun):
        scene.collection.objects.link(one)
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 8
    scene.cycles.use_denoising, scene.cycles.max_bounces = False, 0
    scene.render.resolution_x = scene.render.resolution_y = SIZE


def morning() -> None:
    """Make wrinkles on a character and edit them; then copy and bake the character, and save the file."""
    rig, hoodie = wrinkle_and_edit()
    copy_bake_and_save(rig, hoodie)


def wrinkle_and_edit() -> tuple[Any, Any]:
    """Make wrinkles, go through the frames, change look and mesh, and render each step. Return armature and garment."""
    scene = bpy.context.scene
    rig, hoodie, _ = add_character(bpy)
    add_studio()
    scene.frame_set(12)
    bare = render("1_bare")
    # one call of the operator makes the wrinkles; the armature is selected
    select(rig)
    assert bpy.ops.object.ruckle_character(look="KNIT") == {"FINISHED"}
    target = hoodie.ruckle.target
    assert bpy.data.objects["Ch01_Body"].ruckle.target is None
    assert 5_000 < len(target.data.vertices) < 60_000
    wrinkled = render("2_wrinkled")
    assert np.abs(wrinkled - bare).mean() > 3e-4
    # play all frames, then jump between frames
    played = {}
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        played[frame] = positions(target)
    for frame in (20, 3, 12):
        scene.frame_set(frame)
        np.testing.assert_array_equal(positions(target), played[frame])
    assert len({one.tobytes() for one in played.values()}) == FRAMES
    # double the strength of the wrinkles, and restore it
    hoodie.ruckle.amplitude = 2.0
    stronger = render("3_stronger")
    assert np.abs(stronger - wrinkled).mean() > 3e-4
    hoodie.ruckle.amplitude = 1.0
    np.testing.assert_array_equal(positions(target), played[12])
    # save a preset and apply it
    hoodie.ruckle.seed = 7
    assert bpy.ops.view3d.ruckle_preset(name="Mine") == {"FINISHED"}
    hoodie.ruckle.seed = 0
    (preset,) = (Path(FOLDER) / "blender").rglob("presets/ruckle/*.py")
    bpy.ops.script.execute_preset(filepath=str(preset), menu_idname="VIEW3D_MT_ruckle_presets")
    assert hoodie.ruckle.seed == 7
    hoodie.ruckle.seed = 0
    # edit the garment: make the sleeve wider
    assert bpy.ops.object.ruckle_edit() == {"FINISHED"}
    for vertex in hoodie.data.vertices:
        vertex.co.x, vertex.co.z = 1.2 * vertex.co.x, 1.2 * vertex.co.z
    hoodie.data.update()
    assert bpy.ops.object.ruckle_edit() == {"FINISHED"}
    render("4_wider")
    assert np.abs(positions(target)[: len(hoodie.data.vertices)] - played[12][: len(hoodie.data.vertices)]).max() > 0.5
    return rig, hoodie


def copy_bake_and_save(rig: Any, hoodie: Any) -> None:
    """Copy the character, bake the copy, remove and add the wrinkles of the first garment, and save the file."""
    scene, target = bpy.context.scene, hoodie.ruckle.target
    hoodie.hide_viewport = False
    for one in (rig, hoodie, target):
        one.select_set(True)
    bpy.ops.object.duplicate()
    hoodie.hide_viewport = True
    second = bpy.data.objects["Ch01_Hoodie.001"]
    second.hide_viewport = True
    second.parent.location.y += 0.32
    bpy.context.view_layer.update()
    own = second.ruckle.target
    assert own not in (None, target)
    second.ruckle.look = "LEATHER"
    scene.frame_set(12)
    render("5_two")
    # bake the copy; remove the wrinkles of the first garment and add them again
    select(own)
    baked = positions(own)
    assert bpy.ops.object.ruckle_bake(filepath=str(Path(FOLDER) / "second.pc2")) == {"FINISHED"}
    np.testing.assert_array_equal(positions(own), baked)
    select(target)
    assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    assert not hoodie.hide_render
    render("6_removed")
    select(hoodie)
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    hoodie.ruckle.look = "SHIRT"
    scene.frame_set(14)
    render("7_saved")
    np.save(Path(FOLDER) / "saved.npy", positions(hoodie.ruckle.target))
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(FOLDER) / "day.blend"))


def evening() -> None:
    """Open the saved file, check and render frames without playing, and remove all wrinkles."""
    bpy.ops.wm.open_mainfile(filepath=str(Path(FOLDER) / "day.blend"))
    hoodie = bpy.data.objects["Ch01_Hoodie"]
    render("8_opened")
    np.testing.assert_array_equal(positions(hoodie.ruckle.target), np.load(Path(FOLDER) / "saved.npy"))
    bpy.context.scene.frame_set(20)
    bpy.context.scene.frame_set(14)
    np.testing.assert_array_equal(positions(hoodie.ruckle.target), np.load(Path(FOLDER) / "saved.npy"))
    for name in ("Ch01_Hoodie", "Ch01_Hoodie.001"):
        select(bpy.data.objects[name].ruckle.target)
        assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    assert not any(one.ruckle.wrinkled for one in bpy.data.objects)
    render("9_removed")


if __name__ == "__main__":
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if PART == "morning":
        assert bpy.ops.extensions.package_install_files(filepath=EXTENSION, repo="user_default") == {"FINISHED"}
    else:
        bpy.ops.preferences.addon_enable(module=MODULE)
    {"morning": morning, "evening": evening}[PART]()
    bpy.ops.preferences.addon_disable(module=MODULE)
