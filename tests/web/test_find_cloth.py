"""The search for cloth in the npm package chooses the same parts and masks as the Python package."""

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from characters import BENDING, ENDS, HALVES, NEAR_ENDS, QUAD, Character
from gltf_writer import Writer
from rigged_people import PEOPLE, write_person
from ruckle import load
from ruckle.io.budget import Budget
from ruckle.io.gltf_cloth import bending_share, chosen_targets
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_scene import Scene
from shared_data import MISSING, shared_folder

PROGRAM = """
globalThis.self = globalThis;
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { findCloth } = await import(`${kit}/find_cloth.mjs`);
const { annotate, cornersOf, targetsOf, triangleCount } = await import(`${kit}/parts.mjs`);
const bytes = Uint8Array.from(atob(given.file), (character) => character.charCodeAt(0));
const gltf = await new GLTFLoader().parseAsync(bytes.buffer, "");
annotate(gltf);
gltf.scene.userData.name = given.name;
const parts = new Map(findCloth(gltf.scene).map((part) => [part.mesh, part])), found = {};
for (const { object, meshes, names } of targetsOf(gltf.scene)) {
  found[names[0]] = meshes.map((mesh) => {
    const { isCloth, mask, reason } = parts.get(mesh), corner = cornersOf(mesh);
    const values = Array.from({ length: 3 * triangleCount(mesh) }, (_, i) => (mask ? mask[corner(i)] : 1));
    return { isCloth, reason, values: isCloth ? values : values.map(() => 0) };
  });
}
console.log(JSON.stringify(found));
"""


def without_textures(path: Path) -> bytes:
    """Return a GLB file without images, which Node cannot decode."""
    document = Document(path, Budget())
    if path.suffix == ".glb":
        content = path.read_bytes()
        size = struct.unpack("<I", content[12:16])[0]
        root, rest = json.loads(content[20 : 20 + size]), content[20 + size :]
    else:
        root, rest = json.loads(path.read_text()), b""
    for material in root.get("materials", []):
        for entry in (material, material.get("pbrMetallicRoughness", {})):
            for name in [name for name in entry if name.endswith("Texture") and name != "metallicRoughnessTexture"]:
                del entry[name]
    assert document.root is not None
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def expected_of(path: Path) -> dict[str, Any]:
    """Return the mask at the corners of each mesh that the Python package chooses, by name of the mesh."""
    scene = Scene(Document(path, Budget()))
    chosen = chosen_targets(scene, None, None)
    loaded = load(path)
    mask = np.ones(loaded.vertex_count) if loaded.mask is None else loaded.mask
    found, first = {}, 0
    for target in chosen:
        geometry, _ = scene.geometry(target, None)
        # a mesh that does not deform is chosen only if no mesh deforms
        if bending_share(geometry) > 0.0:
            # three.js numbers meshes without a name
            found[scene.name(target) or f"mesh_{target.mesh}"] = mask[first + geometry.faces].ravel()
        first += len(geometry.positions)
    return found


def compare(node: Callable[..., Any], path: Path) -> dict[str, Any]:
    """Assert that both packages find the same cloth in a file. Return the reasons of the npm package by mesh."""
    found = node(PROGRAM, file=base64.b64encode(without_textures(path)).decode(), name=path.stem)
    expected = expected_of(path)
    for name, parts in found.items():
        values = np.concatenate([part["values"] for part in parts])
        wanted = expected.get(name, np.zeros(len(values)))
        assert len(values) == len(wanted)
        np.testing.assert_allclose(values, wanted, atol=2e-6, err_msg=f"{path.stem}: {name}: {parts[0]['reason']}")
        start = 0
        for part in parts:
            own = wanted[start : start + len(part["values"])]
            assert part["isCloth"] == bool(own.any())
            start += len(own)
    return {name: [part["reason"] for part in parts] for name, parts in found.items()}


@pytest.mark.parametrize("name", ["Fox", "KayKit_Mage", "mannequiny", "tee_jumpingjack"])
def test_exact_public_files(node: Callable[..., Any], name: str) -> None:
    folder = shared_folder()
    if folder is None:
        pytest.skip(MISSING)
    compare(node, folder / "data" / "gltf" / f"{name}.glb")


def several(*names: Any) -> Callable[[], Character]:
    """Return a function that makes a character of parts: names of nodes, or (node, material, joints)."""

    def make() -> Character:
        writer = Character()
        for name in names:
            writer.part(*([name] if isinstance(name, str) else name))
        return writer

    return make


def one_mesh(*materials: Any, name: str = "Body") -> Callable[[], Character]:
    """Return a function that makes a character of one mesh with several materials: names, or (name, joints)."""

    def make() -> Character:
        writer = Character()
        rows = [(one, BENDING) if isinstance(one, str) else one for one in materials]
        primitives = [
            writer.primitive(one, joints, np.add(QUAD, [0, 3 * k, 0])) for k, (one, joints) in enumerate(rows)
        ]
        writer.place(name, writer.mesh(*primitives))
        return writer

    return make


def grouped(*groups: Any) -> Callable[[], Character]:
    """Return a function that makes a character whose meshes are below nodes: (name of the node, parts)."""

    def make() -> Character:
        writer, nodes = Character(), [0]
        for name, parts in groups:
            own = [writer.part(*part) for part in parts]
            nodes.append(writer.add("nodes", {"name": name, "children": own}))
        writer.root["scenes"][0]["nodes"] = nodes
        return writer

    return make


def changed(make: Callable[[], Character], change: Callable[[dict[str, Any]], Any]) -> Callable[[], Character]:
    """Return a function that makes a character and changes its JSON object."""

    def made() -> Character:
        writer = make()
        change(writer.root)
        return writer

    return made


def with_bones(make: Callable[[], Character], *names: str) -> Callable[[], Character]:
    return changed(
        make, lambda root: [node.update(name=name) for node, name in zip(root["nodes"], names, strict=False)]
    )


def with_metal(make: Callable[[], Character], **factors: Any) -> Callable[[], Character]:
    return changed(make, lambda root: root["materials"][0].update(pbrMetallicRoughness=factors))


def with_mesh_names(make: Callable[[], Character], *names: str) -> Callable[[], Character]:
    return changed(
        make, lambda root: [mesh.update(name=name) for mesh, name in zip(root["meshes"], names, strict=False)]
    )


def morphed(*, moves: bool) -> Callable[[], Character]:
    """Return a function that makes a flag with a morph target, which an animation moves or not, and a shirt."""

    def make() -> Character:
        writer = Character()
        points = writer.accessor(QUAD)
        target = {"POSITION": writer.accessor(np.multiply(QUAD, 0.1))}
        flag = {
            "attributes": {"POSITION": points},
            "indices": writer.accessor([0, 1, 2, 0, 2, 3], "u2"),
            "targets": [target],
        }
        node = writer.place("Flag", writer.mesh(flag), skinned=False)
        writer.part("Mesh_1")
        if moves:
            writer.animate(node, "weights", [0.0, 1.0], [0.0, 1.0])
        return writer

    return make


SCENES: dict[str, Callable[[], Writer]] = {
    "outfit": several("EyeLeft", "Sword", "Outfit_Bottom", "Body", "Cape", "Outfit_Top", "Footwear"),
    "unnamed": several(
        ("Head", None, [[2, 3], [3, 2], [3, 2], [2, 3]]), "Mesh_1", ("rigid", None, [[1, 1]] * 4), "Mesh_2"
    ),
    "material first": several(("Hair001", "Tops_CLOTH"), ("Shirt", "Skin")),
    "whole body": several("C_head_GEO"),
    "whole body of two": several("C_head_GEO", "Mesh_2"),
    "hands": several(("Mesh", None, HALVES)),
    "hands of two": several(("Mesh", None, HALVES), ("Other", None, HALVES)),
    "sleeve": several(("Shirt", None, HALVES)),
    "materials": one_mesh("Body_SKIN", "Tops_CLOTH", "body_MAT"),
    "own trousers": one_mesh("Pants", "Main"),
    "own trousers and skin": one_mesh("Pants", "Main", ("Skin", HALVES)),
    "body beside shirt": several("Shirt", "Body"),
    "limbs by name": several(("Shirt", "Blue"), ("Lower_Legs", "Brown"), ("Prop", "Brown"), ("Vest", "Skin")),
    "limb bones": with_bones(several(("Vest", "Skin"), ("", "Brown")), "hips", "upperleg.l"),
    "limb bones in words": with_bones(several(("Vest", "Skin"), ("Thing", "Brown")), "hips", "LeftUpLeg"),
    "chest bones": with_bones(several(("Vest", "Skin"), ("Thing", "Brown")), "hips", "chest"),
    "limb bones without skin": with_bones(several(("Vest", "Tan"), ("Thing", "Brown")), "hips", "upperleg.l"),
    "next to skin": grouped(("Limbs", [("Front", "Skin"), ("Sides", "Red")]), ("Rest", [("Shirt", "Blue")])),
    "named group": grouped(("Hero_Top", [("Cube_1", "Blue")]), ("Hero_Armor", [("Cube_2", "Blue")])),
    "metal": with_metal(several(("Mesh_1", "one"), ("Mesh_2", "two")), metallicFactor=1.0),
    "half metal": with_metal(several(("Mesh_1", "one"), ("Mesh_2", "two")), metallicFactor=0.5),
    "part metal": with_metal(several(("Mesh_1", "one"), ("Mesh_2", "two")), metallicFactor=0.6),
    "metal by default": with_metal(several(("Mesh_1", "one"), ("Mesh_2", "two")), roughnessFactor=1.0),
    "metal cloth": with_metal(several(("Mesh_1", "shirt"), ("Mesh_2", "two")), metallicFactor=1.0),
    "bare skin": with_bones(one_mesh(("A", ENDS), ("A", ENDS), ("A", NEAR_ENDS), "B", name="Cube"), "hips", "head"),
    "one skin": with_bones(one_mesh(("A", ENDS), ("A", ENDS), ("A", NEAR_ENDS), name="Cube"), "hips", "head"),
    "too little skin": with_bones(one_mesh(("A", ENDS), ("A", NEAR_ENDS), ("A", NEAR_ENDS), "B"), "hips", "head"),
    "mesh names": with_mesh_names(several("Object_1", "Object_2", "Object_3"), "Trousers", "Hair", "Jacket"),
    "mesh names beside materials": with_mesh_names(several(("Object_1", "m1"), ("Object_2", "m2")), "Skin", "Body"),
    "fox": several("Mesh"),
    "hero with a robot": several("gdbot_mesh", "Mesh_2"),
    "robot in a shirt": several("xbot", "Shirt"),
    "animal bones": with_bones(several("Mesh_1", "Mesh_2"), "hips", "tail_1"),
    "names with dots": with_bones(several(("Mesh.001", None, HALVES), "Cape.001"), "hips.x", "spine.x", "hand.l"),
    "names of exporters": with_bones(
        several(("Mesh", None, HALVES), "Two"), "mixamorig:Hips", "Spine", "mixamorig:LeftHand"
    ),
    "other languages": several("スカート", "Jupe", "頭", "Mesh_1"),
    "knight": several(("knight_body", None), ("Tunic", None), "Mesh_2"),
    "moving morphs": morphed(moves=True),
    "still morphs": morphed(moves=False),
    **{f"person: {name}": (lambda name=name: write_person(name)) for name in PEOPLE},
}


@pytest.mark.parametrize("name", SCENES)
def test_exact_generated_characters(node: Callable[..., Any], tmp_path: Path, name: str) -> None:
    file = name.split()[0].replace(":", "")
    compare(node, SCENES[name]().save(tmp_path / f"{file}.glb"))
