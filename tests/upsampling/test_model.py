"""Files of upsampling models: writing, reading, and clear error messages for files that cannot be used."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learning import random_model
from ruckle import FormatError, load_model
from ruckle.upsampling.model import ARRAYS


@pytest.mark.parametrize(("precision", "kind"), [("half", np.float16), ("single", np.float32)])
def test_exact_files_keep_everything(precision: Any, kind: type, tmp_path: Path) -> None:
    model, path = random_model(pairs=2, report={"prior": "smooth", "gamma": [0.3, 10.0]}), tmp_path / "a.npz"
    model.save(path, precision=precision)
    found = load_model(path)
    for name in ARRAYS:
        expected = getattr(model, name)
        np.testing.assert_array_equal(getattr(found, name), expected.astype(kind) if name == "operator" else expected)
    assert found.report == model.report
    assert found.oscillation_count == 2
    # if the model is saved again, the file has the same bytes
    again = tmp_path / "b.npz"
    found.save(again, precision=precision)
    assert again.read_bytes() == path.read_bytes()


def changed(**changes: Any) -> dict[str, Any]:
    """Return the arrays of a model file. `changes` replaces arrays, or removes them if the value is None."""
    model = random_model(pairs=1)
    arrays = {name: getattr(model, name) for name in ARRAYS}
    arrays["format"] = np.array(json.dumps({"version": 1, "report": {}}))
    return {name: value for name, value in {**arrays, **changes}.items() if value is not None}


def test_exact_the_unchanged_file_of_the_reject_tests_is_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **changed())
    assert load_model(tmp_path / "a.npz").fine_count == 35


BAD_ROW = np.where(np.arange(35)[:, None] == 4, 2.0, 1.0 / 12).astype(np.float32) * np.ones((1, 12), np.float32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": None}, "is not a model of upsampling; it has no array format"),
        ({"holders": None}, "is not a model of upsampling; it has no array holders"),
        ({"format": np.array("{")}, r"is damaged \(format: "),
        ({"format": np.array("[1]")}, r"is damaged \(format: "),
        ({"format": np.array('{"version": 1}')}, r"is damaged \(format: 'report'\)"),
        (
            {"format": np.array('{"version": "1", "report": {}}')},
            r"is damaged \(format: it has no version or",
        ),
        ({"format": np.array('{"version": 9, "report": {}}')}, "has format version 9; this ruckle reads up to 2"),
        ({"format": np.zeros(2)}, "array 'format' has the unusable type float64"),
        ({"operator": np.zeros((35, 12, 1), np.float32)}, r"operator: expected an array of shape \(N, M\), got"),
        ({"operator": np.zeros((0, 12), np.float32)}, r"operator: expected an array of shape \(N, M\), got \(0, 12\)"),
        ({"operator": np.full((35, 12), np.nan, np.float32)}, "operator: every number must be finite"),
        ({"operator": BAD_ROW}, "operator: expected rows of sum 1, got 24 in row 4"),
        ({"operator": np.zeros((35, 12), np.int32)}, "array 'operator' has the unusable type int32"),
        ({"coarse_rest": np.zeros((11, 3), np.float32)}, r"coarse_rest: expected an array of shape \(12, 3\), got"),
        ({"fine_rest": np.full((35, 3), np.inf, np.float32)}, "fine_rest: every number must be finite"),
        ({"holders": np.full(35, 12, np.int32)}, "holders: expected numbers from 0 to 11, got 12 to 12"),
        ({"barycentric": np.full((35, 3), 2.0, np.float32)}, "barycentric: expected numbers from 0 to 1, got 2 to 2"),
        ({"barycentric": np.full((35, 3), 0.9, np.float32)}, "barycentric"),
        ({"attachment": np.full(35, -0.5, np.float32)}, "attachment: expected numbers from 0 to 1, got -0.5"),
        ({"frequencies": np.zeros(1, np.float32)}, "frequencies: expected numbers above 0, got 0"),
        ({"frequencies": np.ones(2, np.float32)}, "oscillation_shapes: expected 4 shapes, two for each frequency"),
        ({"covariance": np.ones((12, 11), np.float32)}, r"covariance: expected an array of shape \(12, 12\), got"),
        ({"fine_faces": np.array([[0, 1, 99]])}, "face 0"),
        ({"coarse_faces": np.zeros((3, 4), np.int32)}, r"coarse_faces: expected an array of shape \(T, 3\), got"),
    ],
)
def test_reject_files(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **changed(**changes))
    with pytest.raises(FormatError, match=rf"a\.npz: (is damaged \()?.*{message}"):
        load_model(tmp_path / "a.npz")


def test_reject_what_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    random_model().save(path)
    for content in (path.read_bytes()[:100], b"no archive"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"a\.npz: is not an NPZ archive"):
            load_model(path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "b.npz")
    with pytest.raises(TypeError, match="path: expected"):
        load_model(3)  # type: ignore[arg-type]


def test_exact_strangeness_is_relative_to_the_covariance_of_training() -> None:
    model = random_model(covariance=0.01 * np.eye(12, dtype=np.float32))
    frames = np.random.default_rng(0).normal(size=(3, 12, 3)).astype(np.float32)
    centered = frames - frames.mean(axis=1, keepdims=True)
    expected = np.sqrt((centered.astype(np.float64) ** 2).sum(axis=(1, 2)) / 0.01 / 36)
    np.testing.assert_allclose(model.strangeness(frames + np.array([5.0, 0.0, 0.0])), expected, rtol=1e-5)
