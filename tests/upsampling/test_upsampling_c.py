"""Model files in the C interface: results have the same bits as in Python; files that cannot be used are rejected."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learning import random_model
from ruckle import Upsampler, load_model
from ruckle.upsampling.model import ARRAYS
from upsampler_in_c import UpsamplerInC


@pytest.mark.parametrize("precision", ["half", "single"])
def test_exact_c_reads_what_python_writes(precision: Any, tmp_path: Path) -> None:
    model = random_model(pairs=2)
    model.save(tmp_path / "a.npz", precision=precision)
    in_c = UpsamplerInC((tmp_path / "a.npz").read_bytes(), precision)
    # Python also loads the file, so that both have the rounded numbers
    upsampler = Upsampler(load_model(tmp_path / "a.npz"), precision=precision)
    random = np.random.default_rng(5)
    for _ in range(3):
        coarse = random.normal(size=(12, 3)).astype(np.float32)
        expected = upsampler.step(coarse, 0.1, gain=0.7).fine_positions
        np.testing.assert_array_equal(in_c.step(coarse, 0.1, 0.7), expected)
    for name in ("coarse_faces", "fine_faces", "holders", "barycentric"):
        np.testing.assert_array_equal(in_c.array(name), getattr(model, name))


def written(path: Path, **changes: Any) -> bytes:
    model = random_model(pairs=1)
    arrays = {name: getattr(model, name) for name in ARRAYS}
    arrays["format"] = np.array(json.dumps({"report": {"motions": ['"version": 9']}, "version": 1}, sort_keys=True))
    np.savez(path, **{name: value for name, value in {**arrays, **changes}.items() if value is not None})
    return path.read_bytes()


def test_exact_the_unchanged_file_of_the_reject_tests_is_read(tmp_path: Path) -> None:
    assert UpsamplerInC(written(tmp_path / "a.npz"), "half").array("holders").shape == (35,)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": None}, "file: is not a model of upsampling; it has no array format"),
        ({"operator": None}, "file: is not a model of upsampling; it has no array operator"),
        ({"format": np.array("{}")}, "file: is damaged; format has no version"),
        ({"format": np.zeros(2)}, "file: is damaged; format has no version"),
        ({"format": np.array('{"version": 9}')}, "file: has format version 9; this ruckle reads up to 2"),
        ({"operator": np.zeros((35, 12))}, "file: operator has the unusable type <f8"),
        ({"operator": np.zeros((35, 12, 1), np.float32)}, "file: is damaged; an array has the shape (1, ...)"),
        ({"operator": np.zeros((0, 12), np.float32)}, "file: operator is not a matrix (N, M)"),
        ({"operator": np.ones((35, 12), np.float32, order="F")}, "file: operator is not in C order"),
        ({"operator": np.ones((35, 12), np.float32)}, "rows: expected rows of sum 1, got 12.000000 at 0"),
        ({"operator": np.full((35, 12), np.inf, np.float16)}, "rows: every number must be finite"),
        ({"holders": np.full(35, 12, np.int32)}, "file: holders refers to coarse face 12, which does not exist"),
        ({"holders": np.zeros(34, np.int32)}, "file: holders does not fit the operator; expected the shape (35,)"),
        ({"coarse_faces": np.full((12, 3), 12, np.int32)}, "file: coarse_faces refers to vertex 12, which"),
        ({"coarse_faces": np.zeros((3, 4), np.int32)}, "file: coarse_faces is not of shape (T, 3)"),
        ({"frequencies": np.ones(2, np.float32)}, "file: oscillation_shapes does not fit the operator; expected"),
        ({"frequencies": np.zeros(1, np.float32)}, "frequencies: expected finite numbers above 0, got 0"),
    ],
)
def test_reject_files(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=re.escape(message)):
        UpsamplerInC(written(tmp_path / "a.npz", **changes), "half")


def test_reject_compressed_and_cut_files(tmp_path: Path) -> None:
    model = random_model()
    np.savez_compressed(tmp_path / "a.npz", format=np.array("{}"), **{n: getattr(model, n) for n in ARRAYS})
    with pytest.raises(RuntimeError, match="format is compressed; load the model in Python and save it again"):
        UpsamplerInC((tmp_path / "a.npz").read_bytes(), "half")
    content = written(tmp_path / "b.npz")
    for length in (0, 21, 100, len(content) - 1):
        with pytest.raises(RuntimeError, match="file: is not an NPZ archive, or is truncated"):
            UpsamplerInC(content[:length], "half")
    with pytest.raises(RuntimeError, match="file: is damaged"):
        UpsamplerInC(content[1000:], "half")


def test_property_bytes_that_changed_are_read_or_refused(tmp_path: Path) -> None:
    """Change each byte of the file's structure in two ways.

    Each changed file must be read or rejected with a message.
    """
    content = written(tmp_path / "a.npz")
    structure = [i for mark in (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06") for i in _found(content, mark)]
    outcomes = [
        _outcome(content, i, change)
        for begin in structure
        for i in range(begin, min(begin + 190, len(content)))
        for change in (0x01, 0xFF)
    ]
    assert outcomes.count("read") > 100
    assert len(outcomes) - outcomes.count("read") > 500
    assert not any("\n" in outcome for outcome in outcomes)


def _outcome(content: bytes, index: int, change: int) -> str:
    """Return the message with which a file with one changed byte is rejected; "read" if it is accepted."""
    changed = bytearray(content)
    changed[index] ^= change
    try:
        UpsamplerInC(bytes(changed)).step(np.zeros((12, 3), np.float32), 0.1, 1.0)
    except RuntimeError as error:
        return str(error)
    return "read"


def _found(content: bytes, mark: bytes) -> list[int]:
    places, at = [], content.find(mark)
    while at >= 0:
        places.append(at)
        at = content.find(mark, at + 1)
    return places
