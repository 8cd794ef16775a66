"""Large cloth is renumbered internally, so that threads share the work. Inputs and outputs keep their indices."""

import re
from typing import Any

import numpy as np
import pytest

from ruckle import ClothSimulation, MeshError
from ruckle.experiments.bench.cloth import ball
from ruckle.offline.simulation import Tracker
from sheets import sheet

SIDE = 60
# a part has at least 850 vertices, so this sheet has up to four parts
assert SIDE * SIDE >= 4 * 850


def shuffled() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a sheet with vertices in random order: positions, faces, and the former index of each vertex."""
    rest, faces = sheet(SIDE, SIDE)
    order = np.random.default_rng(0).permutation(len(rest))
    return rest[order], np.argsort(order)[faces][np.random.default_rng(1).permutation(len(faces))], order


def upper(rest: np.ndarray) -> np.ndarray:
    """Return the attachment of a sheet: 1 (pinned) in its first rows, 0.5 (pulled) in the next rows, and 0."""
    return np.where(rest[:, 2] < 0.01, 1.0, np.where(rest[:, 2] < 0.05, 0.5, 0.0))


def blown(cloth: ClothSimulation, rest: np.ndarray, frames: int, **inputs: Any) -> np.ndarray:
    """Return frames with rising pins, wind that differs between vertices, and a limb that comes from below."""
    positions = []
    for frame in range(frames):
        limb = np.array([[0.3, -0.35 + 0.02 * frame, 0.5, 0.1, 0.7, -0.35 + 0.02 * frame, 0.4, 0.06]])
        pins = rest + np.outer(rest[:, 0], [0.0, 0.002 * frame, 0.0])
        wind = np.stack([np.sin(3 * rest[:, 0]), 1 + rest[:, 2], 0 * rest[:, 0]], 1)
        positions.append(cloth.step(pins=pins, wind=wind, cones=limb, **inputs).positions)
    return np.array(positions)


@pytest.mark.parametrize("extra", [{}, {"self_distance": 0.006}, {"substeps": 3}])
def test_property_threads_share_parts_with_the_same_bits(extra: dict[str, Any]) -> None:
    rest, faces, _ = shuffled()
    found = [blown(ClothSimulation(rest, faces, upper(rest), threads=n, **extra), rest, 6) for n in (1, 2, 3)]
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_property_threads_share_bodies_and_tracking_with_the_same_bits() -> None:
    rest, faces, _ = shuffled()
    few, few_faces = sheet(10, 10)
    tracker = Tracker(few, few_faces, rest, faces, count=20)
    body = ball()
    runs = []
    for threads in (1, 2):
        coarse = ClothSimulation(few, few_faces, upper(few), record_substeps=True)
        fine = ClothSimulation(rest, faces, upper(rest), record_substeps=True, threads=threads)
        fine.track(tracker.tests)
        fine.collide_with(body[1], len(body[0]))
        for frame in range(8):
            coarse.step()
            skin = body[0] + [0.0, 0.02 * frame - 0.65, 0.76]
            stats = fine.step(targets=tracker.targets(coarse.substep_positions), body=skin).stats
        assert stats["tracking_residual"] < 1e-6 < stats["contact_residual"]
        runs.append(fine.substep_positions)
    np.testing.assert_array_equal(runs[1], runs[0])


def test_exact_inputs_and_outputs_use_the_numbers_of_the_caller() -> None:
    given, given_faces = sheet(SIDE, SIDE)
    rest, faces, order = shuffled()
    plain = ClothSimulation(given, given_faces, upper(given), substeps=32)
    other = ClothSimulation(rest, faces, upper(rest), substeps=32, record_substeps=True)
    np.testing.assert_allclose(other.masses, plain.masses[order], rtol=1e-5)
    expected, found = blown(plain, given, 8), blown(other, rest, 8)
    # the order of the constraints differs, so results differ slightly before they converge
    np.testing.assert_allclose(found, expected[:, order], atol=3e-3)
    assert np.abs(expected[-1] - given).max() > 0.02
    # use the mean over all vertices, because a few vertices could agree by chance
    assert np.abs(other.velocities - plain.velocities[order]).mean() < 0.1 * np.abs(plain.velocities).mean()
    np.testing.assert_array_equal(other.substep_positions[-1], other.positions)
    pinned = upper(rest) == 1.0
    np.testing.assert_allclose(other.positions[pinned, 1], 0.014 * rest[pinned, 0], atol=1e-6)
    state = other.state()
    after = blown(other, rest, 3)
    other.restore(state)
    np.testing.assert_array_equal(blown(other, rest, 3), after)
    other.place(rest, np.tile(rest[:, :1], (1, 3)))
    np.testing.assert_allclose(other.positions, rest, atol=1e-6)
    np.testing.assert_allclose(other.velocities, np.tile(rest[:, :1], (1, 3)), atol=1e-6)


def test_reject_bad_vertices_and_faces_by_the_numbers_of_the_caller() -> None:
    rest, faces, _ = shuffled()
    flat = rest.copy()
    flat[faces[777, 0]] = 0.5 * (flat[faces[777, 1]] + flat[faces[777, 2]])
    with pytest.raises(MeshError, match="face 777 has no area"):
        ClothSimulation(flat, faces)
    pin = np.arange(len(rest)) == 1234
    with pytest.raises(MeshError, match="vertex") as caught:
        ClothSimulation(rest, faces, pin, substeps=1).step(pins=rest + np.where(pin, 1.0, 0.0)[:, None])
    # the error names the vertex next to a pin that tore the cloth apart
    vertex = int(re.findall(r"vertex (\d+)", str(caught.value))[0])
    assert np.linalg.norm(rest[vertex] - rest[1234]) < 0.05
