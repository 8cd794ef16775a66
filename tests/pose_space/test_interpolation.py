"""The arcs and screws of the paper: values calculated by hand, SciPy's slerp, and invariants."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation, Slerp

import ruckle

RANDOM = np.random.default_rng(4)
CENTER = np.array([0.2, -0.1, 0.4])


def test_exact_the_middle_of_a_quarter_arc() -> None:
    found = ruckle.interpolate_arc([[1.0, 0, 0]], [[0, 3.0, 0]], [0, 0, 0], 0.5)
    assert_allclose(found, [[np.sqrt(2), np.sqrt(2), 0]], atol=1e-12)


def test_exact_arcs_are_slerps_of_the_directions() -> None:
    first, second = (RANDOM.normal(size=(1, 3)) + CENTER for _ in range(2))
    e0, e1 = (first - CENTER)[0], (second - CENTER)[0]
    axis = np.cross(e0, e1)
    angle = np.arctan2(np.linalg.norm(axis), e0 @ e1)
    turn = Slerp([0, 1], Rotation.from_rotvec([0 * axis, axis / np.linalg.norm(axis) * angle]))
    for t in np.linspace(0, 1, 7):
        length = (1 - t) * np.linalg.norm(e0) + t * np.linalg.norm(e1)
        expected = CENTER + length * turn(t).apply(e0 / np.linalg.norm(e0))
        assert_allclose(ruckle.interpolate_arc(first, second, CENTER, t)[0], expected, atol=1e-9)


def test_degenerate_arcs_are_straight_where_directions_are_parallel() -> None:
    first = np.array([[1.0, 0, 0], [0, 0, 0], [1.0, 0, 0]])
    second = np.array([[3.0, 0, 0], [0, 2.0, 0], [0, 0, 0]])
    assert_allclose(ruckle.interpolate_arc(first, second, [0, 0, 0], 0.5), (first + second) / 2)


def test_exact_a_screw_reproduces_a_helix() -> None:
    def helix(t: float) -> np.ndarray:
        return np.array([[(1 + t) * np.cos(2 * t), (1 + t) * np.sin(2 * t), 0.5 * t]]) + CENTER

    for t in np.linspace(0, 1, 9):
        assert_allclose(ruckle.interpolate_screw(helix(0), helix(1), CENTER, [0, 0, 4], t), helix(t), atol=1e-12)


def test_degenerate_a_point_on_the_axis_goes_straight_out() -> None:
    found = ruckle.interpolate_screw([[0, 0, 1.0]], [[2.0, 0, 3.0]], [0, 0, 0], [0, 0, 1], 0.25)
    assert_allclose(found, [[0.5, 0, 1.5]])


def test_property_arcs_keep_distances_where_straight_lines_shrink() -> None:
    points = RANDOM.normal(size=(20, 3))
    angle = np.radians(30)
    turned = Rotation.from_rotvec([0, 0, angle]).apply(points)
    arc = ruckle.interpolate_arc(points, turned, [0, 0, 0], 0.5)
    assert_allclose(np.linalg.norm(arc, axis=1), np.linalg.norm(points, axis=1), rtol=1e-12)
    flat = np.array([[1.0, 0, 0]])
    straight = (flat + Rotation.from_rotvec([0, 0, angle]).apply(flat)) / 2
    assert_allclose(np.linalg.norm(straight), np.cos(angle / 2))
    assert 1 - np.linalg.norm(straight) == pytest.approx(0.034, abs=1e-3)


def test_property_both_keep_the_samples() -> None:
    first, second = RANDOM.normal(size=(2, 30, 3))
    for move in (
        lambda t: ruckle.interpolate_arc(first, second, CENTER, t),
        lambda t: ruckle.interpolate_screw(first, second, CENTER, [1, 2, 3], t),
    ):
        assert_allclose(move(0.0), first, atol=1e-12)
        assert_allclose(move(1.0), second, atol=1e-12)


def test_reject() -> None:
    with pytest.raises(ValueError, match="first, second, center: expected shapes"):
        ruckle.interpolate_arc(np.zeros((2, 3)), np.zeros((3, 3)), CENTER, 0.5)
    points = np.ones((2, 3))
    for axis in ([0, 0, 0], [0, 0, np.nan], [1, 0]):
        with pytest.raises(ValueError, match="axis: expected three numbers that have a direction, got"):
            ruckle.interpolate_screw(points, points, CENTER, axis, 0.5)
    for t in (-0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^t: expected a number in \[0, 1\], got"):
            ruckle.interpolate_arc(points, points, CENTER, t)
    with pytest.raises(ValueError, match=r"^second: every number must be finite"):
        ruckle.interpolate_arc(points, np.nan * points, CENTER, 0.5)
    with pytest.raises(TypeError, match="cell: expected a Cell"):
        ruckle.interpolate(np.zeros((2, 2, 3)), None)  # type: ignore[arg-type]
