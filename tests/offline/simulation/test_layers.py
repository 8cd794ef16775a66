"""Several layers of the same cloth: contact keeps them apart, and vertices that have crossed a layer are moved back."""

from dataclasses import replace

import numpy as np
import pytest

import ruckle
from crossing_oracle import crossings
from ruckle.experiments.metrics import find_crossings
from ruckle.simulation import MATERIALS, ClothSimulation
from sheets import by_baseline, sheet

BARE = replace(MATERIALS["cotton"], damping=0.0, air_drag=0.0)


def folded_over(self_distance: float, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a sheet over a rod that falls onto itself. Return its last positions and its faces."""
    rest, faces = sheet(21, 41, 0.3, 0.6)
    pinned, damped = rest[:, 2] < 1e-6, replace(BARE, damping=2.0)
    cloth = ClothSimulation(rest, faces, pinned, self_distance=self_distance, material=damped, threads=threads)
    for frame in range(120):
        # the free half is on the floor; the pinned edge moves over the free half and down
        share = min(frame / 90, 1.0)
        pins = rest + np.array([0, 0.15 * np.sin(np.pi * share), 0.5 * share])
        positions = cloth.step(pins=pins, cones=[[0, -5.0, 0, 4.99, 0.3, -5.0, 0.6, 4.99]]).positions
    return positions, faces


def test_exact_layers_of_one_cloth_do_not_pass_each_other() -> None:
    assert len(crossings(*folded_over(0.0))) > 0
    assert len(crossings(*folded_over(0.006))) == 0


def upright_sheet() -> tuple[ClothSimulation, np.ndarray]:
    """Return cloth that is placed upright on one of its edges, and its faces."""
    rest, faces = sheet(36, 36, 0.4, 0.4)
    upright = rest[:, [0, 2, 1]] + [0, 0.02, 0]
    upright[:, 2] += 0.004 * np.sin(40 * upright[:, 0])
    cloth = ClothSimulation(rest, faces, self_distance=0.008, material=replace(MATERIALS["jacket"], damping=1.0))
    cloth.place(upright)
    return cloth, faces


def fall(cloth: ClothSimulation, frames: int) -> np.ndarray:
    """Return the positions of all frames while the sheet falls onto a floor and forms a heap."""
    floor = [[0.2, -5.0, 0.0, 5.0, 0.2, -5.0, 0.1, 5.0]]
    return np.array([cloth.step(cones=floor).positions for _ in range(frames)])


def test_exact_cloth_falls_in_a_heap_without_passing_itself() -> None:
    cloth, faces = upright_sheet()
    positions = fall(cloth, 70)[-1]
    assert np.ptp(positions[:, 1]) < 0.2
    assert len(crossings(positions, faces)) == 0


def test_exact_heap_comes_to_rest_and_is_saved_with_its_pairs() -> None:
    # after 110 frames, the heap almost rests, so that most pairs in contact are older than the saved state
    cloth, _ = upright_sheet()
    before = fall(cloth, 110)[-1]
    kinetic = cloth.energy["kinetic"]
    state = cloth.state()
    after = fall(cloth, 20)
    assert np.abs(after[-1] - before).max() < 0.03
    assert cloth.energy["kinetic"] < max(2.0 * kinetic, 1e-5)
    fresh, _ = upright_sheet()
    fresh.restore(state)
    np.testing.assert_array_equal(fall(fresh, 20), after)


def test_exact_layers_that_a_body_drives_together_within_a_frame_do_not_meet() -> None:
    # both layers are at rest and far apart; within one frame, a ball pushes one layer against the other
    rest, faces = sheet(15, 15, 0.2, 0.2)
    middle, layer = rest - [0.1, 0, 0.1], len(rest)
    above = middle + np.array([0, 0.02, 0])
    both = np.concatenate([middle, above]).astype(np.float32)
    kept = {}
    for distance in (0.0, 0.01):
        cloth = ClothSimulation(
            both, np.concatenate([faces, faces + layer]), self_distance=distance, gravity=[0, 0, 0], material=BARE
        )
        for top in (-0.005, 0.02):
            ball = [[0, top - 0.3, 0, 0.3, 0, top - 0.3, 0.01, 0.3]]
            points = cloth.step(cones=ball).positions
        near = np.linalg.norm(middle, axis=1) < 0.04
        kept[distance] = np.linalg.norm(points[layer:] - points[:layer], axis=1)[near].min()
    assert kept[0.0] < 0.003
    assert kept[0.01] > 0.007


def test_property_layers_are_kept_apart_by_the_same_bits_on_any_threads_and_instruction_set() -> None:
    reference = folded_over(0.006)[0]
    np.testing.assert_array_equal(folded_over(0.006, threads=2)[0], reference)
    assert by_baseline(__file__, "folded_over(0.006)[0]") == reference.tobytes()


def test_reject_frames_in_which_cloth_that_keeps_its_layers_apart_leaves_float32() -> None:
    rest, faces = sheet(6, 6)
    cloth = ClothSimulation(rest, faces, rest[:, 0] < 0.1, self_distance=0.01)
    before = cloth.step(pins=rest).positions.copy()
    with pytest.raises(ruckle.MeshError, match="the cloth explodes"):
        cloth.step(pins=np.where(rest[:, 2:] < 0.5, -3e38, 3e38) * np.ones(3))
    np.testing.assert_array_equal(cloth.positions, before)


def test_exact_neighbors_at_rest_do_not_repel_each_other() -> None:
    # the distance of layers is longer than an edge, so even second neighbours on the mesh are within this distance
    rest, faces = sheet(20, 20, 0.19, 0.19)
    cloth = ClothSimulation(rest, faces, self_distance=0.015, gravity=[0, 0, 0], material=BARE)
    for _ in range(5):
        frame = cloth.step()
    assert frame.stats["self_pairs"] == 0
    np.testing.assert_allclose(frame.positions, rest, atol=1e-6)


def heap(self_distance: float) -> tuple[ClothSimulation, np.ndarray]:
    """Return a sheet with edges of 12 mm that is placed upright on one of its edges, and its faces."""
    rest, faces = sheet(40, 40, 0.47, 0.47)
    cloth = ClothSimulation(rest, faces, self_distance=self_distance)
    upright = rest[:, [0, 2, 1]]
    x, y = upright[:, 0], upright[:, 1]
    cloth.place(upright + np.stack([0.01 * np.sin(7 * y), 0 * y, 0.02 * np.sin(9 * y) + 0.02 * np.sin(11 * x)], axis=1))
    return cloth, faces


def test_exact_edges_of_a_heap_do_not_pass_each_other_in_any_frame() -> None:
    # the distance of layers is half an edge, so tests of vertices against faces do not find all crossings
    cloth, faces = heap(0.006)
    floor = [[0.2, -10.05, 0.0, 10.0, 0.2, -10.05, 0.0, 10.0]]
    for frame in range(40):
        result = cloth.step(cones=floor)
        assert result.stats["crossings"] == len(find_crossings(result.positions, faces)) == 0, frame
        if frame == 25:
            state, positions = cloth.state(), []
        elif frame > 25:
            positions.append(result.positions)
    assert len(crossings(result.positions, faces)) == 0
    # the saved state contains the pairs of edges that contact keeps apart
    cloth.restore(state)
    for expected in positions:
        np.testing.assert_array_equal(cloth.step(cones=floor).positions, expected)


def strips(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of two crossed strips. The upper strip is upright, `gap` above the lower strip."""
    rest, faces = sheet(3, 9, 0.1, 0.4)
    first = rest - rest.mean(axis=0)
    second = first[:, [2, 0, 1]] + [0.003, 0.05 + gap, 0]
    return np.concatenate([first, second]).astype(np.float32), np.concatenate([faces, faces + len(rest)])


@pytest.mark.parametrize("speed", [2.0, 5.0, 10.0])
def test_exact_cloth_that_is_moved_back_keeps_its_momentum(speed: float) -> None:
    points, faces = strips(0.01)
    upper = np.arange(len(points)) >= len(points) // 2
    velocities = np.where(upper[:, None], [0.0, -speed, 0.0], [0.0, 0.0, 0.0]).astype(np.float32)
    cloth = ClothSimulation(points, faces, self_distance=0.004, gravity=[0, 0, 0], material=BARE)
    cloth.place(points, velocities)
    before = cloth.masses @ velocities
    for _ in range(6):
        positions = cloth.step().positions
        assert len(crossings(positions, faces)) == 0
    # the upper strip pushes the middle of the lower strip down, and is still above it
    assert positions[upper][13, 1] > positions[~upper][13, 1]
    np.testing.assert_allclose(cloth.masses @ cloth.velocities, before, atol=2e-3 * np.abs(before).max())


def test_exact_cloth_that_starts_tangled_stays_so_is_counted_and_comes_apart_again() -> None:
    points, faces = strips(-0.05)
    upper = np.arange(len(points)) >= len(points) // 2
    held = np.where(upper, 1.0, 0.0)
    held[: len(points) // 2 : 3] = 1.0
    cloth = ClothSimulation(points, faces, held, self_distance=0.004, gravity=[0, 0, 0])
    for _ in range(5):
        result = cloth.step(pins=points)
        assert result.stats["crossings"] == len(find_crossings(result.positions, faces)) > 0
    for frame in range(60):
        away = np.where(upper[:, None], [0, 0.005 * frame, 0], 0.0)
        result = cloth.step(pins=points + away)
    assert result.stats["crossings"] == len(crossings(result.positions, faces)) == 0


def test_degenerate_layers_that_pins_drive_through_each_other_give_way() -> None:
    # contact cannot move vertices that are pinned, here in both strips
    points, faces = strips(0.02)
    upper = np.arange(len(points)) >= len(points) // 2
    cloth = ClothSimulation(points, faces, np.ones(len(points)), self_distance=0.004)
    for frame in range(20):
        result = cloth.step(pins=points - np.where(upper[:, None], [0, 0.002 * frame, 0], 0.0))
    np.testing.assert_allclose(result.positions[upper, 1], points[upper, 1] - 0.038, atol=1e-6)
    assert np.isfinite(result.positions).all()
