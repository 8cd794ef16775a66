"""Wrinkles depend only on the parameters and the frame, not on frames shown or sliders moved before."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from character_rig import FRAMES, add_character

bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")


def dressed(look: str = "PATHS") -> tuple[Any, Any, Any]:
    """Add a character whose garment has wrinkles. Return the armature, the garment and the wrinkled mesh."""
    rig, hoodie, _ = add_character(bpy)
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.object.ruckle_character(look=look) == {"FINISHED"}
    hoodie.ruckle.tau = 1.15
    return rig, hoodie, hoodie.ruckle.target


def at(addon: Any, target: Any, frame: float) -> Any:
    """Return the vertex positions of the wrinkled mesh in a frame, which may be a fraction such as 4.5."""
    whole = int(frame // 1)
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
    assert addon.live.PROBLEMS == {}
    evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return addon.motion.coordinates(evaluated.data)


def played(addon: Any, target: Any, frames: Any = range(1, FRAMES + 1)) -> dict[int, Any]:
    return {frame: at(addon, target, frame) for frame in frames}


@pytest.mark.parametrize("look", ["PATHS", "SHIRT", "KNIT"])
def test_state_exact_scrubbing_equals_playing(addon: Any, look: str) -> None:
    _, hoodie, target = dressed(look)
    seen = played(addon, target)
    smooth_height = hoodie.ruckle.amplitude
    hoodie.ruckle.amplitude = 0.0
    assert np.abs(at(addon, target, 12) - seen[12]).max() > 0.1  # centimetres
    hoodie.ruckle.amplitude = smooth_height
    for frame in (17, 3, 24):
        np.testing.assert_array_equal(at(addon, target, frame), seen[frame])
    # compute frames in any order, without cached results
    addon.live.FOLLOWERS.clear()
    for frame in (24, 5, 13):
        np.testing.assert_array_equal(at(addon, target, frame), seen[frame])


def test_state_exact_sliders_and_clicks_leave_no_trace(addon: Any) -> None:
    _, hoodie, target = dressed()
    seen = played(addon, target)
    at(addon, target, 9)
    hoodie.ruckle.tau = 1.5
    at(addon, target, 20)
    hoodie.ruckle.tau = 1.15
    np.testing.assert_array_equal(addon.motion.coordinates(target.data), seen[20])
    for frame, positions in played(addon, target).items():
        np.testing.assert_array_equal(positions, seen[frame])


def test_state_exact_frames_between_are_interpolated(addon: Any) -> None:
    _, _, target = dressed()
    before, after = at(addon, target, 7), at(addon, target, 8)
    between = at(addon, target, 7.25)
    np.testing.assert_allclose(between, 0.75 * before + 0.25 * after, atol=2e-5)


def test_state_property_edits_give_what_a_new_garment_gives(addon: Any) -> None:
    rig, hoodie, target = dressed()
    seen = played(addon, target)
    view_layer, coarse = bpy.context.view_layer, len(hoodie.data.vertices)

    def edited() -> Any:
        """Return the shown positions after an edit.

        Check that the edit changes frame 18, and that the result is the same with and without cached results.
        """
        view_layer.update()
        shown = addon.motion.coordinates(target.data)
        found = at(addon, target, 18)
        addon.live.FOLLOWERS.clear()
        np.testing.assert_array_equal(at(addon, target, 18), found)
        at(addon, target, 12)
        assert np.abs(found[:coarse] - seen[18][:coarse]).max() > 1e-3
        return shown

    at(addon, target, 12)
    # edit a keyframe before frame 18
    curves = addon_curves(rig.animation_data.action)
    key = next(one for one in curves if one.array_index == 1).keyframe_points[1]
    key.co[1] *= 0.5
    rig.animation_data.action.update_tag()
    assert np.abs(edited() - seen[12]).max() > 1e-3
    key.co[1] *= 2.0
    rig.animation_data.action.update_tag()
    view_layer.update()
    np.testing.assert_array_equal(at(addon, target, 18), seen[18])
    # edit the mesh
    for vertex in hoodie.data.vertices:
        vertex.co.x *= 1.3
    hoodie.data.update()
    edited()
    for vertex in hoodie.data.vertices:
        vertex.co.x /= 1.3
    hoodie.data.update()
    # edit the rig
    with_limit = rig.pose.bones["mixamorig:ForeArm"].constraints.new("LIMIT_ROTATION")
    with_limit.use_limit_x, with_limit.max_x, with_limit.owner_space = True, 0.2, "LOCAL"
    edited()
    rig.pose.bones["mixamorig:ForeArm"].constraints.remove(with_limit)
    # edit the modifiers
    cast = hoodie.modifiers.new("Cast", "CAST")
    cast.factor = 0.3
    edited()
    hoodie.modifiers.remove(cast)
    view_layer.update()
    np.testing.assert_allclose(at(addon, target, 18), seen[18], atol=1e-4)


def addon_curves(action: Any) -> Any:
    """Return the F-curves of an action in Blender 5 or in versions before 4.4, whose data structures differ."""
    if hasattr(action, "layers"):
        return action.layers[0].strips[0].channelbags[0].fcurves
    return action.fcurves


def test_state_property_loops_begin_as_they_end(addon: Any) -> None:
    _, hoodie, target = dressed("SHIRT")
    fresh = played(addon, target, (1, 2))
    hoodie.ruckle.loop = True
    looped = played(addon, target, (1, 2))
    # frame 1 has wrinkles that began at the end of the loop
    assert np.abs(looped[1] - fresh[1]).max() > 1e-3
    # a scene that plays the loop twice: its second round begins with the same wrinkles as the loop
    hoodie.ruckle.loop = False
    scene = bpy.context.scene
    scene.frame_end = 2 * FRAMES
    for curve in addon_curves(bpy.data.objects["Armature"].animation_data.action):
        curve.modifiers.new("CYCLES")
    bpy.context.view_layer.update()
    second = played(addon, target, (FRAMES + 1, FRAMES + 2))
    for frame in (1, 2):
        np.testing.assert_allclose(second[FRAMES + frame], looped[frame], atol=2e-2)


def test_state_property_preroll_runs_before_the_first_frame(addon: Any) -> None:
    _, hoodie, target = dressed()
    scene = bpy.context.scene
    seen = played(addon, target)
    scene.frame_start, hoodie.ruckle.preroll = 11, 10
    for frame in (11, 20):
        np.testing.assert_allclose(at(addon, target, frame), seen[frame], atol=1e-6)
    hoodie.ruckle.preroll = 0
    assert np.abs(at(addon, target, 13) - seen[13]).max() > 1e-3
    # wrinkles of a frame before the start of the motion do not depend on frames shown before, with or without a cache
    alone = at(addon, target, 10)
    for frame in (3, 20, 11):
        at(addon, target, frame)
        np.testing.assert_array_equal(at(addon, target, 10), alone)
    addon.live.FOLLOWERS.clear()
    at(addon, target, 20)
    np.testing.assert_array_equal(at(addon, target, 10), alone)
    assert np.abs(alone - seen[10]).max() > 1e-3


def test_state_property_previews_follow_poses_and_leave_no_trace(
    addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rig, _, target = dressed()
    seen = played(addon, target)
    at(addon, target, 12)
    # as in a window of Blender in which an artist moves a bone
    monkeypatch.setattr(addon.live, "has_window", lambda: True)
    spine = rig.pose.bones["mixamorig:Arm"]
    for angle in (0.1, 0.2, 0.3):
        spine.rotation_euler = (angle, 0.0, 0.0)
        bpy.context.view_layer.update()
    preview = addon.motion.coordinates(target.data)
    assert np.abs(preview - seen[12]).max() > 1.0
    assert bpy.app.timers.is_registered(addon.live.settle)
    # saving the file replaces the preview by the exact result at once; the timer would do it later
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    exact = addon.motion.coordinates(target.data)
    assert np.abs(exact - preview).max() < 1.0
    addon.live.FOLLOWERS.clear()
    np.testing.assert_array_equal(at(addon, target, 12), exact)


def test_state_exact_hidden_meshes_follow_when_they_show_again(addon: Any) -> None:
    _, _, target = dressed()
    seen = played(addon, target)
    target.hide_viewport = target.hide_render = True
    bpy.context.scene.frame_set(9)
    np.testing.assert_array_equal(addon.motion.coordinates(target.data), seen[FRAMES])
    target.hide_viewport = target.hide_render = False
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(addon.motion.coordinates(target.data), seen[9])


def test_state_exact_reading_leaves_the_scene_alone(addon: Any) -> None:
    rig, hoodie, target = dressed()
    spine = rig.pose.bones["mixamorig:Spine"]
    spine.rotation_euler = (0.3, 0.0, 0.0)  # a pose without a key
    bpy.context.view_layer.update()
    scenes, objects = len(bpy.data.scenes), len(bpy.data.objects)
    frame = bpy.context.scene.frame_current
    positions, _ = addon.motion.read_poses(hoodie, bpy.context.scene, [20, 5])
    assert (len(bpy.data.scenes), len(bpy.data.objects)) == (scenes, objects)
    assert bpy.context.scene.frame_current == frame
    assert spine.rotation_euler[0] == pytest.approx(0.3)
    for number, expected in zip((20, 5), positions, strict=True):
        bpy.context.scene.frame_set(number)
        evaluated = hoodie.evaluated_get(bpy.context.evaluated_depsgraph_get())
        np.testing.assert_array_equal(addon.motion.coordinates(evaluated.data), expected)
    assert target.data is not None


def test_state_exact_blender_s_own_cloth(addon: Any) -> None:
    scene = bpy.context.scene
    scene.frame_end = 12
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=1.0)
    sheet = bpy.context.object
    group = sheet.vertex_groups.new(name="pin")
    group.add([vertex.index for vertex in sheet.data.vertices if vertex.co.y > 0.49], 1.0, "REPLACE")
    sheet.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "pin"
    scene.frame_set(1)
    positions, _ = addon.motion.read_poses(sheet, scene, range(1, 13))
    assert np.abs(positions[11] - positions[0]).max() > 0.1
    for number, expected in zip(range(1, 13), positions, strict=True):
        scene.frame_set(number)
        evaluated = sheet.evaluated_get(bpy.context.evaluated_depsgraph_get())
        np.testing.assert_array_equal(addon.motion.coordinates(evaluated.data), expected)
    scene.frame_set(1)
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    target = sheet.ruckle.target
    seen = played(addon, target, range(1, 13))
    np.testing.assert_array_equal(at(addon, target, 12), seen[12])
    assert np.abs(seen[12][: len(sheet.data.vertices)] - positions[11]).max() < 0.1
