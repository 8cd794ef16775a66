"""Samples without a simulated shape: the grid ends before them, or their neighbours are interpolated."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import GRIDS, database, plan, shapes_of
from ruckle.offline.pose_space.holes import filled, known_grid

HINGE = (np.array([-1.0, 0.0, 1.0, 3.0]),)
SHAPES = shapes_of(plan())
BALL = (np.array([-1.0, 0.0, 2.0]), np.array([0.0]), np.array([0.0, 1.0]))


def test_exact_grids_end_before_missing_samples_at_their_ends() -> None:
    angles, stays = known_grid(HINGE, [False, True, True, False])
    assert_array_equal(angles[0], [0, 1])
    assert_array_equal(stays, [False, True, True, False])
    # A missing sample does not shorten the grid if it has known neighbours: inside the grid, or in a corner.
    assert known_grid(HINGE, [True, True, False, True])[1].all()
    assert known_grid(BALL, [True] * 5 + [False])[1].all()
    angles, stays = known_grid(BALL, [True, True, True, True, False, False])
    assert_array_equal(angles[0], [-1, 0])
    assert_array_equal(stays, [True, True, True, True, False, False])


def test_exact_missing_samples_are_interpolated_between_their_neighbors() -> None:
    details = np.array([5.0, 0.0, np.inf, 3.0])[:, None, None] * np.ones((4, 2, 3))
    found = filled(np.nan_to_num(details, posinf=99.0), HINGE, [True, True, False, True])
    # the missing sample is at 1/3 of the interval between values 0 and 3, so its value is 1
    assert_allclose(found[:, 0, 0], [5, 0, 1, 3])
    # before the first and after the last known sample, the value is constant
    assert_allclose(filled(details[:2], (np.array([0.0, 1.0]),), [True, False])[:, 0, 0], [5, 5])


def test_property_a_missing_sample_of_a_plane_is_filled_exactly() -> None:
    axes = (np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0]))
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    details = (grid @ np.array([1.0, 2.0, 0.0]))[:, None, None] * np.ones((9, 1, 3))
    known = np.arange(9) != 4
    assert_allclose(filled(details, axes, known), details, atol=1e-12)


def test_exact_databases_are_built_without_missing_samples() -> None:
    whole = database()
    # the third sample of the ball joint and the last two samples of the hinge are missing
    known = np.ones(1 + plan().sample_count, bool)
    known[[3, -2, -1]] = False
    found = ruckle.build_poses(plan(), *SHAPES, is_known=known)
    assert found.joint("elbow").grid == (2,)
    assert_allclose(found.joint("elbow").at(1), whole.joint("elbow").at(1), atol=whole.joint("elbow").step)
    assert found.notes["elbow: samples that are not known"] == "2 of 4, 0 of them inside of the grid"
    assert found.notes["arm: samples that are not known"] == "1 of 9, 1 of them inside of the grid"
    # The folds of this arm are linear in the joint angles, but the details are not, because skinning shrinks the mesh.
    error = np.abs(found.joint("arm").at(2) - whole.joint("arm").at(2)).max()
    assert 0 < error < 0.6 * np.abs(whole.joint("arm").at(2)).max()


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (
            np.ones(3, bool),
            r"is_known: expected 14 flags, one for the rest pose and one for each sample, got bool \(3,\)",
        ),
        (
            np.ones(14),
            r"is_known: expected 14 flags, one for the rest pose and one for each sample, got float64 \(14,\)",
        ),
        (np.arange(14) != 10, "is_known: the rest pose of elbow must be known"),
    ],
)
def test_reject(known: Any, said: str) -> None:
    assert GRIDS["elbow"][0] == 0
    with pytest.raises(ValueError, match=said):
        ruckle.build_poses(plan(), *SHAPES, is_known=known)
