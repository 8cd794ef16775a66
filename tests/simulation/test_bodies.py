"""Contact of cloth with bodies: meshes that cloth must not enter, Coulomb friction, and cones fitted to a skin."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import ruckle
from meshes import sphere
from ruckle.mesh.rotation import rotation_matrices, rotation_vectors
from ruckle.simulation import (
    MATERIALS,
    Body,
    ClothSimulation,
    Motion,
    fit_cones,
    grid_sheet,
    pose_cones,
    smooth_attachment,
)
from ruckle.simulation.body import clearance, mesh_clearance, require_wearer, skin
from sheets import motion_of_arm, sheet

BARE = replace(MATERIALS["cotton"], damping=0.0, air_drag=0.0)
SIDES = [[1, 2, 3, 0], [7, 6, 5, 4], [4, 5, 1, 0], [5, 6, 2, 1], [6, 7, 3, 2], [7, 4, 0, 3]]
BOX_FACES = np.array([face for a, b, c, d in SIDES for face in ([a, b, c], [a, c, d])])
BOX = np.array([[x, y, z] for y in (-1.0, 0.0) for x, z in ((-4, -4), (4, -4), (4, 4), (-4, 4))], float)


@pytest.mark.parametrize("angle", [0.2, 0.35, 0.42, 0.6])
def test_exact_cloth_slides_from_the_friction_angle_on(angle: float) -> None:
    rest, faces = sheet(6, 6, 0.5, 0.5)
    material = replace(BARE, static_friction=0.4, dynamic_friction=0.3)
    gravity = 9.81 * np.array([np.sin(angle), -np.cos(angle), 0])
    cloth = ClothSimulation(rest + np.array([0, material.thickness, 0]), faces, material=material, gravity=gravity)
    cloth.collide_with(BOX_FACES, len(BOX))
    for _ in range(30):
        positions = cloth.step(body=BOX).positions
    slid = positions[:, 0] - rest[:, 0]
    if np.tan(angle) < 0.4:
        np.testing.assert_allclose(slid, 0, atol=1e-4)
    else:
        # expected distance of sliding down the slope: g (sin - μ cos) t² / 2
        np.testing.assert_allclose(slid, 9.81 * (np.sin(angle) - 0.3 * np.cos(angle)) * 0.5**2 / 2, rtol=0.05)
    assert positions[:, 1].min() > material.thickness - 1e-4


def test_exact_friction_goes_from_static_to_dynamic_without_a_leap() -> None:
    rest, faces = sheet(6, 6, 0.5, 0.5)
    material = replace(BARE, static_friction=0.4, dynamic_friction=0.2)
    # depth in metres by which gravity moves resting cloth into the box within one substep
    depth = 9.81 / 60**2
    for slip in (0.0, 0.399, 0.401, 0.6, 0.799, 0.801, 2.0):
        cloth = ClothSimulation(rest, faces, material=material, gravity=(0, -9.81, 0), substeps=1)
        cloth.collide_with(BOX_FACES, len(BOX))
        cloth.place(rest + np.array([0, material.thickness, 0]), np.tile([60 * depth * slip, 0, 0], (len(rest), 1)))
        slid = (cloth.step(body=BOX).positions - rest)[:, 0]
        held = np.interp(slip, [0.4, 0.8], [0.4, 0.2])
        np.testing.assert_allclose(slid, depth * max(slip - held, 0.0), atol=2e-3 * depth)


def test_exact_a_moving_body_carries_cloth_along() -> None:
    rest, faces = sheet(6, 6, 0.5, 0.5)
    cloth = ClothSimulation(rest + np.array([0, 0.004, 0]), faces, material=BARE)
    cloth.collide_with(BOX_FACES, len(BOX))
    for frame in range(40):
        lift = np.array([0.002 * frame, 0.01 * frame, 0])
        positions = cloth.step(body=BOX + lift).positions
    # the body starts suddenly, so the cloth slips in the first frame
    np.testing.assert_allclose(positions[:, 1], 0.39 + 0.004, atol=1e-3)
    np.testing.assert_allclose(positions[:, 0] - rest[:, 0], 0.078, atol=0.004)


def test_exact_cloth_stays_outside_of_a_mesh_that_turns_and_moves() -> None:
    points, faces = 0.25 * sphere(3).positions, sphere(3).faces
    rest, cloth_faces = sheet(25, 25)
    cloth = ClothSimulation(rest + np.array([-0.5, 0.3, -0.5]), cloth_faces)
    cloth.collide_with(faces, len(points))
    for frame in range(90):
        angle, share = 0.02 * frame, min(frame / 60, 1.0)
        turn = rotation_matrices(np.array([0, angle, 0]))
        body = points @ turn.T + share * np.array([0.1, 0.05, 0])
        positions = cloth.step(body=body).positions
        # the triangles of the ball are inside the sphere by at most (edge length / 2)² / 2 r
        inner = np.linalg.norm(positions - share * np.array([0.1, 0.05, 0]), axis=1) - 0.25 * np.cos(np.pi / 12)
        assert inner.min() > 0.0
    assert positions[:, 1].max() > 0.25
    assert np.isfinite(positions).all()


@pytest.mark.parametrize("cut", [-0.004, 0.01, 0.02, 0.05])
def test_exact_cloth_lies_calmly_halfway_between_bodies_that_pinch_it_or_cut_into_each_other(cut: float) -> None:
    rest, faces = sheet(21, 21, 0.4, 0.4)
    boxes, box_faces = np.concatenate([BOX, BOX * [1, -1, 1]]), np.concatenate([BOX_FACES, 8 + BOX_FACES[:, ::-1]])
    cloth = ClothSimulation(rest - [0.2, 0, 0.2], faces)
    cloth.collide_with(box_faces, len(boxes))
    for frame in range(60):
        half = 0.5 * np.interp(frame, [0, 30], [0.03, -cut])
        result = cloth.step(body=boxes + np.repeat([[0, -half, 0], [0, half, 0]], 8, axis=0))
        assert result.stats["largest_edge_stretch"] < 1.1
    assert result.stats["largest_speed"] < 0.1
    # the cloth keeps the height at which it was pinched: one thickness above the lower body, when the bodies were 2.5
    # thicknesses apart (pinch_room); this is a quarter of the thickness below the middle, which has height 0
    np.testing.assert_allclose(result.positions[:, 1], 0, atol=0.25 * MATERIALS["cotton"].thickness + 1e-4)


def walls(half: float) -> list[list[float]]:
    """Return two cones as walls at y = -`half` and y = `half`. Their radius is large, so the walls are nearly flat."""
    return [[-1, -50 - half, 0, 50, 1, -50 - half, 0, 50], [-1, 50 + half, 0, 50, 1, 50 + half, 0, 50]]


@pytest.mark.parametrize("cut", [-0.004, 0.01, 0.05])
def test_exact_cloth_lies_calmly_halfway_between_cones_that_pinch_it_or_cut_into_each_other(cut: float) -> None:
    rest, faces = sheet(21, 21, 0.4, 0.4)
    cloth = ClothSimulation(rest - [0.2, 0, 0.2], faces)
    for frame in range(60):
        result = cloth.step(cones=walls(0.5 * np.interp(frame, [0, 30], [0.03, -cut])))
        assert result.stats["largest_edge_stretch"] < 1.01
    assert result.stats["largest_speed"] < 0.02
    np.testing.assert_allclose(result.positions[:, 1], 0, atol=1e-4)
    # the cloth does not stick to either wall
    for side in (-1.0, 1.0):
        cloth = ClothSimulation(rest - [0.2, 0, 0.2], faces, material=BARE, gravity=(0, 0, 0), substeps=1)
        cloth.place(rest - [0.2, side * 0.001, 0.2], np.tile([0.6, 0, 0], (len(rest), 1)))
        slid = (cloth.step(cones=walls(-0.5 * cut)).positions - rest)[:, 0] + 0.2
        np.testing.assert_allclose(slid, 0.01, atol=2e-5)


def test_exact_what_tracking_presses_into_a_cone_slides_along_it() -> None:
    material = replace(BARE, static_friction=0.3, dynamic_friction=0.3)
    rest, faces = sheet(12, 12, 0.3, 0.3)
    rest = rest - [0.15, 0, 0.15]
    held = []
    for is_tracked in (True, False):
        cloth = ClothSimulation(rest, faces, material=material, gravity=(0, 0, 0), substeps=1)
        tests, moved = np.full((1, len(rest)), 0.3**2 / len(rest)), rest + np.array([0.01, 0, 0])
        if is_tracked:
            cloth.track(tests)
        cloth.place(rest, np.tile([0.6, 0, 0], (len(rest), 1)))
        # the cloth is inside the cone by its whole thickness
        result = cloth.step(cones=walls(0.0)[:1], targets=(tests @ moved)[None] if is_tracked else None)
        held.append(np.median((moved - result.positions)[:, 0]))
    # The depth that counts for friction: for tracked cloth at most 0.1 m/s times the substep, which is one frame here;
    # for other cloth the whole thickness.
    np.testing.assert_allclose(held, [0.3 * 0.1 / 60, 0.3 * material.thickness], atol=5e-5)


def test_exact_cloth_that_two_sides_pinch_goes_as_both_on_average_until_they_part() -> None:
    material = replace(BARE, static_friction=0.0, dynamic_friction=0.0)
    gap = 1.2 * material.thickness
    faces = np.concatenate([BOX_FACES, BOX_FACES + 8])

    def boxes(half: float, way: float) -> np.ndarray:
        return np.concatenate([BOX - np.array([0, half, 0]), BOX + np.array([way, 1 + half, 0])])

    rest, cloth_faces = sheet(6, 6, 0.3, 0.3)
    # without friction, the cloth is held only while both bodies pinch it
    cloth, other = (ClothSimulation(rest, cloth_faces, material=material, gravity=(9.81, 0, 0)) for _ in range(2))
    for each in (cloth, other):
        each.collide_with(faces, len(BOX) * 2)
    for _ in range(10):
        positions = cloth.step(body=boxes(gap / 2, 0.0)).positions
    np.testing.assert_allclose(positions, rest, atol=1e-6)
    other.restore(cloth.state())
    for way in np.linspace(0.01, 0.1, 10):
        positions, same = (each.step(body=boxes(gap / 2, way)).positions for each in (cloth, other))
        np.testing.assert_array_equal(same, positions)
    np.testing.assert_allclose(positions, rest + np.array([0.05, 0, 0]), atol=1e-5)
    for half in np.linspace(gap / 2, 4 * material.thickness, 10):
        positions = cloth.step(body=boxes(half, 0.1)).positions
    # the cloth moves with the mean speed of both bodies while it falls
    assert (positions - rest)[:, 0].min() > 0.08


def test_exact_sides_that_part_let_go_at_once_of_what_lies_deep_between_them() -> None:
    material = replace(BARE, static_friction=0.0, dynamic_friction=0.0)
    faces = np.concatenate([BOX_FACES, BOX_FACES + 8])
    rest, cloth_faces = sheet(6, 6, 0.3, 0.3)
    cloth = ClothSimulation(rest, cloth_faces, material=material, gravity=(9.81, 0, 0))
    cloth.collide_with(faces, len(BOX) * 2)
    # the bodies approach until they overlap by 2 cm, and then separate at 0.1 m/s
    for half in [*np.linspace(0.002, -0.01, 10), *(-0.01 + 0.05 / 60 * np.arange(1, 7))]:
        body = np.concatenate([BOX - np.array([0, half, 0]), BOX + np.array([0, 1 + half, 0])])
        positions = cloth.step(body=body).positions
    # the cloth falls freely after the bodies release it: six frames
    np.testing.assert_allclose((positions - rest)[:, 0], 9.81 * (6 / 60) ** 2 / 2, rtol=0.05)
    np.testing.assert_allclose(positions[:, 1], 0, atol=1e-3)


def test_exact_cloth_slips_out_from_between_bodies_that_would_tear_it() -> None:
    rest, cloth_faces = sheet(41, 11, 0.8, 0.2)
    cloth = ClothSimulation(rest - [0.4, 0, 0.1], cloth_faces, gravity=(0, 0, 0), margin=0.002)
    cloth.collide_with(np.concatenate([BOX_FACES + 8 * k for k in range(4)]), 32)
    # two pairs of boxes pinch both ends of the cloth, and then move apart by 60 cm
    gaps, ways = np.r_[np.linspace(0.004, -0.004, 20), [-0.004] * 120], np.r_[[0.0] * 20, np.arange(120) * 0.0025]
    for gap, way in zip(gaps, ways, strict=True):
        boxes = [BOX * [0.05, 1, 1] + [s * (0.4 + way), y, 0] for s in (-1, 1) for y in (-gap, 1 + gap)]
        result = cloth.step(body=np.concatenate(boxes))
        assert result.stats["largest_edge_stretch"] < 1.6
    assert result.stats["largest_edge_stretch"] < 1.15


def test_exact_bodies_are_cut_before_cloth_is_torn() -> None:
    points, faces = sphere(3).positions, sphere(3).faces
    rest, cloth_faces = sheet(21, 21, 0.4, 0.4)
    cloth = ClothSimulation(
        rest - [0.2, -0.14, 0.2], cloth_faces, np.abs(rest - [0.2, 0, 0.2]).max(axis=1) > 0.2 - 1e-6
    )
    cloth.collide_with(faces, len(points))
    for frame in range(60):
        # the ball grows and rises within the frame, while the pins hold the cloth
        stats = cloth.step(body=(0.1 + 0.001 * frame) * points + [0, 0.0005 * frame, 0]).stats
        assert stats["largest_edge_stretch"] < 1.25


def ball_under_a_sheet(spacing: float, threads: int = 1) -> np.ndarray:
    """Return the smallest distance in metres of a sheet's faces from a ball that rises between its vertices.

    The distance is negative if the ball passes through a face.
    """
    ball = sphere(3)
    # the sheet has edges of 30 cm and a pinned rim; the diameter of the ball is two thirds of an edge
    rest, cloth_faces = sheet(4, 4, 0.9, 0.9)
    cloth = ClothSimulation(
        rest, cloth_faces, np.abs(rest - [0.45, 0, 0.45]).max(axis=1) > 0.44, contact_spacing=spacing, threads=threads
    )
    cloth.collide_with(ball.faces, len(ball.positions))
    share = np.linspace(0, 1, 21)
    on_faces = np.array([[a, b, 1 - a - b] for a in share for b in share if a + b < 1.001])
    least = []
    for frame in range(40):
        center = [0.45, -0.15 + 0.004 * frame, 0.45]
        positions = cloth.step(body=0.1 * ball.positions + center).positions
        points = np.einsum("pk,fkx->fpx", on_faces, positions[cloth_faces])
        least.append(np.linalg.norm(points - center, axis=-1).min() - 0.1)
    return np.array(least)


def test_exact_faces_that_are_wider_than_a_limb_stay_outside_of_it_at_their_points() -> None:
    # without sample points on faces, vertices alone do not collide with the ball
    assert ball_under_a_sheet(0.0).min() < -0.08
    # straight lines between points 40 and 20 mm apart cut 2 and 0.5 mm into the ball; its own triangles add 0.7 mm; the
    # cloth is 4 mm thick
    for spacing in (0.04, 0.02):
        assert ball_under_a_sheet(spacing).min() > 0.0
    # a spacing longer than the edges does not add sample points
    np.testing.assert_array_equal(ball_under_a_sheet(0.5), ball_under_a_sheet(0.0))
    np.testing.assert_array_equal(ball_under_a_sheet(0.04, threads=2), ball_under_a_sheet(0.04))


def test_exact_points_of_faces_keep_momentum_and_pins() -> None:
    # a ball touches a face in its middle from below
    rest, faces = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0, 0.3]]), np.array([[0, 2, 1]])
    still = {"material": replace(BARE, static_friction=0.0, dynamic_friction=0.0), "gravity": (0, 0, 0)}
    spike = sphere(2).positions * 0.02 + [0.1, -0.03, 0.1]
    for pinned in ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]):
        cloth = ClothSimulation(rest, faces, pinned, contact_spacing=0.15, strain_sweeps=0, **still)
        cloth.collide_with(sphere(2).faces, len(spike))
        for frame in range(10):
            result = cloth.step(body=spike + np.array([0, 0.001 * frame, 0]))
        moved = result.positions[:, 1]
        assert moved[1] > 1e-3
        np.testing.assert_allclose(moved[2], moved[1], rtol=0.05)
        if pinned[0]:
            assert moved[0] == 0.0
        else:
            np.testing.assert_allclose(moved[0], moved[1], rtol=0.05)


@pytest.mark.parametrize("spacing", [0.0, 0.02])
def test_exact_saved_contacts_go_on_with_the_same_bits(spacing: float) -> None:
    points, faces = 0.25 * sphere(3).positions, sphere(3).faces
    rest, cloth_faces = sheet(15, 15)

    def go(cloth: ClothSimulation, first: int, last: int) -> np.ndarray:
        return np.array([cloth.step(body=points + np.array([0, 0.002 * f, 0])).positions for f in range(first, last)])

    where = rest + np.array([-0.5, 0.27, -0.5])
    options = {"self_distance": 0.01, "contact_spacing": spacing}
    cloth, fresh = (ClothSimulation(where, cloth_faces, **options) for _ in range(2))
    for each in (cloth, fresh):
        each.collide_with(faces, len(points))
    go(cloth, 0, 30)
    state = cloth.state()
    expected = go(cloth, 30, 45)
    fresh.restore(state)
    np.testing.assert_array_equal(go(fresh, 30, 45), expected)
    with pytest.raises(ValueError, match="with the same options, got one with another"):
        ClothSimulation(rest, cloth_faces).restore(state)


def test_reject_bodies() -> None:
    cloth = ClothSimulation(*sheet(4, 4))
    with pytest.raises(ValueError, match=r"body: expected an array of shape \(B = 0, 3\)"):
        cloth.step(body=BOX)
    with pytest.raises(ruckle.MeshError, match="vertex"):
        cloth.collide_with(BOX_FACES, 3)
    cloth.collide_with(BOX_FACES, len(BOX))
    with pytest.raises(ValueError, match="body: expected a C-contiguous float32 array"):
        cloth.step()
    with pytest.raises(ruckle.MeshError, match="body vertices"):
        cloth.step(body=np.full((8, 3), np.nan))


def test_exact_poses_come_back_from_local_rotations() -> None:
    motion = motion_of_arm()
    root = motion.bones[3, 0, :, :3] @ motion.joints[0] + motion.bones[3, 0, :, 3]
    np.testing.assert_allclose(motion.pose(motion.local(3), root), motion.bones[3], atol=1e-12)
    vectors = np.array([[0.0, 0, 0], [0.3, -0.2, 0.9], [0, 3.0, 0]])
    np.testing.assert_allclose(rotation_vectors(rotation_matrices(vectors)), vectors, atol=1e-12)
    axes = np.random.default_rng(3).standard_normal((50, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    for angle in (np.pi, np.pi - 1e-7, np.pi - 1e-4, 3.1, 1e-8):
        turned = rotation_matrices(angle * axes)
        found = rotation_vectors(turned)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), angle, atol=1e-7)
        np.testing.assert_allclose(rotation_matrices(found), turned, atol=1e-7)


def test_exact_motions_from_rest_begin_at_rest_and_end_in_the_motion() -> None:
    motion = motion_of_arm()
    led = motion.from_rest(10, 3)
    assert len(led.bones) == 10 + 3 + 5
    np.testing.assert_allclose(led.bones[0, :, :, :3], np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-12)
    np.testing.assert_array_equal(led.bones[10:13], np.repeat(motion.bones[:1], 3, 0))
    np.testing.assert_array_equal(led.bones[13:], motion.bones)
    doubled = motion.at_rate(60.0)
    assert len(doubled.bones) == 9
    np.testing.assert_allclose(doubled.bones[::2], motion.bones, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(doubled.bones[..., :3]), 1.0, atol=1e-9)


def test_exact_cones_hold_nine_tenths_of_the_skin_and_follow_their_bones() -> None:
    motion, random = motion_of_arm(), np.random.default_rng(2)
    t, angle = random.random(400), 2 * np.pi * random.random(400)
    radius = 0.08 - 0.03 * t
    points = np.stack([0.3 * t, radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
    weights = np.tile(np.float32([1, 0, 0]), (400, 1))
    body = Body(points, np.zeros((0, 3), np.int32), weights)
    cones, owners = fit_cones(body, motion, [("a", "b")])
    np.testing.assert_allclose(cones[0, [3, 7]], [0.08, 0.05], atol=1e-4)
    posed = pose_cones(cones, owners, motion.bones[4])
    np.testing.assert_allclose(posed[0, [3, 7]], cones[0, [3, 7]])
    before, after = clearance(points, cones), clearance(skin(points, weights, motion.bones[4]), posed)
    np.testing.assert_allclose(after, before, atol=1e-6)
    with pytest.raises(ValueError, match="joint: expected one of a, b, c, got 'd'"):
        motion.index("d")
    # a cone may leave out a few points of the skin, unless it must contain all points
    bumpy = replace(body, positions=points * np.where(np.arange(400) % 20 == 0, 1.1, 1.0)[:, None].astype(np.float32))
    inner = (bumpy.positions[:, 0] > 0.01) & (bumpy.positions[:, 0] < 0.29)
    most, whole = (fit_cones(bumpy, motion, [("a", "b")], covered=share)[0] for share in (90.0, 100.0))
    assert clearance(bumpy.positions[inner], most).max() > 0.003
    assert clearance(bumpy.positions[inner], whole).max() < 1e-4
    with pytest.raises(ValueError, match="parts: bones b of part 'b' do not move any skin the most"):
        fit_cones(body, motion, [("b", "c")])


def test_degenerate_cones_of_pointed_limbs_keep_a_radius() -> None:
    # the skin ends at two thirds of the bone; the fitted line of radii would be negative at the end of the bone
    motion, random = motion_of_arm(), np.random.default_rng(2)
    t, angle = random.uniform(0.0, 0.65, 400), 2 * np.pi * random.random(400)
    radius = 0.08 - 0.12 * t
    points = np.stack([0.3 * t, radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
    body = Body(points, np.zeros((0, 3), np.int32), np.tile(np.float32([1, 0, 0]), (400, 1)))
    cones, _ = fit_cones(body, motion, [("a", "b")])
    assert cones[0, 3] == pytest.approx(0.08, abs=0.005)
    assert 0.0 < cones[0, 7] < 0.05


def test_exact_variants_of_motions() -> None:
    arm = motion_of_arm()
    sides = replace(arm, names=("Root", "LeftArm", "RightArm"), parents=np.array([-1, 0, 0], np.int32))
    joints = np.array([[0, 1, 0], [0.3, 1, 0], [-0.3, 1, 0.0]])
    local = rotation_matrices(np.random.default_rng(0).normal(scale=0.4, size=(5, 3, 3)))
    body = replace(sides, joints=joints)
    body = replace(body, bones=np.array([body.pose(turn, (0.1, 0.0, 0.2)) for turn in local]))
    mirrored = body.variant("mirrored")
    # the right arm is the mirror image of the left arm
    tip = np.array([0.6, 1.0, 0.1])
    mirror = np.array([-1.0, 1.0, 1.0])
    for before, after in zip(body.bones, mirrored.bones, strict=True):
        left = before[1, :, :3] @ tip + before[1, :, 3]
        right = after[2, :, :3] @ (tip * mirror) + after[2, :, 3]
        np.testing.assert_allclose(right, left * mirror, atol=1e-12)
    np.testing.assert_allclose(mirrored.variant("mirrored").bones, body.bones, atol=1e-12)
    np.testing.assert_array_equal(body.variant("reversed").bones, body.bones[::-1])
    assert body.variant("plain") is body
    long = replace(body, bones=np.repeat(body.bones, 8, axis=0))
    assert [len(long.variant(name).bones) for name in ("faster", "slower")] == [32, 49]
    assert long.variant("faster").fps == long.fps
    with pytest.raises(ValueError, match="variant: expected one of"):
        body.variant("sideways")


def test_exact_distances_from_a_mesh_have_the_sign_of_the_side() -> None:
    points = np.array([[0, 0.3, 0], [0, -0.2, 0], [5, 0.0, 0], [5, 0.5, 5], [3.9, -0.5, 0], [4.0, 1.0, 4.0]])
    distances, outward = mesh_clearance(points, BOX, BOX_FACES)
    # points above the box, inside it, next to an edge, next to a corner, inside near a side, and above a corner
    np.testing.assert_allclose(distances, [0.3, -0.2, 1.0, np.sqrt(2.25), -0.1, 1.0], atol=1e-9)
    np.testing.assert_allclose(outward[[0, 1, 4]], [[0, 1, 0], [0, 1, 0], [1, 0, 0]], atol=1e-9)
    assert [found.shape for found in mesh_clearance(points[:0], BOX, BOX_FACES)] == [(0,), (0, 3)]
    ball = sphere(3)
    random = np.random.default_rng(3).normal(size=(200, 3))
    there = mesh_clearance(random, ball.positions, ball.faces)[0]
    far = np.abs(np.linalg.norm(random, axis=1) - 1) > 0.05
    np.testing.assert_array_equal(there[far] > 0, (np.linalg.norm(random, axis=1) > 1)[far])


def test_exact_edges_with_a_margin_stay_outside_of_a_ridge() -> None:
    rest, faces = sheet(12, 12, 0.5, 0.5)
    # a roof with a right angle, whose ridge is along z between two rows of vertices
    roof = BOX @ rotation_matrices(np.array([0.0, 0.0, np.pi / 4])).T
    roof = roof - roof[roof[:, 1].argmax()] * [1.0, 1.0, 0.0] + [rest[:, 0].mean(), -0.03, 0.0]
    cloth = ClothSimulation(rest, faces, material=MATERIALS["cotton"], margin=0.002)
    cloth.collide_with(BOX_FACES, len(BOX))
    for _ in range(30):
        positions = cloth.step(body=roof).positions
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    # both slopes are 45 mm long; if only vertices had a distance of 6 mm, edges would cut 10 mm into the roof
    assert mesh_clearance(positions, roof, BOX_FACES)[0].min() > 0.004
    assert mesh_clearance(positions[edges].mean(axis=1), roof, BOX_FACES)[0].min() > 0.0005


def tracked_sheet(count: int, size: float) -> tuple[ClothSimulation, np.ndarray, np.ndarray]:
    """Return weightless cloth without friction that tracks its mean, its faces, and the test function (1, V)."""
    rest, faces = sheet(count, count, size, size)
    material = replace(BARE, static_friction=0.0, dynamic_friction=0.0)
    cloth = ClothSimulation(rest, faces, material=material, gravity=(0, 0, 0), substeps=32)
    tests = np.full((1, len(rest)), size**2 / len(rest))
    cloth.track(tests)
    return cloth, faces, tests


def test_exact_tracked_edges_stay_off_a_ridge_that_comes_below_them_within_a_frame() -> None:
    cloth, faces, tests = tracked_sheet(24, 0.3)
    cloth.collide_with(BOX_FACES, len(BOX))
    rest = cloth.positions
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    roof = BOX @ rotation_matrices(np.array([0.0, 0.0, np.pi / 4])).T
    roof = roof - roof[roof[:, 1].argmax()] * [1.0, 1.0, 0.0]
    column = np.unique(rest[:, 0])[10]
    # edges of 13 mm are above one slope at the start of the second frame, and across the ridge at its end
    for x, y in ((-0.003, -0.03), (0.0065, 0.01)):
        body = roof + np.array([column + x, y, 0.0])
        positions = cloth.step(body=body, targets=np.repeat(tests @ rest, 32, axis=0)[:, None]).positions
    assert mesh_clearance(positions[edges].mean(axis=1), body, BOX_FACES)[0].min() > 0.001


def test_exact_tracked_cloth_on_one_side_of_a_crease_does_not_sink_into_the_other() -> None:
    cloth, _, tests = tracked_sheet(12, 0.3)
    cloth.collide_with(np.concatenate([BOX_FACES, BOX_FACES + 8]), 2 * len(BOX))
    floor, wall = BOX - np.array([0, 0.004, 0]), BOX @ rotation_matrices(np.array([0.0, 0.0, -np.pi / 2])).T
    rest = cloth.positions
    for frame in range(20):
        # the wall slides over the floor to the cloth and pushes it
        face = -0.01 + 0.004 * frame
        body = np.concatenate([floor, wall + np.array([face, 0, 0])])
        middle = tests @ (rest + np.array([max(face, 0.0), 0, 0]))
        positions = cloth.step(body=body, targets=np.repeat(middle, 32, axis=0)[:, None]).positions
        assert positions[:, 0].min() - face > 0.9 * MATERIALS["cotton"].thickness


@pytest.mark.parametrize("turn", [0.05, 0.1])
def test_exact_tracked_cloth_knows_both_sides_of_a_crease_that_turns_fast(turn: float) -> None:
    cloth, _, tests = tracked_sheet(12, 0.2)
    cloth.collide_with(np.concatenate([BOX_FACES, BOX_FACES + 8]), 2 * len(BOX))
    crease = np.concatenate([BOX, BOX @ rotation_matrices(np.array([0.0, 0.0, -np.pi / 2])).T])
    start = cloth.positions + np.array([0.006, 0.006, -0.1])
    cloth.place(start)
    for angle in (0.0, turn):
        rotation = rotation_matrices(np.array([0.0, 0.0, angle]))
        positions = cloth.step(
            body=crease @ rotation.T, targets=np.repeat(tests @ start, 32, axis=0)[:, None]
        ).positions
    # at the start of the frame, a corner of each side of the crease is metres away, far in front of the cloth's middle
    assert (positions @ rotation)[:, :2].min() > 0.9 * MATERIALS["cotton"].thickness


def test_exact_tracked_cloth_that_comes_from_afar_within_a_frame_does_not_enter_a_mesh() -> None:
    cloth, _, tests = tracked_sheet(12, 0.2)
    cloth.collide_with(BOX_FACES, len(BOX))
    body, start = BOX - np.array([0, 0.12, 0]), tests @ cloth.positions
    # the targets of tracking move to 2 mm below the surface of the body
    way = np.linspace(0, 1, 33)[1:, None, None] * [0, -0.122, 0] * tests.sum()
    positions = cloth.step(body=body, targets=start + way).positions
    assert positions[:, 1].min() + 0.12 > 0.9 * MATERIALS["cotton"].thickness


def test_exact_tracked_cloth_that_strain_has_pulled_onto_a_ridge_comes_off_it_when_the_frame_ends() -> None:
    rest, faces = sheet(24, 3, 0.3, 0.03)
    material = replace(BARE, static_friction=0.0, dynamic_friction=0.0)
    is_end = np.abs(rest[:, 0] - 0.15) > 0.149
    cloth = ClothSimulation(rest, faces, is_end, material=material, gravity=(0, 0, 0), substeps=16)
    tests = np.full((1, len(rest)), 1e-4)
    cloth.track(tests)
    cloth.collide_with(BOX_FACES, len(BOX))
    roof = BOX @ rotation_matrices(np.array([0.0, 0.0, np.pi / 4])).T
    roof = roof - roof[roof[:, 1].argmax()] * [1.0, 1.0, 0.0]
    # during the last 4 mm, the strip has its largest allowed length, so that it cannot stretch further
    for height in np.linspace(-0.006, 0.036, 22):
        body = roof + np.array([0.15, height, 0.0])
        positions = cloth.step(body=body, targets=np.repeat(tests @ rest, 16, axis=0)[:, None]).positions
        assert mesh_clearance(positions[~is_end], body, BOX_FACES)[0].min() > 0.00095


def test_exact_a_long_limb_that_swings_fast_does_not_go_through_cloth() -> None:
    material = replace(BARE, static_friction=0.0, dynamic_friction=0.0)
    # faces that are 4 m long, of a rod that turns around one of its ends
    rod = (BOX + np.array([4.0, 0.5, 0.0])) * [0.25, 0.1, 0.02]
    rest, faces = sheet(6, 6, 0.1, 0.1)
    rest = rest - rest.mean(axis=0) + np.array([1.8, 0.2, 0.0])
    cloth = ClothSimulation(rest, faces, material=material, gravity=(0, 0, 0), substeps=32)
    cloth.collide_with(BOX_FACES, len(BOX))
    for angle in np.linspace(0.0, 0.26, 14):
        body = rod @ rotation_matrices(np.array([0.0, 0.0, angle])).T
        positions = cloth.step(body=body).positions
        assert mesh_clearance(positions, body, BOX_FACES)[0].min() > 0.5 * material.thickness


def test_exact_distances_from_spiky_meshes_have_the_sign_of_the_side() -> None:
    rng, ball = np.random.default_rng(1), sphere(2)
    for _ in range(10):
        # a body with random radii around the origin, whose edges are as sharp as blades
        flat = [1.0, 1.0, 0.3]
        positions = ball.positions * rng.uniform(0.3, 1.5, (len(ball.positions), 1)) * flat
        points = rng.normal(size=(200, 3)) * flat
        corners = positions[ball.faces].transpose(0, 2, 1)
        shares = np.linalg.solve(corners[:, None], points[None, :, :, None])[..., 0]
        inside = ((shares.min(axis=2) >= 0) & (shares.sum(axis=2) < 1)).any(axis=0)
        np.testing.assert_array_equal(mesh_clearance(points, positions, ball.faces)[0] < 0, inside)


def test_exact_distances_from_long_faces_beside_small_ones() -> None:
    # the centres of the ball's faces are nearer to the points than the centres of the box's faces, which are 2 m away
    ball = sphere(3)
    points = np.concatenate([BOX, 0.1 * ball.positions + [3.0, 0.3, -1.0]])
    faces = np.concatenate([BOX_FACES, ball.faces + len(BOX)])
    heights = np.linspace(0.01, 0.09, 9)
    below = np.stack([np.full(9, 3.0), heights, np.full(9, -1.0)], axis=1)
    distances, outward = mesh_clearance(below, points, faces)
    np.testing.assert_allclose(distances, heights, atol=1e-9)
    np.testing.assert_allclose(outward, np.tile([0.0, 1.0, 0.0], (9, 1)), atol=1e-9)


def test_exact_cloth_that_comes_from_afar_within_a_frame_does_not_enter_a_mesh() -> None:
    rest, faces = sheet(6, 6, 0.5, 0.5)
    cloth = ClothSimulation(rest, faces, material=BARE, gravity=(0, 0, 0))
    cloth.collide_with(BOX_FACES, len(BOX))
    # like a hem that snaps back: it moves 70 mm in this frame, but the distance to the box is 60 mm
    cloth.place(rest + np.array([0, 0.06, 0]), np.tile([0.0, -4.2, 0.0], (len(rest), 1)))
    assert cloth.step(body=BOX).positions[:, 1].min() > BARE.thickness - 1e-4


@pytest.mark.parametrize("threads", [1, 2])
def test_exact_cones_do_not_tear_at_cloth_that_is_held(threads: int) -> None:
    def tube(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([0.06 * np.cos(2 * np.pi * u), -0.3 * v, 0.06 * np.sin(2 * np.pi * u)], 1)

    rest, faces = grid_sheet(64, 25, tube, closed=True)
    cloth = ClothSimulation(rest, faces, smooth_attachment(-rest[:, 1], 0.03), threads=threads)
    stretches = []
    # a limb swings by more than the space inside the band that holds the cloth
    for frame in range(30):
        x = 0.012 * np.sin(2 * np.pi * frame / 30)
        stretches.append(cloth.step(cones=[[x, 0.1, 0, 0.053, x, -0.4, 0, 0.053]]).stats["largest_edge_stretch"])
    # if only the cone limited the cloth, the stretch would be 1.2
    assert max(stretches) < 1.17
    assert clearance(cloth.positions[rest[:, 1] < -0.04], [[x, 0.1, 0, 0.053, x, -0.4, 0, 0.053]]).min() > 0.003


def limb() -> Body:
    """Return a bar of skin that is 1 m long along x. Its skin weights bend it in the middle."""
    points = np.array([[x, y, z] for x in np.linspace(0, 1, 21) for y, z in ((0.1, 0), (-0.1, 0))])
    share = np.clip(10 * (points[:, 0] - 0.45), 0, 1)
    weights = np.stack([1 - share, share], axis=1)
    return Body(points.astype(np.float32), np.zeros((0, 3), np.int32), weights.astype(np.float32))


def moving(elbow: float) -> Motion:
    """Return a motion of a bar with a joint at x = `elbow`, in metres."""
    joints = np.array([[0, 0, 0], [elbow, 0, 0]], float)
    return Motion(np.tile(np.eye(3, 4), (2, 2, 1, 1)), joints, np.array([-1, 0], np.int32), ("a", "b"), 60.0)


def test_exact_a_body_is_that_of_its_motion() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        require_wearer(moving(elbow=0.51), limb())
        # no part of the skin bends, so the position of the joint does not matter
        require_wearer(moving(elbow=0.51), replace(limb(), weights=np.eye(1, 2, dtype=np.float32).repeat(42, axis=0)))
    with pytest.warns(UserWarning, match="body: bends 200 mm away from the motion's joints"):
        require_wearer(moving(elbow=0.7), limb())
    with pytest.raises(ValueError, match="body: has weights for 1 bones, but the motion has 2"):
        require_wearer(moving(elbow=0.5), replace(limb(), weights=np.ones((42, 1), np.float32)))
