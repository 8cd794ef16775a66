"""Metrics of labelings: known values on small meshes, and better values for better labeling methods."""

from dataclasses import replace

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from ruckle.experiments import metrics

# two triangles that form a square, and a third triangle with a common edge
STRIP = ruckle.Topology([[0, 1, 2], [1, 3, 2], [3, 4, 2]], 5)


def test_exact_shares_boundaries_and_changes() -> None:
    assert metrics.label_shares([0, 1, 1, 2]) == (0.25, 0.5, 0.25)
    assert metrics.label_shares([[0, 1], [1, 1]]) == (0.25, 0.75, 0.0)
    assert metrics.label_boundaries([1, 1, 1], STRIP) == 0.0
    assert metrics.label_boundaries([1, 0, 1], STRIP) == pytest.approx(2 / 3)
    assert metrics.label_boundaries([[1, 0, 1], [1, 1, 0]], STRIP) == pytest.approx(0.5)
    assert metrics.label_changes([[0, 1, 2]]) == 0.0
    assert metrics.label_changes([[0, 1, 2], [0, 1, 1], [0, 0, 1]]) == pytest.approx(1 / 3)


def test_exact_energy_gap_is_zero_for_the_optimum_and_above_for_others() -> None:
    _, faces = grid(8, 8, seed=3)
    topology = ruckle.Topology(faces, faces.max() + 1)
    costs = np.random.default_rng(0).random((len(faces), 3))
    found = {
        method: ruckle.solve_labels(costs, topology, method=method) for method in ("exact", "expansion", "independent")
    }
    gaps = {method: metrics.energy_gap(labeling, costs, topology) for method, labeling in found.items()}
    assert gaps["exact"] == 0.0
    assert 0.0 <= gaps["expansion"] < gaps["independent"]
    best = found["exact"].energy
    assert gaps["independent"] == pytest.approx((found["independent"].energy - best) / best)
    # if the minimum is 0, the gap is the excess itself
    free = ruckle.solve_labels(0.0 * costs, topology)
    assert metrics.energy_gap(replace(free, energy=0.25), 0.0 * costs, topology) == pytest.approx(0.25)


@pytest.mark.parametrize("labels", [np.zeros((2, 2, 2), int), np.zeros(3), 1])
def test_reject_labels(labels: object) -> None:
    with pytest.raises(ValueError, match=r"labels: expected integers of shape \(T,\) or \(F, T\), got"):
        metrics.label_shares(labels)
