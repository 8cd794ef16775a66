"""Drawn lines of wrinkles: they are fixed to the cloth, and follow their paths without jumps."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from ruckle import Frame, Topology, Wrinkler
from ruckle.experiments.metrics import measure_surface_change
from sanitized import SANITIZED
from wrinkled_cloth import R_MIN, frame_of, laid

LINE = [(1.3, 3.4), (8.7, 3.4)]


def places(frame: Frame, line: Any, positions: Any) -> Any:
    """Return the positions (m, 3) of a line's samples on a mesh."""
    return np.einsum("nk,nkc->nc", line["barycentric"], positions[frame.topology.faces[line["face"]]])


def points_of(topology: Any, count: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    return random.integers(0, topology.face_count, count), random.dirichlet((1.0, 1.0, 1.0), count)


def test_exact_lines_lie_on_straight_paths() -> None:
    positions, faces = grid(10, 6, seed=1)
    topology = Topology(faces, len(positions))
    wrinkle = laid(topology, positions, LINE)
    frame = frame_of(topology, positions, wrinkle)
    (line,) = (w.curve for w in frame.wrinkles)
    assert line is not None
    at = places(frame, line, positions)
    np.testing.assert_allclose(at[:, 1], 3.4, atol=1e-5)
    # the distance of neighbouring samples is at most half of a half width, and the line has the same ends as the path
    steps = np.diff(at[:, 0])
    np.testing.assert_allclose(steps, steps[0], rtol=1e-3)
    assert 0.3 < steps[0] / (0.5 * wrinkle.full_width) <= 0.501
    np.testing.assert_allclose(at[[0, -1], 0], wrinkle.points[[0, -1], 0], atol=1e-5)
    along = np.linspace(0.0, 1.0, len(line))
    fine = np.column_stack([at[0] + (at[-1] - at[0]) * x for x in along]).T
    width, height, _ = ruckle.wrinkle_shape(fine, kappa=wrinkle.kappa, r_min=R_MIN)
    np.testing.assert_allclose(line["half_width"], 0.5 * width, rtol=1e-4)
    np.testing.assert_allclose(line["height"], height, atol=1e-4 * R_MIN)


def test_exact_heights_do_not_change_while_the_cloth_folds() -> None:
    rest, faces = grid(10, 6, seed=1)
    topology = Topology(faces, len(rest))
    flat = frame_of(topology, rest, laid(topology, rest, LINE))
    # the cloth is rolled around an axis across the wrinkle, and is also compressed along this axis
    angle = 0.9 * rest[:, 0]
    folded = np.stack([0.6 * np.sin(angle), rest[:, 1], 0.6 * np.cos(angle)], axis=1).astype(np.float32)
    where = points_of(topology, 5000)
    for positions in (rest, folded, 0.7 * rest):
        moved = Frame.of(positions, topology, flat.wrinkles, r_min=R_MIN, rest=rest)
        heights = moved.heights(*where)[0]
        np.testing.assert_array_equal(heights, flat.heights(*where)[0])
        assert heights.max() > 0.5 * R_MIN


def test_exact_widths_are_those_of_the_cloth_now() -> None:
    """Cloth that is compressed to half across the wrinkle: the line is twice as wide at rest as in the frame."""
    rest, faces = grid(10, 6, seed=1)
    topology = Topology(faces, len(rest))
    squeezed = (rest * [1.0, 0.5, 1.0]).astype(np.float32)
    wrinkle = laid(topology, squeezed, [(1.3, 1.7), (8.7, 1.7)])
    frame = Frame.of(squeezed, topology, [wrinkle], r_min=R_MIN, rest=rest)
    (line,) = (w.curve for w in frame.wrinkles)
    assert line is not None
    np.testing.assert_allclose(2.0 * line["half_width"].min(), 2.0 * wrinkle.full_width, rtol=0.01)


def test_property_gradients_are_carried_to_the_cloth_as_it_is_now() -> None:
    rest, faces = grid(10, 6, seed=1)
    topology = Topology(faces, len(rest))
    flat = frame_of(topology, rest, laid(topology, rest, LINE))
    matrix = np.array([[0.2, -0.9, 0.0], [1.4, 0.3, 0.0], [0.0, 0.0, 1.0]])
    now = (rest @ matrix.T).astype(np.float32)
    where = points_of(topology, 3000)
    moved = Frame.of(now, topology, flat.wrinkles, r_min=R_MIN, rest=rest)
    expected = flat.heights(*where)[1] @ np.linalg.inv(matrix)
    np.testing.assert_allclose(moved.heights(*where)[1][:, :2], expected[:, :2], atol=1e-4)
    assert np.abs(expected).max() > 0.5


@pytest.mark.skipif(SANITIZED, reason="is slow, and other tests call the same functions")
@pytest.mark.parametrize("name", ruckle.samples())
def test_property_the_drawn_surface_does_not_jump(name: str) -> None:
    change = measure_surface_change(ruckle.sample(name), tau=1.25)
    assert 0.01 < change.p99 < 0.12
    assert change.p999 < 0.16
    # larger limits than for single wrinkles, because these paths are tangled
    assert change.largest < 0.75
    assert change.jumping < 0.02


def test_property_lines_arrive_where_their_paths_rest() -> None:
    animation = ruckle.sample("chopping")
    wrinkler = Wrinkler.for_animation(animation, tau=1.3)
    stop = animation.frame_count // 2
    for positions in animation.positions[:stop]:
        wrinkler.step(positions, 1.0 / animation.fps)
    for _ in range(200):
        frame = wrinkler.step(animation.positions[stop], 1.0 / animation.fps)
    seen = 0
    for wrinkle in frame.wrinkles:
        assert wrinkle.curve is not None
        settled = Frame.of(
            frame.positions, frame.topology, [replace(wrinkle, curve=None)], r_min=frame.length_unit, rest=frame.rest
        )
        # a path that was cut at a tangle has another number of samples and cannot be compared
        if len(settled.wrinkles[0].curve) == len(wrinkle.curve):
            apart = np.linalg.norm(
                places(frame, wrinkle.curve, frame.rest) - places(frame, settled.wrinkles[0].curve, frame.rest), axis=1
            )
            seen += 1
            assert np.median(apart) < 0.5 * wrinkle.full_width
            assert wrinkle.curve["height"].max() == pytest.approx(wrinkle.crest, rel=0.05)
    assert seen >= 3


def test_property_frame_rates_draw_the_same() -> None:
    animation = ruckle.sample("sawing")
    runs = [replace(animation, positions=animation.positions[::k], fps=animation.fps / k) for k in (1, 2)]
    volumes = []
    for run in runs:
        total = [float(frame.columns.curves["height"].sum()) for frame in ruckle.run(run, tau=1.25)]
        volumes.append(np.mean(total))
    assert volumes[0] == pytest.approx(volumes[1], rel=0.1)


def test_degenerate_first_frames_that_have_collapsed() -> None:
    positions, faces = grid(8, 6, seed=2)
    for first in (positions * 0, positions * [1, 0, 0]):
        wrinkler = Wrinkler(faces, len(positions), r_min=0.2, tau=1.1)
        wrinkler.step(first)
        for amount in np.linspace(1.0, 0.6, 20):
            frame = wrinkler.step(positions * [amount, 1.0, 1.0])
            samples = frame.columns.curves
            assert np.isfinite(samples["height"]).all()
            assert np.isfinite(samples["barycentric"]).all()
            assert np.isfinite(frame.heights([0, 5], [[1, 0, 0], [0.3, 0.3, 0.4]])[0]).all()
