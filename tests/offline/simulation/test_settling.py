"""Simulation of cloth until it rests in a pose. The same sequence of poses gives results with equal bits."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ruckle.mesh.rotation import rotation_matrices
from ruckle.offline.simulation import Settler
from ruckle.offline.simulation.settling import WAIT_FRAMES
from ruckle.simulation import Body, ClothSimulation, Sheet, grid_sheet, smooth_attachment
from ruckle.simulation.body import mesh_clearance
from sheets import motion_of_arm


def settler() -> Settler:
    """Return a simulator of a sleeve around an arm with two bones along x."""

    def tube(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([0.05 + 0.5 * v, 0.075 * np.cos(2 * np.pi * u), 0.075 * np.sin(2 * np.pi * u)], 1)

    rest, faces = grid_sheet(20, 26, tube, closed=True)
    weights = np.tile(np.float32([1, 0, 0]), (len(rest), 1))
    sheet = Sheet(rest, faces, smooth_attachment(rest[:, 0] - 0.05, 0.03), weights)
    cones = np.float32([[0, 0, 0, 0.055, 0.3, 0, 0, 0.05], [0.3, 0, 0, 0.05, 0.6, 0, 0, 0.04]])

    def make(sheet: Sheet) -> ClothSimulation:
        return ClothSimulation(sheet.rest, sheet.faces, sheet.attachment, substeps=8)

    return Settler(sheet, motion_of_arm(), cones, [0, 1], make=make)


def bent(degrees: float) -> np.ndarray:
    return np.array([[0, 0, 0], [0, 0, np.radians(degrees)], [0, 0, 0]])


def test_exact_bent_arms_come_to_rest_the_same_way_every_time() -> None:
    sleeve = settler()
    first = sleeve.settle(bent(30))
    assert first.settled_share >= 0.999
    assert first.largest_speed < 0.02
    np.testing.assert_allclose(first.pose, bent(30), atol=1e-9)
    again = settler().settle(bent(30))
    np.testing.assert_array_equal(first.positions, again.positions)
    assert first.frames == again.frames
    # start from the state of the pose before
    further = sleeve.settle(bent(42), first)
    assert further.settled_share >= 0.999
    assert np.abs(further.positions - first.positions).max() > 0.02


def test_exact_elbows_come_to_rest_up_to_120_degrees() -> None:
    sleeve, reached = settler(), None
    for angle in (30, 60, 90, 120):
        reached = sleeve.settle(bent(angle), reached)
        assert reached.settled_share >= 0.999
        assert reached.largest_speed < 0.02


def test_exact_cloth_comes_to_rest_over_a_mesh() -> None:
    def limb(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([0.6 * v, 0.05 * np.cos(2 * np.pi * u), 0.05 * np.sin(2 * np.pi * u)], 1)

    def tube(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([0.05 + 0.4 * v, 0.07 * np.cos(2 * np.pi * u), 0.07 * np.sin(2 * np.pi * u)], 1)

    points, faces = grid_sheet(12, 13, limb, closed=True, inside_out=True)
    # the skin weights change from one bone to the other within 10 cm around the elbow
    lower = np.clip((points[:, 0] - 0.25) / 0.1, 0, 1)
    body = Body(points, faces, np.stack([1 - lower, lower, 0 * lower], 1).astype(np.float32))
    rest, cloth_faces = grid_sheet(16, 16, tube, closed=True)
    weights = np.tile(np.float32([1, 0, 0]), (len(rest), 1))
    sheet = Sheet(rest, cloth_faces, smooth_attachment(rest[:, 0] - 0.05, 0.03), weights)
    motion = motion_of_arm()
    over_limb, settled = Settler(sheet, motion, np.empty((0, 8)), np.empty(0, int), body=body), None
    # beyond 90 degrees, the skin of both bones pinches the cloth
    for angle in (30, 60, 90, 120):
        settled = over_limb.settle(bent(angle), settled)
        assert settled.settled_share >= 0.999
        assert settled.largest_speed < 0.02
        if angle == 30:
            posed = body.posed(motion.pose(rotation_matrices(bent(30))))
            distances, _ = mesh_clearance(settled.positions, posed, faces)
            assert distances.min() > -5e-4
            # the cloth touches the limb
            assert distances.min() < 0.006


def test_exact_rest_is_told_by_the_way_of_the_last_frame() -> None:
    class Pinched:
        """Fake cloth of two vertices.

        Its solver reports a high speed, while one vertex moves by `way` metres per second.
        """

        def __init__(self, way: float) -> None:
            self.positions, self.way = np.zeros((2, 3), np.float32), way

        def place(self, positions: np.ndarray) -> None:
            self.positions = np.asarray(positions, np.float32)

        def step(self, **_: Any) -> SimpleNamespace:
            self.positions = self.positions + np.float32([[0, 0, 0], [self.way / 60, 0, 0]])
            return SimpleNamespace(positions=self.positions, stats={"settled_share": 0.0, "largest_speed": 8.0})

        def state(self) -> None:
            return None

    sheet = Sheet(np.zeros((2, 3), np.float32), np.empty((0, 3), np.int32), np.float32([1, 0]), np.eye(2, 3))
    for way, share in ((0.0, 1.0), (0.002, 0.5)):
        cloth = Pinched(way)
        settled = Settler(sheet, motion_of_arm(), np.empty((0, 8)), np.empty(0, int), make=lambda _, c=cloth: c).rest()
        assert settled.settled_share == share
        assert settled.largest_speed == pytest.approx(way, rel=1e-4)
        assert settled.frames == (1 if share == 1.0 else WAIT_FRAMES)


def test_exact_cloth_that_shakes_is_damped_until_it_is_calm() -> None:
    class Shaking:
        """Fake cloth of one vertex, which oscillates if the damping is below 30."""

        def __init__(self) -> None:
            self.positions, self.dampings = np.zeros((1, 3), np.float32), list[float]()

        def place(self, positions: np.ndarray) -> None:
            self.positions = np.asarray(positions, np.float32)

        def step(self, *, extra_damping: float, **_: Any) -> SimpleNamespace:
            self.dampings.append(extra_damping)
            shakes, creeps = extra_damping < 30.0 and len(self.dampings) < 80, len(self.dampings) < 150
            way = (-0.002) ** (len(self.dampings) % 2) * 0.5 if shakes else 3e-5 if creeps else 0.0
            self.positions = self.positions + np.float32([way, 0, 0])
            return SimpleNamespace(positions=self.positions)

        def state(self) -> None:
            return None

    cloth, sheet = Shaking(), Sheet(np.zeros((1, 3)), np.empty((0, 3), np.int32), np.zeros(1), np.eye(1, 3))
    settled = Settler(sheet, motion_of_arm(), np.empty((0, 8)), np.empty(0, int), make=lambda _: cloth).rest()
    dampings = np.array(cloth.dampings)
    # the damping does not change in the first half second, in which most cloth comes to rest
    assert (dampings[:31] == 8.0).all()
    assert (np.diff(dampings[30:38]) > 0).all()
    assert 30.0 < dampings.max() <= 60.0
    # when the cloth is calm, the damping returns to its first value
    assert dampings[-1] == 8.0
    assert settled.frames == len(dampings) == 150


def test_reject_poses() -> None:
    sleeve = settler()
    with pytest.raises(ValueError, match=r"pose: expected an array of shape \(3, 3\), got \(2, 3\)"):
        sleeve.settle(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="step: expected a finite number above 0"):
        sleeve.settle(bent(3), step=0.0)
