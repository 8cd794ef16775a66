"""The add-on in Blender itself, without a window: live, scrubbed, baked."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="the add-on is tested where Blender is a module: pip install bpy")

from ruckle import _core, sample  # noqa: E402  # after the skip

EXAMPLE = Path(__file__).parents[2] / "examples" / "blender"
ANIMATION = sample("sawing").cut(0, 60)


@pytest.fixture
def addon(monkeypatch: pytest.MonkeyPatch) -> Any:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name in ("ruckle_wrinkles", "ruckle_wrinkles.garment", "ruckle_wrinkles.library"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(EXAMPLE))
    library = ModuleType("ruckle_c")
    library.PATH = _core.__file__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ruckle_c", library)
    import ruckle_wrinkles

    ruckle_wrinkles.register()
    yield ruckle_wrinkles
    ruckle_wrinkles.unregister()


def shirt(addon: Any, folder: Path) -> Any:
    """Return a garment that a point cache moves, chosen, in a scene of its frames."""
    mesh = bpy.data.meshes.new("shirt")
    mesh.from_pydata(ANIMATION.positions[0].tolist(), [], ANIMATION.faces.tolist())
    layer = mesh.uv_layers.new(name="UVMap")
    layer.uv.foreach_set("vector", ANIMATION.uv[ANIMATION.uv_faces].ravel())
    mesh.materials.append(bpy.data.materials.new("cloth"))
    source = bpy.data.objects.new("shirt", mesh)
    bpy.context.scene.collection.objects.link(source)
    addon.write_cache(str(folder / "shirt.pc2"), list(ANIMATION.positions))
    cache = source.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(folder / "shirt.pc2"), 1
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 60, 1, 60
    scene.frame_set(1)
    bpy.context.view_layer.objects.active = source
    source.ruckle.r_min, source.ruckle.tau = 0.012, 1.2
    return source


def played(addon: Any, source: Any) -> dict[int, Any]:
    """Play the scene; return the wrinkled positions of every frame."""
    found = {}
    for number in range(1, 61):
        bpy.context.scene.frame_set(number)
        assert source.ruckle.problem == ""
        found[number] = addon.coordinates(source.ruckle.target.data)
    return found


def test_addon_exact_live_scrubbed_and_baked(addon: Any, tmp_path: Path) -> None:
    source = shirt(addon, tmp_path)
    assert bpy.ops.object.ruckle_add() == {"FINISHED"}
    target = source.ruckle.target
    found = played(addon, source)
    count = ANIMATION.vertex_count
    np.testing.assert_allclose(found[1][:count], ANIMATION.positions[0], atol=1e-6)
    raised = np.abs(found[60][:count] - ANIMATION.positions[59]).max()
    assert raised > 1e-3
    assert [layer.name for layer in target.data.uv_layers] == ["UVMap"]
    assert [material.name for material in target.data.materials] == ["cloth"]
    for number in (17, 60, 3):
        bpy.context.scene.frame_set(number)
        np.testing.assert_array_equal(addon.coordinates(target.data), found[number])
    # a mask without weights leaves the cloth smooth
    group = source.vertex_groups.new(name="mask")
    source.ruckle.mask = group.name
    smooth = played(addon, source)
    np.testing.assert_allclose(smooth[60][:count], ANIMATION.positions[59], atol=1e-6)
    source.ruckle.mask = ""
    bpy.context.view_layer.objects.active = source
    assert bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2")) == {"FINISHED"}
    assert source.ruckle.target is None
    for number in (1, 30, 60):
        bpy.context.scene.frame_set(number)
        evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
        np.testing.assert_allclose(addon.coordinates(evaluated.to_mesh()), found[number], atol=1e-6)


def test_addon_exact_bakes_shape_keys(addon: Any, tmp_path: Path) -> None:
    source = shirt(addon, tmp_path)
    bpy.context.scene.frame_end = 6
    bpy.ops.object.ruckle_add()
    target = source.ruckle.target
    assert bpy.ops.object.ruckle_bake(kind="KEYS") == {"FINISHED"}
    for number in (2, 6):
        bpy.context.scene.frame_set(number)
        evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
        moved = addon.coordinates(evaluated.to_mesh())[: ANIMATION.vertex_count]
        np.testing.assert_allclose(moved, ANIMATION.positions[number - 1], atol=2e-2)
        assert np.abs(moved - ANIMATION.positions[0]).max() > 0.0


def test_addon_reject_what_changes_vertices(addon: Any, tmp_path: Path) -> None:
    source = shirt(addon, tmp_path)
    source.modifiers.new("finer", "SUBSURF")
    with pytest.raises(RuntimeError, match=r"shirt: its modifiers make \d+ vertices of \d+; put Subdivision"):
        bpy.ops.object.ruckle_add()
    assert source.ruckle.target is None
    assert [one.name for one in bpy.data.objects] == ["shirt"]
