"""Exact labeling if pairwise costs are far above or below unary costs, compared with all labelings in float64."""

import numpy as np
import pytest

from label_oracle import EXACT, Problem
from meshes import small_mesh
from ruckle import Topology
from ruckle.field.label import solve_label_sequence, solve_labels

PROBLEMS = 1000
DECADES = 12
NAMES = [name for name in EXACT if name != "zero"]


def _problem(seed: int) -> tuple[Problem, float, float]:
    """Return a random problem, the largest difference between costs of a triangle, and the largest pairwise cost."""
    random = np.random.default_rng(seed)
    mesh = small_mesh(random, 7)
    frames = 1 + (seed % 5 == 0 and len(mesh.faces) <= 3)
    costs = random.uniform(0, 1, (frames, len(mesh.faces), 3))
    ratio = 10.0 ** random.uniform(-DECADES / 2, DECADES / 2)
    # integers times a power of two, so that the sum of two entries is exact in float32
    pairwise = EXACT[NAMES[seed % len(NAMES)]] * 2.0 ** np.round(np.log2(ratio))
    if random.random() < 0.2:
        costs[random.random(costs.shape) < 0.2] = np.inf
        costs[..., random.integers(3)] = 0.5
    previous = random.integers(0, 3, len(mesh.faces)).astype(np.uint8) if frames == 1 and seed % 2 else None
    costs = costs.astype(np.float32).astype(float)
    finite = np.where(np.isfinite(costs), costs, np.nan)
    difference = float((np.nanmax(finite, axis=-1) - np.nanmin(finite, axis=-1)).max())
    return (
        Problem(Topology(mesh.faces, mesh.vertex_count), costs, previous, pairwise),
        difference,
        np.abs(pairwise).max(),
    )


def test_exact_labeling_is_optimal_within_rounding_over_12_decades() -> None:
    uniform = 0
    for seed in range(PROBLEMS):
        problem, difference, pairwise = _problem(seed)
        _, best = problem.optima()
        given = {"pairwise": problem.pairwise, "method": "exact"}
        if len(problem.costs) == 1:
            found = solve_labels(problem.costs[0], problem.topology, previous=problem.previous, **given)
        else:
            found = solve_label_sequence(problem.costs, problem.topology, **given)
        labels = found.labels.reshape(1, -1).astype(np.intp)
        energy = float(problem.energies(labels)[0])
        terms = len(problem.unary) + len(problem.links) + len(problem.unary) * (problem.previous is not None)
        # the second term is the rounding error of float64 in sums of large costs
        allowed = terms * 2.0**-18 * min(difference, pairwise) + terms * 2.0**-50 * pairwise
        assert best - allowed <= energy <= best + allowed, f"seed {seed}: {energy - best} above the optimum"
        uniform += (labels == labels[0, 0]).all()
    assert 0.05 * PROBLEMS < uniform < 0.95 * PROBLEMS


@pytest.mark.parametrize("pairwise", [1e4, 1e6, 1e9])
def test_exact_large_pairwise_costs_leave_the_cheapest_label_of_all_triangles(pairwise: float) -> None:
    rng = np.random.default_rng(1)
    faces = np.stack([np.arange(200), np.arange(200) + 1, np.arange(200) + 2], axis=-1)
    costs = rng.uniform(0, 1, (200, 3)).astype(np.float32)
    matrix = pairwise * np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    found = solve_labels(costs, Topology(faces, 202), pairwise=matrix, method="exact")
    assert (found.labels == costs.sum(axis=0, dtype=float).argmin()).all()


def test_reject_pairwise_costs_beyond_64_bits() -> None:
    topology = Topology([[0, 1, 2], [0, 2, 3]], 4)
    matrix = 2.0**40 * np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    with pytest.raises(ValueError, match=r"^pairwise: expected costs of at most 2\^36 times"):
        solve_labels([[0, 1, 1], [1, 0, 1]], topology, pairwise=matrix, method="exact")
    # all costs are equal, so rounding cannot remove a difference between them
    assert solve_labels(np.ones((2, 3)), topology, pairwise=matrix, method="exact").energy == 2


def test_reject_sums_that_miss_additivity_by_more_than_unary_costs() -> None:
    topology = Topology([[0, 1, 2], [0, 2, 3]], 4)
    across = np.nextafter(np.float32(2e7), np.float32(0))
    matrix = np.array([[0, 1e7, across], [1e7, 0, 1e7], [across, 1e7, 0]])
    with pytest.raises(ValueError, match="at least the sum of the other two"):
        solve_labels([[0, 1, 1], [1, 0, 1]], topology, pairwise=matrix, method="exact")


def test_degenerate_frames_of_equal_costs_take_the_lowest_label() -> None:
    found = solve_labels(np.full((2, 3), 0.7), Topology([[0, 1, 2], [0, 2, 3]], 4), method="exact")
    assert (found.labels == 0).all()
