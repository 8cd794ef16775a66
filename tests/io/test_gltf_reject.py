"""Rejected glTF documents: the error message names the file, the location in the document, and the allowed values."""

import json
import re
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import Writer, skinned_triangle, still_triangle
from program import write_scene
from ruckle import FormatError, MeshError, describe, load, sample_gltf

Root = dict[str, Any]


def animated() -> Writer:
    """Return a skinned triangle with one animation of two keys."""
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    writer.animate(1, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]])
    return writer


def at(root: Root, place: tuple[str | int, ...]) -> Any:
    for key in place:
        root = root[key]  # type: ignore[index]
    return root


def put(*place: str | int, value: Any) -> Callable[[Root], None]:
    """Return a function that sets a value at one location of a document."""
    return lambda root: at(root, place[:-1]).__setitem__(place[-1], value)


def drop(*place: str | int) -> Callable[[Root], None]:
    """Return a function that removes the value at one location of a document."""
    return lambda root: at(root, place[:-1]).__delitem__(place[-1])


def both(*changes: Callable[[Root], None]) -> Callable[[Root], None]:
    return lambda root: [change(root) for change in changes]


# indices of the accessors of `animated`: 0 positions, 1 joints, 2 weights, 3 key times, 4 key values
PRIMITIVE = ("meshes", 0, "primitives", 0)
SAMPLER = ("animations", 0, "samplers", 0)
SPARSE = {"count": 1, "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 0}}

REJECTED: list[tuple[Callable[[Root], None], str]] = [
    (put("asset", "version", value="1.0"), "is glTF version '1.0', only 2.x can be read"),
    (put("extensionsRequired", value=["KHR_gaussian_splatting"]), "requires the extension KHR_gaussian_splat"),
    (put("meshes", value=[]), "nodes[0]: mesh: refers to 0, but the document has none"),
    (both(drop("meshes"), put("nodes", value=[]), drop("animations")), "holds no mesh"),
    (put("nodes", value={}), "nodes: expected a list, found dict"),
    (put("nodes", 1, "children", value=[1]), "nodes: some nodes of the hierarchy form a cycle"),
    (both(put("nodes", 1, "children", value=[2]), put("nodes", 2, "children", value=[1])),
     "nodes: some nodes of the hierarchy form a cycle"),
    (both(put("nodes", 1, "children", value=[2]), put("nodes", 0, "children", value=[2])),
     "nodes[1]: node 2 has a second parent, 0 is its first"),
    (put("nodes", 1, "children", value=[3]), "nodes[1]: children: expected a whole number from 0 to 2, found 3"),
    (put("nodes", 0, "mesh", value=True), "nodes[0]: mesh: expected a whole number from 0 to 0, found True"),
    (put("nodes", 0, "skin", value=1.5), "nodes[0]: skin: expected a whole number from 0 to 0, found 1.5"),
    (put("nodes", 1, "rotation", value=[0, 0, 0, 0]), "nodes[1]: rotation is zero"),
    (put("nodes", 1, "scale", value=[1, 1]), "nodes[1]: scale: expected 3 finite numbers, found [1, 1]"),
    (put("nodes", 1, "scale", value=[1, 1, 10**400]), "nodes[1]: scale: expected numbers"),
    (put("scenes", value=[{"nodes": [9]}]), "scenes[0]: nodes: expected a whole number from 0 to 2, found 9"),
    (drop(*PRIMITIVE, "attributes"), "meshes[0].primitives[0]: has no positions"),
    (put(*PRIMITIVE, "mode", value=1), "meshes[0]: has no primitive made of triangles"),
    (put(*PRIMITIVE, "indices", value=0), "accessors[0]: type: expected SCALAR, found 'VEC3'"),
    (put(*PRIMITIVE, "indices", value=3), "accessors[3]: componentType: expected unsigned integers, found float32"),
    (put(*PRIMITIVE, "targets", value=[{"POSITION": 4}]), "meshes[0].primitives[0].targets[0]: has 2 elements"),
    (drop(*PRIMITIVE, "attributes", "WEIGHTS_0"), "meshes[0].primitives[0]: has 1 sets of joints and 0"),
    (put(*PRIMITIVE, "attributes", "JOINTS_0", value=0), "accessors[0]: type: expected VEC4, found 'VEC3'"),
    (put(*PRIMITIVE, "attributes", "TEXCOORD_0", value=4), "meshes[0].primitives[0].attributes: TEXCOORD_0: expected"),
    (put("skins", 0, "joints", value=[]), "skins[0]: has no joints"),
    (put("skins", 0, "inverseBindMatrices", value=0), "accessors[0]: type: expected MAT4, found 'VEC3'"),
    (put("accessors", 0, "count", value=2), "meshes[0].primitives[0].attributes: JOINTS_0: expected one element for"),
    (put("accessors", 0, "count", value=10**12), "accessors[0]: would take "),
    (both(put("accessors", 0, "count", value=10**12), drop("accessors", 0, "bufferView")), "accessors[0]: would take "),
    (put("accessors", 0, "byteOffset", value=4), "accessors[0]: 3 elements of 12 bytes reach beyond their buffer"),
    (put("accessors", 0, "normalized", value=1), "accessors[0]: normalized: expected true or false, found 1"),
    (put("accessors", 0, "sparse", value={"count": 1}), "accessors[0].sparse: expected indices and values"),
    (put("accessors", 0, "sparse", value={**SPARSE, "count": 4}), "accessors[0].sparse: count: expected a whole"),
    (put("accessors", 0, "sparse", value={**SPARSE, "indices": {"bufferView": 2, "byteOffset": 3,
     "componentType": 5121}}),
     "accessors[0].sparse.indices: refers to element 63 of 3"),
    (put("accessors", 0, "sparse", value={**SPARSE, "indices": {"bufferView": 0, "componentType": 5126}}),
     "accessors[0].sparse.indices: componentType: expected unsigned integers, found float32"),
    (put("bufferViews", 0, "byteStride", value=4), "accessors[0]: elements of 12 bytes overlap at a stride of 4"),
    (put("bufferViews", 0, "byteLength", value=10**6), "bufferViews[0]: ends at byte 1000000 of a buffer of"),
    (put("bufferViews", 0, "buffer", value=1), "bufferViews[0]: buffer: expected a whole number from 0 to 0, found 1"),
    (put("buffers", value=[{"byteLength": 9, "uri": "data:;base64,a"}]), "buffers[0]: uri: is not valid base64"),
    (put(*SAMPLER, "interpolation", value="CUBIC"), "animations[0].samplers[0]: interpolation: expected LINEAR, STEP"),
    (put(*SAMPLER, "interpolation", value="CUBICSPLINE"), "animations[0].samplers[0]: output has 6 numbers, but 2"),
    (put("animations", 0, "channels", 0, "target", "path", value="rotation"), "accessors[4]: type: expected VEC4"),
    (drop("animations", 0, "channels", 0, "target"), "animations[0].channels[0]: has no target"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), REJECTED, ids=[message[:60] for _, message in REJECTED])
def test_reject_document(tmp_path: Path, change: Callable[[Root], None], message: str) -> None:
    writer = animated()
    change(writer.root)
    path = tmp_path / "bad.glb"
    path.write_bytes(writer.glb())
    tracemalloc.start()
    with pytest.raises(FormatError, match=rf"bad\.glb: (document: )?{re.escape(message)}"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("times", "values", "path", "message"),
    [
        ([0.0, np.nan], [[0, 0, 0]] * 2, "translation", r"accessors\[\d\]: element 1 is not finite"),
        ([0.0, 1.0], [[0, 0, 0], [0, np.inf, 0]], "translation", r"accessors\[\d\]: element 1 is not finite"),
        ([1.0, 0.0], [[0, 0, 0]] * 2, "translation", "input: key times do not ascend"),
        ([0.0, 1.0], [[0, 0, 0, 1], [0, 0, 0, 0]], "rotation", "output holds a rotation that is zero"),
        ([0.0, 1e30], [[0, 0, 0]] * 2, "translation", r"animation '', 1e\+30 s at 30 fps: would take 4\.8e\+26 MB of"),
    ],
)
def test_reject_keys(tmp_path: Path, times: list[float], values: list[list[float]], path: str, message: str) -> None:
    writer = still_triangle()
    writer.animate(0, path, times, values)
    with pytest.raises(FormatError, match=message):
        load(writer.save(tmp_path / "a.glb"))


def test_reject_signalling_nan_without_a_warning(tmp_path: Path) -> None:
    path = still_triangle().save(tmp_path / "a.glb")
    signalling = struct.pack("<I", 0x7F800001)
    path.write_bytes(path.read_bytes().replace(struct.pack("<f", 1.0), signalling))
    with pytest.raises(FormatError, match=r"accessors\[0\]: element 1 is not finite"):
        sample_gltf(path, [0.0])


def test_reject_positions_that_overflow_as_mesh_error_with_frame(tmp_path: Path) -> None:
    writer = still_triangle(scale=[1e38, 1e38, 1e38])
    writer.animate(0, "translation", [0.0, 1.0], [[0, 0, 0], [3e38, 0, 0]])
    with pytest.raises(MeshError, match=r"a\.glb: positions: frame \d+, vertex 1 is not finite"):
        load(writer.save(tmp_path / "a.glb"), height=1)


@pytest.mark.parametrize(
    ("joints", "weights", "message"),
    [
        ([[0, 2, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3, "vertex 0 refers to joint 2, but the skin has 2"),
        ([[0, 1, 0, 0]] * 3, [[1, 0, 0, 0], [1.5, -0.5, 0, 0], [1, 0, 0, 0]], "vertex 1 has a negative weight"),
    ],
)
def test_reject_influences(tmp_path: Path, joints: list[list[int]], weights: list[list[float]], message: str) -> None:
    writer = skinned_triangle(weights)
    writer.root["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = writer.accessor(joints, "u1")
    with pytest.raises(FormatError, match=rf"meshes\[0\]\.primitives\[0\]: {message}"):
        load(writer.save(tmp_path / "a.glb"))
    # joints with weight 0 only fill the array, so their indices may be out of range
    padded = skinned_triangle([[1, 0, 0, 0]] * 3)
    padded.root["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = padded.accessor([[0, 99, 99, 99]] * 3, "u1")
    assert load(padded.save(tmp_path / "b.glb")).frame_count == 1


def test_reject_faces(tmp_path: Path) -> None:
    for indices, kind, message in (
        ([0, 1, 5], FormatError, "a face refers to vertex 5, allowed are 0 to 2"),
        ([0, 1], FormatError, "2 corners"),
        ([0, 1, 1], MeshError, r"a\.glb: faces: face 0 uses one vertex twice"),
    ):
        writer = still_triangle()
        writer.root["meshes"][0]["primitives"][0]["indices"] = writer.accessor(indices, "u2")
        with pytest.raises(kind, match=message):
            load(writer.save(tmp_path / "a.glb"))


@pytest.mark.parametrize(
    "uri",
    ["../a.bin", "/etc/hostname", "sub/../../a.bin", "%2e%2e/a.bin", "http://a.org/a.bin", "file:///etc/a", "link.bin"],
)
def test_reject_buffers_outside_the_folder(tmp_path: Path, uri: str) -> None:
    writer = still_triangle()
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "a.bin").write_bytes(writer.binary)
    (folder / "link.bin").symlink_to(tmp_path / "a.bin")
    (folder / "a.gltf").write_bytes(writer.gltf(uri))
    with pytest.raises(FormatError, match=r"buffers\[0\]: uri: .* does not lie in the document's folder"):
        load(folder / "a.gltf")


def test_reject_buffers_that_are_absent_short_or_impossible(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    (tmp_path / "short.bin").write_bytes(b"short")
    for uri, message in (
        ("absent.bin", r"absent\.bin: no such file or folder"),
        ("short.bin", r"a\.gltf: buffers\[0\]: states 36 bytes, but has only 5"),
        ("a%00.bin", r"a\.gltf: buffers\[0\]: uri: 'a%00\.bin' is not a usable path"),
        ("a" * 300, r"a\.gltf: buffers\[0\]: uri: 'a{79} is not a usable path \(File name too long\)"),
    ):
        path.write_bytes(still_triangle().gltf(uri))
        with pytest.raises(FormatError, match=message):
            load(path)


GLB = still_triangle().glb()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GLB[:8], "is truncated within the GLB header"),
        (GLB[:4] + struct.pack("<I", 3) + GLB[8:], "is GLB version 3, only version 2 can be read"),
        (GLB[:-1], "bytes, but has only"),
        (struct.pack("<4sII", b"glTF", 2, 12), "does not begin with a JSON chunk"),
        (struct.pack("<4sII", b"glTF", 2, 16) + b"1234", "chunk 0 is truncated"),
        (struct.pack("<4sIIII", b"glTF", 2, 20, 99, 0x4E4F534A), "chunk 0 states 99 bytes, but 0 are left"),
        (b"", "is empty"), (b"{", "is not valid JSON"), (b"[]", "expected an object, found list"),
        (b"\xff\xfe{", "is not valid JSON"), (b"[" * 10**6, r"is not valid JSON \(nested too deeply\)"),
        (b'{"asset":' * 10**5, "is not valid JSON"), (b'{"a":' + b"9" * 5000 + b"}", "is not valid JSON"),
    ],
)  # fmt: skip
def test_reject_container(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.glb"
    path.write_bytes(content)
    for action in (load, describe):
        with pytest.raises(FormatError, match=rf"bad\.glb: .*{message}"):
            action(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mesh": "coat"}, "has no mesh 'coat', only: 'body', 'head', 'shirt', 'red"),
        ({"mesh": 2}, "has no mesh 2, only 0 to 1; names are 'body', 'head', 'shirt'"),
        ({"mesh": -1}, "has no mesh -1, only 0 to 1"),
        ({"animation": "run"}, "has no animation 'run', only: 'hop', 'leap'"),
        ({"animation": "leep"}, "has no animation 'leep', only: 'hop', 'leap'; did you mean 'leap'"),
        ({"animation": 2}, "has no animation 2, only 0 to 1"),
        ({"primitive": 1}, "has no primitive 1, only 1"),
        ({"mesh": 1.5}, "^mesh: expected a name, an index, or a list of them, got 1.5"),
        ({"animation": True}, "^animation: expected a name or an index, got True"),
        ({"primitive": "a"}, "^primitive: expected an index from 0, got 'a'"),
    ],
)
def test_reject_choices_listing_what_there_is(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(write_scene(tmp_path / "a.glb"), **options)


def test_reject_ambiguous_names(tmp_path: Path) -> None:
    writer = still_triangle(name="sleeve")
    writer.mesh({"attributes": {"POSITION": 0}})
    writer.add("nodes", {"mesh": 1, "name": "sleeve"})
    path = writer.save(tmp_path / "a.glb")
    with pytest.raises(FormatError, match="has several called 'sleeve', so mesh must be an index"):
        load(path, mesh="sleeve")
    assert load(path, mesh=1).name == "sleeve"


@pytest.mark.parametrize("times", [[np.nan], [[0.0]], 0.0])
def test_reject_times(tmp_path: Path, times: Any) -> None:
    with pytest.raises(ValueError, match=r"^times: expected finite numbers of shape"):
        sample_gltf(still_triangle().save(tmp_path / "a.glb"), times)


def test_exact_description_says_what_cannot_be_loaded(tmp_path: Path) -> None:
    writer = animated()
    writer.root["extensionsRequired"] = ["KHR_gaussian_splatting"]
    path = writer.save(tmp_path / "a.glb")
    described = describe(path)
    assert json.loads(json.dumps(described)) == described
    assert described["animation"] is None
    for found in (described["problem"], described["meshes"][0]["problem"], described["animations"][0]["problem"]):
        assert "KHR_gaussian_splatting" in found
    del writer.root["extensionsRequired"]
    writer.root["animations"][0]["samplers"][0]["interpolation"] = "BEZIER"
    assert "BEZIER" in describe(writer.save(path))["animations"][0]["problem"]
