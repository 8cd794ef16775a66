"""Skeletons, and bone matrices of animations: in files, in cut animations, and at other frame rates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import SKELETON, moving_arm, plan
from ruckle import FormatError, Skeleton
from ruckle.mesh.rotation import rotation_matrices
from shared_data import MISSING, shared_files


def test_exact_joints_turn_against_their_parents() -> None:
    turns = rotation_matrices(np.random.default_rng(3).normal(size=(4, 3, 3)))
    assert_allclose(SKELETON.joint_rotations(SKELETON.pose(turns, root=[1, 2, 3])), turns, atol=1e-12)


def test_property_root_motion_and_scale_cancel() -> None:
    bones = SKELETON.pose(plan().rotations({"arm": [0.3, 0.1, -0.2], "elbow": [0.8]}))
    moved = 0.01 * (rotation_matrices([1.0, 2.0, 0.5]) @ bones)
    assert_allclose(SKELETON.joint_rotations(moved)[1:], SKELETON.joint_rotations(bones)[1:], atol=1e-12)


def test_exact_joints_turn_against_others_further_up() -> None:
    spine = ruckle.Skeleton(["hips", "back", "chest", "leg"], [-1, 0, 1, 0], np.eye(4, 3))
    assert spine.way(0, 2) == [1, 2]
    assert spine.way(1, 2) == [2]
    assert spine.way(2, 0) == spine.way(3, 2) == spine.way(2, 2) == []
    assert spine.below(1) == [1, 2]
    assert spine.below(0) == [0, 1, 2, 3]
    turns = rotation_matrices(np.array([[0.3, 0.0, 0.1], [0.2, 0.1, 0.0], [0.0, -0.4, 0.2], [0.0, 0.0, 1.0]]))
    assert_allclose(spine.turns(spine.pose(turns), 0, 2), turns[1] @ turns[2], atol=1e-12)
    with pytest.raises(ValueError, match="above: 'leg' is not above 'chest'"):
        spine.turns(spine.pose(turns), 3, 2)


def test_exact_children_may_come_before_their_parents() -> None:
    skeleton = Skeleton(["hand", "arm"], [1, -1], [[1, 0, 0], [0, 0, 0]])
    assert skeleton.order == [1, 0]
    assert skeleton.below(1) == [0, 1]
    turn = rotation_matrices([0, 0, 0.5])
    bones = skeleton.pose(np.array([np.eye(3), turn]))
    assert_allclose(bones[0, :, :3] @ [1, 0, 0] + bones[0, :, 3], turn @ [1, 0, 0])


@pytest.mark.parametrize(
    ("names", "parents", "joints", "said"),
    [
        (["a", "a"], [-1, 0], np.zeros((2, 3)), "names: 'a' occurs twice"),
        (["a", "b"], [1, 0], np.zeros((2, 3)), "parents: some joints form a cycle"),
        (["a", "b"], [-1, 2], np.zeros((2, 3)), "parents: joint 1 has the parent 2, allowed are -1 to 1"),
        (["a"], [-1, 0], np.zeros((1, 3)), "names, parents, rest_joints: expected B names"),
        ([], np.zeros(0, int), np.zeros((0, 3)), "of at least one joint"),
        (["a"], [-1], [[np.nan, 0, 0]], "rest_joints: joint 0 is not finite"),
    ],
)
def test_reject_skeletons(names: Any, parents: Any, joints: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Skeleton(names, parents, joints)


def changed(index: Any, value: float) -> Any:
    bones = np.tile(np.eye(3, 4), (2, 3, 1, 1))
    bones[index] = value
    return bones


@pytest.mark.parametrize(
    ("bones", "said"),
    [
        (np.zeros((2, 4, 3, 4)), "bone_matrices: expected shape"),
        (changed((1, 2, 0, 0), np.nan), "frame 1, bone 'elbow' is not finite"),
        (changed((1, 1, 0, 0), 1.1), "frame 1, bone 'arm' is not rigid"),
        (changed((0, 1, 0, 0), -1.0), "frame 0, bone 'arm' is not rigid"),
        (changed((0, 0), 0.0), "frame 0, bone 'chest' is not rigid"),
    ],
)
def test_reject_bones_that_are_not_rigid(bones: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SKELETON.joint_rotations(bones)


def test_exact_animations_keep_their_bones_in_files(tmp_path: Path) -> None:
    moving_arm().save(tmp_path / "arm.npz")
    found = ruckle.load(tmp_path / "arm.npz")
    assert found.skeleton is not None
    assert found.skeleton.names == SKELETON.names
    assert_array_equal(found.skeleton.parents, SKELETON.parents)
    assert_array_equal(found.skeleton.rest_joints, SKELETON.rest_joints)
    assert_array_equal(found.bones, moving_arm().bones)
    assert "3 joints" in repr(found)


def test_exact_cut_and_resampled_animations_have_cut_and_resampled_bones() -> None:
    moving = moving_arm()
    part, fast = moving.cut(4, 10, 2), moving.at_rate(60)
    assert_array_equal(part.bones, moving.bones[4:10:2])
    assert_array_equal(part.positions, moving.positions[4:10:2])
    assert_array_equal(fast.bones[::2], moving.bones)
    turned = fast.bones[..., :3].astype(float)
    assert_allclose(turned @ np.swapaxes(turned, -1, -2), np.tile(np.eye(3), (39, 3, 1, 1)), atol=1e-6)


@pytest.mark.parametrize("frames", [(-1, 5), (3, 3), (0, 21), (0, 5, 0)])
def test_reject_cuts_that_leave_nothing(frames: Any) -> None:
    with pytest.raises(ValueError, match=r"start, stop, step: .* select none of 20 frames"):
        moving_arm().cut(*frames)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"skeleton": None}, "skeleton, bones: expected both, or neither"),
        ({"bones": moving_arm().bones[:3]}, r"bones: expected shape \(20, 3, 3, 4\), got \(3, 3, 3, 4\)"),
        ({"bones": np.full((20, 3, 3, 4), np.inf)}, "bones: frame 0, bone 'chest' is not finite"),
    ],
)
def test_reject_bones_of_other_frames(change: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(moving_arm(), **change)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("joint_parents", [1, 2, 0], "parents: some joints form a cycle"),
        ("bone_matrices", np.zeros((20, 2, 3, 4), np.float32), "bones: expected shape"),
        ("rest_joints", np.zeros((2, 3)), "names, parents, rest_joints: expected"),
    ],
)
def test_reject_damaged_skeletons_of_files(tmp_path: Path, name: str, value: Any, said: str) -> None:
    moving_arm().save(tmp_path / "arm.npz")
    with np.load(tmp_path / "arm.npz") as archive:
        np.savez(tmp_path / "damaged.npz", **{**archive, name: value})
    with pytest.raises(FormatError, match=said):
        ruckle.load(tmp_path / "damaged.npz")


@pytest.mark.skipif(not shared_files("gltf/tee_jumpingjack.glb"), reason=MISSING)
def test_exact_gltf_and_npz_have_the_same_bones() -> None:
    glb = ruckle.load(shared_files("gltf/tee_jumpingjack.glb")[0], fps=60)
    npz = ruckle.load(shared_files("sequences/tee_jumpingjack.npz")[0])
    assert glb.skeleton is not None
    assert npz.skeleton is not None
    order = [glb.skeleton.index(name) for name in npz.skeleton.names]
    turned = [a.skeleton.joint_rotations(a.bones[::40]) for a in (glb, npz)]
    assert_allclose(turned[0][:, order], turned[1], atol=1e-4)
    assert_allclose(glb.skeleton.rest_joints[order], npz.skeleton.rest_joints, atol=1e-4)
