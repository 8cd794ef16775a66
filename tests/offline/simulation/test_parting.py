"""Limbs that are inside the body are turned out of it: to a wanted distance, smoothly, without changing other bones."""

from dataclasses import replace

import numpy as np
import pytest

from meshes import sphere
from ruckle.mesh.rotation import rotation_matrices, rotation_vectors
from ruckle.offline.simulation import parted
from ruckle.offline.simulation.parting import SETTLED
from ruckle.offline.simulation.scenes import CALVES, HANDS, KNEE_RAMP, KNEE_ROOM, SHIRT_LIMBS, with_mittens
from ruckle.simulation import Body, Motion, load_body, load_motion
from ruckle.simulation.body import mesh_clearance
from shared_data import MISSING, shared_files

SHOULDER, LENGTH, TRUNK = np.array([0.35, 0.15, 0.0]), 0.5, 0.15
ROOM = 0.02


def wearer() -> Body:
    """Return a body: a ball as the trunk, and a long ellipsoid along x as the arm."""
    ball = sphere(3)
    trunk, arm = TRUNK * ball.positions, [0.25, 0.04, 0.04] * ball.positions + SHOULDER + [LENGTH / 2, 0, 0]
    points = np.concatenate([trunk, arm]).astype(np.float32)
    weights = np.repeat(np.eye(2, 3, dtype=np.float32), len(trunk), axis=0)
    return Body(points, np.concatenate([ball.faces, ball.faces + len(trunk)]).astype(np.int32), weights)


def swinging(most: float = 140.0, frames: int = 61) -> Motion:
    """Return a motion at 60 frames per second: an arm swings down by `most` degrees and back."""
    joints = np.stack([np.zeros(3), SHOULDER, SHOULDER + np.array([LENGTH, 0, 0])])
    still = Motion(np.zeros((1, 3, 3, 4)), joints, np.array([-1, 0, 1], np.int32), ("trunk", "arm", "hand"), 60.0)
    turns = np.zeros((frames, 3, 3))
    turns[:, 1, 2] = -np.radians(most) * np.sin(np.linspace(0, np.pi, frames)) ** 2
    return replace(still, bones=np.array([still.pose(rotation_matrices(turn)) for turn in turns]))


def hand(motion: Motion) -> np.ndarray:
    return motion.bones[:, 1, :, :3] @ motion.joints[2] + motion.bones[:, 1, :, 3]


def distances(motion: Motion, body: Body) -> np.ndarray:
    """Return the smallest distance in metres between the outer quarter of the arm and the trunk, for each frame."""
    half = len(body.positions) // 2
    outer = half + np.flatnonzero(body.positions[half:, 0] > SHOULDER[0] + 0.75 * LENGTH)
    trunk = body.faces[: len(body.faces) // 2]
    return np.array([mesh_clearance(skin[outer], skin, trunk)[0].min() for skin in map(body.posed, motion.bones)])


def test_exact_an_arm_is_turned_to_the_wanted_distance_from_the_trunk() -> None:
    body, before = wearer(), swinging(frames=181)
    after = parted(before, body, ["arm"], room=ROOM)
    assert distances(before, body).min() < -0.04
    kept = distances(after, body)
    assert kept.min() > 0.75 * ROOM
    # in frames in which the arm was more than 4 cm inside, it now has about the wanted distance
    assert kept[distances(before, body) < -0.04].max() < 2.0 * ROOM
    # the arm turns around z like its swing, because this is the shortest way out of the trunk
    turn = rotation_vectors(after.bones[:, 1, :, :3] @ np.swapaxes(before.bones[:, 1, :, :3], -1, -2))
    assert np.abs(turn[:, :2]).max() < 0.02
    assert np.ptp(turn[:, 2]) > 0.2
    # the shoulder and its parent bone are not moved
    np.testing.assert_array_equal(after.bones[:, 0], before.bones[:, 0])
    shoulders = after.bones[:, 1, :, :3] @ SHOULDER + after.bones[:, 1, :, 3]
    np.testing.assert_allclose(shoulders, np.tile(SHOULDER, (181, 1)), atol=1e-9)


def test_exact_turns_begin_at_0_and_add_little_acceleration() -> None:
    body, before = wearer(), swinging()
    after = parted(before, body, ["arm"])
    np.testing.assert_allclose(hand(after)[0], hand(before)[0], atol=1e-4)

    def hardest(motion: Motion) -> float:
        return float(np.linalg.norm(np.diff(hand(motion), 2, axis=0), axis=1).max())

    assert hardest(after) < 1.5 * hardest(before)


def test_property_a_later_ramp_turns_the_arm_less() -> None:
    body, before = wearer(), swinging()

    def moved(ramp: tuple[float, float]) -> float:
        after = parted(before, body, ["arm"], room=ROOM, ramp=ramp)
        return float(np.linalg.norm(hand(after) - hand(before), axis=1).max())

    # Along the arm, the required distance rises from 0 to its full value over `ramp` (shares of the arm's length): so
    # only the tip counts (0.95 to 0.99), or the outer half (0.5 to 0.6).
    assert 0.0 < moved((0.95, 0.99)) < 0.9 * moved((0.5, 0.6))
    # a ramp after the end of the arm does not require a distance of any part
    assert moved((1.1, 1.2)) == 0.0


def test_exact_limbs_with_enough_distance_do_not_change() -> None:
    body, apart = wearer(), swinging(most=60.0)
    assert distances(apart, body).min() > ROOM
    np.testing.assert_array_equal(parted(apart, body, ["arm"]).bones, apart.bones)
    np.testing.assert_array_equal(parted(swinging(), body, []).bones, swinging().bones)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_exact_the_first_frame_does_not_change(frames: int) -> None:
    body, whole = wearer(), swinging()
    # in the first of these frames, the arm is already deep in the trunk
    few = replace(whole, bones=whole.bones[30 : 30 + frames])
    np.testing.assert_allclose(parted(few, body, ["arm"]).bones[0], few.bones[0], atol=2e-3)


def test_exact_a_body_that_is_one_limb_or_has_none_stays() -> None:
    body, motion = wearer(), swinging()
    np.testing.assert_array_equal(parted(motion, body, ["trunk"]).bones, motion.bones)
    bare = replace(body, weights=np.tile(np.eye(1, 3, dtype=np.float32), (len(body.positions), 1)))
    np.testing.assert_array_equal(parted(motion, bare, ["arm"]).bones, motion.bones)


def test_property_turns_follow_rigid_motion() -> None:
    body, before = wearer(), swinging()
    turn, way = rotation_matrices(np.array([0.3, -0.8, 0.5])), np.array([3.0, -1.0, 2.0])
    moved = replace(before, bones=turn @ before.bones + np.pad(way[:, None], [(0, 0), (3, 0)]))
    after = parted(before, body, ["arm"]).bones
    expected = turn @ after + np.pad(way[:, None], [(0, 0), (3, 0)])
    # the tolerance is 4 SETTLED, because the iteration stops when changes are below SETTLED
    np.testing.assert_allclose(parted(moved, body, ["arm"]).bones, expected, atol=4 * SETTLED)


def test_reject_what_is_no_limb() -> None:
    body, motion = wearer(), swinging()
    with pytest.raises(ValueError, match="joint: expected one of trunk, arm, hand, got 'leg'"):
        parted(motion, body, ["leg"])
    with pytest.raises(ValueError, match="joints: 'hand' has no joint below it, so no limb begins there"):
        parted(motion, body, ["hand"])
    with pytest.raises(ValueError, match="room"):
        parted(motion, body, ["arm"], room=0.0)
    with pytest.raises(ValueError, match=r"ramp: expected two ascending numbers"):
        parted(motion, body, ["arm"], ramp=(0.5, 0.5))


def captured(name: str = "jeans_run", wearer: str = "body_male") -> tuple[Motion, Body]:
    files = [*shared_files(f"sequences/{name}.npz"), *shared_files(f"sequences/{wearer}.npz")]
    if not files:
        pytest.skip(MISSING)
    return load_motion(files[0]), load_body(files[1])


def test_exact_hands_of_a_captured_runner_come_out_of_the_trunk() -> None:
    motion, body = captured()
    off = parted(motion, body, SHIRT_LIMBS)
    on_arm = np.isin(body.weights.argmax(axis=1), motion.skeleton.below(motion.index("LeftArm")))
    fingers = np.isin(body.weights.argmax(axis=1), motion.skeleton.below(motion.index("LeftHand")))
    trunk = body.faces[~on_arm[body.faces].any(axis=1)]

    def deepest(moved: Motion) -> float:
        skins = map(body.posed, moved.bones[5:20])
        return min(float(mesh_clearance(skin[fingers], skin, trunk)[0].min()) for skin in skins)

    assert deepest(motion) < -0.02
    assert deepest(off) > 0.01


def test_exact_knees_of_a_captured_dancer_leave_room_behind_them() -> None:
    motion, body = captured("skirt_dance_sim", "body_female")
    # the knee is bent so far that the calf is inside the thigh
    drawn_up = replace(motion, bones=motion.bones[168:200])
    after = parted(drawn_up, body, CALVES, room=KNEE_ROOM, ramp=KNEE_RAMP)
    knee, ankle = (motion.joints[motion.index(name)] for name in ("LeftLeg", "LeftFoot"))
    along = (body.positions - knee) @ (ankle - knee) / ((ankle - knee) @ (ankle - knee))
    owners = body.weights.argmax(axis=1)
    calf = (owners == motion.index("LeftLeg")) & (along > 0.3)
    on_leg = np.isin(owners, motion.skeleton.below(motion.index("LeftLeg")))
    rest = body.faces[~on_leg[body.faces].any(axis=1)]

    def least(moved: Motion) -> float:
        skins = map(body.posed, moved.bones)
        away = np.array([mesh_clearance(skin[calf], skin, rest)[0] for skin in skins])
        # the mesh of the thigh has a hole at the knee, so the sign of the distance is reliable only within 5 cm
        return float(away[np.abs(away) < 0.05].min())

    assert least(drawn_up) < -0.005
    assert least(after) > 0.005


def test_exact_mittens_contain_the_hands_and_all_other_vertices_stay() -> None:
    motion, body = captured()
    mittens = with_mittens(body, motion)
    bones = [bone for name in HANDS for bone in motion.skeleton.below(motion.index(name))]
    hands = np.isin(body.weights.argmax(axis=1), bones)
    # all vertices of the hands are inside the mitten or on its surface
    depths = mesh_clearance(body.positions[hands], mittens.positions, mittens.faces)[0]
    assert depths.max() < 1e-6
    points = {tuple(point) for point in mittens.positions.tolist()}
    assert all(tuple(point) in points for point in body.positions[~hands].tolist())
    # all other vertices have the same motion as before
    skin, bare = mittens.posed(motion.bones[40]), body.posed(motion.bones[40])
    assert {tuple(p) for p in skin.tolist()} <= {tuple(p) for p in bare.tolist()}
