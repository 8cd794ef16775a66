"""Compressed glTF files: the mesh is equal to the uncompressed mesh, and damaged data raises an error."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import CORNERS, DRACO, MESHOPT, Writer, compressible, with_draco, with_meshopt
from program import invoke
from ruckle import Animation, FormatError, describe, load

meshopt = pytest.importorskip("meshoptimizer", reason='pip install "ruckle[gltf]"')
pytest.importorskip("DracoPy", reason='pip install "ruckle[gltf]"')


def assert_same(found: Animation, expected: Animation, tolerance: float) -> None:
    # Draco may change the order of corners and triangles, so sort both meshes
    corners, wanted = found.positions[:, found.faces], expected.positions[:, expected.faces]
    order, other = (np.lexsort(array[0].mean(axis=1).round(3).T) for array in (corners, wanted))
    assert np.abs(np.sort(corners[:, order], axis=2) - np.sort(wanted[:, other], axis=2)).max() <= tolerance
    assert np.abs(np.sort(found.uv, axis=0) - np.sort(expected.uv, axis=0)).max() <= tolerance


def test_exact_draco_gives_the_uncompressed_mesh(tmp_path: Path) -> None:
    expected = load(compressible().save(tmp_path / "plain.glb"))
    found = load(with_draco().save(tmp_path / "draco.glb"))
    assert np.ptp(expected.positions[:, :, 0], axis=0).max() > 1
    assert_same(found, expected, 1e-5)


@pytest.mark.parametrize("name", MESHOPT)
@pytest.mark.parametrize("suffix", [".glb"])
def test_exact_meshopt_gives_the_uncompressed_mesh(tmp_path: Path, name: str, suffix: str) -> None:
    expected = load(compressible().save(tmp_path / "plain.glb"))
    found = load(with_meshopt(name).save(tmp_path / f"meshopt{suffix}"))
    assert found.positions.tobytes() == expected.positions.tobytes()
    assert found.uv.tobytes() == expected.uv.tobytes()


def test_exact_exponential_filter(tmp_path: Path) -> None:
    # each 32-bit number: signed mantissa in the lower 24 bits, signed exponent of 2 in the upper 8 bits
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
    writer = compressible()
    writer.root["bufferViews"][0]["extensions"] = {MESHOPT[0]: {}}
    writer.root["meshes"][0]["primitives"][0]["extensions"] = {DRACO: {}}
    monkeypatch.setattr("ruckle.io.gltf_compression.find_spec", lambda name: None)
    assert np.array_equal(load(writer.save(tmp_path / "a.glb")).faces, CORNERS)


@pytest.mark.parametrize("made", [with_draco, with_meshopt])
def test_exact_exports_carry_the_fine_mesh_in_a_compressed_file(tmp_path: Path, made: Any) -> None:
    path = made().save(tmp_path / "a.glb")
    result = invoke("export", str(path), "-o", str(tmp_path / "fine.glb"), "--rest", "first")
    assert result.exit_code == 0, result.stderr
    coarse, fine = load(path), load(tmp_path / "fine.glb")
    assert fine.skeleton is not None
    assert fine.frame_count == coarse.frame_count
    extents = (np.ptp(one.positions, axis=1) for one in (coarse, fine))
    assert np.abs(np.subtract(*extents)).max() < 0.1
