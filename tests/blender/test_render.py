"""Renders with Cycles, compared with renders of meshes with the expected geometry: films, motion blur, normal maps."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from character_rig import add_character

bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")

SIZE = 64

# Largest mean difference between two renders of the same geometry, in pixel values from 0 to 255.
SAME = 0.05


def studio(addon: Any, *, look: str = "KNIT") -> tuple[Any, Any]:
    """Add a character with wrinkles, lights, and a camera near its elbow. Return the garment and the wrinkled mesh."""
    rig, hoodie, body = add_character(bpy)
    bpy.data.objects.remove(body)
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.object.ruckle_character(look=look) == {"FINISHED"}
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler = (0.8, -0.05, 1.32), (0.5 * np.pi, 0.0, 0.5 * np.pi)
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 4.0, (0.3, 1.0, 0.9)
    scene.collection.objects.link(sun)
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 4
    scene.cycles.use_denoising = False
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    return hoodie, hoodie.ruckle.target


def pixels(path: Path) -> NDArray[Any]:
    image = bpy.data.images.load(str(path))
    found = 255.0 * np.array(image.pixels[:]).reshape(SIZE, SIZE, 4)[:, :, :3]
    bpy.data.images.remove(image)
    return found


def rendered(path: Path) -> NDArray[Any]:
    """Render the current frame of the scene to a file, like the key F12. Return the pixels."""
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return pixels(path)


def difference(first: NDArray[Any], second: NDArray[Any]) -> float:
    return float(np.abs(first - second).mean())


def still(target: Any, positions: NDArray[Any]) -> Any:
    """Add a static object with the faces of a wrinkled mesh and the given positions. Return the object."""
    mesh = target.data.copy()
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.update()
    made = bpy.data.objects.new("still", mesh)
    made.matrix_world = target.matrix_world
    bpy.context.scene.collection.objects.link(made)
    return made


def test_render_exact_two_frames_have_their_wrinkles(addon: Any, tmp_path: Path) -> None:
    hoodie, target = studio(addon)
    scene = bpy.context.scene
    scene.frame_set(3)
    scene.frame_start, scene.frame_end = 1, 12
    scene.frame_step = 5  # frames 1, 6, 11
    scene.render.filepath = str(tmp_path / "film_")
    bpy.ops.render.render(animation=True)
    films = {frame: pixels(tmp_path / f"film_{frame:04d}.png") for frame in (6, 11)}
    expected = {frame: addon.live.fine_mesh(hoodie, scene, frame).positions for frame in (6, 11)}
    stills = {}
    for frame, positions in expected.items():
        scene.frame_set(frame)
        assert difference(rendered(tmp_path / f"{frame}.png"), films[frame]) <= SAME
        np.testing.assert_allclose(addon.motion.coordinates(target.data), positions, atol=1e-6)
        target.hide_render = True
        made = still(target, positions)
        stills[frame] = rendered(tmp_path / f"still_{frame}.png")
        bpy.data.objects.remove(made)
        target.hide_render = False
        assert difference(films[frame], stills[frame]) <= SAME
    # the pictures differ because of the motion, and because of the wrinkles
    assert difference(stills[6], stills[11]) > 5.0
    hoodie.ruckle.amplitude = 0.0
    assert difference(rendered(tmp_path / "smooth.png"), films[11]) > 10 * SAME


def test_render_exact_without_a_frame_seen_before(addon: Any, tmp_path: Path) -> None:
    _, target = studio(addon)
    scene = bpy.context.scene
    scene.frame_set(9)
    seen = rendered(tmp_path / "seen.png")
    positions = addon.motion.coordinates(target.data)
    # like Blender without a window, which opens a file and renders without playing the animation
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.context.scene.frame_current = 9
    np.testing.assert_array_equal(rendered(tmp_path / "opened.png"), seen)
    target = bpy.data.objects["Ch01_Hoodie wrinkled"]
    np.testing.assert_array_equal(addon.motion.coordinates(target.data), positions)


def test_render_exact_motion_blur_is_that_of_a_bake(addon: Any, tmp_path: Path) -> None:
    hoodie, target = studio(addon)
    scene = bpy.context.scene
    scene.frame_end = 10
    scene.frame_set(6)
    sharp = rendered(tmp_path / "sharp.png")
    scene.render.use_motion_blur = True
    live = rendered(tmp_path / "live.png")
    assert difference(live, sharp) > 10 * SAME
    assert scene.frame_current_final == 6.0
    assert bpy.ops.object.ruckle_bake(filepath=str(tmp_path / "fine.pc2")) == {"FINISHED"}
    assert hoodie.ruckle.baked
    assert [one.type for one in target.modifiers] == ["MESH_CACHE"]
    assert difference(rendered(tmp_path / "baked.png"), live) <= SAME


def test_render_property_normal_maps_look_like_the_wrinkled_mesh(addon: Any, tmp_path: Path) -> None:
    hoodie, _ = studio(addon)
    hoodie.ruckle.amplitude = 1.5
    scene = bpy.context.scene
    scene.frame_set(10)
    wrinkled = rendered(tmp_path / "wrinkled.png")
    maps = tmp_path / "maps"
    assert bpy.ops.object.ruckle_bake(kind="MAPS", filepath=str(maps), size=512, current=True) == {"FINISHED"}
    assert {one.suffix for one in maps.iterdir()} == {".png", ".exr"}
    assert bpy.ops.object.ruckle_remove() == {"FINISHED"}
    hoodie.data.shade_smooth()
    coarse = rendered(tmp_path / "coarse.png")
    material = hoodie.data.materials[0]
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    image, normal = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeNormalMap")
    image.image = bpy.data.images.load(str(next(maps.glob("*.png"))))
    image.image.colorspace_settings.name = "Non-Color"
    links.new(image.outputs["Color"], normal.inputs["Color"])
    links.new(normal.outputs["Normal"], nodes["Principled BSDF"].inputs["Normal"])
    mapped = rendered(tmp_path / "mapped.png")
    # The shading of the folds is similar. Outlines and shadows differ, because the normal map is used on the coarse
    # mesh.
    lit = (wrinkled > 10.0) & (coarse > 10.0) & (mapped > 10.0)
    assert np.corrcoef((wrinkled - coarse)[lit], (mapped - coarse)[lit])[0, 1] > 0.45


def test_picture_exact_every_part_differs(tmp_path: Path) -> None:
    program = Path(__file__).parents[2] / "examples" / "blender" / "picture.py"
    words = [sys.executable, program, "-o", tmp_path / "looks.png", "--size", "24"]
    run = subprocess.run(words, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    picture = bpy.data.images.load(str(tmp_path / "looks.png"))
    assert tuple(picture.size) == (96, 48)
    found = np.array(picture.pixels[:]).reshape(2, 24, 4, 24, 4)
    parts = [found[row, :, column].tobytes() for row in range(2) for column in range(4)]
    assert len({*parts}) == 8
