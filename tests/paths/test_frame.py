"""Frames: their attributes, and frames made by hand from wrinkles, which are equal to the frames of a run."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ruckle
from meshes import MESHES, Mesh
from ruckle import Animation, Frame, Wrinkler
from ruckle.paths.frame import Wrinkle, columns_of


@pytest.fixture(scope="module")
def sawing() -> tuple[Animation, list[Frame]]:
    animation = ruckle.sample("sawing")
    return animation, [frame for frame, _ in zip(ruckle.run(animation, tau=1.25), range(60), strict=False)]


def test_exact_frames_carry_their_mesh(sawing: tuple[Animation, list[Frame]]) -> None:
    animation, frames = sawing
    for k, frame in enumerate(frames):
        assert frame.index == k
        np.testing.assert_array_equal(frame.positions, animation.positions[k])
        assert frame.topology is frames[0].topology
        np.testing.assert_array_equal(frame.faces, animation.faces)
        assert frame.length_unit == 0.005 * animation.height


def test_property_area_gains_are_never_negative() -> None:
    # flat wrinkles have a cross-section as long as their width, so rounding must not make the gain negative
    frames = [frame for frame, _ in zip(ruckle.run(ruckle.sample("shoveling")), range(60), strict=False)]
    assert max(frame.area_gains.max() for frame in frames) > 0.05
    assert min(frame.area_gains.min() for frame in frames) >= 0.0


def test_exact_positions_are_the_frames_own() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    wrinkler = Wrinkler([[0, 1, 2], [0, 2, 3]], 4, r_min=0.1)
    frame = wrinkler.step(square)
    square += 1
    np.testing.assert_array_equal(frame.positions, square - 1)
    with pytest.raises(ValueError, match="read-only"):
        frame.positions[0] = 0


def test_exact_moved_frames_accept_lists() -> None:
    square = [[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    frame = Wrinkler([[0, 1, 2], [0, 2, 3]], 4, r_min=0.1).step(square)
    np.testing.assert_array_equal(frame.moved([[x, y, 1.0] for x, y, _ in square]).positions[:, 2], 1)
    with pytest.raises(
        ruckle.MeshError, match=r"positions: expected finite numbers of shape \(4, 3\), got shape \(3, 3\)"
    ):
        frame.moved(square[:3])


def test_exact_frames_of_given_labels_keep_their_values() -> None:
    square, faces = np.eye(3, dtype=np.float32), [[0, 1, 2]]
    labels, reference = np.zeros(1, np.uint8), np.eye(2, dtype=np.float32)[None].copy()
    frame = Frame.of(square, ruckle.Topology(faces, 3), [], r_min=0.1, labels=labels, reference=reference)
    labels[:], reference[:] = 2, 9
    assert frame.labels[0] == 0
    np.testing.assert_array_equal(frame.reference[0], np.eye(2))


def test_exact_faces_keep_uv_seams() -> None:
    # two triangles with a common edge, whose vertices are doubled by a seam
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
    animation = Animation(positions[None], [[0, 1, 2], [3, 5, 4]])
    (frame,) = ruckle.run(animation)
    assert frame.faces.tolist() == [[0, 1, 2], [3, 5, 4]]
    assert frame.topology.faces.tolist() == [[0, 1, 2], [1, 5, 2]]
    assert frame.coarse.faces is frame.faces


def test_property_frames_of_given_wrinkles_equal_those_of_the_run(sawing: tuple[Animation, list[Frame]]) -> None:
    frame = sawing[1][-1]
    assert frame.wrinkles
    made = Frame.of(
        frame.positions,
        frame.topology,
        frame.wrinkles,
        r_min=frame.length_unit,
        labels=frame.labels,
        reference=frame.reference,
        index=frame.index,
    )
    for ours, theirs in ((made.columns, frame.columns), (made.curves, frame.curves)):
        for name in ours._fields:
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    assert repr(made) == repr(frame)
    np.testing.assert_array_equal(made.current, frame.current)
    # a frame contains the reference after the step, so the stretch that is computed from it differs by rounding
    np.testing.assert_allclose(made.compression, frame.compression, rtol=1e-5)
    for name in ("compression_labels", "rest_labels", "stretch_labels", "degenerate", "wrinkles", "fading"):
        assert made.stats[name] == frame.stats[name]  # type: ignore[literal-required]


@pytest.mark.parametrize("shape", MESHES, ids=repr)
def test_degenerate_frames_without_wrinkles(shape: Mesh) -> None:
    frame = Frame.of(shape.positions, shape.topology, r_min=0.1)
    assert frame.wrinkles == []
    assert (frame.labels == 1).all()
    np.testing.assert_allclose(frame.compression[~frame.stretch.degenerate], 1.0, atol=1e-6)
    assert len(frame.curves.samples) == 0
    heights, gradients = frame.heights([0, 0], [[1, 0, 0], [0.2, 0.3, 0.5]])
    assert not heights.any()
    assert gradients.shape == (2, 3)
    assert not frame.area_gains.any()
    assert columns_of([]).points.shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": 1.5}, "id: expected an integer, got 1.5"),
        ({"age": "old"}, "age: expected a finite number, got 'old'"),
        ({"fading": 1}, "fading: expected True or False, got 1"),
        ({"crest": np.nan}, "crest: expected a finite number, got nan"),
        ({"extent": 0.5}, "extent: expected finite numbers of shape (2,), got 0.5"),
        ({"edges": np.zeros(3)}, "edges: expected integers of shape (3,), got float64 (3,)"),
        ({"edges": np.array([0, 2**40, 1])}, "edges: expected integers of shape (3,), got int64 (3,)"),
        ({"faces": np.arange(3)}, "faces: expected integers of shape (2,), got int64 (3,)"),
        ({"curve": np.zeros(3)}, "curve: expected samples of a line, got float64 (3,)"),
        ({"width": np.full(3, np.nan)}, "width: expected finite numbers of shape (3,), got float64 (3,)"),
    ],
)
def test_reject_wrinkles_laid_by_hand(change: dict[str, Any], message: str) -> None:
    laid = Wrinkle(
        id=0, age=0.0, fading=False, edges=np.array([0, 1, 2]), t=np.zeros(3), faces=np.zeros(2, int),
        points=np.zeros((3, 3)), width=np.ones(3), height=np.ones(3), perimeter=1.0, cuts=np.zeros(2),
        extent=np.array([0.0, 1.0]), kappa=0.1, size=1.0, fade=1.0, crest=1.0, full_width=1.0,
    )  # fmt: skip
    assert len(columns_of([laid]).rows) == 1
    with pytest.raises(ValueError, match=f"^{re.escape(f'wrinkles[1].{message}')}$"):
        columns_of([laid, replace(laid, **change)])
