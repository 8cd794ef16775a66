"""Frames for layers: valid positions are accepted, and all layers reject bad positions with the same error message."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import ruckle
from learning import garment, random_model
from meshes import Float64
from patterned_cloth import crossed, grid_of, sheet
from posed_arm import SKELETON, coarse_mesh, database
from ruckle import KeptOutside, MeshError, Modulator, PoseSynthesizer, Stack, Upsampler, Wrinkler

SHEET, CLOTH, ARM = sheet(), garment(), coarse_mesh()[0]
RIGID = SKELETON.pose(np.broadcast_to(np.eye(3), (1, 3, 3, 3)))[0]
BODY = ruckle.Animation(np.broadcast_to(np.eye(3) - 9, (9, 3, 3)), [[0, 1, 2]], height=1.0)


def wrinkler() -> Wrinkler:
    return Wrinkler(SHEET.topology, r_min=0.3)


@cache
def synthesizer_of() -> Any:
    return database()


# For each layer: its constructor, the positions of its cloth, and further arguments of `step`.
LAYERS: dict[str, tuple[Callable[[], Any], Any, dict[str, Any]]] = {
    "wrinkler": (wrinkler, SHEET.positions, {}),
    "modulator": (lambda: Modulator(crossed(grid_of(SHEET))), SHEET.positions, {}),
    "upsampler": (lambda: Upsampler(random_model(CLOTH)), CLOTH.coarse_rest, {}),
    "synthesizer": (lambda: PoseSynthesizer(synthesizer_of()), ARM, {"bones": RIGID}),
    "kept outside": (lambda: KeptOutside(PoseSynthesizer(synthesizer_of()), BODY), ARM, {"bones": RIGID}),
    "stack": (lambda: Stack([wrinkler(), Modulator(crossed(grid_of(SHEET)))]), SHEET.positions, {}),
}
each_layer = pytest.mark.parametrize("name", LAYERS)


def stepped(name: str, *frames: Any) -> Any:
    """Step a new layer through the frames, and return the result of the last step."""
    make, _, needs = LAYERS[name]
    layer = make()
    return [layer.step(frame, 1 / 30, **needs) for frame in frames][-1]


def fine(frame: Any) -> Float64:
    return ruckle.displace(frame).positions


@each_layer
@pytest.mark.parametrize("kind", ["int8", "int64", "uint16", "float16", "float64", ">f4", "list"])
def test_exact_positions_may_be_of_any_real_type(name: str, kind: str) -> None:
    # whole numbers, because all tested number types represent them exactly
    still = np.rint(4 * (LAYERS[name][1] - LAYERS[name][1].min(axis=0)))
    moved = still * [1, 2, 1]
    expected = fine(stepped(name, still.astype(np.float32), moved.astype(np.float32)))
    given = [frame.tolist() if kind == "list" else frame.astype(kind) for frame in (still, moved)]
    np.testing.assert_array_equal(fine(stepped(name, *given)), expected)


@pytest.mark.parametrize("kind", ["int8", "int64", "uint16", "float16", "float64", ">f4", "list"])
def test_exact_animations_take_the_same_types(kind: str) -> None:
    frames = np.rint(np.stack([SHEET.positions, 2 * SHEET.positions]))
    given = frames.tolist() if kind == "list" else frames.astype(kind)
    made = ruckle.Animation(given, SHEET.faces)
    assert made.positions.dtype == np.float32
    np.testing.assert_array_equal(made.positions, frames)


def with_vertex(positions: Float64, value: float) -> Float64:
    """Return a copy of the positions with `value` as all coordinates of vertex 3."""
    moved = positions.copy()
    moved[3] = value
    return moved


# positions of another mesh raise MeshError; values that cannot be positions of any mesh raise ValueError
REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "one more": (lambda p: np.concatenate([p, p[:1]]), MeshError, "frame 1: expected {count} vertices, got {more}"),
    "one less": (lambda p: p[1:], MeshError, "frame 1: expected {count} vertices, got {less}"),
    "none": (lambda p: p[:0], MeshError, "frame 1: expected {count} vertices, got 0"),
    "NaN": (lambda p: with_vertex(p, np.nan), MeshError, "frame 1: vertex 3 lies at (nan, nan, nan); every coordinate"),
    "too far": (lambda p: with_vertex(p, -1e39), MeshError, "frame 1: vertex 3 lies at (-inf, -inf, -inf); every"),
    "plane": (lambda p: p[:, :2], ValueError, "positions: expected an array of shape (V, 3), got ({count}, 2)"),
    "many frames": (lambda p: p[None], ValueError, "positions: expected an array of shape (V, 3), got (1, {count}, 3)"),
    "words": (lambda p: "positions", ValueError, "positions: expected real numbers, got 'positions'"),
    "flags": (lambda p: p > 0, ValueError, "positions: expected real numbers, got bool ({count}, 3)"),
    "complex": (lambda p: p * 1j, ValueError, "positions: expected real numbers, got complex128 ({count}, 3)"),
}


@each_layer
@pytest.mark.parametrize("case", REFUSED)
def test_reject_other_frames_by_one_error_and_change_nothing(name: str, case: str) -> None:
    make, positions, needs = LAYERS[name]
    spoil, error, sentence = REFUSED[case]
    layer, count = make(), len(positions)
    layer.step(positions, 1 / 30, **needs)
    before = layer.state()
    wanted = sentence.format(count=count, more=count + 1, less=count - 1)
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}") as caught:
        layer.step(spoil(np.asarray(positions, np.float64)), 1 / 30, **needs)
    assert caught.type is error
    assert layer.state() == before


@pytest.mark.parametrize("make", [ruckle.CoarseFrame, ruckle.LayerFrame])
def test_reject_frames_of_another_mesh(make: Any) -> None:
    with pytest.raises(MeshError, match=f"^positions: expected {len(SHEET.positions)} vertices, got 3$"):
        make(SHEET.positions[:3], SHEET.topology)
