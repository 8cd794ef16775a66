"""Pose databases from given shapes: convergence, training clips, checks, mirrored joints, errors."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import (
    SKELETON,
    animation,
    coarse_at,
    coarse_mesh,
    database,
    fine_at,
    fine_mesh,
    plan,
    sampled_angles,
    shapes_of,
)  # fmt: skip
from ruckle import PoseSynthesizer
from ruckle.mesh.rotation import rotation_vectors
from ruckle.offline.pose_space.build import collect_poses, neighbor_differences
from ruckle.offline.pose_space.check import check_poses
from ruckle.offline.pose_space.mirror import mirror_joint, mirrored_vertices
from ruckle.offline.pose_space.settle import settle_poses
from ruckle.offline.simulation import Settler
from ruckle.simulation import ClothSimulation, Sheet, smooth_attachment
from ruckle.simulation.body import Motion


def clip_at(angles: list[dict[str, Any]], which: Any) -> tuple[ruckle.Animation, ruckle.Animation]:
    bones = SKELETON.pose(np.array([which.rotations(a) for a in angles]))
    fine = animation([fine_at(a, which) for a in angles], fine_mesh()[1])
    coarse = animation([coarse_at(b) for b in bones], coarse_mesh()[1], skeleton=SKELETON, bones=bones)
    return fine, coarse


def error_between_samples(spacing: int) -> float:
    """Return the rms error half way between the samples of an elbow. `spacing` is in degrees.

    The fold of this elbow moves along the arm when it bends, so that interpolation is not exact.
    """
    which = plan({"elbow": range(0, 121, spacing)})

    def shape(angles: Any) -> Any:
        points, angle = fine_mesh()[0], np.asarray(angles.get("elbow", [0.0]))[0]
        near = np.exp(-(((points[:, 0] - 0.35) / 0.08) ** 2))
        wave = 0.01 * near * np.sin(60 * points[:, 0] - 2 * angle)
        return fine_at({}, which) * [1, 0, 0] + fine_at({}, which) * [0, 1, 1] * (1 + wave / 0.07)[:, None]

    def posed(angles: Any) -> Any:
        details = ruckle.details(shape(angles), coarse_mesh()[0], binding)
        return ruckle.apply(coarse_at(SKELETON.pose(which.rotations(angles))), binding, details)

    binding = ruckle.bind(fine_at({}, which), *coarse_mesh())
    fine = animation([posed(a) for a in sampled_angles(which)], fine_mesh()[1])
    made = ruckle.build_poses(which, fine, animation([coarse_at(b) for b in which.sample_bones], coarse_mesh()[1]))
    joint = made.joints[0]
    errors = []
    for angle in np.radians(np.arange(spacing / 2, 120, spacing)):
        true = ruckle.details(
            posed({"elbow": [angle]}), coarse_at(SKELETON.pose(which.rotations({"elbow": [angle]}))), made.binding
        )
        found = made.rest_details[joint.vertices] + ruckle.interpolate(
            joint.at(slice(None)), ruckle.cell(joint.angles, [angle])
        )
        errors.append(((found - true[joint.vertices]) ** 2).sum(axis=1).mean())
    return float(np.sqrt(np.mean(errors)))


def test_property_errors_of_smooth_folds_fall_with_the_square_of_the_spacing() -> None:
    coarse, middle, fine = (error_between_samples(spacing) for spacing in (60, 30, 15))
    assert coarse / middle == pytest.approx(4.0, rel=0.25)
    assert middle / fine == pytest.approx(4.0, rel=0.25)


def test_exact_clips_are_collected_where_samples_are_held() -> None:
    which, clip = plan({"elbow": [0, 30, 60]}), plan({"elbow": [0, 30, 60]}).clip(hold=2)
    cache = animation([coarse_at(b) for b in clip.bones], coarse_mesh()[1])
    assert_allclose(ruckle.collect(which, clip, cache).positions, [coarse_at(b) for b in which.sample_bones], atol=1e-6)
    with pytest.raises(ValueError, match=f"cache: expected the {len(clip.bones)} frames of the training clip, got 3"):
        ruckle.collect(which, clip, cache.cut(0, 3))


def test_exact_check_finds_no_error_at_samples_and_some_between() -> None:
    which = plan({"elbow": [0, 30, 60, 90]})
    made = ruckle.build_poses(which, *shapes_of(which))
    at = check_poses(made, *clip_at([{"elbow": [a]} for a in which.joints[0].angles[0]], which))
    between = check_poses(made, *clip_at([{"elbow": [np.radians(a)]} for a in (15, 45, 100)], which))
    # the error is not 0, because the influence of the joint ends before its fold does
    assert at.error < 1e-4
    assert at.normal_error < 1.0
    assert at.curvature == pytest.approx(1.0, abs=0.01)
    assert at.error < between.error < between.without
    assert (at.clamped, between.clamped) == (0, 1)
    assert between.ratio == pytest.approx(between.error / between.without)
    # at samples, the database reproduces the true change of the details per frame
    assert at.change == pytest.approx(at.true_change, rel=0.05)
    assert at.change > 1e-3


@pytest.mark.parametrize("rule", ["energy", "window"])
def test_exact_merged_poses_are_nearer_to_the_truth_than_by_the_paper(rule: Any) -> None:
    poses = [{"arm": [s, 0.0, t], "elbow": [e]} for s in (-0.4, 0.4) for t in (-0.5, 0.5) for e in (0.5, 1.2)]
    fine, coarse = clip_at(poses, plan())
    ours, paper = (check_poses(database(), fine, coarse, merge=r) for r in (rule, "paper"))
    assert ours.error < paper.error < paper.without
    one = check_poses(database(), fine.cut(0, 1), coarse.cut(0, 1), merge=rule)
    assert (one.change, one.true_change) == (0.0, 0.0)


def test_exact_neighbor_differences_show_a_sample_that_differs() -> None:
    details = np.arange(4.0)[:, None, None] * np.ones((4, 5, 3))
    details[3] += 10
    found = neighbor_differences(details, (np.arange(4.0),))
    assert_allclose(found, np.sqrt(3) * np.array([1, 1, 11]))
    grid = neighbor_differences(np.zeros((6, 5, 3)), (np.arange(2.0), np.arange(3.0)))
    assert len(grid) == 3 + 4


def test_exact_vertices_have_mirror_images() -> None:
    points = np.array([[1.0, 0, 0], [-1.01, 0, 0], [0, 2, 0]])
    assert mirrored_vertices(points, edge_length=1.0).tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="rest: vertex 0 has no mirror image"):
        mirrored_vertices(points[[0, 2]], edge_length=1.0)
    with pytest.raises(ValueError, match="two vertices have the same mirror image"):
        mirrored_vertices(points[[0, 1, 1]] * 1.0, edge_length=1.0)


def two_arms() -> tuple[ruckle.Skeleton, Any, Any, Any]:
    """Return a skeleton with two arms, a fine strip of cloth along both arms, its faces, and skin weights.

    The right half is the mirror image of the left half.
    """
    skeleton = ruckle.Skeleton(["chest", "left", "right"], [-1, 0, 0], [[0, 0, 0], [0.2, 0, 0], [-0.2, 0, 0]])
    columns = np.linspace(-0.5, 0.5, 41)
    fine = np.array([[x, y, 0] for y in (-0.05, 0.0, 0.05) for x in columns])
    first = np.concatenate([np.arange(40) + row * 41 for row in range(2)])
    # the diagonals of both halves are mirror images, too
    left = fine[first, 0] < 0
    lower = np.where(left[:, None], np.c_[first, first + 1, first + 41], np.c_[first, first + 1, first + 42])
    upper = np.where(left[:, None], np.c_[first + 1, first + 42, first + 41], np.c_[first, first + 42, first + 41])
    return skeleton, fine, np.concatenate([lower, upper]), np.clip(np.abs(fine[:, 0]) / 0.1 - 1.5, 0, 1)


@pytest.mark.filterwarnings("ignore:left. two neighbouring samples differ")
@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_property_mirrored_poses_of_mirrored_joints_are_mirror_images(kind: str) -> None:
    skeleton, points, faces, share = two_arms()
    grids: Any = {"left": [0, 40] if kind == "hinge" else [[-20, 0, 30], [-10, 0, 40], [-30, 0, 20]]}
    which = ruckle.plan_poses(skeleton, grids, axes={"left": [0, 1, 0] if kind == "hinge" else [0, 0.6, 0.8]})

    def skinned(bones: Any) -> Any:
        weights = np.stack([1 - share, share * (points[:, 0] > 0), share * (points[:, 0] < 0)], axis=1)
        return ruckle.simulation.body.skin(points, weights, bones)

    random = np.random.default_rng(6).normal(0, 0.01, (1 + which.sample_count, len(points), 3))
    random[0] = random[1 + which.joints[0].rest_sample] = 0
    coarse = [skinned(b) for b in which.sample_bones]
    fine = animation([c + share[:, None] * (points[:, :1] > 0) * r for c, r in zip(coarse, random, strict=True)], faces)
    made = mirror_joint(ruckle.build_poses(which, fine, animation(coarse, faces), smoothing=2), "left", name="right")
    # the layer must trust mirrored samples on the right arm in the same way as samples on the left arm
    layer, joint = PoseSynthesizer(made, trust=0.05), which.joints[0]
    flip = np.diag([-1.0, 1, 1])
    partners = mirrored_vertices(points, edge_length=0.03)
    for angles in np.random.default_rng(1).uniform(-0.3, 0.5, (6, 3))[:, : len(joint.angles)]:
        turned = ruckle.joint_rotation(angles, joint.axes)
        left, right = (np.tile(np.eye(3), (3, 1, 1)) for _ in range(2))
        left[1], right[2] = turned, flip @ turned @ flip
        shapes = []
        for pose in (left, right):
            bones = skeleton.pose(pose)
            shapes.append(layer.step(skinned(bones), bones=bones).shape.positions)
        # The tolerance is 0.5 mm for details of 10 mm, because the edges that define tangents are not mirrored.
        assert_allclose(shapes[1][partners] * [-1, 1, 1], shapes[0], atol=5e-4)


def test_reject_mirrors() -> None:
    with pytest.raises(ValueError, match="joint: expected one of"):
        mirror_joint(database(), "knee", name="elbow")
    with pytest.raises(ValueError, match="name: 'elbow' already has samples"):
        mirror_joint(database(), "arm", name="elbow")
    with pytest.raises(ValueError, match="has no mirror image"):
        mirror_joint(replace(database(), joints=database().joints[:1]), "arm", name="elbow")


@pytest.mark.filterwarnings(r"ignore:fine. \d+ vertices are farther")
def test_exact_settled_cloth_makes_a_database() -> None:
    fine = np.ascontiguousarray(fine_mesh()[0])
    weights = np.tile(np.float32([1, 0, 0]), (len(fine), 1))
    sheet = Sheet(fine, fine_mesh()[1], smooth_attachment(fine[:, 0] + 0.15, 0.05), weights)
    motion = Motion(np.tile(np.eye(3, 4), (1, 3, 1, 1)), SKELETON.rest_joints, SKELETON.parents, SKELETON.names, 60.0)
    cones = np.float32([[-0.2, 0, 0, 0.055, 0.3, 0, 0, 0.05], [0.3, 0, 0, 0.05, 0.6, 0, 0, 0.04]])

    def make(cloth: Sheet) -> ClothSimulation:
        return ClothSimulation(cloth.rest, cloth.faces, cloth.attachment, substeps=8)

    which, done = plan({"elbow": [-12, 0, 12]}), []
    settler = Settler(sheet, motion, cones, [0, 1], make=make)
    settled = settle_poses(which, settler, sheet, progress=lambda: done.append(1))
    assert settled.frame_count == 4
    assert len(done) == 2
    assert_array_equal(settled.positions[0], settled.positions[2])
    made = ruckle.build_poses(which, settled, animation([coarse_at(b) for b in which.sample_bones], coarse_mesh()[1]))
    assert made.sample_count == 3
    # positive and negative angles of a hinge start from the same shape at rest
    direct = settler.settle(rotation_vectors(which.rotations({"elbow": which.joints[0].samples[0]})))
    assert_array_equal(settled.positions[1], direct.positions)


FINE, COARSE = shapes_of(plan())


@pytest.mark.parametrize(
    ("fine", "coarse", "options", "said"),
    [
        (FINE.cut(0, 5), COARSE, {}, "fine: expected 14 frames, the rest pose and the samples of the plan, got 5"),
        (FINE, COARSE.cut(0, 13), {}, "coarse: expected 14 frames"),
        (replace(FINE, positions=100 * FINE.positions), COARSE, {}, "are they in different units"),
        (FINE, COARSE, {"regions": [0, 1]}, "regions: expected a bone below 3 for each of 1056"),
        (FINE, COARSE, {"regions": np.full(1056, 3)}, "regions: expected a bone below 3"),
    ],
)
def test_reject(fine: Any, coarse: Any, options: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ruckle.build_poses(plan(), fine, coarse, **options)


def test_reject_shapes_that_are_not_finite() -> None:
    damaged = FINE.positions.copy()
    damaged[3, 7, 1] = np.nan
    with pytest.raises(ruckle.MeshError, match="positions: frame 3, vertex 7 is not finite"):
        ruckle.build_poses(plan(), replace(FINE, positions=damaged), COARSE)


def test_reject_checks_of_other_meshes() -> None:
    fine, coarse = clip_at([{}], plan())
    with pytest.raises(ValueError, match="fine: expected 1 frames of 1056 vertices, got 1 of 160"):
        check_poses(database(), coarse, coarse)
    with pytest.raises(ValueError, match="has no skeleton"):
        check_poses(database(), fine, replace(coarse, skeleton=None, bones=None))


def foreign_clip(angles: list[dict[str, Any]]) -> tuple[ruckle.Animation, ruckle.Animation]:
    """Return the fine and the coarse garment in the poses of a clip. The clip does not mark its samples.

    The coarse animation has a skeleton and bone matrices.
    """
    bones = np.array([SKELETON.pose(plan().rotations(a)) for a in angles])
    fine = animation([fine_at(a) for a in angles], fine_mesh()[1])
    return fine, animation([coarse_at(b) for b in bones], coarse_mesh()[1], skeleton=SKELETON, bones=bones)


def test_exact_samples_are_found_in_clips_without_marks() -> None:
    # The clip contains all samples with angles that are 5 % too large, then all exact samples, and twice a pose that
    # bends two joints and so is not a sample.
    angles = sampled_angles(plan())
    away = [{name: np.asarray(values) * 1.05 for name, values in pose.items()} for pose in angles]
    both = {"arm": np.radians([30, 0, 40]), "elbow": np.radians([60])}
    fine, coarse = collect_poses(plan(), *foreign_clip([*away, both, *angles, both]))
    for found, wanted in zip((fine, coarse), shapes_of(plan()), strict=True):
        assert_allclose(found.positions, wanted.positions, atol=1e-6)


def test_reject_clips_with_holes() -> None:
    fine, coarse = foreign_clip([{}, {"elbow": np.radians([30])}])
    with pytest.raises(
        ValueError, match=r"coarse: no frame shows 10 samples of the plan: arm \[-30.0, 0.0, -40.0\]; arm"
    ):
        collect_poses(plan(), fine, coarse)
    with pytest.raises(ValueError, match=r"coarse: '.*' has no skeleton, which joint angles need"):
        collect_poses(plan(), fine, fine)
    with pytest.raises(ValueError, match="coarse: expected 1 frames, as the fine garment has, got 2"):
        collect_poses(plan(), animation(list(fine.positions[:1]), fine.faces), coarse)
    renamed = ruckle.Skeleton(["a", "b", "c"], SKELETON.parents, SKELETON.rest_joints)
    with pytest.raises(ValueError, match="arm"):
        collect_poses(
            plan(), fine, animation(list(coarse.positions), coarse.faces, skeleton=renamed, bones=coarse.bones)
        )


def test_reject_warns_of_cloth_far_away_and_of_folds_of_two_families() -> None:
    fine, coarse = shapes_of(plan())
    far = fine.positions.copy()
    far[:, 7] += [0, 0.3, 0]
    with pytest.warns(UserWarning, match=r"fine: 1 vertices are farther from the coarse mesh than 5 % of its extent"):
        ruckle.build_poses(plan(), animation(list(far), fine.faces), coarse)
    leaping = fine.positions.copy()
    leaping[-1] += 0.05 * np.random.default_rng(0).normal(size=leaping[-1].shape)
    with pytest.warns(UserWarning, match="elbow: two neighbouring samples differ .* times as much as the median"):
        ruckle.build_poses(plan(), animation(list(leaping), fine.faces), coarse)


def test_exact_with_a_spread_detail_outside_of_the_region_of_a_joint_is_added() -> None:
    # the samples of "arm" also move the whole sleeve by 20 mm along the arm; the samples of "elbow" contain only folds
    of_plan = plan({"arm": [[0, 30], [0], [0]], "elbow": [0, 30]})
    fine, coarse = shapes_of(of_plan)
    bones = of_plan.sample_bones
    slid = fine.positions.copy()
    slid[2] += np.float32(0.02) * bones[2][2, :, 0].astype(np.float32)
    fine = replace(fine, positions=slid)
    made = {spread: ruckle.build_poses(of_plan, fine, coarse, spread=spread) for spread in (0.0, 0.05)}
    assert not made[0.0].has_shares
    assert made[0.05].has_shares
    # the forearm is outside the region of the joint "arm", but moves with this joint
    errors = {}
    for spread, examples in made.items():
        shape = ruckle.PoseSynthesizer(examples).step(coarse.positions[2], bones=bones[2]).shape.positions
        forearm = fine_mesh()[0][:, 0] > 0.35
        errors[spread] = np.linalg.norm(shape - fine.positions[2], axis=1)[forearm].mean()
    assert errors[0.0] > 0.015
    assert errors[0.05] < 0.25 * errors[0.0]
    assert ruckle.PoseSynthesizer(made[0.05]).options["merge"] == "fitted"
    assert ruckle.PoseSynthesizer(made[0.05], merge="paper").options["merge"] == "paper"
    with pytest.raises(ValueError, match=r"spread: expected a finite length of at least 0, got -0\.1"):
        ruckle.build_poses(of_plan, fine, coarse, spread=-0.1)
