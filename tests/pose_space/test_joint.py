"""Joint angles and grid cells: compared with SciPy's rotations and interpolation, and with values by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import RegularGridInterpolator
from scipy.spatial.transform import Rotation

import ruckle
from ruckle.pose_space.joint import ball_axes, hinge_axes

RANDOM = np.random.default_rng(7)
TURNED = Rotation.random(random_state=3).as_matrix()


@pytest.mark.parametrize("axes", [np.eye(3), TURNED])
@pytest.mark.parametrize(
    "angles", [(0, 0, 0), (0.4, -0.7, 1.1), (3.1, 0, 0.2), (0, np.pi - 1e-6, 0.3), (0.2, 0.1, -3.14), (1e-9, 0, 1e-9)]
)
def test_exact_balls_swing_and_twist(angles: tuple[float, ...], axes: np.ndarray) -> None:
    swing, twist = np.array(angles[:2]) @ axes[:2], angles[2] * axes[2]
    rotation = (Rotation.from_rotvec(swing) * Rotation.from_rotvec(twist)).as_matrix()
    assert_allclose(ruckle.joint_rotation(angles, axes), rotation, atol=1e-12)
    assert_allclose(ruckle.joint_angles(rotation, axes, "ball"), angles, atol=1e-8)


def test_exact_a_swing_by_half_a_turn_has_no_twist() -> None:
    rotation = Rotation.from_rotvec([np.pi, 0, 0]).as_matrix()
    assert ruckle.joint_angles(rotation, np.eye(3), "ball")[2] == 0.0


def test_exact_hinges_turn_about_their_first_axis() -> None:
    for angle in (-2.0, 0.0, 0.3, 3.0):
        rotation = Rotation.from_rotvec(angle * TURNED[0]).as_matrix()
        assert_allclose(ruckle.joint_angles(rotation, TURNED, "hinge"), [angle], atol=1e-12)


def test_property_rotations_of_any_joint_come_back() -> None:
    for rotation in Rotation.random(50, random_state=5).as_matrix():
        angles = ruckle.joint_angles(rotation, TURNED, "ball")
        assert_allclose(ruckle.joint_rotation(angles, TURNED), rotation, atol=1e-9)
        assert np.hypot(*angles[:2]) <= np.pi
        assert -np.pi <= angles[2] < np.pi


def test_exact_cells_at_ends_between_and_outside() -> None:
    axes = [[0.0, 1.0, 3.0]]
    for angle, samples, weights, outside in [
        (0.0, [0], [1], 0.0), (0.25, [0, 1], [0.75, 0.25], 0.0), (2.0, [1, 2], [0.5, 0.5], 0.0), (3.0, [2], [1], 0.0),
        (3.5, [2], [1], 0.5), (-0.5, [0], [1], -0.5), (1.0, [1], [1], 0.0),
    ]:  # fmt: skip
        found = ruckle.cell(axes, [angle])
        assert (found.samples.tolist(), found.outside.tolist()) == (samples, [outside])
        assert_allclose(found.weights, weights)


def test_exact_an_axis_of_one_sample_is_constant() -> None:
    found = ruckle.cell([[0.0, 1.0], [0.0]], [0.5, 9.0])
    assert found.samples.tolist() == [0, 1]
    assert found.outside.tolist() == [0.0, 9.0]


def test_exact_cells_interpolate_as_scipy_does() -> None:
    axes = [np.sort(RANDOM.random(n)) for n in (3, 4, 5)]
    values = RANDOM.random((3, 4, 5, 2, 3))
    oracle = RegularGridInterpolator(axes, values)
    for _ in range(30):
        angles = np.array([RANDOM.uniform(axis[0], axis[-1]) for axis in axes])
        found = ruckle.interpolate(values.reshape(-1, 2, 3), ruckle.cell(axes, angles))
        assert_allclose(found, oracle(angles)[0], atol=1e-4)


def test_exact_axes_are_orthonormal_and_as_asked_for() -> None:
    ball, hinge = ball_axes([1, 2, 3], [0, 0, 5]), hinge_axes([0, 3, 0], [1, 1, 0])
    for axes in (ball, hinge, ball_axes([1, 0, 0])):
        assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(axes) > 0
    assert_allclose(ball[2], np.array([1, 2, 3]) / np.sqrt(14))
    assert_allclose(hinge, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ruckle.cell([[0.0, 0.0]], [0.0]), "axes: axis 0: expected finite angles that strictly increase"),
        (lambda: ruckle.cell([[]], [0.0]), "axes: axis 0: expected finite angles"),
        (lambda: ruckle.cell([np.zeros((999, 3, 3))], [0.0]), r"strictly increase, got float64 \(999, 3, 3\)$"),
        (lambda: ruckle.cell([[0.0, 3.2]], [0.0]), "axes: axis 0: expected angles less than 180 degrees apart"),
        (lambda: ruckle.cell([[0.0]], [0.0, 1.0]), "angles: expected an array of shape"),
        (lambda: ruckle.joint_rotation(0.5, np.eye(3)), r"angles: expected finite numbers of shape \(\.\.\., 1\) or"),
        (lambda: ruckle.joint_rotation([1.0, 2.0], np.eye(3)), r"angles: .* got float64 \(2,\)"),
        (lambda: ruckle.joint_rotation([np.nan], np.eye(3)), "angles: expected finite numbers"),
        (lambda: ruckle.joint_angles(2 * np.eye(3), np.eye(3), "ball"), "rotation: expected three orthonormal rows"),
        (lambda: ruckle.joint_angles(np.eye(3), np.eye(3), "bal"), "kind: expected one of"),
        (lambda: ball_axes([0, 0, 0]), "along: expected three numbers that have a direction"),
    ],
)
def test_reject(call: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()  # type: ignore[operator]


def _values(axes: list[list[float]], angles: np.ndarray, values: np.ndarray) -> float:
    return ruckle.interpolate(values, ruckle.cell(axes, angles)).item()


@pytest.mark.parametrize(
    "axis", [[0.0, 1.0, 2.6], [-3.0, -1.0, 1.0, 3.0], [-1.0, 1.0], [0.0, 1.5, 3.0, 3.5], [-np.pi, -1.0, 1.0, np.pi]]
)
def test_property_a_turning_hinge_never_jumps(axis: list[float]) -> None:
    values = np.array([0.0, 15.0, -5.0, 9.0])[: len(axis)].reshape(-1, 1, 1)
    values[-1] = values[0] if np.isclose(axis[-1] - axis[0], 2 * np.pi) else values[-1]
    samples = np.radians(np.arange(-400, 800))
    turned = [ruckle.joint_angles(Rotation.from_rotvec([a, 0, 0]).as_matrix(), np.eye(3), "hinge") for a in samples]
    found = np.array([_values([axis], angle, values) for angle in turned])
    steps = np.radians(1) * np.abs(np.diff(values.ravel())) / np.diff(axis)
    gap = 2 * np.pi - (axis[-1] - axis[0])
    if gap > 1e-9:
        # largest change per degree: the blend covers half of the gap, and in its middle it is 1.5 times steeper than on
        # average
        steps = np.append(steps, np.radians(1) * 1.5 * abs(values[-1] - values[0]).item() / (gap / 2))
    assert np.abs(np.diff(found)).max() <= steps.max() * 1.01 + 1e-3
    np.testing.assert_allclose(found[:800], found[360:1160], atol=1e-3)  # values are equal after a full turn


def test_exact_twists_hold_the_nearest_sample_and_blend_in_the_middle_of_the_gap() -> None:
    axis, gap = [-1.0, 0.0, 1.0], 2 * np.pi - 2
    # the weight is a smoothstep of the way through the middle half of the gap: 0.15625 after a quarter of the way
    quarter = [0.84375, 0.15625]
    for share, samples, weights in [
        (0.2, [2], [1]),
        (0.375, [2, 0], quarter),
        (0.5, [2, 0], [0.5, 0.5]),
        (0.625, [2, 0], quarter[::-1]),
        (0.8, [0], [1]),
    ]:
        found = ruckle.cell([axis], [1 + share * gap])
        assert found.samples.tolist() == samples
        assert_allclose(found.weights, weights, atol=1e-5)
    assert_allclose(ruckle.cell([axis], [1.0 + 2 * np.pi]).outside, [0], atol=1e-12)
