"""Wrinkled meshes with features of Blender objects: parents, scales, mirrors, copies, deletions, libraries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from character_rig import add_character

bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")


def wrinkled(look: str = "KNIT", **values: Any) -> tuple[Any, Any, Any]:
    """Add a character whose garment has wrinkles. Return the armature, the garment and the wrinkled mesh."""
    rig, hoodie, _ = add_character(bpy, **values)
    bpy.context.scene.frame_set(1)
    select(rig)
    assert bpy.ops.object.ruckle_character(look=look) == {"FINISHED"}
    return rig, hoodie, hoodie.ruckle.target


def select(*chosen: Any) -> None:
    for one in bpy.context.selected_objects:
        one.select_set(False)
    for one in chosen:
        one.select_set(True)
    bpy.context.view_layer.objects.active = chosen[0]


def world(addon: Any, target: Any, frame: int = 12) -> NDArray[Any]:
    """Return the vertex positions of an object in a frame, in world space, after Blender's evaluation."""
    bpy.context.scene.frame_set(frame)
    assert addon.live.PROBLEMS == {}
    evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    return addon.motion.coordinates(evaluated.data) @ matrix[:3, :3].T + matrix[:3, 3]


def reopened(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def test_objects_exact_scale_does_not_matter(addon: Any) -> None:
    # a power of two, because other scales cause rounding errors, which could change the folds
    _, _, small = wrinkled(scale=2.0**-7)
    _, hoodie, large = wrinkled(scale=1.0, name="Large")
    assert hoodie.ruckle.height == pytest.approx(1.6, rel=1e-3)
    np.testing.assert_allclose(world(addon, small), world(addon, large), atol=2e-5)


def test_objects_property_centimetres_make_no_larger_meshes(addon: Any) -> None:
    _, hoodie, small = wrinkled()
    _, _, large = wrinkled(scale=1.0, name="Large")
    assert len(small.data.vertices) == len(large.data.vertices) < 40_000
    heights = [np.abs(addon.live.fine_mesh(one.parent, bpy.context.scene, 12).heights) for one in (small, large)]
    assert 0.01 * heights[0].mean() == pytest.approx(heights[1].mean(), rel=0.1)
    # a smaller limit gives fewer fine vertices; the limit is approximate
    hoodie.ruckle.most_vertices = 5_000
    world(addon, small)
    assert len(small.data.vertices) < 7_000


def test_objects_property_targets_follow_a_moved_armature(addon: Any) -> None:
    rig, _, target = wrinkled()
    before = world(addon, target)
    rig.location, rig.rotation_euler[2] = (1.0, -2.0, 0.5), 0.5 * np.pi
    turned = before @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) + (1.0, -2.0, 0.5)
    np.testing.assert_allclose(world(addon, target), turned, atol=1e-5)
    # a parent of the armature also moves the wrinkled mesh
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    rig.parent, empty.location = empty, (0.0, 0.0, 3.0)
    np.testing.assert_allclose(world(addon, target), turned + np.array([0.0, 0.0, 3.0]), atol=1e-5)


def test_objects_property_a_larger_scale_makes_relatively_finer_wrinkles(addon: Any) -> None:
    rig, hoodie, target = wrinkled()
    world(addon, target)
    rig.scale = (0.02,) * 3
    bpy.context.view_layer.update()
    doubled = world(addon, target)
    addon.live.FOLLOWERS.clear()
    np.testing.assert_array_equal(world(addon, target), doubled)
    assert hoodie.ruckle.r_min < 0.01
    assert len(target.data.vertices) > 40_000


def test_objects_property_mirrored_garments_fold_as_their_originals(addon: Any) -> None:
    rig, hoodie, target = wrinkled()
    before = world(addon, target)
    rig.scale[0] *= -1.0
    bpy.context.view_layer.update()
    mirrored = world(addon, target)
    np.testing.assert_allclose(mirrored * (-1.0, 1.0, 1.0), before, atol=2e-4)
    assert hoodie.matrix_world.determinant() < 0.0


def test_objects_property_the_garment_does_not_show(addon: Any) -> None:
    _, hoodie, target = wrinkled()
    assert (hoodie.hide_viewport, hoodie.hide_render) == (True, True)
    assert bpy.context.object == target
    # the operator shows the garment for editing; called again, it shows the wrinkled mesh
    assert bpy.ops.object.ruckle_edit() == {"FINISHED"}
    assert (hoodie.hide_viewport, target.hide_viewport) == (False, True)
    assert bpy.context.object == hoodie
    assert bpy.ops.object.ruckle_edit() == {"FINISHED"}
    assert (hoodie.hide_viewport, target.hide_viewport) == (True, False)


def test_objects_exact_painted_masks(addon: Any) -> None:
    _, hoodie, target = wrinkled()
    full = world(addon, target)
    hoodie.ruckle.amplitude = 0.0
    smooth = world(addon, target)
    hoodie.ruckle.amplitude = 1.0
    assert bpy.ops.object.ruckle_edit(paint=True) == {"FINISHED"}
    assert hoodie.mode == "WEIGHT_PAINT"
    low = [vertex.index for vertex in hoodie.data.vertices if vertex.co.y < 130.0]
    hoodie.vertex_groups[hoodie.ruckle.mask].add(low, 0.0, "REPLACE")
    assert bpy.ops.object.ruckle_edit() == {"FINISHED"}
    assert hoodie.mode == "OBJECT"
    found = world(addon, target)
    np.testing.assert_allclose(found[low], smooth[low], atol=1e-6)
    # Compare only vertices at some distance from the border of the mask, because normals change near it.
    high = [vertex.index for vertex in hoodie.data.vertices if vertex.co.y > 140.0]
    np.testing.assert_allclose(found[high], full[high], atol=1e-6)
    assert np.abs(full[low] - smooth[low]).max() > 1e-3


def test_objects_exact_copies_of_characters_have_their_own_wrinkles(addon: Any) -> None:
    rig, hoodie, target = wrinkled()
    hoodie.hide_viewport = False
    select(rig, hoodie, target)
    bpy.ops.object.duplicate()
    bpy.context.view_layer.update()
    copy = bpy.data.objects["Ch01_Hoodie.001"]
    hoodie.hide_viewport = copy.hide_viewport = True
    assert copy.ruckle.target not in (None, target)
    assert copy.ruckle.target.parent == copy
    assert copy.ruckle.target.data != target.data
    copy.ruckle.seed = 3
    first, second = world(addon, target), world(addon, copy.ruckle.target)
    assert np.abs(first - second).max() > 1e-3
    copy.ruckle.seed = 0
    np.testing.assert_array_equal(world(addon, copy.ruckle.target), first)


def test_objects_exact_a_copied_garment_alone(addon: Any) -> None:
    _, hoodie, target = wrinkled()
    hoodie.hide_viewport = False
    select(hoodie)
    bpy.ops.object.duplicate()
    bpy.context.view_layer.update()
    hoodie.hide_viewport = True
    copy = bpy.data.objects["Ch01_Hoodie.001"]
    own = copy.ruckle.target
    assert own not in (None, target)
    assert hoodie.ruckle.target == target
    np.testing.assert_array_equal(world(addon, own), world(addon, target))
    select(own)
    assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    assert not copy.hide_render
    assert target.name in bpy.data.objects


def test_objects_exact_a_copied_wrinkled_mesh_shows_the_same(addon: Any) -> None:
    _, _, target = wrinkled()
    select(target)
    bpy.ops.object.duplicate()
    bpy.context.view_layer.update()
    copy = bpy.context.object
    assert copy != target
    np.testing.assert_array_equal(world(addon, copy), world(addon, target))


@pytest.mark.parametrize("chosen", ["garment", "wrinkled mesh", "operator"])
def test_objects_exact_deletions_leave_nothing_behind(addon: Any, chosen: str) -> None:
    rig, hoodie, target = wrinkled()
    world(addon, target)
    before = {rig.name, "Ch01_Body"}
    if chosen == "garment":
        hoodie.hide_viewport = False
        select(hoodie)
        bpy.ops.object.delete()
    elif chosen == "wrinkled mesh":
        select(target)
        bpy.ops.object.delete()
    else:
        select(target)
        assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    left = {one.name for one in bpy.data.objects}
    assert left == (before if chosen == "garment" else before | {"Ch01_Hoodie"})
    assert not any("wrinkled" in one.name for one in bpy.data.meshes if one.users)
    if chosen != "garment":
        assert (hoodie.hide_viewport, hoodie.hide_render) == (False, False)
        select(hoodie)
        assert bpy.ops.object.ruckle_add() == {"FINISHED"}


def test_objects_exact_saved_files(addon: Any, tmp_path: Path) -> None:
    _, _, target = wrinkled()
    before = world(addon, target, 14)
    reopened(tmp_path / "scene.blend")
    hoodie = bpy.data.objects["Ch01_Hoodie"]
    assert hoodie.ruckle.look == "KNIT"
    for frame in (3, 14):
        after = world(addon, hoodie.ruckle.target, frame)
    np.testing.assert_array_equal(after, before)


def test_objects_exact_undo(addon: Any) -> None:
    _, hoodie, target = wrinkled()
    before = world(addon, target)
    bpy.ops.ed.undo_push(message="before")
    hoodie.ruckle.amplitude = 2.0
    assert np.abs(world(addon, target) - before).max() > 1e-4
    bpy.ops.ed.undo_push(message="stronger")
    bpy.ops.ed.undo()
    hoodie = bpy.data.objects["Ch01_Hoodie"]
    assert hoodie.ruckle.amplitude == 1.0
    np.testing.assert_array_equal(world(addon, hoodie.ruckle.target), before)
    bpy.ops.ed.redo()
    hoodie = bpy.data.objects["Ch01_Hoodie"]
    assert np.abs(world(addon, hoodie.ruckle.target) - before).max() > 1e-4


def test_objects_exact_several_garments(addon: Any) -> None:
    rig, _, target = wrinkled()
    alone = world(addon, target)
    body = bpy.data.objects["Ch01_Body"]
    select(body)
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    second = world(addon, body.ruckle.target)
    np.testing.assert_array_equal(world(addon, target), alone)
    assert len(second) != len(alone) or np.abs(second - alone).max() > 1e-3
    # all garments already have wrinkles, so the operator does not find another garment
    select(rig)
    with pytest.raises(RuntimeError, match="No garment was wrinkled: select the meshes of the clothes"):
        bpy.ops.object.ruckle_character()


def test_objects_exact_linked_characters(addon: Any, tmp_path: Path) -> None:
    rig, hoodie, target = wrinkled()
    character = bpy.data.collections.new("Character")
    for one in (rig, hoodie, target):
        character.objects.link(one)
        bpy.context.scene.collection.objects.unlink(one)
    bpy.context.scene.collection.children.link(character)
    world(addon, target)
    before = addon.motion.coordinates(target.data)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "character.blend"))
    # link the collection from a library file, and show it as an instance of an empty
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "character.blend"), link=True) as (_, into):
        into.collections = ["Character"]
    bpy.context.scene.render.fps, bpy.context.scene.frame_end = 24, 24
    empty = bpy.data.objects.new("instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", bpy.data.collections["Character"]
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    linked = bpy.data.objects["Ch01_Hoodie"]
    assert linked.library is not None
    bpy.context.scene.frame_set(12)
    np.testing.assert_array_equal(addon.motion.coordinates(linked.ruckle.target.data), before)
    with pytest.raises(ValueError, match="Ch01_Hoodie: is linked from another file; make a library override first"):
        addon.operators.add_wrinkles(linked, bpy.context)


def test_objects_exact_overridden_characters(addon: Any, tmp_path: Path) -> None:
    rig, hoodie, _ = add_character(bpy)
    character = bpy.data.collections.new("Character")
    for one in (rig, hoodie):
        character.objects.link(one)
        bpy.context.scene.collection.objects.unlink(one)
    bpy.context.scene.collection.children.link(character)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "character.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "character.blend"), link=True) as (_, into):
        into.collections = ["Character"]
    scene = bpy.context.scene
    scene.frame_end = 24
    scene.collection.children.link(bpy.data.collections["Character"])
    bpy.data.collections["Character"].override_hierarchy_create(scene, bpy.context.view_layer)
    hoodie = next(one for one in bpy.data.objects if one.override_library and "Hoodie" in one.name)
    addon.operators.add_wrinkles(hoodie, bpy.context)
    hoodie.ruckle.look = "KNIT"
    before = world(addon, hoodie.ruckle.target)
    reopened(tmp_path / "scene.blend")
    hoodie = next(one for one in bpy.data.objects if one.override_library and "Hoodie" in one.name)
    assert hoodie.ruckle.look == "KNIT"
    np.testing.assert_array_equal(world(addon, hoodie.ruckle.target), before)


def test_objects_exact_garments_of_one_rig_are_read_together(addon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, hoodie, body = add_character(bpy)
    alone = {}
    for source in (hoodie, body):
        select(source)
        bpy.ops.object.ruckle_add()
        alone[source.name] = world(addon, source.ruckle.target)
        bpy.ops.object.ruckle_remove()
    select(hoodie, body)
    bpy.ops.object.ruckle_character(look="WAVES")
    bpy.context.scene.frame_set(1)
    readings = []
    read = addon.motion.read_together

    def counted(sources: Any, scene: Any, frames: Any) -> Any:
        readings.append((len(sources), len(frames)))
        return read(sources, scene, frames)

    monkeypatch.setattr(addon.motion, "read_together", counted)
    for frame in range(1, 25):
        bpy.context.scene.frame_set(frame)
    # for both garments together, each frame is evaluated only once
    assert {count for count, _ in readings} == {2}
    assert sum(frames for _, frames in readings) <= 24 + addon.garment.READ_AHEAD
    for source in (hoodie, body):
        np.testing.assert_array_equal(world(addon, source.ruckle.target), alone[source.name])
    # an error in one garment does not change the other garment
    hoodie.modifiers.new("both", "MIRROR")
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(12)
    assert [*addon.live.PROBLEMS] == [hoodie.session_uid]
    matrix = np.array(body.ruckle.target.matrix_world)
    found = addon.motion.coordinates(body.ruckle.target.data) @ matrix[:3, :3].T + matrix[:3, 3]
    np.testing.assert_array_equal(found, alone["Ch01_Body"])


def test_character_exact_chosen_garments(addon: Any) -> None:
    rig, hoodie, body = add_character(bpy)

    def wrinkle(*chosen: Any) -> set[str]:
        select(*chosen)
        bpy.ops.object.ruckle_character()
        found = {one.name for one in (hoodie, body) if one.ruckle.target is not None}
        for one in (hoodie, body):
            if one.ruckle.target is not None:
                select(one.ruckle.target)
                bpy.ops.object.ruckle_remove()
        return found

    assert wrinkle(rig) == {"Ch01_Hoodie"}
    # all objects are selected, as after an import
    assert wrinkle(rig, hoodie, body) == {"Ch01_Hoodie"}
    assert wrinkle(body) == {"Ch01_Body"}
    assert wrinkle(hoodie, body) == {"Ch01_Hoodie", "Ch01_Body"}
    hoodie.name = body.name = "mesh"
    assert wrinkle(rig, hoodie) == {"mesh"}


def test_character_property_an_fbx_file_in_centimetres(addon: Any, tmp_path: Path) -> None:
    bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    add_character(bpy)
    path = str(tmp_path / "character.fbx")
    bpy.ops.export_scene.fbx(filepath=path, apply_scale_options="FBX_SCALE_NONE")
    for one in [*bpy.data.objects]:
        bpy.data.objects.remove(one)
    bpy.ops.import_scene.fbx(filepath=path)
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    assert rig.matrix_world.to_scale()[0] == pytest.approx(0.01, rel=1e-3)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.object.ruckle_character(look="KNIT") == {"FINISHED"}
    hoodie = bpy.data.objects["Ch01_Hoodie"]
    assert hoodie.ruckle.target is not None
    assert bpy.data.objects["Ch01_Body"].ruckle.target is None
    # the wearer's height includes the end bones of Mixamo skeletons
    assert 1.5 < hoodie.ruckle.height < 2.0
    folded = world(addon, hoodie.ruckle.target)
    assert len(folded) < 40_000
    hoodie.ruckle.amplitude = 0.0
    raised = np.linalg.norm(folded - world(addon, hoodie.ruckle.target), axis=1)
    assert 0.002 < raised.max() < 0.03


def test_objects_exact_baked_meshes_remain_without_their_garment(addon: Any, tmp_path: Path) -> None:
    rig, hoodie, target = wrinkled()
    rig.location = (1.0, 2.0, 3.0)
    before = world(addon, target)
    assert bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2")) == {"FINISHED"}
    hoodie.hide_viewport = False
    select(hoodie)
    bpy.ops.object.delete()
    bpy.context.view_layer.update()
    assert "Ch01_Hoodie" not in bpy.data.objects
    np.testing.assert_allclose(world(addon, target), before, atol=1e-6)
    rig.location[0] += 1.0
    np.testing.assert_allclose(world(addon, target), before + np.array([1.0, 0.0, 0.0]), atol=1e-6)


def test_objects_exact_copies_of_baked_characters(addon: Any, tmp_path: Path) -> None:
    _, hoodie, target = wrinkled()
    assert bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2")) == {"FINISHED"}
    hoodie.hide_viewport = False
    select(hoodie)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != hoodie
    addon.live.targets.remove_target(copy)
    assert target.name in bpy.data.objects
    assert hoodie.ruckle.target == target
