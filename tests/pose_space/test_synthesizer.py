"""The layer for pose databases: comparison with float64 NumPy, results at samples and in motions, error messages."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import (
    SKELETON,
    coarse_at,
    coarse_mesh,
    database,
    elbow_database,
    fine_at,
    moving_arm,
    plan,
    sampled_angles,
)  # fmt: skip
from ruckle import PoseSynthesizer, Stack, Wrinkler
from ruckle.mesh.rotation import rotation_matrices
from ruckle.pose_space.database import vertex_weights

EXTENT = 0.75


def oracle(which: ruckle.PoseDatabase, coarse: Any, bones: Any, rule: str = "energy", strength: float = 1.0) -> Any:
    """Return fine positions in float64, computed by the functions of ruckle.pose_space from the definition."""
    turned = which.skeleton.joint_rotations(bones)
    moved = np.zeros((len(which.joints), which.binding.vertex_count, 3))
    for number, joint in enumerate(which.joints):
        angles = ruckle.joint_angles(turned[joint.child_bone], joint.axes, joint.kind)
        moved[number, joint.vertices] = ruckle.interpolate(joint.at(slice(None)), ruckle.cell(joint.angles, angles))
    weights = vertex_weights(which.joints, which.binding.vertex_count)
    details = which.rest_details + ruckle.merge(moved, weights, rule=rule)  # type: ignore[arg-type]
    return ruckle.apply(coarse, which.binding, strength * details)


def positions(layer: PoseSynthesizer, coarse: Any, bones: Any) -> Any:
    return layer.step(coarse, bones=bones).shape.positions


@pytest.mark.parametrize(("rule", "strength"), [("energy", 1.0), ("paper", 0.5), ("window", 2.0), ("energy", 0.0)])
def test_exact_frames_are_those_of_float64_numpy(rule: Any, strength: float) -> None:
    layer, moving = PoseSynthesizer(database(), merge=rule, strength=strength), moving_arm()
    for coarse, bones in zip(moving.positions, moving.bones, strict=True):
        expected = oracle(database(), coarse, bones, rule, strength)
        assert_allclose(positions(layer, coarse, bones), expected, atol=1e-5 * EXTENT)


def test_property_samples_come_back_to_half_a_step() -> None:
    of_plan = plan({"elbow": [0, 30, 60, 90]})
    which = elbow_database()
    [joint] = which.joints
    whole = np.isin(np.arange(which.binding.vertex_count), joint.vertices)
    for angles, bones in zip(sampled_angles(of_plan), of_plan.sample_bones, strict=True):
        found = positions(PoseSynthesizer(which), coarse_at(bones), bones)
        assert_allclose(found[whole], fine_at(angles, of_plan)[whole], atol=0.5 * joint.step + 2e-6)


def test_exact_details_that_are_linear_in_the_angle_are_reproduced_between_samples() -> None:
    of_plan, which = plan({"elbow": [0, 30, 60, 90]}), elbow_database()
    [joint] = which.joints
    linear = np.einsum("s,nc->snc", np.arange(4.0), np.random.default_rng(2).normal(0, 1e-3, (len(joint.vertices), 3)))
    steps, step = ruckle.pose_space.database.quantized(linear)
    which = replace(which, joints=(replace(joint, details=steps, step=step),))
    for angle in (0.2, 0.9, 1.3):
        bones = SKELETON.pose(of_plan.rotations({"elbow": [angle]}))
        detail = which.rest_details.astype(float)
        detail[joint.vertices] += linear[1] * angle / np.radians(30)
        expected = ruckle.apply(coarse_at(bones), which.binding, detail)
        assert_allclose(positions(PoseSynthesizer(which), coarse_at(bones), bones), expected, atol=step + 2e-6)


def test_property_rigid_motion_of_cloth_and_bones_moves_the_result_alike() -> None:
    layer, turn, shift = PoseSynthesizer(database()), rotation_matrices([1.0, 0.4, -0.3]), np.array([3.0, -1.0, 2.0])
    coarse, bones = moving_arm().positions[7], moving_arm().bones[7]
    moved = turn @ bones
    moved[..., 3] += shift
    expected = positions(layer, coarse, bones) @ turn.T + shift
    assert_allclose(positions(layer, coarse @ turn.T + shift, moved), expected, atol=1e-5)


def test_property_results_do_not_depend_on_earlier_frames() -> None:
    moving, layer, other = moving_arm(), PoseSynthesizer(database()), PoseSynthesizer(database())
    for k in (3, 9, 9, 5):
        last = positions(layer, moving.positions[k], moving.bones[k])
    assert_array_equal(last, positions(other, moving.positions[5], moving.bones[5]))


def test_exact_only_joints_that_have_moved_are_read() -> None:
    layer, of_plan = PoseSynthesizer(database()), plan()
    poses = [{}, {"elbow": [0.3]}, {"elbow": [0.3]}, {"arm": [0.2, 0, 0.1], "elbow": [0.3]}]
    moved = []
    for angles in poses:
        bones = SKELETON.pose(of_plan.rotations(angles))
        moved.append(layer.step(coarse_at(bones), bones=bones).stats["moved"])
    assert moved == [2, 1, 0, 1]
    layer.reset()
    assert layer.frame_count == 0
    assert layer.step(coarse_at(bones), bones=bones).stats["moved"] == 2


def test_property_the_result_is_continuous_along_a_path() -> None:
    layer, of_plan = PoseSynthesizer(database()), plan()
    between = []
    for step in range(121):
        angles = {"arm": [np.radians(40 - step * 0.7), 0, 0.2], "elbow": [np.radians(step)]}
        bones = SKELETON.pose(of_plan.rotations(angles))
        between.append(positions(layer, coarse_at(bones), bones))
    leaps = np.linalg.norm(np.diff(between, axis=0), axis=2).max(axis=1)
    # one degree at a distance of 0.6 m is 10 mm; if two joints turn, vertices move about twice as far
    assert leaps.max() < 0.025
    assert np.abs(np.diff(leaps)).max() < 0.004


ABOUT = {"along": (1, 0, 0), "hinge": (0, 1, 0), "across": (0, 0, 1)}
TILTS = [(0, 0, 0), (0.05, 0, 0), (0, 0.05, 0), (0, 0, 0.05), (0.5, 0.5, 0.5)]


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("about", ABOUT.values(), ids=ABOUT)
@pytest.mark.parametrize("first", [1, 2], ids=["arm", "elbow"])
def test_property_a_full_turn_about_any_axis_never_jumps(first: int, about: Any, tilt: Any) -> None:
    # the coarse cloth is constant, so that only the details move the fine cloth
    layer, coarse, turn = PoseSynthesizer(database()), coarse_mesh()[0], np.radians(np.arange(0.0, 360.5, 0.5))
    bones = np.tile(np.eye(3, 4), (len(turn), 3, 1, 1))
    bones[:, first:, :, :3] = (rotation_matrices(tilt) @ rotation_matrices(turn[:, None] * about))[:, None]
    turned = np.array([positions(layer, coarse, pose) for pose in bones])
    steps = np.linalg.norm(np.diff(turned, axis=0), axis=2).max(axis=1)
    # the bound is twice the largest change per half degree between neighbouring samples, which are 30 degrees apart
    [joint] = elbow_database().joints
    within = np.linalg.norm(np.diff(joint.at(slice(None)), axis=0), axis=2).max() / 60
    assert steps.max() <= 2 * within
    assert_allclose(turned[0], turned[-1], atol=1e-5)


def test_exact_normals_are_weighted_by_area() -> None:
    frame = PoseSynthesizer(database()).step(moving_arm().positions[4], bones=moving_arm().bones[4])
    shape, faces = frame.shape.positions.astype(float), database().faces
    a, b, c = shape[faces].transpose(1, 0, 2)
    expected = np.zeros_like(shape)
    for corner in faces.T:
        np.add.at(expected, corner, np.cross(b - a, c - a))
    assert_allclose(frame.normals, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-4)


def test_exact_angles_are_reported_and_clamped() -> None:
    bones = SKELETON.pose(plan().rotations({"elbow": [np.radians(100)]}))
    frame = PoseSynthesizer(database()).step(coarse_at(bones), bones=bones)
    assert_allclose(frame.angles["elbow"], np.radians([100]), atol=1e-6)
    assert_allclose(frame.outside["elbow"], np.radians([10]), atol=1e-6)
    assert frame.stats["clamped"] == 1
    assert "1 beyond the examples" in repr(frame)


def test_property_renumbered_bones_change_nothing() -> None:
    moving, order = moving_arm(), [2, 0, 1]
    names = [SKELETON.names[k] for k in order]
    skeleton = ruckle.Skeleton(names, [2, -1, 1], SKELETON.rest_joints[order])
    other = replace(moving, skeleton=skeleton, bones=moving.bones[:, order])
    layers = [PoseSynthesizer.for_animation(a, database()) for a in (moving, other)]
    for k in (0, 11):
        found = [
            positions(layer, moving.positions[k], a.bones[k]) for layer, a in zip(layers, (moving, other), strict=True)
        ]
        assert_array_equal(*found)


def test_property_units_scale_the_result() -> None:
    which = database()
    binding = which.binding
    larger = replace(
        which,
        binding=ruckle.Binding(binding.topology, 100 * binding.rest, binding.coarse_faces, binding.barycentric),
        rest_details=100 * which.rest_details,
        joints=tuple(replace(joint, step=100 * joint.step) for joint in which.joints),
    )
    coarse, bones = moving_arm().positions[9], moving_arm().bones[9].copy()
    expected = 100 * positions(PoseSynthesizer(which), coarse, bones)
    bones[..., 3] *= 100
    assert_allclose(positions(PoseSynthesizer(larger), 100 * coarse, bones), expected, atol=1e-3)


def test_exact_wrinkles_stand_on_the_examples() -> None:
    moving = moving_arm()
    stack = Stack([PoseSynthesizer.for_animation(moving, database()), Wrinkler.for_animation(moving, r_min="1%")])
    for k in range(3):
        frame = stack.step(moving.positions[k], 1 / 30, bones=moving.bones[k])
    fine = ruckle.displace(frame)
    assert fine.vertex_count >= database().binding.vertex_count
    assert "PoseSynthesizer.details" in frame.timings
    assert frame.stats["PoseSynthesizer.moved"] == 2


def test_degenerate_collapsed_cloth_has_positions() -> None:
    frame = PoseSynthesizer(database()).step(np.zeros_like(coarse_mesh()[0]), bones=moving_arm().bones[3])
    assert frame.stats["collapsed"] == len(coarse_mesh()[0])
    assert frame.stats["unturned"] == database().binding.vertex_count
    assert np.isfinite(frame.shape.positions).all()
    assert np.isfinite(frame.normals).all()


def test_degenerate_no_joint_leaves_the_rest_shape() -> None:
    which = replace(database(), joints=())
    found = PoseSynthesizer(which).step(coarse_mesh()[0], bones=moving_arm().bones[0]).shape.positions
    assert_allclose(found, fine_at({}), atol=2e-6)


def nan_in(array: Any, *index: int) -> Any:
    changed = np.array(array)
    changed[index] = np.nan
    return changed


def sheared(bones: Any) -> Any:
    changed = np.array(bones)
    changed[2, 0, 1] += 0.1
    return changed


COARSE, BONES = moving_arm().positions[2], moving_arm().bones[2]


@pytest.mark.parametrize(
    ("coarse", "bones", "said"),
    [
        (COARSE, None, "bones: expected the bone matrices of the frame"),
        (COARSE, BONES[:2], r"bones: expected shape \(3, 3, 4\), as the skeleton has joints, got \(2, 3, 4\)"),
        (COARSE, nan_in(BONES, 2, 1, 3), "bones: frame 1: a bone of joint elbow is not finite"),
        (COARSE, sheared(BONES), "bones: frame 1: a bone of joint elbow scales one way more than another, or shears"),
        (COARSE, BONES * [[-1], [1], [1]], "bones: frame 1: a bone of joint arm scales"),
        (nan_in(COARSE, 5, 0), BONES, r"frame 1: vertex 5 lies at \(nan"),
        (COARSE[:-1], BONES, "frame 1: expected 160 vertices, got 159"),
    ],
)
def test_reject_frames_leave_the_state(coarse: Any, bones: Any, said: str) -> None:
    layer = PoseSynthesizer(database())
    positions(layer, moving_arm().positions[5], moving_arm().bones[5])
    with pytest.raises(ValueError, match=said):
        layer.step(coarse, bones=bones)
    assert layer.frame_count == 1
    again = layer.step(moving_arm().positions[5], bones=moving_arm().bones[5])
    assert again.stats["moved"] == 0
    assert_array_equal(
        again.shape.positions, positions(PoseSynthesizer(database()), moving_arm().positions[5], moving_arm().bones[5])
    )


def test_exact_a_scale_of_all_bones_is_a_change_of_units() -> None:
    scaled = np.array(BONES)
    scaled[..., :3] *= 0.01
    found = [positions(PoseSynthesizer(database()), COARSE, bones) for bones in (BONES, scaled)]
    assert_allclose(*found, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"skeleton": None, "bones": None}, "animation: 'arm' has no skeleton"),
        ({"faces": coarse_mesh()[1][::-1]}, "animation: 'arm' has another coarse mesh"),
        (
            {"skeleton": ruckle.Skeleton(["chest", "arm", "knee"], [-1, 0, 1], SKELETON.rest_joints)},
            "elbow: no such joint",
        ),
    ],
)
def test_reject_animations(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PoseSynthesizer.for_animation(replace(moving_arm(), **change), database())


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"strength": 3.0}, ValueError, "strength: expected a number in"),
        ({"merge": "mean"}, ValueError, "merge: expected one of"),
        ({"merge": "fitted"}, ValueError, "merge: joint 'arm' contains no fitted shares"),
        ({"rule": "energy"}, TypeError, "rule: no such parameter"),
    ],
)
def test_reject_parameters(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        PoseSynthesizer(database(), **options)


def test_exact_fitted_shares_take_the_place_of_weights() -> None:
    which = database()
    shares = [np.full(len(joint.vertices), 1.0 - k) for k, joint in enumerate(which.joints)]
    fitted = replace(which, joints=tuple(replace(j, fitted=s) for j, s in zip(which.joints, shares, strict=True)))
    weights = replace(which, joints=tuple(replace(j, weights=s) for j, s in zip(which.joints, shares, strict=True)))
    found = [
        positions(PoseSynthesizer(d, merge=rule), COARSE, BONES) for d, rule in ((fitted, "fitted"), (weights, "paper"))
    ]  # type: ignore[arg-type]
    assert_array_equal(*found)


HASHED = (
    "import hashlib, posed_arm\n"
    "from ruckle import PoseSynthesizer, _core\n"
    "layer, moving = PoseSynthesizer(posed_arm.database()), posed_arm.moving_arm()\n"
    "digest = hashlib.sha256()\n"
    "for positions, bones in zip(moving.positions, moving.bones):\n"
    "    frame = layer.step(positions, bones=bones)\n"
    "    digest.update(frame.shape.positions.tobytes() + frame.normals.tobytes())\n"
    "print(_core.instruction_set(), digest.hexdigest())\n"
)


def test_exact_every_instruction_set_gives_the_same_bits() -> None:
    found = {}
    for wanted in ("baseline", ""):
        environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": wanted, "PYTHONPATH": os.pathsep.join(sys.path)}
        printed = subprocess.check_output([sys.executable, "-c", HASHED], env=environment, text=True).split()
        found[printed[0]] = printed[1]
    assert "baseline" in found
    assert len(set(found.values())) == 1


def test_exact_details_fade_where_the_cloth_leaves_its_skin() -> None:
    which, bones = database(), moving_arm().bones[9]
    coarse = coarse_at(bones)
    layer = PoseSynthesizer(which, trust=0.05)
    trusted = layer.step(coarse, bones=bones)
    assert trusted.stats["faded"] == 0
    assert_array_equal(trusted.shape.positions, positions(PoseSynthesizer(which), coarse, bones))
    # at half of the trusted distance, details have half their size; the fitted skin differs by rounding
    moved = layer.step(coarse + np.float32([0, 0, 0.025]), bones=bones)
    half = positions(PoseSynthesizer(which, strength=0.5), coarse + np.float32([0, 0, 0.025]), bones)
    assert moved.stats["faded"] == len(coarse)
    assert_allclose(moved.shape.positions, half, atol=1e-4)
    away = coarse + np.float32([0, 0, 9])
    far = layer.step(away, bones=bones)
    assert_allclose(far.shape.positions, which.binding.up(away), atol=1e-5)


def test_reject_trust_without_a_skin() -> None:
    with pytest.raises(ValueError, match="trust: expected 0 where the examples have no skin of the coarse cloth"):
        PoseSynthesizer(replace(database(), skin=None), trust=0.1)
