"""Compressed glTF: the same mesh as uncompressed, and one sentence for damaged parts."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import COMPONENT_TYPES, Writer
from ruckle import Animation, FormatError, describe, load

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ["EXT_meshopt_compression", "KHR_meshopt_compression"]

ROWS = 8
GRID = np.array([(x, y, 0.1 * x * y) for y in range(ROWS) for x in range(ROWS)], np.float32)
CORNERS = np.array(
    [
        (k + a, k + b, k + c)
        for k in range(ROWS * (ROWS - 1))
        if (k + 1) % ROWS
        for a, b, c in ((0, 1, ROWS), (1, ROWS + 1, ROWS))
    ]
)
WEIGHTS = np.column_stack([GRID[:, 0] / 7, 1 - GRID[:, 0] / 7, 0 * GRID[:, :2]]).astype(np.float32)
JOINTS = np.tile(np.array([0, 1, 0, 0], np.uint8), (len(GRID), 1))


def skinned(writer: Writer, primitive: dict[str, Any]) -> Writer:
    """Add a mesh that two joints move, and an animation of one of them."""
    writer.mesh(primitive)
    for node in ({"mesh": 0, "skin": 0}, {}, {}):
        writer.add("nodes", node)
    writer.add("skins", {"joints": [1, 2]})
    writer.animate(1, "translation", [0.0, 0.1], [[0, 0, 0], [5, 0, 0]])
    return writer


def plain() -> Writer:
    """Return the grid without compression."""
    writer = Writer()
    attributes = {
        "POSITION": writer.accessor(GRID),
        "TEXCOORD_0": writer.accessor(GRID[:, :2] / 7),
        "JOINTS_0": writer.accessor(JOINTS, "u1"),
        "WEIGHTS_0": writer.accessor(WEIGHTS),
    }
    return skinned(writer, {"attributes": attributes, "indices": writer.accessor(CORNERS.ravel(), "u2")})


def with_draco() -> Writer:
    """Return the grid compressed by Draco, as exporters write it: its accessors do not have a buffer view."""
    draco = pytest.importorskip("DracoPy", reason='pip install "ruckle[gltf]"')
    arrays = {"TEXCOORD_0": (1, GRID[:, :2] / 7), "JOINTS_0": (2, JOINTS), "WEIGHTS_0": (3, WEIGHTS)}
    packed = draco.encode(
        GRID,
        CORNERS.astype(np.uint32),
        quantization_bits=20,
        preserve_order=True,
        generic_attributes={number: np.ascontiguousarray(array) for number, array in arrays.values()},
    )
    writer = Writer()
    kinds = {"POSITION": ("VEC3", "f4"), "TEXCOORD_0": ("VEC2", "f4"), "JOINTS_0": ("VEC4", "u1")}
    attributes = {
        name: writer.add("accessors", {"componentType": COMPONENT_TYPES[dtype], "count": len(GRID), "type": kind})
        for name, (kind, dtype) in (kinds | {"WEIGHTS_0": ("VEC4", "f4")}).items()
    }
    indices = {"componentType": COMPONENT_TYPES["u2"], "count": CORNERS.size, "type": "SCALAR"}
    extension = {
        "bufferView": writer.view(packed),
        "attributes": {"POSITION": 4} | {name: number for name, (number, _) in arrays.items()},
    }
    writer.root["extensionsRequired"] = [DRACO]
    return skinned(
        writer,
        {
            "attributes": attributes,
            "indices": writer.add("accessors", indices),
            "extensions": {DRACO: extension},
        },
    )


def with_meshopt(name: str = MESHOPT[0]) -> Writer:
    """Return the plain document with its arrays compressed, and an empty buffer for their uncompressed copy."""
    meshopt = pytest.importorskip("meshoptimizer", reason='pip install "ruckle[gltf]"')
    writer, packed = plain(), Writer()
    for accessor in writer.root["accessors"]:
        view = writer.root["bufferViews"][accessor["bufferView"]]
        content = writer.binary[view["byteOffset"] :][: view["byteLength"]]
        count, stride = accessor["count"], view["byteLength"] // accessor["count"]
        if accessor["type"] == "SCALAR" and accessor["componentType"] == COMPONENT_TYPES["u2"]:
            mode = "TRIANGLES"
            numbers = np.frombuffer(content, "<u2").astype(np.uint32)
            encoded = meshopt.encode_index_buffer(numbers, count, len(GRID))
        else:
            mode = "ATTRIBUTES"
            encoded = meshopt.encode_vertex_buffer(np.frombuffer(content, np.uint8), count, stride)
        place = {"buffer": 0, "byteOffset": len(packed.binary), "byteLength": len(encoded)}
        packed.binary += bytes(encoded)
        view |= {"buffer": 1, "extensions": {name: place | {"byteStride": stride, "count": count, "mode": mode}}}
    length = len(writer.binary)
    writer.binary = packed.binary
    empty = {"byteLength": length, "extensions": {name: {"fallback": True}}}
    writer.root["buffers"] = [{"byteLength": len(packed.binary)}, empty]
    writer.root["extensionsRequired"] = [name]
    return writer


def assert_same(found: Animation, expected: Animation, tolerance: float) -> None:
    # Draco may number corners and triangles in another order
    corners, wanted = found.positions[:, found.faces], expected.positions[:, expected.faces]
    order, other = (np.lexsort(array[0].mean(axis=1).round(3).T) for array in (corners, wanted))
    assert np.abs(np.sort(corners[:, order], axis=2) - np.sort(wanted[:, other], axis=2)).max() <= tolerance
    assert np.abs(np.sort(found.uv, axis=0) - np.sort(expected.uv, axis=0)).max() <= tolerance


def test_exact_draco_gives_the_uncompressed_mesh(tmp_path: Path) -> None:
    expected = load(plain().save(tmp_path / "plain.glb"))
    found = load(with_draco().save(tmp_path / "draco.glb"))
    assert np.ptp(expected.positions[:, :, 0], axis=0).max() > 1
    assert_same(found, expected, 1e-5)


@pytest.mark.parametrize("name", MESHOPT)
@pytest.mark.parametrize("suffix", [".glb"])
def test_exact_meshopt_gives_the_uncompressed_mesh(tmp_path: Path, name: str, suffix: str) -> None:
    expected = load(plain().save(tmp_path / "plain.glb"))
    found = load(with_meshopt(name).save(tmp_path / f"meshopt{suffix}"))
    assert found.positions.tobytes() == expected.positions.tobytes()
    assert found.uv.tobytes() == expected.uv.tobytes()


def test_exact_exponential_filter(tmp_path: Path) -> None:
    meshopt = pytest.importorskip("meshoptimizer", reason='pip install "ruckle[gltf]"')
    # 24 bits of a signed mantissa below 8 bits of a signed exponent
    mantissa, exponent = np.array([1000, 5, -7, 1, 2, 3, -800, 0, 12]), np.array([-20, 2, -3, 0, 1, -1, 3, 0, -9])
    raw = (exponent << 24 | mantissa & 0xFFFFFF).astype(np.int32)
    writer = with_meshopt()
    encoded = meshopt.encode_vertex_buffer(np.ascontiguousarray(raw.view(np.uint8)), 3, 12)
    view = writer.root["bufferViews"][0]["extensions"][MESHOPT[0]]
    view |= {"byteOffset": len(writer.binary), "byteLength": len(encoded), "byteStride": 12, "count": 3}
    view["filter"] = "EXPONENTIAL"
    writer.binary += bytes(encoded)
    writer.root["buffers"][0]["byteLength"] = len(writer.binary)
    writer.root["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    writer.root["accessors"][0]["count"] = 3
    writer.root["nodes"] = [{"mesh": 0}]
    for kind in ("skins", "animations"):
        del writer.root[kind]
    found = load(writer.save(tmp_path / "a.glb")).positions[0]
    assert np.array_equal(found, np.ldexp(mantissa.astype(float), exponent).reshape(3, 3).astype(np.float32))


def change(path: list[Any], value: Any) -> Any:
    def apply(writer: Writer) -> None:
        holder = writer.root
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return apply


VIEW = ["bufferViews", 0, "extensions", MESHOPT[0]]
PRIMITIVE = ["meshes", 0, "primitives", 0, "extensions", DRACO]


@pytest.mark.parametrize(
    ("made", "damage", "sentence"),
    [
        (with_draco, change([*PRIMITIVE, "attributes", "POSITION"], 77), "does not have POSITION, attribute 77"),
        (with_draco, change([*PRIMITIVE, "bufferView"], 99), "expected a whole number from 0"),
        (with_draco, change(["bufferViews", 0, "byteLength"], 30), "is not a Draco mesh"),
        (with_draco, change(["accessors", 0, "componentType"], 5123), "and holds float32"),
        (with_meshopt, change([*VIEW, "count"], 65), "cannot be decoded"),
        (with_meshopt, change([*VIEW, "mode"], "SPHERES"), "mode 'SPHERES' with 12 bytes cannot be decoded"),
        (with_meshopt, change([*VIEW, "filter"], "COLOR"), "filter 'COLOR' with 12 bytes cannot be decoded"),
        (with_meshopt, change([*VIEW, "filter"], "QUATERNION"), "filter 'QUATERNION' with 12 bytes"),
        (with_meshopt, change([*VIEW, "byteStride"], 7), "mode 'ATTRIBUTES' with 7 bytes cannot be decoded"),
        (with_meshopt, change([*VIEW, "count"], 10**12), "would take .* of memory"),
        (with_meshopt, change(["bufferViews", 4, "extensions", MESHOPT[0], "count"], 293), "indices of 2 bytes"),
        (with_meshopt, change([*VIEW, "byteLength"], 10**6), "ends at byte"),
    ],
)
def test_reject_damaged_parts(tmp_path: Path, made: Any, damage: Any, sentence: str) -> None:
    writer = made()
    damage(writer)
    with pytest.raises(FormatError, match=sentence) as found:
        load(writer.save(tmp_path / "a.glb"))
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(("made", "package"), [(with_draco, "DracoPy"), (with_meshopt, "meshoptimizer")])
def test_reject_compression_without_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Any, package: str
) -> None:
    path = made().save(tmp_path / "a.glb")
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for module in ("gltf_compression", "library_process"):
        monkeypatch.setattr(f"ruckle.io.{module}.find_spec", lambda name: None)
    with pytest.raises(FormatError, match=rf'{package}, which is not installed: pip install "ruckle\[gltf\]"'):
        load(path)
    assert "ruckle[gltf]" in describe(path)["problem"]


def test_exact_uncompressed_copies_need_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = plain()
    writer.root["bufferViews"][0]["extensions"] = {MESHOPT[0]: {}}
    writer.root["meshes"][0]["primitives"][0]["extensions"] = {DRACO: {}}
    monkeypatch.setattr("ruckle.io.gltf_compression.find_spec", lambda name: None)
    assert np.array_equal(load(writer.save(tmp_path / "a.glb")).faces, CORNERS)
