"""NPZ: the shared sequences, where the height comes from, and archives that are not honest."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ruckle.errors import FormatError, MeshError
from ruckle.io import describe, load

POSITIONS = np.array([[[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 0, 1], [1, 0, 1], [0, 2, 1]]], np.float32)
ARRAYS: dict[str, Any] = {"positions": POSITIONS, "faces": [[0, 1, 2]], "fps": 24.0}
JOINTS = np.array([[[0, 0.5, 0], [0, 3.5, 0]]])


def write(path: Path, **changed: Any) -> Path:
    """Write the smallest animation with some arrays changed, and without those that are None."""
    arrays = {name: value for name, value in {**ARRAYS, **changed}.items() if value is not None}
    np.savez(path, **arrays)
    return path


def npy_header(descr: str, shape: str) -> bytes:
    """Return an NPY 1.0 header that claims any type and shape."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def forge(path: Path, positions: bytes, **zip_options: Any) -> Path:
    """Write an archive whose positions are any bytes."""
    with zipfile.ZipFile(write(path, positions=None), "a") as archive:
        archive.writestr("positions.npy", positions, **zip_options)
    return path


def test_exact_height_comes_from_the_first_source_that_has_it(tmp_path: Path) -> None:
    sidecar = tmp_path / "a.json"
    path = write(tmp_path / "a.npz")
    assert load(path).height == 2.0
    write(path, joints=JOINTS)
    assert load(path).height == 3.0
    sidecar.write_text('{"name": "a"}')
    assert load(path).height == 3.0
    sidecar.write_text('{"character_height_m": 4}')
    assert load(path).height == 4.0
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
def test_reject_arrays_naming_the_file(
    tmp_path: Path, changed: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"bad.npz: {message}"):
        load(write(tmp_path / "bad.npz", **changed))


def test_reject_signalling_nan_without_a_warning(tmp_path: Path) -> None:
    positions = POSITIONS.astype(np.float64)
    positions.view(np.uint64)[1, 2, 0] = 0x7FF0000000000001
    with pytest.raises(MeshError, match=r"bad\.npz: positions: frame 1, vertex 2 is not finite"):
        load(write(tmp_path / "bad.npz", positions=positions, joints=positions))


@pytest.mark.parametrize("text", ["{", '{"character_height_m": -1}', "[" * 100_000])
def test_reject_damaged_sidecar_naming_it(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.npz")
    path.with_suffix(".json").write_text(text)
    with pytest.raises(FormatError, match=r"a\.json: "):
        load(path)


@pytest.mark.parametrize(
    "shape", ["(1000000, 100000, 3)", f"({2**62}, {2**62}, 3)", "(0, 10**30)", "(-1, 3, 3)", "(2, 3, 4)"]
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_reject_shape_that_the_bytes_do_not_hold(tmp_path: Path, shape: str, method: int) -> None:
    content = npy_header("'<f4'", shape.replace("10**30", "1" + "0" * 30)) + POSITIONS.tobytes()
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"bad\.npz: array 'positions'"):
        load(forge(tmp_path / "bad.npz", content, compress_type=method))
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x09\x00\x10\x00" + b" " * 16,
        npy_header("'<f4'", "((((((("), npy_header("'<f4'", "(" * 60_000), npy_header("'O'", "(1, 3, 3)"),
        npy_header("'V0'", "(1, 3, 3)"), npy_header("[('a', '<f4')]", "(1, 3, 3)"),
        npy_header("'?!'", "(1, 3, 3)"),
        npy_header("'<f4'", "'abc'"), npy_header("'<f4'", "(2.5, 3, 3)"), npy_header("None", "None"),
    ],
)  # fmt: skip
def test_reject_damaged_npy_header(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"bad\.npz: array 'positions'"):
        load(forge(tmp_path / "bad.npz", content))


def test_reject_what_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    with pytest.raises(FormatError, match=r"bad\.npz: cannot be read \(No such file or directory\)"):
        load(path)
    path.write_bytes(b"PK but not really")
    with pytest.raises(FormatError, match=r"bad\.npz: is not an NPZ archive"):
        load(path)
    buffer = io.BytesIO()
    np.save(buffer, POSITIONS)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(FormatError, match=r"bad\.npz: is not an NPZ archive"):
        describe(path)
