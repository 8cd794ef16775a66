"""Motions of characters for the coarse garment of a database, and fitted garments of the library."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import SKELETON, database, moving_arm
from ruckle.offline.pose_space import worn
from ruckle.offline.pose_space.posed_garments import simulate_garment
from ruckle.offline.pose_space.worn import GRIDS, both_sides, plan_worn
from ruckle.offline.simulation.scenes import scene_named
from ruckle.pose_space.wear import wear
from ruckle.simulation.body import Body, Motion, load_body, load_motion
from shared_data import MISSING, shared_files


def test_exact_a_motion_is_dressed_in_the_garment() -> None:
    moving = moving_arm()
    # an animation of another mesh, whose bones are in another order
    assert moving.bones is not None
    turned = ruckle.Skeleton(["elbow", "chest", "arm"], [2, -1, 1], SKELETON.rest_joints[[2, 0, 1]])
    other = ruckle.Animation(
        np.tile(np.eye(3), (20, 1, 1)), np.int32([[0, 1, 2]]), fps=24, skeleton=turned, bones=moving.bones[:, [2, 0, 1]]
    )
    found = wear(database(), other)
    assert (found.fps, found.height) == (24, other.height)
    assert found.rest_positions is not None
    assert_array_equal(found.rest_positions, database().binding.rest)
    # the skin of the database is fitted to samples, so that positions differ by up to 2 mm
    assert_allclose(found.positions, moving.positions, atol=2e-3)
    ruckle.PoseSynthesizer.for_animation(found, database())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda made, arm: (replace(made, skin=None), arm), "database: contains no skin weights of its coarse garment"),
        (lambda made, arm: (made, replace(arm, skeleton=None, bones=None)), "motion: 'arm' has no skeleton, which"),
        (
            lambda made, arm: (made, replace(arm, skeleton=longer())),
            "motion: 'arm' is of another character: joint 'elbow' is 0.05 mesh units from where",
        ),
    ],
)
def test_reject(change: Callable[..., tuple[ruckle.PoseDatabase, ruckle.Animation]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wear(*change(database(), moving_arm()))


def longer() -> ruckle.Skeleton:
    joints = SKELETON.rest_joints.copy()
    joints[2, 0] += 0.05
    return ruckle.Skeleton(SKELETON.names, SKELETON.parents, joints)


def person() -> tuple[Motion, Body]:
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if len(files) < 2:
        pytest.skip(MISSING)
    return load_motion(files[0]), load_body(files[1])


def test_exact_grids_of_the_paper_count_as_on_its_slides() -> None:
    skeleton = person()[0].skeleton
    plans = {name: plan_worn(skeleton, both_sides(grids["paper"])) for name, grids in GRIDS.items()}
    assert [plan.sample_count for plan in plans.values()] == [325, 202]
    spine, left, right, *_ = plans["shirt"].joints
    assert skeleton.names[spine.parent_bone] == "Hips"
    # the right half is the mirror image of the left half
    mirror = np.diag([-1.0, 1.0, 1.0])
    poses = [plans["shirt"].rotations({joint.name: joint.samples[0]}) for joint in (left, right)]
    assert_allclose(left.axes[0] * [1, -1, -1], right.axes[0], atol=1e-6)
    assert_allclose(left.angles[1], -right.angles[1][::-1])
    swing = {"LeftArm": [0.2, 0.3, 0.1]}, {"RightArm": [0.2, -0.3, -0.1]}
    poses = [plans["shirt"].rotations(angles) for angles in swing]
    assert_allclose(mirror @ poses[0][left.child_bone] @ mirror, poses[1][right.child_bone], atol=1e-3)
    # elbows bend the hand forward, knees bend the foot backward
    for name, joint, end, forward in (
        ("shirt", "LeftForeArm", "LeftHand", 1),
        ("trousers", "RightLeg", "RightFoot", -1),
    ):
        bones = skeleton.pose(plans[name].rotations({joint: [0.5]}))[skeleton.index(end)]
        at_rest = skeleton.rest_joints[skeleton.index(end)]
        assert forward * ((bones[:, :3] @ at_rest + bones[:, 3]) - at_rest)[2] > 0.05


@pytest.mark.filterwarnings("ignore:fine.*vertices are farther:UserWarning")
def test_exact_a_garment_is_simulated_on_its_wearer(monkeypatch: pytest.MonkeyPatch) -> None:
    motion, body = person()
    # a shirt takes too long to cut and simulate, so a sleeve with the resolution of a game is used
    sleeve = scene_named("sleeve", motion, body)
    monkeypatch.setattr(worn, "scene_named", lambda *_: replace(sleeve, fine=sleeve.coarse))
    garment = worn.worn_garment("shirt", motion, body, joints={"LeftForeArm": [0, 12]})
    found, others = simulate_garment(replace(garment, body=None, repeated=()))
    assert (found.sample_count, len(others.fine)) == (2, 0)
    assert found.skin is not None
    assert_allclose(found.skin.weights.sum(axis=1), 1, atol=1e-3)
    # linear blend skinning gives exactly the coarse garment, with bones that turn with the joint or do not move
    assert found.skin.distances.max() < 1e-4
    followed = np.flatnonzero(found.skin.weights.any(axis=0))
    assert {motion.names[bone] for bone in followed} <= {"Hips", "LeftArm", "LeftForeArm"}
    assert set(followed) <= set(found.used_bones)
    # wide details of all joints are added up, so each joint has its own fitted shares
    assert found.has_shares
    assert np.linalg.norm(found.joints[0].at(1), axis=1).max() > 0.003
    assert found.notes["seconds of a processor per sample"] != 0
