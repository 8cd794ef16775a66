"""Simulated fine cloth over a skinned coarse garment: pins, contact, equal bits of equal runs, files, the command."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ruckle
from program import invoke
from ruckle.errors import FormatError
from ruckle.offline.simulation import GarmentMesh
from ruckle.offline.simulation.flesh import compressed_skins
from ruckle.offline.simulation.garment_mesh import without_linings
from ruckle.offline.simulation.skinned import SkinnedScene, default_pins, open_skinned, simulate_skinned, skinned_scene
from ruckle.offline.simulation.truth_scene import TruthScene, load_truth
from ruckle.offline.simulation.wearers import JOINT_NAMES, sample_garment, sample_motion, sample_wearer
from ruckle.simulation import Body, Motion, grid_sheet
from ruckle.simulation.body import mesh_clearance
from truth_scenes import limb

KEPT = 30


@cache
def sleeve() -> SkinnedScene:
    return skinned_scene(*limb(), edge=0.02)


@cache
def simulated() -> TruthScene:
    return simulate_skinned(sleeve())


def test_property_the_cloth_is_free_stays_outside_and_keeps_its_length() -> None:
    truth, scene = simulated(), sleeve().scene
    assert truth.positions.shape == (KEPT, len(truth.rest), 3)
    assert scene.body is not None
    for frame in (0, KEPT - 1):
        skin = scene.fine.pins(scene.motion.bones[scene.warm + frame])
        pinned = truth.attachment == 1
        np.testing.assert_allclose(truth.positions[frame][pinned], skin[pinned], atol=1e-5)
        distances, _ = mesh_clearance(truth.positions[frame], scene.body_at(scene.warm + frame), scene.body.faces)
        # in the crease of a bent limb, cloth may enter the body slightly; otherwise it would tear
        assert distances[truth.attachment < 0.5].min() > -0.002
        assert (distances[truth.attachment < 0.5] < 0.0).mean() < 0.01
    # the simulated cloth hangs from its pins and folds, so it differs from the skinned mesh by more than 1 cm
    assert np.abs(truth.positions[-1] - skin).max() > 0.01
    low, high, *_ = truth.report["edge_strain"]
    assert 0.9 < low < high < 1.1


def test_property_any_number_of_threads_gives_the_same_bits() -> None:
    short = {threads: simulate_skinned(sleeve(), frames=3, threads=threads).positions for threads in (1, 2)}
    np.testing.assert_array_equal(short[1], short[2])
    np.testing.assert_array_equal(short[1], simulated().positions[:3])


def test_exact_the_coarse_mesh_follows_the_bones_of_the_body() -> None:
    truth, scene = simulated(), sleeve().scene
    assert truth.coarse.bones is not None
    last = scene.coarse.pins(truth.coarse.bones[-1])
    np.testing.assert_allclose(truth.coarse.positions[-1], last, atol=1e-6)
    # at rest, the fine vertices are on the coarse mesh
    np.testing.assert_allclose(truth.on_coarse(truth.coarse_rest), sleeve().start, atol=1e-5)


def test_exact_a_scene_is_read_as_it_was_written(tmp_path: Path) -> None:
    truth = simulated()
    truth.save(tmp_path / "sleeve.npz")
    read = load_truth(tmp_path / "sleeve.npz")
    for name in ("rest", "faces", "coarse_faces", "barycentric", "attachment", "positions", "coarse_rest"):
        np.testing.assert_array_equal(getattr(read, name), getattr(truth, name))
    assert read.name == "sleeve"
    assert read.report == json.loads(json.dumps(truth.report))
    assert read.body is not None
    np.testing.assert_array_equal(ruckle.load(tmp_path / "sleeve.npz").positions, truth.coarse.positions)
    np.testing.assert_allclose(truth.resampled(read), truth.positions, atol=1e-6)
    with pytest.raises(ValueError, match=r"expected a simulation of .* in the same frames"):
        truth.resampled(replace(truth, coarse=truth.coarse.cut(0, 10)))
    (tmp_path / "other.npz").write_bytes((tmp_path / "sleeve.npz").read_bytes()[:1000])
    with pytest.raises(FormatError, match=r"other\.npz"):
        load_truth(tmp_path / "other.npz")


def test_exact_collars_hold_cuffs_follow_and_hems_are_free() -> None:
    def tube(columns: int, height: float, radius: float) -> GarmentMesh:
        def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
            angle = 2 * np.pi * u
            return np.stack([radius * np.cos(angle), height - 0.5 * v, radius * np.sin(angle)], 1)

        rest, faces = grid_sheet(columns, 8, around, closed=True)
        return GarmentMesh("tube", rest, faces, None, {})

    wide, narrow = tube(12, 1.4, 0.15), tube(12, 1.4, 0.035)
    for garment, follows in ((wide, False), (narrow, True)):
        pinned, soft = default_pins(garment)
        np.testing.assert_array_equal(pinned, garment.rest[:, 1] > 1.39)
        np.testing.assert_array_equal(soft, (garment.rest[:, 1] < 0.91) & follows)


def test_exact_a_lining_is_left_out() -> None:
    # a sleeve whose last 10 cm are folded to the inside
    def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        angle, inner = 2 * np.pi * u, v > 0.81
        radius, height = np.where(inner, 0.055, 0.06), 1.45 - np.where(inner, 0.8 - (v - 0.8), v)
        return np.stack([radius * np.cos(angle), height, radius * np.sin(angle)], 1)

    _, _, body = limb()
    rest, faces = grid_sheet(16, 21, around, closed=True)
    outer = without_linings(GarmentMesh("cuff", rest, faces, None, {"end": rest[:, 1] < 0.66}), body)
    np.testing.assert_allclose(np.hypot(outer.rest[:, 0], outer.rest[:, 2]), 0.06, atol=1e-6)
    np.testing.assert_allclose(outer.rest[:, 1].min(), 0.65, atol=1e-6)
    np.testing.assert_array_equal(outer.groups["end"], outer.rest[:, 1] < 0.66)


def test_property_facing_limbs_leave_room_and_nothing_else_moves() -> None:
    def ball(x: float) -> np.ndarray:
        def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
            around, down = 2 * np.pi * u, np.pi * (0.01 + 0.98 * v)
            return 0.1 * np.stack([np.cos(around) * np.sin(down), np.cos(down), np.sin(around) * np.sin(down)], 1)

        rest, _ = grid_sheet(24, 13, surface, closed=True, inside_out=True)
        return rest + np.array([x, 0.0, 0.0])

    _, faces = grid_sheet(24, 13, lambda u, v: np.stack([u, v, v], 1), closed=True, inside_out=True)
    rest = np.concatenate([ball(-0.3), ball(0.3)]).astype(np.float32)
    weights = np.repeat(np.eye(2, dtype=np.float32), len(rest) // 2, axis=0)
    bones = np.repeat(np.eye(3, 4)[None, None], 3, axis=0).repeat(2, axis=1)
    bones[:, 0, 0, 3] = 0.41  # the left ball enters the right one by 1 cm
    motion = Motion(bones, np.zeros((2, 3)), np.array([-1, -1], np.int32), ("left", "right"), 60.0)
    body = Body(rest, np.concatenate([faces, faces + len(rest) // 2]), weights)
    skins = compressed_skins(motion, body, 0.02)
    left, right = np.split(skins[1], 2)
    gap = right[:, 0].min() - left[:, 0].max()
    assert 0.017 < gap < 0.03
    # only the sides of the balls that face each other move
    moved = np.linalg.norm(skins[1] - body.posed(bones[1]), axis=1)
    assert moved[: len(rest) // 2][rest[: len(rest) // 2, 0] < -0.3].max() < 1e-6


def test_exact_a_packaged_garment_has_weights_for_its_wearer() -> None:
    garment, motion, body = sample_garment("stretching"), sample_motion("stretching"), sample_wearer()
    assert garment.weights is not None
    assert garment.weights.shape[1] == body.weights.shape[1] == len(JOINT_NAMES)
    animation = ruckle.sample("stretching")
    posed = ruckle.simulation.body.skin(garment.rest, garment.weights, motion.bones[100])
    np.testing.assert_allclose(posed, animation.positions[100], atol=1e-4)
    # the body has arms with hands, and the hands follow the forearms
    for side in ("Left", "Right"):
        elbow, wrist = (motion.joints[motion.index(f"{side}{name}")] for name in ("ForeArm", "Hand"))
        shares = body.weights[:, [motion.index(f"{side}{name}") for name in ("Arm", "ForeArm", "Hand")]]
        length = np.linalg.norm(wrist - elbow)
        along = (body.positions - elbow) @ (wrist - elbow) / length
        hand = (shares.sum(axis=1) > 0.5) & (along > length)
        assert hand.sum() > 20
        assert along[hand].max() > length + 0.1
        assert shares[hand, 1].min() > 0.95


def test_reject_scenes_without_pins_body_or_garment() -> None:
    _, motion, body = limb()
    # a closed mesh does not have a boundary that could be pinned
    corners = 3 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], np.float32)
    faces = np.array([[1, 0, 2], [0, 1, 3], [2, 0, 3], [1, 2, 3]], np.int32)[:, ::-1].copy()
    x = corners[faces].astype(float)
    assert (np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) * x.mean(1)).sum() > 0
    closed = GarmentMesh("closed", corners, faces, None, {})
    with pytest.raises(ValueError, match="give a loop or a group"):
        skinned_scene(closed, motion, body)
    with pytest.raises(ValueError, match="give the file of the body"):
        open_skinned("shirt.npz")
    with pytest.raises(ValueError, match="garment"):
        sample_garment("jumping_jack")


def test_exact_the_command_writes_a_scene_once(tmp_path: Path) -> None:
    garment, motion, body = limb(frames=4)
    joints = motion.bones[:, :, :, :3] @ motion.joints[None, :, :, None]
    np.savez(
        tmp_path / "sleeve.npz", positions=np.repeat(garment.rest[None], 4, axis=0), faces=garment.faces, fps=60.0,
        rest_positions=garment.rest, skin_weights=garment.weights, bone_matrices=motion.bones,
        joints=joints[..., 0] + motion.bones[..., 3], joint_names=motion.names, joint_parents=motion.parents,
    )  # fmt: skip
    np.savez(tmp_path / "body.npz", rest_positions=body.positions, faces=body.faces, skin_weights=body.weights)
    command = [
        "simulate", tmp_path / "sleeve.npz", "--skinned", "--body", tmp_path / "body.npz",
        "--edge", 0.03, "--frames", 2, "--json", "-o", tmp_path / "out",
    ]  # fmt: skip
    for _ in range(2):
        result = invoke(*command)
        assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)[0]
    assert Path(report["file"]) == tmp_path / "out" / "sleeve.npz"
    assert load_truth(report["file"]).positions.shape[0] == 2


def test_reject_a_motion_of_an_unknown_sample() -> None:
    with pytest.raises(ValueError, match=r'^name: expected one of "sawing", .*, got "sawin"; did you mean sawing\?$'):
        sample_motion("sawin")
    with pytest.raises(TypeError, match=r"^name: expected one of"):
        sample_motion(None)  # type: ignore[arg-type]
