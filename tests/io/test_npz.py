"""NPZ files: sources of the height, layouts of arrays, descriptions, and damaged archives and headers."""

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ruckle import FormatError, MeshError, describe, load

POSITIONS = np.array([[[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 0, 1], [1, 0, 1], [0, 2, 1]]], np.float32)
ARRAYS: dict[str, Any] = {"positions": POSITIONS, "faces": [[0, 1, 2]], "fps": 24.0}
JOINTS = np.array([[[0, 0.5, 0], [0, 3.5, 0]]])
SKELETON = {
    "bone_matrices": np.tile(np.eye(3, 4), (2, 2, 1, 1)),
    "joint_names": ["hip", "knee"],
    "joint_parents": [-1, 0],
}


def write(path: Path, **changed: Any) -> Path:
    """Write a minimal animation and return the path.

    `changed` replaces arrays, or removes them if the value is None.
    """
    arrays = {name: value for name, value in {**ARRAYS, **changed}.items() if value is not None}
    np.savez(path, **arrays)
    return path


def npy_header(descr: str, shape: str) -> bytes:
    """Return the header of an NPY 1.0 file with any text as type and shape."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def forge(path: Path, positions: bytes, **zip_options: Any) -> Path:
    with zipfile.ZipFile(write(path, positions=None), "a") as archive:
        archive.writestr("positions.npy", positions, **zip_options)
    return path


def test_exact_height_comes_from_the_first_source_that_has_it(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz")
    assert load(path).height == 2.0
    write(path, joints=JOINTS)
    assert load(path).height == 3.0
    for sidecar, height in (('{"name": "a"}', 3.0), ('{"character_height_m": 4}', 4.0)):
        path.with_suffix(".json").write_text(sidecar)
        assert load(path).height == height
    write(path, joints=JOINTS, height=5.0)
    assert load(path).height == 5.0
    assert load(path, height=6).height == 6.0


def test_exact_compressed_and_column_major_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, **{**ARRAYS, "positions": np.asfortranarray(POSITIONS.astype(np.float64))})
    assert np.array_equal(load(path).positions, POSITIONS)


def test_exact_description_lists_arrays_and_what_load_returns(tmp_path: Path) -> None:
    described = describe(write(tmp_path / "a.npz"))
    assert json.loads(json.dumps(described)) == described
    assert {"name": "positions", "shape": [2, 3, 3], "dtype": "float32"} in described["arrays"]
    assert described["animation"] == {
        "name": "a", "frames": 2, "fps": 24.0, "duration": 1 / 24, "vertices": 3, "faces": 1, "uv": False,
        "height": 2.0, "height_is_guess": True, "up": "y",
    }  # fmt: skip
    described = describe(write(tmp_path / "b.npz", positions=None))
    assert described["animation"] is None
    assert "holds no array 'positions', only: faces, fps" in described["problem"]


@pytest.mark.parametrize(
    ("changed", "kind", "message"),
    [
        ({"positions": None}, FormatError, "holds no array 'positions', only: faces, fps"),
        ({"fps": None}, FormatError, r"holds no array 'fps', so the frame rate must be given \(fps=\)"),
        ({"fps": 0.0}, FormatError, "fps: expected a finite number above 0, got 0.0"),
        ({"name": ["a", "b"]}, FormatError, "array 'name' is not one entry"),
        ({"positions": POSITIONS.astype(int)}, FormatError, "array 'positions' has the unusable type int64"),
        ({"joints": JOINTS[0]}, FormatError, r"array 'joints' has the shape \(2, 3\), expected \(F, J, 3\)"),
        ({"positions": POSITIONS[:, :2]}, MeshError, r"faces: face 0 refers to vertex 2, allowed are 0 to 1"),
        ({"positions": POSITIONS * np.nan}, MeshError, "positions: frame 0, vertex 0 is not finite"),
    ],
)
def test_reject_arrays_naming_the_file(tmp_path: Path, changed: dict[str, Any], kind: Any, message: str) -> None:
    with pytest.raises(kind, match=f"bad.npz: {message}"):
        load(write(tmp_path / "bad.npz", **changed))


def test_reject_signalling_nan_without_a_warning(tmp_path: Path) -> None:
    positions = POSITIONS.astype(np.float64)
    positions.view(np.uint64)[1, 2, 0] = 0x7FF0000000000001
    with pytest.raises(MeshError, match=r"bad\.npz: positions: frame 1, vertex 2 is not finite"):
        load(write(tmp_path / "bad.npz", positions=positions, joints=positions))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"joints": np.full((2, 1, 3), np.nan)}, "array 'joints' is not finite in its first frame"),
        ({"joints": JOINTS, **SKELETON}, r"arrays 'joints' \(1, 2, 3\) and 'bone_matrices' \(2, 2, 3, 4\)"),
    ],
)
def test_reject_joints_of_other_shapes(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=f"bad.npz: {message}"):
        load(write(tmp_path / "bad.npz", **changed))


def test_reject_a_method_of_compression_that_numpy_does_not_write(tmp_path: Path) -> None:
    path = forge(
        tmp_path / "bad.npz", npy_header("'<f4'", "(2, 3, 3)") + POSITIONS.tobytes(), compress_type=zipfile.ZIP_LZMA
    )
    with pytest.raises(FormatError, match=r"bad\.npz: .*compression method 14"):
        load(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(("field", "value"), [("CRC", 1), ("file_size", 199), ("compress_size", 30), ("flag_bits", 1)])
def test_reject_members_that_the_directory_contradicts(tmp_path: Path, field: str, value: int, method: int) -> None:
    content = npy_header("'<f4'", "(2, 3, 3)") + POSITIONS.tobytes()
    with zipfile.ZipFile(write(tmp_path / "bad.npz", positions=None), "a") as archive:
        archive.writestr("positions.npy", content, compress_type=method)
        # the directory is written when the archive is closed
        setattr(archive.getinfo("positions.npy"), field, value)
    with pytest.raises(FormatError, match=r"bad\.npz: array 'positions' (is damaged|has a damaged header|cannot be)"):
        load(tmp_path / "bad.npz")


@pytest.mark.parametrize("text", ["{", '{"character_height_m": -1}', "[" * 100_000])
def test_reject_damaged_sidecar_naming_it(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.npz")
    path.with_suffix(".json").write_text(text)
    with pytest.raises(FormatError, match=r"a\.json: "):
        load(path)


# shapes that need another number of bytes, and impossible shapes
SHAPES = ["(1000000, 100000, 3)", f"({2**62}, {2**62}, 3)", f"(0, {10**30})", "(-1, 3, 3)", "(2, 3, 4)", "'abc'",
          "(2.5, 3, 3)", "(((((((", "(" * 60_000]  # fmt: skip
TYPES = ["'O'", "'V0'", "[('a', '<f4')]", "'?!'", "None"]
HEADERS = [
    b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x09\x00\x10\x00" + b" " * 16,
    *(npy_header("'<f4'", shape) for shape in SHAPES), *(npy_header(kind, "(2, 3, 3)") for kind in TYPES),
]  # fmt: skip


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_reject_damaged_npy_header(tmp_path: Path, header: bytes, method: int) -> None:
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"bad\.npz: array 'positions'"):
        load(forge(tmp_path / "bad.npz", header + POSITIONS.tobytes(), compress_type=method))
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


def test_reject_what_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    with pytest.raises(FormatError, match=r"bad\.npz: no such file or folder"):
        load(path)
    for content in (b"PK but not really", npy_header("'<f4'", "(2, 3, 3)") + POSITIONS.tobytes()):
        path.write_bytes(content)
        for read in (load, describe):
            with pytest.raises(FormatError, match=r"bad\.npz: is not an NPZ archive"):
                read(path)
