"""Labels of triangles: the result of each solver compared with all possible labelings of small problems."""

import numpy as np
import pytest
from numpy.typing import NDArray

from label_oracle import EXACT, EXPANSION, SWAP, Problem, all_labelings, line_order
from meshes import small_mesh
from ruckle import Topology
from ruckle.field.label import Labeling, Method, solve_label_sequence, solve_labels
from sanitized import SANITIZED

PROBLEMS_PER_KIND = 10 if SANITIZED else 40


def random_problem(seed: int, pairwise: NDArray[np.float64], *, whole: bool, frames: int = 1) -> Problem:
    """Return a random problem of at most 9 triangles in all frames.

    If `whole`, costs are integers, so that many labelings have the same energy.
    """
    random = np.random.default_rng(seed)
    mesh = small_mesh(random, 9 // frames)
    shape = (frames, len(mesh.faces), 3)
    size = max(1.0, float(np.abs(pairwise).max()))
    costs = random.integers(-2, 4, shape).astype(np.float64) if whole else random.uniform(-2, 3, shape) * size / 2
    if random.random() < 0.2:
        costs[random.random(shape) < 0.2] = np.inf
        costs[..., random.integers(3)] = 0.5
    previous = None
    if frames == 1 and random.random() < 0.6:
        previous = random.integers(0, 3, shape[1]).astype(np.uint8)
    return Problem(Topology(mesh.faces, mesh.vertex_count), costs.astype(np.float32).astype(float), previous, pairwise)


def solve(problem: Problem, method: Method) -> Labeling:
    """Solve a problem of one frame with `solve_labels`, a problem of several frames with `solve_label_sequence`."""
    topology, given = problem.topology, {"pairwise": problem.pairwise, "method": method}
    if len(problem.costs) == 1:
        return solve_labels(problem.costs[0], topology, previous=problem.previous, **given)
    return solve_label_sequence(problem.costs, topology, **given)


def rounding(problem: Problem) -> float:
    """Return an upper bound of the energy that rounding the costs can add to the optimum."""
    half = np.abs(np.diag(problem.pairwise)).max() / 2
    terms = len(problem.unary) + len(problem.links)
    return terms * 2.0**-19 * (float(np.abs(problem.pairwise).max()) + float(half)) + 1e-9


def check_energy(problem: Problem, found: Labeling) -> float:
    """Assert that the reported energy is the energy of the labels. Return this energy."""
    energy = float(problem.energies(found.labels.reshape(1, -1).astype(np.intp))[0])
    assert found.energy == pytest.approx(energy, abs=1e-5, rel=1e-6)
    return energy


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("name", EXACT)
def test_exact_labeling_is_optimal(name: str, frames: int) -> None:
    for seed in range(PROBLEMS_PER_KIND):
        problem = random_problem(seed, EXACT[name], whole=False, frames=frames)
        _, best = problem.optima()
        energy = check_energy(problem, solve(problem, "exact"))
        assert best - 1e-9 <= energy <= best + rounding(problem), f"seed {seed}"


@pytest.mark.parametrize("frames", [1, 2])
@pytest.mark.parametrize("name", EXACT)
def test_exact_labeling_of_ties_is_the_lowest_optimum(name: str, frames: int) -> None:
    order = np.array(line_order(EXACT[name]))
    place = np.argsort(order)
    tied = 0
    for seed in range(PROBLEMS_PER_KIND):
        problem = random_problem(seed, EXACT[name], whole=True, frames=frames)
        optima, _ = problem.optima()
        tied += len(optima) > 1
        lowest = order[place[optima].min(axis=0)]
        assert (optima == lowest).all(axis=1).any()  # the set of optima of submodular costs is a lattice
        np.testing.assert_array_equal(solve(problem, "exact").labels.ravel(), lowest, err_msg=f"seed {seed}")
    assert tied > PROBLEMS_PER_KIND // 12


@pytest.mark.parametrize("name", EXPANSION)
def test_exact_expansion_ends_where_no_expansion_helps(name: str) -> None:
    for seed in range(PROBLEMS_PER_KIND):
        problem = random_problem(seed, EXPANSION[name], whole=seed % 2 == 0)
        found = solve(problem, "expansion")
        energy = check_energy(problem, found)
        nodes = len(problem.unary)
        for alpha in range(3):
            moved = np.where(all_labelings(nodes, 2) == 1, alpha, found.labels.astype(np.intp))
            assert energy <= problem.energies(moved).min() + rounding(problem), f"seed {seed}"
        assert energy <= problem.energies(problem.unary.argmin(axis=1)[None])[0] + rounding(problem)


@pytest.mark.parametrize("name", SWAP)
def test_exact_swap_ends_where_no_swap_helps(name: str) -> None:
    for seed in range(PROBLEMS_PER_KIND):
        problem = random_problem(seed, SWAP[name], whole=seed % 2 == 0)
        found = solve(problem, "swap")
        energy = check_energy(problem, found)
        labels = found.labels.astype(np.intp)
        for alpha, beta in ((0, 1), (0, 2), (1, 2)):
            choices = np.where(all_labelings(len(labels), 2) == 1, alpha, beta)
            moved = np.where((labels == alpha) | (labels == beta), choices, labels)
            assert energy <= problem.energies(moved).min() + rounding(problem), f"seed {seed}"


@pytest.mark.parametrize("frames", [1, 2])
def test_exact_independent_takes_the_first_cheapest_label(frames: int) -> None:
    for seed in range(PROBLEMS_PER_KIND):
        problem = random_problem(seed, EXACT["line"], whole=True, frames=frames)
        found = solve(problem, "independent")
        np.testing.assert_array_equal(found.labels, problem.costs.argmin(axis=2).reshape(found.labels.shape))
        check_energy(problem, found)
