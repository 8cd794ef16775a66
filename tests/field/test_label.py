"""Stage 3 of the pipeline: label costs of triangles, and labelings with a small energy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import float64_pipeline as oracle
from meshes import COMPRESSION, REST, STRETCH, bow_tie, grid, scattered, strip, triangle
from ruckle import Stretch, Topology
from ruckle.field.label import PAIRWISE, Method, label_costs, solve_label_sequence, solve_labels

every_method = pytest.mark.parametrize("method", ["exact", "expansion", "swap", "independent"])
seeds = st.integers(0, 2**32 - 1)


def stretched(compression: Any, maximum: Any, degenerate: Any = None) -> Stretch:
    """Return a Stretch with given principal stretches, 1/λ_min (`compression`) and λ_max (`maximum`)."""
    a, b = np.asarray(compression, np.float32).ravel(), np.asarray(maximum, np.float32).ravel()
    collapsed = np.zeros(len(a), bool) if degenerate is None else np.asarray(degenerate)
    with np.errstate(divide="ignore"):
        smallest = np.reciprocal(a)
    return Stretch(smallest, b, a, np.zeros((len(a), 2), np.float32), collapsed)


def test_exact_costs_computed_by_hand() -> None:
    # a = 1.1, b = 1: c(a, b) = (e^-0.9 - e^-9) e^-1 + e^-9, c(b, a) = (1/1.1)(e^0 - 1) + 1, rest = 1 - e^-2
    expected = [[0.14964670, 0.86466472, 1.0], [1.0, 0.86466472, 0.14964670]]
    np.testing.assert_allclose(label_costs(stretched([1.1, 1.0], [1.0, 1.1])), expected, rtol=3e-6)
    # a = 2, b = 1: the difference of a and b is so large that only the term e^-90 remains, which is about 0
    np.testing.assert_allclose(label_costs(stretched([2], [1])), [[0, 1, 1]], atol=1e-30)


@given(seeds, st.sampled_from([1 / 24, 1 / 30, 1 / 60, 1 / 120, 0.01]))
def test_property_costs_agree_with_the_equations(seed: int, dt: float) -> None:
    random = np.random.default_rng(seed)
    minimum, maximum = np.sort(np.exp(random.normal(0, 0.15, (2, 200))), axis=0)
    a, b = (1 / minimum).astype(np.float32), maximum.astype(np.float32)
    sigma, alpha, beta = random.uniform(0.02, 0.2), random.uniform(0, 20), random.uniform(0, 150)
    ours = label_costs(stretched(a, b), sigma=sigma, alpha=alpha, beta=beta, dt=dt)
    theirs = oracle.label_costs(a, b, sigma=sigma, alpha=alpha, beta=beta, dt=dt)
    # at 1/120 s, a relative rounding error of 1e-7 becomes 4e-7 of the stretch; beta and 1/sigma² multiply this error
    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-4)


def test_property_costs_stay_finite_for_the_wildest_stretches() -> None:
    values = np.array([1e-30, 1e-6, 0.5, 1, 2, 1e6, 1e30], np.float32)
    a, b = np.meshgrid(values, values)
    for dt in (1 / 30, 1 / 60, 1e-4, 1e3):
        assert np.isfinite(label_costs(stretched(a, b), dt=dt)).all()
        assert np.isfinite(label_costs(stretched(a, b), alpha=0, beta=0, sigma=1e-6, dt=dt)).all()


def test_degenerate_triangles_prefer_no_label() -> None:
    costs = label_costs(stretched([1, 5, 1], [1, 1, 1], [True, True, False]))
    np.testing.assert_array_equal(costs, [[0, 0, 0], [0, 0, 0], [1, 0, 1]])
    assert label_costs(stretched([], [])).shape == (0, 3)


def test_exact_labels_of_a_strip_that_smoothness_corrects() -> None:
    topology = strip(3).topology  # the strip has six triangles in a row
    costs = np.tile([1.0, 0.0, 1.0], (6, 1))
    costs[2] = [0.7, 1.0, 1.0]  # alone, its label would be compression; with pairwise costs, rest is cheaper by 0.1
    assert solve_labels(costs, topology, method="independent").labels.tolist() == [1, 1, 0, 1, 1, 1]
    for cost, labels, energy in ((0.7, [1] * 6, 1.0), (0.5, [1, 1, 0, 1, 1, 1], 0.9)):
        costs[2] = [cost, 1.0, 1.0]
        found = solve_labels(costs, topology)
        assert (found.labels.tolist(), found.energy) == (labels, pytest.approx(energy))
    # with the label rest in the frame before, rest is cheaper again
    assert solve_labels(costs, topology, previous=[1] * 6).labels.tolist() == [1] * 6


@every_method
def test_exact_infinite_costs_forbid_labels(method: Method) -> None:
    topology = strip(3).topology
    costs = np.tile([0.0, 5.0, 5.0], (6, 1))
    costs[3] = [np.inf, np.inf, 100.0]
    costs[4] = [np.inf, 0.0, np.inf]
    found = solve_labels(costs, topology, method=method)
    assert (found.labels.tolist(), found.energy) == ([0, 0, 0, 2, 1, 0], pytest.approx(100 + 0.4 + 0.2 + 0.2))


@given(seeds, st.sampled_from(["exact", "independent"]), st.booleans())
def test_property_face_order_only_renames(seed: int, method: Method, tied: bool) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 11, 9, 9)
    count = len(mesh.faces)
    costs = random.integers(0, 3, (count, 3)) * 0.2 if tied else random.uniform(0, 1, (count, 3))
    previous = random.integers(0, 3, count)
    order = random.permutation(count)
    permuted = Topology(mesh.faces[order], mesh.vertex_count)
    plain = solve_labels(costs, mesh.topology, previous=previous, method=method)
    moved = solve_labels(costs[order], permuted, previous=previous[order], method=method)
    np.testing.assert_array_equal(moved.labels, plain.labels[order])


@every_method
def test_property_sequence_labels_do_not_depend_on_threads(method: Method) -> None:
    mesh = grid(25, 25)
    costs = np.random.default_rng(5).uniform(0, 1.5, (10, len(mesh.faces), 3))
    results = [solve_label_sequence(costs, mesh.topology, method=method, threads=n) for n in (1, 2, 3)]
    assert costs[..., 0].size > 8192
    assert len(np.unique(results[0].labels)) == 3
    for result in results[1:]:
        np.testing.assert_array_equal(result.labels, results[0].labels)


def test_degenerate_meshes_without_neighbours() -> None:
    assert solve_labels([[3, 2, 1]], triangle().topology).labels.tolist() == [STRETCH]
    assert solve_labels([[1, 1, 1]], triangle().topology).labels.tolist() == [COMPRESSION]
    costs = [[1, 0, 1], [0, 1, 1]]
    assert solve_labels(costs, bow_tie().topology).labels.tolist() == [REST, COMPRESSION]


def test_degenerate_costs_beyond_the_rounding() -> None:
    topology = strip(3).topology
    huge = np.tile([1e38, -1e38, 3.0], (6, 1))
    assert solve_labels(huge, topology).labels.tolist() == [REST] * 6
    tiny = np.tile([0.0, 1e-3, 1.0], (6, 1))
    small_links = PAIRWISE * np.float32(1e-30)
    for method in ("exact", "expansion", "swap"):
        found = solve_labels(tiny, topology, previous=[2] * 6, pairwise=small_links, method=method)
        assert found.labels.tolist() == [COMPRESSION] * 6
        # the exact method rejects ratios for which rounding would remove the unary costs
        largest = np.float32(1e10 if method == "exact" else 1e30)
        firm = solve_labels(tiny, topology, previous=[2] * 6, pairwise=PAIRWISE * largest, method=method)
        assert firm.labels.tolist() == [STRETCH] * 6
