"""The NPZ file of a run: round trip, equal bytes for equal runs, optional arrays, and rejected files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meshes import grid
from ruckle import Animation, FormatError, Frame, Wrinkle, run
from ruckle.io import results
from ruckle.io.results import RunWriter, load_run
from ruckle.io.wrinkle_arrays import COLUMNS, OFFSETS


def waving(uv: bool = False) -> Animation:
    """Return a sheet that is compressed and released. If `uv`, it has texture coordinates with seams."""
    sheet = grid(5, 4)
    squeeze = 1 - 0.3 * np.sin(np.linspace(0, np.pi, 7))
    positions = sheet.positions * squeeze[:, None, None] ** [1, 0, 0]
    corners = sheet.positions[sheet.faces].reshape(-1, 3)[:, :2] / 5
    texture = {"uv": corners, "uv_faces": np.arange(len(corners)).reshape(-1, 3)} if uv else {}
    return Animation(positions, sheet.faces, fps=24, name="waving", height=1.7, **texture)


PARAMETERS: dict[str, Any] = {"relaxation": 0.1, "tau": 1.2, "r_min": 0.1}


def write(path: Path, animation: Animation, threads: int = 1, **options: Any) -> None:
    with RunWriter(path, animation, PARAMETERS, everything=True, **options) as writer:
        for frame in run(animation, threads=threads, **PARAMETERS):
            writer.append(frame)
        writer.finish()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "run.npz"
    write(path, waving(), first_frame=5)
    return path


@pytest.mark.parametrize("uv", [False, True])
def test_results_exact_round_trip(tmp_path: Path, uv: bool) -> None:
    animation, path = waving(uv), tmp_path / "run.npz"
    write(path, animation, first_frame=5)
    found = load_run(path)
    frames = list(run(animation, **PARAMETERS))
    for name in ("labels", "compression", "axis", "reference"):
        expected = np.array([getattr(frame.stretch if name == "axis" else frame, name) for frame in frames])
        np.testing.assert_array_equal(getattr(found, name), expected, name)
        assert getattr(found, name).dtype == expected.dtype
    assert (found.first_frame, found.parameters) == (5, PARAMETERS)
    assert len(np.unique(found.labels)) > 1  # the motion changes the labels
    for attribute in ("positions", "faces", "uv", "uv_faces", "fps", "name", "height"):
        np.testing.assert_array_equal(getattr(found.animation, attribute), getattr(animation, attribute), attribute)


def test_results_exact_loaded_wrinkles_equal_saved_ones(written: Path) -> None:
    found = load_run(written).wrinkles
    frames = list(run(waving(), **PARAMETERS))
    assert {len(frame.wrinkles) for frame in frames} > {0}  # some frames have wrinkles, and some do not
    for wrinkles, frame in zip(found, frames, strict=True):
        for one, other in zip(wrinkles, frame.wrinkles, strict=True):
            for name in Wrinkle.__slots__:
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
                assert type(getattr(one, name)) is type(getattr(other, name))


def assert_same_frame(found: Frame, frame: Frame) -> None:
    assert (found.index, found.length_unit) == (frame.index, frame.length_unit)
    for name in ("positions", "faces", "labels", "reference", "current"):
        np.testing.assert_array_equal(getattr(found, name), getattr(frame, name), name)
    for name in found.columns._fields:
        np.testing.assert_array_equal(getattr(found.columns, name), getattr(frame.columns, name), name)
    np.testing.assert_allclose(found.compression, frame.compression, rtol=1e-5)


def test_results_exact_loaded_frames_equal_saved_ones(written: Path) -> None:
    found = load_run(written)
    for index, frame in enumerate(run(waving(), **PARAMETERS)):
        assert_same_frame(found.frame(index), frame)
    assert found.frame(-1).index == 6


def test_results_exact_wrinkle_arrays_are_ragged(written: Path) -> None:
    with np.load(written) as archive:
        frame_offsets, point_offsets = archive["wrinkle_frame_offsets"], archive["wrinkle_point_offsets"]
        edges, faces = archive["edges"], archive["wrinkle_faces"]
        assert frame_offsets[-1] == len(archive["wrinkles"]) == len(point_offsets) - 1
        assert point_offsets[-1] == len(archive["wrinkle_points"])
        np.testing.assert_array_equal(np.flatnonzero(faces < 0), point_offsets[1:] - 1)
        # positions of path vertices are interpolated on their edges with t
        rows = np.repeat(np.arange(len(point_offsets) - 1), np.diff(point_offsets))
        frames = np.searchsorted(frame_offsets, rows, side="right") - 1
        ends = archive["positions"][frames[:, None], edges[archive["wrinkle_edges"]]]
        t = archive["wrinkle_t"][:, None]
        np.testing.assert_allclose(ends[:, 0] * t + ends[:, 1] * (1 - t), archive["wrinkle_points"], atol=1e-5)
        # the table in the docstring of the module names every array of the file
        for name in archive.files:
            assert name in (results.__doc__ or "")


def test_results_degenerate_no_wrinkle_at_all(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run.npz", waving(), {}, everything=True) as writer:
        for frame in run(waving(), tau=3.0):
            writer.append(frame)
        writer.finish()
    assert list(load_run(tmp_path / "run.npz").wrinkles) == [[]] * 7


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in OFFSETS])
def test_results_reject_wrinkle_arrays_of_another_length(written: Path, name: str) -> None:
    change(written, **{name: lambda array: array[:-1]})
    with pytest.raises(FormatError, match=rf"run\.npz: array '{name}' is .*, expected "):
        load_run(written)


def test_results_property_same_bytes_for_the_same_run(tmp_path: Path) -> None:
    for name, threads in (("a", 1), ("b", 1), ("c", 2)):
        write(tmp_path / f"{name}.npz", waving(), threads)
    first, *others = (path.read_bytes() for path in sorted(tmp_path.glob("*.npz")))
    assert others == [first, first]


def test_results_exact_frames_while_writing(tmp_path: Path) -> None:
    animation = waving()
    with RunWriter(tmp_path / "run.npz", animation, {}, everything=True) as writer:
        assert writer.frames([]) == []
        frames = list(run(animation, **PARAMETERS))
        assert frames[3].wrinkles
        for frame in frames[:4]:
            writer.append(frame)
        for index, frame in zip((3, 0), writer.frames([3, 0]), strict=True):
            assert_same_frame(frame, frames[index])
        with pytest.raises(IndexError, match="indices: 4 is not one of the 4 frames appended so far"):
            writer.frames([4])
        with pytest.raises(ValueError, match=r"run\.npz: 4 of 7 frames were appended"):
            writer.finish()
    assert list(tmp_path.iterdir()) == []


def change(path: Path, **arrays: Any) -> None:
    """Change arrays in the file of a run: by a new array, by a function of the old array, or remove it by None."""
    with np.load(path) as archive:
        kept = {name: archive[name] for name in archive.files}
    kept |= {name: new(kept[name]) if callable(new) else new for name, new in arrays.items()}
    np.savez(path, **{name: array for name, array in kept.items() if array is not None})


@pytest.mark.parametrize(
    ("array", "value", "message"),
    [
        ("axis", np.zeros((7, 24), np.float32), r"array 'axis' is float32 \(7, 24\), expected float32 \(7, 24, 2\)"),
        ("reference", np.zeros((7, 24, 2, 2)), "array 'reference' is float64 .*, expected float32"),
        ("compression", np.zeros((7, 24), int), "array 'compression' has the unusable type int64"),
        ("labels", np.full((7, 24), 3, np.uint8), "array 'labels' holds 3 at frame 0, triangle 0, allowed are 0, 1"),
        ("first_frame", np.array(-1), "array 'first_frame' is -1, expected one number of at least 0"),
        ("parameters", np.array("{"), "array 'parameters' is not valid JSON"),
        ("length_unit", np.array(-1.0), r"array 'length_unit' is -1\.0, expected one length of at least 0"),
        ("edges", np.zeros((3, 3), np.int32), r"array 'edges' is int32 \(3, 3\), expected int32 \(E, 2\)"),
        ("wrinkles", None, "holds no array 'wrinkles'"),
        ("wrinkle_frame_offsets", np.arange(7), r"array 'wrinkle_frame_offsets' is int64 \(7,\), expected int64"),
        ("wrinkle_frame_offsets", np.arange(1, 9), "array 'wrinkle_frame_offsets' does not count up from 0"),
    ],
)
def test_results_reject_damaged_arrays(written: Path, array: str, value: Any, message: str) -> None:
    change(written, **{array: value})
    with pytest.raises(FormatError, match=rf"run\.npz: {message}"):
        load_run(written)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("wrinkle_edges", 10**6, r"holds 1000000, allowed are 0 to \d+"),
        ("wrinkle_t", 1.5, "holds 1.5, allowed are 0 to 1"),
        ("wrinkle_faces", -1, "holds -1, allowed are 0 to 23"),
        ("wrinkle_widths", np.nan, r"is not finite in row \d+"),
    ],
)
def test_results_reject_wrinkles_out_of_range(written: Path, name: str, value: float, message: str) -> None:
    change(written, **{name: lambda array: np.append(array[1:], value).astype(array.dtype)})
    with pytest.raises(FormatError, match=rf"run\.npz: array '{name}' {message}"):
        load_run(written)
