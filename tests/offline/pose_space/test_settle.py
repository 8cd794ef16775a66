"""Simulation of samples: the sequence of poses up to each sample, sequences that fail, and stored results."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from posed_arm import fine_mesh, plan
from ruckle import MeshError
from ruckle.offline.pose_space.plan import PosePlan
from ruckle.offline.pose_space.settle import settle_ways, ways_of
from ruckle.offline.simulation.settling import Settled, Settler
from ruckle.simulation.body import Motion
from ruckle.simulation.cloth import ClothSimulation
from ruckle.simulation.sheet import Sheet


class Tailor:
    """A replacement of the simulator.

    Its shapes contain the largest angle of the pose (degrees) and the number of steps.
    """

    def __init__(self, restless: float = np.inf, explodes: float = np.inf) -> None:
        self.restless, self.explodes, self.calls = restless, explodes, 0

    def settle(self, pose: Any, start: Settled, *, step: float, waits: bool) -> Settled:
        self.calls += 1
        turn = float(np.degrees(np.linalg.norm(pose, axis=1).max()))
        if turn > self.explodes:
            raise MeshError("the cloth explodes")
        return settled(turn, float(start.positions[0, 1]) + 1, 0.5 if turn > self.restless else 1.0)


def settled(turn: float, steps: float, share: float = 1.0) -> Settled:
    shape = np.tile(np.float32([turn, steps, 0]), (len(fine_mesh()[0]), 1))
    return Settled(shape, share, 0.0 if share == 1 else 0.5, 1, b"", np.zeros((3, 3)))


def sheet() -> Sheet:
    fine, faces = fine_mesh()
    return Sheet(fine, faces, np.zeros(len(fine), np.float32), np.tile(np.float32([1, 0, 0]), (len(fine), 1)))


def run(which: PosePlan, tailor: Any, **options: Any) -> Any:
    return settle_ways(which, list(ways_of(which)), tailor, sheet(), settled(0, 0), **options)


def test_exact_sequences_go_from_rest_to_each_end_of_a_joint() -> None:
    which = plan({"arm": [[0, 30], [0], [-40, 0]], "elbow": [-30, 0, 30, 60]})
    assert [way.name for way in ways_of(which)] == [
        "arm_0_0_-40",
        "arm_30_0_-40",
        "arm_30_0_0",
        "elbow_60",
        "elbow_-30",
    ]
    found = run(which, Tailor())
    # y is the number of steps and x is the angle, first for the rest pose, then for each sample
    assert_array_equal(found.positions[:, 0, 1], [0, 1, 0, 1, 1, 1, 0, 1, 2])
    np.testing.assert_allclose(found.positions[5:, 0, 0], [30, 0, 30, 60], atol=1e-4)
    assert found.is_known.all()


def test_exact_a_sequence_ends_at_its_first_failure() -> None:
    which = plan({"elbow": [-60, -30, 0, 30, 60, 90]})
    for tailor in (Tailor(restless=45), Tailor(explodes=45)):
        found = run(which, tailor)
        assert_array_equal(found.is_known, [True, False, True, True, True, False, False])
        # a sequence ends at its first failure: on both sides of the rest pose, one sample succeeds and the next fails
        assert tailor.calls == 4
        assert_array_equal(found.positions[~found.is_known], 0)


def test_exact_sequences_with_a_file_are_not_simulated_again(tmp_path: Path) -> None:
    which, first = plan({"arm": [[0, 30], [0], [0]], "elbow": [0, 30, 60]}), Tailor(restless=45)
    done: list[int] = []
    found = run(which, first, folder=tmp_path, progress=lambda: done.append(1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm_30_0_0.npz", "elbow_60.npz"]
    assert (first.calls, len(done)) == (3, 3)
    again = Tailor()
    same = run(which, again, folder=tmp_path)
    assert again.calls == 0
    assert_array_equal(same.positions, found.positions)
    assert_array_equal(same.is_known, found.is_known)
    assert same.seconds == found.seconds
    # damaged files and files of other sequences are ignored
    more = plan({"arm": [[0, 30], [0], [0]], "elbow": [0, 20, 60]})
    (tmp_path / "arm_30_0_0.npz").write_bytes(b"damaged")
    run(more, again, folder=tmp_path)
    assert again.calls == 3


@pytest.mark.parametrize("waits", [True, False])
def test_exact_by_default_cloth_settles_only_after_the_last_step(waits: bool) -> None:
    corners, held = np.float32([[0, 0, 0], [0.1, 0, 0], [0, -0.1, 0]]), np.float32([1, 1, 0])
    cloth = Sheet(corners, np.int32([[0, 1, 2]]), held, np.ones((3, 1), np.float32))
    still = Motion(np.eye(3, 4)[None, None], np.zeros((1, 3)), np.array([-1], np.int32), ("root",), 60.0)
    made = ClothSimulation(cloth.rest, cloth.faces, cloth.attachment, substeps=4)
    settler = Settler(cloth, still, np.empty((0, 8)), np.empty(0, np.int64), make=lambda _: made)
    found = settler.settle(np.radians([[0, 0, 18.0]]), settler.rest(), waits=waits)
    assert found.settled_share == 1.0
    # The sequence has three steps of six frames each. The simulator waits at least one frame after each step (`waits`),
    # or only after the last step.
    assert found.frames > (3 * 7 if waits else 3 * 6)
    assert_array_equal(found.pose, settler.settle(np.radians([[0, 0, 18.0]])).pose)
