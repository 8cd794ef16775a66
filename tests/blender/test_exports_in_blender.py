"""Compares exported characters, rendered by Cycles, with pictures of `ruckle.Renderer`.

Camera, light and matt materials are the same in both pictures.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if find_spec("moderngl") is None:
    pytest.skip('our own picture needs more packages: pip install "ruckle[render]"', allow_module_level=True)
bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")

from exported_pictures import ALIKE, FPS, FRAME, HEIGHT, PARAMETERS, WIDTH, Character, over_background  # noqa: E402

# matrix that rotates from Y up to Blender's Z up
UPRIGHT = np.array([(1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1.0)])


@pytest.fixture(scope="module")
def character(tmp_path_factory: pytest.TempPathFactory) -> Character:
    return Character(tmp_path_factory.mktemp("exports"))


def set_scene(given: dict[str, Any]) -> None:
    """Add camera and light to the scene, and switch off reflections and shadows. `given` is `Character.scene()`."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.matrix_world = (UPRIGHT @ np.array(given["camera"]["matrix"]).reshape(4, 4).T).T.tolist()
    camera.data.sensor_fit, camera.data.angle = "VERTICAL", np.radians(given["camera"]["angle"])
    camera.data.clip_start, camera.data.clip_end = given["camera"]["near"], given["camera"]["far"]
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    scene.collection.objects.link(sun)
    sun.data.energy, sun.data.angle, sun.data.use_shadow = np.pi, 0.0, False
    toward = UPRIGHT[:3, :3] @ given["light"]
    # a sun lamp shines along its local -z axis, so the third column of its matrix is the direction to the lamp
    side = np.cross([0.0, 0.0, 1.0], toward)
    side /= np.linalg.norm(side)
    sun.matrix_world = np.vstack(
        [np.column_stack([side, np.cross(toward, side), toward, 0 * side]), np.eye(4)[3]]
    ).T.tolist()
    render, cycles = scene.render, scene.cycles
    render.engine, render.film_transparent = "CYCLES", True
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGBA"
    cycles.samples, cycles.max_bounces, cycles.use_denoising, cycles.pixel_filter_type = 9, 0, False, "BOX"
    scene.view_settings.view_transform = "Standard"


def make_matt(thing: Any) -> None:
    """Replace the materials of an object by matt materials with the same colours.

    If it has none, add a white material.
    """
    if not thing.material_slots:
        thing.data.materials.append(bpy.data.materials.new("white"))
        bpy.data.materials["white"].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (1, 1, 1, 1)
    for slot in thing.material_slots:
        old = next(node for node in slot.material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        made = bpy.data.materials.new("matt")
        if bpy.app.version < (5, 0):
            made.use_nodes = True
        tree = made.node_tree
        tree.nodes.clear()
        matt, end = tree.nodes.new("ShaderNodeBsdfDiffuse"), tree.nodes.new("ShaderNodeOutputMaterial")
        matt.inputs["Color"].default_value = old.inputs["Base Color"].default_value
        tree.links.new(matt.outputs[0], end.inputs[0])
        slot.material = made


def shown(character: Character, path: Path, read: Any, frame: int = FRAME) -> float:
    """Return the mean difference between our picture and Blender's picture of a frame.

    If the environment variable RUCKLE_PICTURES names a folder, both pictures are written there.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(FPS)
    read(filepath=str(path))
    [thing] = [one for one in bpy.data.objects if one.type == "MESH" and one.name != "Icosphere"]
    is_plain = not thing.material_slots
    make_matt(thing)
    set_scene(character.scene())
    bpy.context.scene.frame_set(frame)
    file = path.with_suffix(".png")
    bpy.context.scene.render.filepath = str(file)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(file))
    # Blender stores the bottom row first; its pixel values are the sRGB values of the file
    codes = np.rint(255.0 * np.array(image.pixels[:])).astype(np.uint8).reshape(HEIGHT, WIDTH, 4)[::-1]
    folder = os.environ.get("RUCKLE_PICTURES")
    kept = None if folder is None else Path(folder) / f"blender_{path.stem}_{path.suffix[1:]}.png"
    return character.difference(over_background(codes), kept, plain=is_plain)


def test_property_the_coarse_character_differs(character: Character) -> None:
    assert shown(character, character.path, bpy.ops.import_scene.gltf) > 1.5


def test_property_morph_targets_look_like_our_picture(character: Character) -> None:
    path = character.export(character.path.parent / "morph.glb", "--budget", "4k")
    assert shown(character, path, bpy.ops.import_scene.gltf) <= ALIKE


def test_property_meshes_look_like_our_picture(character: Character) -> None:
    folder = character.export(character.path.parent / "meshes", "--budget", "4k")
    [path] = folder.glob(f"*_{FRAME:04d}.obj")
    assert shown(character, path, bpy.ops.wm.obj_import) <= ALIKE


@pytest.mark.parametrize("suffix", [".pc2", ".mdd"])
def test_property_point_caches_look_like_our_picture(character: Character, suffix: str) -> None:
    path = character.export(character.path.parent / f"points{suffix}", "--budget", "4k")

    def read(filepath: str) -> None:
        # the axes of the cache are those of the OBJ file, so the object is turned, not the mesh
        bpy.ops.wm.obj_import(filepath=str(path.with_suffix(".obj")), forward_axis="Y", up_axis="Z")
        thing = bpy.context.object
        assert all(face.use_smooth for face in thing.data.polygons)
        thing.matrix_world = UPRIGHT.T.tolist()
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath, cache.frame_start = suffix[1:].upper(), filepath, 0

    assert shown(character, path, read) <= ALIKE


@pytest.mark.parametrize(
    ("suffix", "library", "reader"), [(".abc", "alembic3d", "alembic_import"), (".usdc", "pxr", "usd_import")]
)
def test_property_caches_look_like_our_picture(character: Character, suffix: str, library: str, reader: str) -> None:
    if find_spec(library) is None:
        pytest.skip('USD and Alembic need more packages: pip install "ruckle[usd,alembic]"')
    # the export runs in a separate process, because Blender's process has loaded another version of USD
    path = character.path.parent / f"cache{suffix}"
    options = [str(word) for name, value in PARAMETERS.items() for word in (f"--{name.replace('_', '-')}", value)]
    words: list[str | Path] = [
        sys.executable,
        "-m",
        "ruckle",
        "export",
        character.path,
        "-o",
        path,
        "--budget",
        "4k",
        *options,
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # an Alembic file does not contain materials, so both pictures are white
    assert shown(character, path, getattr(bpy.ops.wm, reader)) <= ALIKE
