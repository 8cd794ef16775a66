# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw looks.png with Blender: a jacket in eight versions, such as three looks, a mask and a normal map.

pip install bpy . && python examples/blender/picture.py -o examples/blender/looks.png
"""

from __future__ import annotations

import argparse
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

import ruckle
from ruckle import _core

sys.path.insert(0, str(Path(__file__).parent))
# the compiled core of the Python package also contains the functions of the C library
sys.modules["ruckle_c"] = ModuleType("ruckle_c")
sys.modules["ruckle_c"].PATH = _core.__file__  # type: ignore[attr-defined]

import ruckle_wrinkles  # noqa: E402  # after its library

FRAME = 40


def add_jacket(folder: Path) -> Any:
    """Add the jacket of the sample `sawing`, moved by a point cache and rotated so that Z is up."""
    animation = ruckle.sample("sawing").cut(0, FRAME)
    mesh = bpy.data.meshes.new("jacket")
    mesh.from_pydata(animation.positions[0].tolist(), [], animation.faces.tolist())
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", animation.uv[animation.uv_faces].ravel())
    mesh.shade_smooth()
    jacket = bpy.data.objects.new("jacket", mesh)
    jacket.matrix_world = Matrix.Rotation(0.5 * np.pi, 4, "X")
    bpy.context.scene.collection.objects.link(jacket)
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(mesh.vertices), 0.0, 1.0, FRAME)
    (folder / "jacket.pc2").write_bytes(head + animation.positions.astype("<f4").tobytes())
    cache = jacket.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(folder / "jacket.pc2"), 1
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 60, 1, FRAME
    return jacket


def add_studio(center: Vector, distance: float, size: int) -> None:
    """Add a camera, a sun and a world, and set up the renderer."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = center + distance * Vector((0.1, -1.6, 0.1))
    camera.rotation_euler = (center - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 3.5, 0.1, (0.9, 0.1, -0.7)
    for one in (camera, sun):
        scene.collection.objects.link(one)
    camera.data.lens = 85.0
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.3, 0.32, 0.35)
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 32
    scene.render.resolution_x = scene.render.resolution_y = size


def changed(jacket: Any) -> Iterator[str]:
    """Change the leather look and yield the name of each variant: strong, masked on one half, ribs. Then restore it."""
    said = jacket.ruckle
    said.amplitude = 2.0
    yield "strong"
    said.amplitude = 1.0
    half = jacket.vertex_groups.new(name="half")
    half.add([vertex.index for vertex in jacket.data.vertices if vertex.co.x > 0.0], 1.0, "REPLACE")
    said.mask = half.name
    yield "masked"
    said.mask, said.waves, said.amplitude = "", False, 0.7
    ribs = bpy.data.images.new("ribs", 256, 256, float_buffer=True)
    rows = np.repeat(0.5 + 0.5 * np.cos(2.0 * np.pi * np.arange(256) / 256 * 24), 256)
    ribs.pixels.foreach_set(np.repeat(rows.astype(np.float32), 4))
    said.picture = ribs
    yield "ribs"
    said.picture, said.waves, said.amplitude = None, True, 1.0


def use_normal_map(jacket: Any, path: Path) -> None:
    """Give the jacket a material with a baked normal map."""
    material = bpy.data.materials.new("mapped")
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    image, node = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeNormalMap")
    image.image = bpy.data.images.load(str(path))
    image.image.colorspace_settings.name = "Non-Color"
    links.new(image.outputs["Color"], node.inputs["Color"])
    links.new(node.outputs["Normal"], nodes["Principled BSDF"].inputs["Normal"])
    jacket.data.materials.append(material)


def render(folder: Path, name: str) -> Any:
    """Return the pixels (S, S, 3) of the scene's frame."""
    scene = bpy.context.scene
    scene.render.filepath = str(folder / f"{name}.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    return np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)[:, :, :3]


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("looks.png"))
    parser.add_argument("--size", type=int, default=300, help="width of each of the eight parts")
    given = parser.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    ruckle_wrinkles.register()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jacket = add_jacket(folder)
        bpy.context.scene.frame_set(FRAME)
        low, high = (jacket.matrix_world @ Vector(jacket.bound_box[corner]) for corner in (0, 6))
        add_studio(low.lerp(high, 0.5), (high - low).length, given.size)
        parts = [render(folder, "coarse")]
        bpy.context.view_layer.objects.active = jacket
        bpy.ops.object.ruckle_add()
        for look in ("SHIRT", "KNIT", "LEATHER"):
            jacket.ruckle.look = look
            parts.append(render(folder, look))
        parts += [render(folder, kind) for kind in changed(jacket)]
        bpy.ops.object.ruckle_bake(kind="MAPS", filepath=name, size=2048, current=True)
        bpy.ops.object.ruckle_remove()
        use_normal_map(jacket, folder / f"jacket_normal_{FRAME:04d}.png")
        parts.append(render(folder, "mapped"))
    picture = np.concatenate([np.concatenate(row, axis=1) for row in (parts[4:], parts[:4])])
    image = bpy.data.images.new("looks", picture.shape[1], picture.shape[0])
    image.pixels.foreach_set(np.dstack([picture, np.ones(picture.shape[:2])]).astype(np.float32).ravel())
    image.filepath_raw, image.file_format = str(given.output.resolve()), "PNG"
    image.save()


if __name__ == "__main__":
    main()
