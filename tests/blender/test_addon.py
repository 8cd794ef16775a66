"""The add-on in Blender without a window: garments with point caches, bakes, invalid meshes, presets."""

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")

from character_rig import add_character  # noqa: E402  # after the skip
from ruckle import sample  # noqa: E402

ANIMATION = sample("sawing").cut(0, 60)


def write_cache(path: Path, frames: NDArray[Any]) -> None:
    """Write frames (F, V, 3) to a point cache in the format PC2."""
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames))
    path.write_bytes(head + frames.astype("<f4").tobytes())


def shirt(folder: Path) -> Any:
    """Return a garment that a point cache moves. It is the active object, and the scene has the frames of the cache."""
    mesh = bpy.data.meshes.new("shirt")
    mesh.from_pydata(ANIMATION.positions[0].tolist(), [], ANIMATION.faces.tolist())
    layer = mesh.uv_layers.new(name="UVMap")
    layer.uv.foreach_set("vector", ANIMATION.uv[ANIMATION.uv_faces].ravel())
    mesh.materials.append(bpy.data.materials.new("cloth"))
    colors = mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    colors.data.foreach_set("color", np.tile(np.float32([0.2, 0.4, 0.6, 1.0]), len(mesh.vertices)))
    source = bpy.data.objects.new("shirt", mesh)
    bpy.context.scene.collection.objects.link(source)
    write_cache(folder / "shirt.pc2", ANIMATION.positions)
    cache = source.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(folder / "shirt.pc2"), 1
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 60, 1, 60
    scene.frame_set(1)
    bpy.context.view_layer.objects.active = source
    source.ruckle.paths, source.ruckle.waves = True, False
    source.ruckle.r_min, source.ruckle.tau = 0.012, 1.2
    return source


def evaluated(addon: Any, target: Any, number: int) -> NDArray[Any]:
    bpy.context.scene.frame_set(number)
    assert addon.live.PROBLEMS == {}
    return addon.motion.coordinates(target.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)


def played(addon: Any, target: Any) -> dict[int, Any]:
    """Go through all frames of the scene in order, and return the positions of the wrinkled mesh in each frame."""
    scene = bpy.context.scene
    return {number: evaluated(addon, target, number) for number in range(scene.frame_start, scene.frame_end + 1)}


def test_addon_exact_live_and_baked(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    target = source.ruckle.target
    found = played(addon, target)
    count = ANIMATION.vertex_count
    np.testing.assert_allclose(found[1][:count], ANIMATION.positions[0], atol=1e-6)
    raised = np.abs(found[60][:count] - ANIMATION.positions[59]).max()
    assert raised > 1e-3
    assert [layer.name for layer in target.data.uv_layers] == ["UVMap"]
    assert [material.name for material in target.data.materials] == ["cloth"]
    color = target.data.color_attributes["Color"].data[7].color
    np.testing.assert_allclose(color, [0.2, 0.4, 0.6, 1.0], atol=1e-5)
    assert bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2")) == {"FINISHED"}
    assert source.ruckle.baked
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []
    for number, positions in played(addon, target).items():
        np.testing.assert_array_equal(positions, found[number])
    # after the bake is freed, the wrinkles depend on the parameters again
    assert bpy.ops.object.ruckle_free() == {"FINISHED"}
    source.ruckle.tau = 1.4
    assert np.abs(evaluated(addon, target, 60)[:count] - found[60][:count]).max() > 1e-3


def test_addon_exact_bakes_shape_keys(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    bpy.context.scene.frame_end = 6
    bpy.ops.object.ruckle_add()
    target = source.ruckle.target
    found = played(addon, target)
    assert bpy.ops.object.ruckle_bake(kind="KEYS") == {"FINISHED"}
    for number, positions in played(addon, target).items():
        np.testing.assert_allclose(positions, found[number], atol=1e-6)
    assert bpy.ops.object.ruckle_free() == {"FINISHED"}
    np.testing.assert_array_equal(evaluated(addon, target, 4), found[4])


def test_addon_exact_bakes_alembic(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    bpy.context.scene.frame_end = 5
    bpy.ops.object.ruckle_add()
    target = source.ruckle.target
    found = played(addon, target)
    path = tmp_path / "fine.abc"
    assert bpy.ops.object.ruckle_bake(kind="ALEMBIC", filepath=str(path)) == {"FINISHED"}
    assert not source.ruckle.baked
    bpy.ops.wm.alembic_import(filepath=str(path))
    read = bpy.context.object
    assert read != target
    for number in (2, 5):
        np.testing.assert_allclose(evaluated(addon, read, number), found[number], atol=1e-6)


def test_addon_exact_cancelled_bakes_leave_no_file(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    bpy.ops.object.ruckle_add()
    work = addon.bake.bake_cache(source, bpy.context.scene, str(tmp_path / "fine.pc2"))
    assert [next(work), next(work)] == [1, 2]
    work.close()
    assert {one.name for one in tmp_path.iterdir()} == {"shirt.pc2"}
    assert not source.ruckle.baked
    with pytest.raises(RuntimeError, match=r"shirt\.pc2"):
        bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "shirt.pc2" / "fine.pc2"))


def test_addon_exact_maps_over_the_coarse_mesh(addon: Any, tmp_path: Path) -> None:
    _, hoodie, _ = add_character(bpy)
    bpy.context.view_layer.objects.active = hoodie
    bpy.ops.object.ruckle_add()
    hoodie.ruckle.look = "KNIT"
    scene = bpy.context.scene
    scene.frame_end = 3
    assert bpy.ops.object.ruckle_bake(kind="MAPS", filepath=str(tmp_path / "maps"), size=64) == {"FINISHED"}
    names = {one.name for one in (tmp_path / "maps").iterdir()}
    assert names == {f"Ch01_Hoodie_{kind}" for n in (1, 2, 3) for kind in (f"normal_000{n}.png", f"height_000{n}.exr")}
    heights = bpy.data.images.load(str(tmp_path / "maps" / "Ch01_Hoodie_height_0003.exr"))
    fine = addon.live.fine_mesh(hoodie, scene, 3)
    largest = np.abs(np.array(heights.pixels[:]).reshape(-1, 4)[:, 0]).max()
    assert 0.3 * np.abs(fine.heights).max() < largest <= np.abs(fine.heights).max() + 1e-4


def test_maps_property_normals_are_those_of_the_fine_mesh(addon: Any) -> None:
    _, hoodie, _ = add_character(bpy)
    bpy.context.view_layer.objects.active = hoodie
    bpy.ops.object.ruckle_add()
    hoodie.ruckle.look = "KNIT"
    scene = bpy.context.scene
    fine = addon.live.fine_mesh(hoodie, scene, 12)
    garment = addon.live.follower_of(hoodie, scene).garment
    (positions,), _ = addon.motion.read_poses(hoodie, scene, [12])
    baker = addon.maps.Baker(hoodie.data, garment.faces, fine, 128)
    normals, heights = (picture.astype(np.float64) for picture in baker.maps(positions, fine))
    # the texture coordinates of a tube cover all texels, so all normals have length 1; heights continue across the seam
    np.testing.assert_allclose(np.linalg.norm(2.0 * normals - 1.0, axis=2), 1.0, atol=1e-3)
    assert np.abs(heights[:, 0] - heights[:, -1]).max() < 0.5 * np.abs(heights).max()
    hoodie.ruckle.amplitude = 0.0
    smooth = addon.live.fine_mesh(hoodie, scene, 12)
    level, none = baker.maps(positions, smooth)
    np.testing.assert_allclose(none, 0.0, atol=1e-6)
    assert np.median(angles(2.0 * level - 1.0, np.array([0.0, 0.0, 1.0]))) < 3.0
    # the angles between wrinkled and smooth normals have the same distribution in the normal map and on the mesh
    on_mesh, in_map = angles(fine.normals, smooth.normals), angles(2.0 * normals - 1.0, 2.0 * level - 1.0)
    for share in (90, 95):
        expected = np.percentile(on_mesh, share)
        assert expected > 1.0
        np.testing.assert_allclose(np.percentile(in_map, share), expected, rtol=0.2)


def angles(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return the angles between corresponding vectors, in degrees. The vectors may have any length."""
    first, second = (one / np.linalg.norm(one, axis=-1, keepdims=True) for one in (first, second))
    return np.degrees(np.arccos(np.clip((first * second).sum(axis=-1), -1.0, 1.0)))


def test_addon_reject_modifiers_that_change_vertices(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    source.modifiers.new("both", "MIRROR")
    with pytest.raises(RuntimeError, match=r"its modifiers change the number of vertices from \d+ to \d+; apply"):
        bpy.ops.object.ruckle_add()
    assert source.ruckle.target is None
    assert not source.hide_render
    assert [one.name for one in bpy.data.objects] == ["shirt"]


def test_addon_exact_subdivision_of_the_garment_is_switched_off(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    finer = source.modifiers.new("finer", "SUBSURF")
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    assert not finer.show_viewport
    assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    assert finer.show_viewport


def test_addon_exact_pictures_of_folds(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    bpy.ops.object.ruckle_add()
    count = ANIMATION.vertex_count
    source.ruckle.amplitude = 0.0
    smooth = evaluated(addon, source.ruckle.target, 60)
    source.ruckle.amplitude = 1.0
    image = bpy.data.images.new("folds", 64, 64)
    image.pixels.foreach_set(np.tile(np.repeat(np.float32([0, 0, 1, 1] * 16), 4), 64).ravel())
    source.ruckle.paths, source.ruckle.picture = False, image
    folded = evaluated(addon, source.ruckle.target, 60)
    assert np.abs(folded[:count] - smooth[:count]).max() > 1e-3


class Layout:
    """A replacement of Blender's UILayout. It draws nothing, but checks that properties and operators exist."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def column(self, **_: Any) -> "Layout":
        return self

    row = column

    def prop(self, owner: Any, name: str, **_: Any) -> None:
        assert name in owner.bl_rna.properties
        self.shown.append(name)

    def prop_search(self, owner: Any, name: str, where: Any, names: str) -> None:
        assert names in where.bl_rna.properties
        self.prop(owner, name)

    def template_ID(self, owner: Any, name: str, **_: Any) -> None:
        self.prop(owner, name)

    def operator(self, name: str, **_: Any) -> Any:
        folder, _, function = name.partition(".")
        self.shown.append(getattr(getattr(bpy.ops, folder), function).get_rna_type().name)
        return SimpleNamespace()

    def operator_menu_enum(self, name: str, _: str, **options: Any) -> Any:
        return self.operator(name, **options)

    def menu(self, name: str, **_: Any) -> None:
        assert hasattr(bpy.types, name)

    def label(self, text: str, **_: Any) -> None:
        self.shown.append(text)


def panel(addon: Any) -> list[str]:
    """Return the names of all properties and operators that the panel of the add-on shows."""
    layout = Layout()
    addon.panel.VIEW3D_PT_ruckle.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.shown


def test_panel_exact_controls_of_each_state(addon: Any, tmp_path: Path) -> None:
    source = shirt(tmp_path)
    assert panel(addon) == ["Wrinkle This Character", "Add Wrinkles"]
    bpy.ops.object.ruckle_add()
    shown = panel(addon)
    assert {"shirt", "look", "tau", "Edit Garment", "Bake Wrinkles", "Remove Wrinkles"} <= {*shown}
    assert "wavelength" not in shown
    source.ruckle.look = "KNIT"
    assert "tau" not in panel(addon)
    assert "wavelength" in panel(addon)
    source.modifiers.new("both", "MIRROR")
    bpy.context.view_layer.update()
    assert any("its modifiers change" in text for text in panel(addon))
    source.modifiers.remove(source.modifiers["both"])
    bpy.context.view_layer.update()
    bpy.context.scene.frame_end = 2
    bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2"))
    assert panel(addon) == ["shirt", "Free Bake", "Remove Wrinkles"]


@pytest.mark.parametrize(
    ("name", "clothes"),
    [
        ("Ch08_Hoodie", True),
        ("TopsShirt", True),
        ("pants.001", True),
        ("Ch01_Body", False),
        ("Stop", False),
        ("Eyes", False),
    ],
)
def test_addon_exact_names_of_clothes(addon: Any, name: str, clothes: bool) -> None:
    assert addon.operators.named_as_clothes(name) == clothes
