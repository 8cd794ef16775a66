"""Plans of poses: number of samples in the paper, grids of joint angles, clips, errors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import GRIDS, SKELETON, plan
from ruckle import FormatError, load_plan, plan_poses

NAMES = ["hips", "spine", "chest"] + [
    f"{side} {part}" for side in ("left", "right") for part in ("shoulder", "elbow", "hand", "hip", "knee", "foot")
]
PARENTS = [-1, 0, 1] + [p for k in (3, 9) for p in (2, k, k + 1, 0, k + 3, k + 4)]


def figure() -> ruckle.Skeleton:
    joints = np.random.default_rng(0).normal(size=(len(NAMES), 3))
    return ruckle.Skeleton(NAMES, PARENTS, joints)


def steps(count: int, spacing: float = 15.0) -> list[float]:
    return [spacing * (k - count // 2) for k in range(count)]


def test_exact_the_grids_of_the_paper_count_as_on_its_slides() -> None:
    upper: dict[str, Any] = {"spine": [steps(3), steps(3), steps(5)]}
    lower: dict[str, Any] = {"spine": [steps(3), steps(3), steps(2)]}
    for side in ("left", "right"):
        upper |= {f"{side} shoulder": [steps(3), steps(6), steps(7)], f"{side} elbow": steps(14)}
        lower |= {f"{side} hip": [steps(3), steps(3), steps(10)], f"{side} knee": steps(11)}
    del lower["spine"]
    plans = [plan_poses(figure(), grids) for grids in (upper, lower)]
    assert [p.sample_count for p in plans] == [325, 202]
    assert plans[0].combination_count * plans[1].combination_count == pytest.approx(1.37e14, rel=1.0)


def test_exact_a_plan_of_an_arm() -> None:
    of_plan = plan()
    arm, elbow = of_plan.joints
    assert (arm.kind, arm.sample_count, elbow.kind, elbow.sample_count) == ("ball", 9, "hinge", 4)
    assert_allclose(np.degrees(arm.samples[arm.rest_sample]), 0)
    assert_allclose(arm.axes[2], [1, 0, 0])
    assert repr(of_plan) == "PosePlan(arm 3 x 1 x 3, elbow 4: 13 samples)"
    assert of_plan.sample_bones.shape == (14, 3, 3, 4)
    turned = SKELETON.joint_rotations(of_plan.sample_bones)
    found = [ruckle.joint_angles(turned[1 + 9 + k, 2], elbow.axes, "hinge")[0] for k in range(4)]
    assert_allclose(found, elbow.angles[0], atol=1e-9)


def test_exact_a_spine_shares_its_turn() -> None:
    spine = ruckle.Skeleton(["hips", "back", "chest", "head"], [-1, 0, 1, 2], [[0, i, 0] for i in range(4)])
    made = ruckle.plan_poses(spine, {"chest": [[0, 30], [0], [0]]}, above={"chest": "hips"})
    assert (made.joints[0].parent_bone, made.joints[0].child_bone) == (0, 2)
    local = spine.joint_rotations(made.sample_bones[2])
    assert_allclose(local[1], local[2], atol=1e-12)
    turn = spine.turns(made.sample_bones[2], 0, 2)
    assert_allclose(ruckle.joint_angles(turn, made.joints[0].axes, "ball"), [np.pi / 6, 0, 0], atol=1e-9)
    with pytest.raises(ValueError, match="above: 'head' is not above 'chest'"):
        ruckle.plan_poses(spine, {"chest": [0, 30]}, axes={"chest": [1, 0, 0]}, above={"chest": "head"})


def test_exact_hinges_bend_as_in_a_motion() -> None:
    axis = np.array([0.0, 0.6, 0.8])
    turns = np.tile(np.eye(3), (5, 3, 1, 1))
    turns[:, 2] = ruckle.mesh.rotation.rotation_matrices(np.linspace(0, 1.5, 5)[:, None] * axis)
    of_plan = plan_poses(SKELETON, {"elbow": [0, 30]}, motion=SKELETON.pose(turns))
    assert_allclose(of_plan.joints[0].axes[0], axis, atol=1e-6)


def test_exact_bent_bones_have_an_axis_of_their_own() -> None:
    bent = ruckle.Skeleton(["a", "b", "c"], [-1, 0, 1], [[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    assert_allclose(plan_poses(bent, {"b": [0, 30]}).joints[0].axes[0], [0, 0, 1])


def test_property_a_clip_holds_every_sample_and_turns_slowly() -> None:
    of_plan, clip = plan(), plan().clip(speed=6.0, hold=5)
    assert_allclose(clip.bones[clip.sample_frames], of_plan.sample_bones, atol=1e-9)
    assert_allclose(clip.bones[clip.sample_frames - 4], of_plan.sample_bones, atol=1e-9)
    turned = clip.bones[..., :3]
    between = np.swapaxes(turned[:-1], -1, -2) @ turned[1:]
    angles = np.degrees(np.arccos(np.clip((np.trace(between, axis1=-2, axis2=-1) - 1) / 2, -1, 1)))
    assert angles.max() < 6.0 + 1e-3


def test_exact_plans_come_back_from_files(tmp_path: Path) -> None:
    of_plan, clip = plan(), plan().clip(hold=3)
    of_plan.save(tmp_path / "plan.npz", clip)
    found, motion = load_plan(tmp_path / "plan.npz")
    assert repr(found) == repr(of_plan)
    assert_allclose(motion.bones, clip.bones, atol=1e-6)
    assert_array_equal(motion.sample_frames, clip.sample_frames)
    for a, b in zip(found.joints, of_plan.joints, strict=True):
        assert (a.name, a.kind, a.child_bone) == (b.name, b.kind, b.child_bone)
        assert_array_equal(a.axes, b.axes)
        assert_array_equal(a.samples, b.samples)


def test_reject_files_that_are_no_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.npz"
    np.savez(file, faces=np.zeros(3))
    with pytest.raises(FormatError, match="is no plan of poses; it has no plan_version"):
        load_plan(file)
    plan().save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    np.savez(file, **{**arrays, "kinds": arrays["kinds"][:1]})
    with pytest.raises(FormatError, match="is damaged"):
        load_plan(file)


@pytest.mark.parametrize(
    ("grids", "said"),
    [
        ({"ellbow": [0, 30]}, "ellbow: no such joint; did you mean elbow"),
        ({"chest": [0, 30]}, "joints: 'chest' is a root joint, which has no parent"),
        ({"elbow": [15, 30]}, "joints: 'elbow': expected the rest pose, angle 0, among the samples of every axis"),
        ({"elbow": [0, 0]}, "joints: 'elbow': axis 0: expected finite angles that strictly increase"),
        ({"elbow": [0, 200]}, "axis 0: expected angles less than 180 degrees apart"),
        ({"arm": [[0], [0]]}, "joints: 'arm': expected angles of a hinge or three sequences of a ball, got 2"),
        ({"elbow": [0, 30]}, "axes: the bones of 'elbow' are in line at rest"),
    ],
)
def test_reject(grids: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        plan_poses(SKELETON, grids)


def test_reject_grids_of_another_type() -> None:
    with pytest.raises(TypeError, match="joints: 'elbow': expected angles in degrees"):
        plan_poses(SKELETON, {"elbow": "0:90:15"})
    assert plan(GRIDS).sample_count == 13
