"""Frames carry what their readers need, and wrinkles laid by hand make frames like those of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ruckle
from meshes import MESHES, Mesh
from ruckle import Animation, Frame, Topology, Wrinkler
from ruckle.paths.frame import columns_of


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


def test_exact_positions_are_the_frames_own() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    wrinkler = Wrinkler([[0, 1, 2], [0, 2, 3]], 4, r_min=0.1)
    frame = wrinkler.step(square)
    square += 1
    np.testing.assert_array_equal(frame.positions, square - 1)
    with pytest.raises(ValueError, match="read-only"):
        frame.positions[0] = 0


def test_exact_faces_keep_uv_seams() -> None:
    # two triangles whose common edge is split
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
    # the reference is that after the step, whose field differs by rounding
    np.testing.assert_allclose(made.compression, frame.compression, rtol=1e-5)
    for name in ("compression_labels", "rest_labels", "stretch_labels", "degenerate", "wrinkles", "fading"):
        assert made.stats[name] == frame.stats[name]  # type: ignore[literal-required]


@pytest.mark.parametrize("shape", MESHES, ids=repr)
def test_degenerate_frames_without_wrinkles(shape: Mesh) -> None:
    frame = Frame.of(shape.positions, shape.topology, r_min=0.1)
    assert frame.wrinkles == []
    assert (frame.labels == 1).all()
    np.testing.assert_allclose(frame.compression[~frame.stretch.degenerate], 1.0, atol=1e-6)
    assert len(frame.curves.profiles) == len(frame.coarse.curves.profiles) == 0
    assert columns_of([]).points.shape == (0, 3)


TOPOLOGY = Topology([[0, 1, 2], [0, 2, 3]], 4)
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positions": SQUARE[:3]}, r"positions: face 1 names vertex 3"),
        ({"positions": SQUARE[:, :2]}, r"positions: expected an array of shape \(V, 3\)"),
        ({"wrinkles": None}, "wrinkles: expected a sequence of Wrinkle, got None"),
        ({"wrinkles": [1]}, r"wrinkles\[0\]: expected a Wrinkle, got 1"),
        ({"labels": [1]}, r"labels: expected one for each of 2 triangles, got shape \(1,\)"),
        ({"r_min": "1%"}, "r_min: expected a length in mesh units"),
    ],
)
def test_reject_what_makes_no_frame(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Frame.of(**{"positions": SQUARE, "topology": TOPOLOGY, "r_min": 0.1, **arguments})


def test_reject_positions_of_another_mesh() -> None:
    with pytest.raises(ValueError, match=r"^positions: expected shape \(4, 3\), .* got \(3, 3\)"):
        ruckle.CoarseFrame(SQUARE[:3], TOPOLOGY)
    with pytest.raises(ruckle.MeshError, match="vertex 3"):
        ruckle.CoarseFrame(SQUARE[:3], TOPOLOGY.faces)
