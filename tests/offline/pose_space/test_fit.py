"""Fitted shares: weights for the details of several joints that are bent in the same pose, fitted to examples."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ruckle
from posed_arm import SKELETON, animation, coarse_at, coarse_mesh, database, fine_mesh, plan
from ruckle import PoseSynthesizer
from ruckle.offline.pose_space.check import check_poses

POSES = [([20, 0, 30], 50), ([-25, 0, 15], 80), ([10, 0, -35], 25), ([28, 0, -10], 65), ([-12, 0, 38], 40)]


def poses(chosen: slice) -> np.ndarray:
    turns = [plan().rotations({"arm": np.radians(arm), "elbow": np.radians([elbow])}) for arm, elbow in POSES[chosen]]
    return np.array([SKELETON.pose(turn) for turn in turns])


def coarse(bones: np.ndarray) -> ruckle.Animation:
    return animation([coarse_at(b) for b in bones], coarse_mesh()[1], skeleton=SKELETON, bones=bones)


def truth(which: ruckle.PoseDatabase, bones: np.ndarray) -> ruckle.Animation:
    """Return fine shapes in which the details of the joints are combined with the fitted shares of a database."""
    layer = PoseSynthesizer(which, merge="fitted")
    return animation([layer.step(coarse_at(b), bones=b).shape.positions for b in bones], fine_mesh()[1])


def known() -> ruckle.PoseDatabase:
    """Return the arm's database with fitted shares that vary smoothly along the arm.

    No other rule for merging would give these shares.
    """
    joints = [
        replace(joint, fitted=0.5 + 0.4 * np.sin(9 * fine_mesh()[0][joint.vertices, 0] + k))
        for k, joint in enumerate(database().joints)
    ]
    return replace(database(), joints=tuple(joints))


def test_exact_known_shares_are_found_again() -> None:
    bones = poses(slice(None))
    found = ruckle.fit_windows(database(), truth(known(), bones), coarse(bones), ridge=1e-9, smoothing=0)
    for joint, wanted in zip(found.joints, known().joints, strict=True):
        largest = np.abs(joint.details).max(axis=(0, 2)) * joint.step
        # compare only vertices in the folds of a joint; for other vertices, the share has almost no effect
        clear = largest > 0.2 * largest.max()
        assert clear.sum() > 50
        assert_allclose(joint.fitted[clear], wanted.fitted[clear], atol=0.02)


def test_property_fitted_shares_do_better_on_poses_that_they_have_not_seen() -> None:
    seen, unseen = poses(slice(0, 4)), poses(slice(4, None))
    fitted = ruckle.fit_windows(database(), truth(known(), seen), coarse(seen))
    true = truth(known(), unseen)
    errors = [check_poses(fitted, true, coarse(unseen), merge=rule).error for rule in ("fitted", "energy")]
    assert errors[0] < 0.7 * errors[1]
    assert all(((joint.fitted >= 0) & (joint.fitted <= 1)).all() for joint in fitted.joints)


def test_property_a_strong_ridge_keeps_the_rule() -> None:
    bones = poses(slice(0, 2))
    fitted = ruckle.fit_windows(database(), truth(known(), bones), coarse(bones), ridge=1e9)
    given = [
        PoseSynthesizer(fitted, merge=rule).step(coarse_at(bones[0]), bones=bones[0]) for rule in ("fitted", "energy")
    ]
    assert_allclose(given[0].shape.positions, given[1].shape.positions, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ("fine", {}, "fine: expected 2 frames of 1056 vertices, got 1 of 1056"),
        ("bones", {}, r"coarse: '.*' has no skeleton, which joint angles need"),
        ("", {"ridge": 0.0}, "ridge: expected a finite number above 0"),
    ],
)
def test_reject(change: str, options: Any, said: str) -> None:
    bones = poses(slice(0, 2))
    fine, base = truth(known(), bones[: 1 if change == "fine" else 2]), coarse(bones)
    if change == "bones":
        base = animation([coarse_at(b) for b in bones], coarse_mesh()[1])
    with pytest.raises(ValueError, match=said):
        ruckle.fit_windows(database(), fine, base, **options)
