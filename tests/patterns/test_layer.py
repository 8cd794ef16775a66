"""Modulated patterns as a layer of the surface, alone and in a stack of layers."""

import numpy as np
import pytest

import ruckle
from patterned_cloth import crossed, grid_of, sheet, squeezed
from ruckle import Modulator, Stack

MESH = sheet()
GRID = grid_of(MESH)
NOW = squeezed(MESH.positions, 0.8)


def test_exact_heights_at_nodes_are_factors_times_patterns() -> None:
    modulator = Modulator(crossed(GRID))
    frame = modulator.step(NOW)
    heights, gradients = frame.heights(GRID.faces, GRID.barycentric)
    np.testing.assert_allclose(heights, (GRID.at(frame.factors) * modulator.heights.T).sum(axis=1), atol=1e-5)
    assert np.abs(heights).max() > 0.05
    # the cloth is in the plane z = 0, and gradients are in the plane of the cloth
    np.testing.assert_allclose(gradients[:, 2], 0.0, atol=1e-6)


def test_exact_displaced_cloth_has_the_layers_heights() -> None:
    frame = Modulator(crossed(GRID)).step(NOW)
    fine = ruckle.displace(frame, base="flat")
    heights, _ = frame.heights(fine.coarse_faces, fine.barycentric)
    np.testing.assert_array_equal(fine.heights, heights)
    np.testing.assert_allclose(fine.positions[:, 2], heights, atol=1e-6)
    assert len(fine.positions) > 10 * MESH.vertex_count


def test_property_the_gain_of_area_is_that_of_the_displaced_cloth() -> None:
    frame = Modulator(crossed(GRID)).step(NOW)
    fine = ruckle.displace(frame, base="flat", edge_length=1 / 32)
    corners = fine.positions[fine.faces].astype(np.float64)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    gained = np.bincount(fine.face_coarse_faces, areas, MESH.faces.shape[0]) / 0.4 - 1.0
    assert frame.area_gains.mean() == pytest.approx(gained.mean(), rel=0.05)
    # the area is slightly below the area at rest, because the default slack leaves 2 % of the length without folds
    assert (1.0 + frame.area_gains).mean() == pytest.approx(1 / 0.8, rel=0.05)


def test_property_layers_of_one_mesh_keep_their_own_patterns() -> None:
    first, second = crossed(GRID)
    layers = Modulator([first]), Modulator([second])
    alone = [layer.step(NOW).heights(GRID.faces, GRID.barycentric)[0] for layer in layers]
    surface = ruckle.Surface(GRID.topology, base="flat")
    for order in ((0, 1), (1, 0), (0, 1)):
        for k in order:
            surface.update(Modulator([crossed(GRID)[k]]).step(NOW))
            np.testing.assert_allclose(surface.evaluate(GRID.faces, GRID.barycentric).heights, alone[k], atol=1e-6)


def test_property_a_stack_leaves_a_pattern_what_is_still_missing() -> None:
    first, second = crossed(GRID)
    stack = Stack([Modulator([first], slack=0.0), Modulator([first, second], slack=0.0)])
    frame = stack.step(NOW)
    below, above = frame.layers
    # the first layer restores the area at rest, 0.8 · 1.25 = 1, so the second layer has almost no folds
    assert below.area_gains.mean() == pytest.approx(0.25, rel=0.05)
    assert above.factors.max() < 0.25 * below.factors.max()
    surface = ruckle.Surface(GRID.topology, base="curved")
    surface.update(frame)
    heights = [layer.heights(GRID.faces, GRID.barycentric)[0] for layer in (below, above)]
    np.testing.assert_allclose(surface.evaluate(GRID.faces, GRID.barycentric).heights, sum(heights), atol=1e-6)
    assert frame.timings["Modulator2.total"] > 0.0


@pytest.mark.parametrize("share", [0.0, 1.5, np.nan])
def test_reject_remaining_shares_outside_of_0_to_1(share: float) -> None:
    left = np.ones(len(MESH.faces), np.float32)
    left[3] = share
    with pytest.raises(ValueError, match=r"remaining: expected shares above 0 and at most 1, got"):
        Modulator(crossed(GRID)).step(NOW, remaining=left)
