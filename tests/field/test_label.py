"""Stage 3: label costs and labelings."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import float64_pipeline as oracle
from meshes import COMPRESSION, MESHES, REST, STRETCH, Mesh, bow_tie, grid, moving, scattered, strip, triangle
from ruckle.field.label import PAIRWISE, Method, label_costs, solve_label_sequence, solve_labels
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.mesh.topology import Topology

every_mesh = pytest.mark.parametrize("mesh", MESHES, ids=repr)
every_method = pytest.mark.parametrize("method", ["exact", "expansion", "swap", "independent"])
seeds = st.integers(0, 2**32 - 1)
POTTS = 1.0 - np.eye(3)


def stretched(compression: Any, maximum: Any, degenerate: Any = None) -> Stretch:
    """Return a Stretch of these principal stretches (1/λ_min and λ_max)."""
    a, b = np.asarray(compression, np.float32).ravel(), np.asarray(maximum, np.float32).ravel()
    collapsed = np.zeros(len(a), bool) if degenerate is None else np.asarray(degenerate)
    with np.errstate(divide="ignore"):
        smallest = np.reciprocal(a)
    return Stretch(smallest, b, a, np.zeros((len(a), 2), np.float32), collapsed)


def energy(costs: NDArray[Any], topology: Topology, labels: NDArray[Any], previous: NDArray[Any] | None) -> float:
    """Return (4.3) of one frame, in float64."""
    unary = costs + (0 if previous is None else PAIRWISE[previous])
    return oracle.energy(unary, oracle.links(topology), PAIRWISE, labels)


def test_exact_costs_computed_by_hand() -> None:
    # a = 1.1, b = 1: c(a, b) = (e^-0.9 - e^-9) e^-1 + e^-9, c(b, a) = (1/1.1)(e^0 - 1) + 1, rest = 1 - e^-2
    np.testing.assert_allclose(
        label_costs(stretched([1.1, 1.0], [1.0, 1.1])),
        [[0.14964670, 0.86466472, 1.0], [1.0, 0.86466472, 0.14964670]],
        rtol=3e-6,
    )
    # a = 2, b = 1: far from equal, only h = e^-90 is left
    np.testing.assert_allclose(label_costs(stretched([2], [1])), [[0, 1, 1]], atol=1e-30)


@given(seeds, st.sampled_from([1 / 24, 1 / 30, 1 / 60, 1 / 120, 0.01]))
@settings(deadline=None)
def test_property_costs_agree_with_the_equations(seed: int, dt: float) -> None:
    random = np.random.default_rng(seed)
    minimum, maximum = np.sort(np.exp(random.normal(0, 0.15, (2, 200))), axis=0)
    a, b = (1 / minimum).astype(np.float32), maximum.astype(np.float32)
    sigma, alpha, beta = random.uniform(0.02, 0.2), random.uniform(0, 20), random.uniform(0, 150)
    ours = label_costs(stretched(a, b), sigma=sigma, alpha=alpha, beta=beta, dt=dt)
    theirs = oracle.label_costs(a, b, sigma=sigma, alpha=alpha, beta=beta, dt=dt)
    # at 1/120 s a relative rounding of 1e-7 becomes 4e-7 of a stretch, and beta and 1/sigma² multiply it
    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-4)


def test_property_costs_favour_the_dominating_label() -> None:
    a, b = (grid_values.ravel() for grid_values in np.meshgrid(*2 * [np.linspace(1, 3, 401)]))
    costs = label_costs(stretched(a, b))
    assert (costs >= 0).all()
    assert (costs[a > b, COMPRESSION] < costs[a > b, STRETCH]).all()
    assert (costs[b > a, STRETCH] < costs[b > a, COMPRESSION]).all()
    np.testing.assert_array_equal(costs[a == b, COMPRESSION], costs[a == b, STRETCH])
    # rest costs nothing without deformation and grows with it
    assert costs[(a == 1) & (b == 1), REST] == 0
    assert (np.diff(costs[:, REST].reshape(401, 401), axis=1) >= 0).all()
    # compression grows cheaper the more it dominates a given stretch
    row = costs[b == 1, COMPRESSION]
    assert (np.diff(row[1:]) <= 0).all()


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
    topology = strip(3).topology  # six triangles in a row
    costs = np.tile([1.0, 0.0, 1.0], (6, 1))
    costs[2] = [0.7, 1.0, 1.0]  # its neighbours' rest costs 0.4: alone it is compression, together rest wins by 0.1
    assert solve_labels(costs, topology, method="independent").labels.tolist() == [1, 1, 0, 1, 1, 1]
    found = solve_labels(costs, topology)
    assert found.labels.tolist() == [1] * 6
    assert found.energy == pytest.approx(1.0)
    costs[2] = [0.5, 1.0, 1.0]
    found = solve_labels(costs, topology)
    assert found.labels.tolist() == [1, 1, 0, 1, 1, 1]
    assert found.energy == pytest.approx(0.9)
    # the earlier frame's rest label tips it back
    assert solve_labels(costs, topology, previous=[1] * 6).labels.tolist() == [1] * 6


@every_method
def test_exact_infinite_costs_forbid_labels(method: Method) -> None:
    topology = strip(3).topology
    costs = np.tile([0.0, 5.0, 5.0], (6, 1))
    costs[3] = [np.inf, np.inf, 100.0]
    costs[4] = [np.inf, 0.0, np.inf]
    found = solve_labels(costs, topology, method=method)
    assert found.labels.tolist() == [0, 0, 0, 2, 1, 0]
    assert found.energy == pytest.approx(100 + 0.4 + 0.2 + 0.2)


@every_mesh
@every_method
def test_property_no_labeling_is_worse_than_the_cheapest_labels(mesh: Mesh, method: Method) -> None:
    random = np.random.default_rng(len(mesh.faces))
    topology = mesh.topology
    for _ in range(10):
        costs = random.uniform(0, 1, (len(mesh.faces), 3)).astype(np.float32)
        previous = random.integers(0, 3, len(mesh.faces))
        found = solve_labels(costs, topology, previous=previous, method=method)
        assert found.energy == pytest.approx(energy(costs, topology, found.labels, previous), rel=1e-6)
        cheapest = (costs + PAIRWISE[previous]).argmin(axis=1) if method != "independent" else costs.argmin(axis=1)
        assert found.energy <= energy(costs, topology, cheapest, previous) + 1e-4
        assert found.energy >= solve_labels(costs, topology, previous=previous).energy - 1e-4


@given(seeds, st.sampled_from(["exact", "independent"]), st.booleans())
@settings(deadline=None)
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


@given(seeds)
@settings(deadline=None)
def test_property_adding_a_constant_to_a_triangle_changes_no_label(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 11)
    costs = random.integers(0, 64, (len(mesh.faces), 3)) / 64  # stay exact when shifted
    shift = random.integers(-64, 64, (len(mesh.faces), 1)) / 64
    plain, moved = (solve_labels(c, mesh.topology) for c in (costs, costs + shift))
    np.testing.assert_array_equal(moved.labels, plain.labels)
    assert moved.energy == pytest.approx(plain.energy + shift.sum(), abs=1e-4)


@given(seeds, st.integers(-30, 30))
@settings(deadline=None)
def test_property_scaling_every_cost_by_a_power_of_two_changes_no_label(seed: int, power: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 11)
    costs = random.uniform(0, 1, (len(mesh.faces), 3)).astype(np.float32)
    plain = solve_labels(costs, mesh.topology)
    scaled = solve_labels(costs * np.float32(2.0**power), mesh.topology, pairwise=PAIRWISE * np.float32(2.0**power))
    np.testing.assert_array_equal(scaled.labels, plain.labels)


@given(seeds)
@settings(deadline=None)
def test_property_swapping_compression_and_stretch_mirrors_the_labels(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 11)
    costs = random.uniform(0, 1, (len(mesh.faces), 3)).astype(np.float32)
    plain = solve_labels(costs, mesh.topology)
    mirrored = solve_labels(costs[:, ::-1], mesh.topology)
    assert mirrored.energy == pytest.approx(plain.energy, abs=1e-5)
    np.testing.assert_array_equal(mirrored.labels, 2 - plain.labels)


@every_mesh
def test_property_a_sequence_is_never_worse_than_its_stream(mesh: Mesh) -> None:
    frames = moving(mesh, list(np.arange(12) / 30))
    matrices = [edge_matrices(p, mesh.faces) for p in frames]
    costs = np.array([label_costs(stretch(a, b)) for a, b in pairwise(matrices)])
    topology = mesh.topology
    previous, streamed = None, 0.0
    for frame_costs in costs:
        found = solve_labels(frame_costs, topology, previous=previous)
        previous, streamed = found.labels, streamed + found.energy
    whole = solve_label_sequence(costs, topology)
    assert whole.labels.shape == costs.shape[:2]
    assert whole.energy <= streamed + 1e-4
    for method in ("expansion", "swap", "independent"):
        assert solve_label_sequence(costs, topology, method=method).energy >= whole.energy - 1e-4


@pytest.mark.parametrize("method", ["exact", "expansion", "swap", "independent"])
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
        firm = solve_labels(tiny, topology, previous=[2] * 6, pairwise=PAIRWISE * np.float32(1e30), method=method)
        assert firm.labels.tolist() == [STRETCH] * 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": 0.0}, "sigma: expected a finite number above 0, got 0"),
        ({"alpha": -1.0}, "alpha: expected a finite number of at least 0, got -1"),
        ({"dt": 0.0}, "dt: expected a number of seconds in (0, 1e+06], got 0"),
        ({"compression": [1, 0]}, "compression: triangle 1 has 0.000000; principal stretches are above 0"),
        ({"maximum": [-1, 1]}, "max: triangle 0 has -1.000000; principal stretches are above 0"),
        ({"compression": [1, np.nan]}, "compression: element 1 holds nan; every number must be finite"),
        ({"maximum": [1]}, "max: expected an array of shape (T = 2,), got (1,)"),
        ({"degenerate": [0, 1]}, "degenerate: expected a C-contiguous bool array of shape (T = 2,), got int64 (2,)"),
    ],
)
def test_reject_label_costs(changes: dict[str, Any], message: str) -> None:
    given_stretch = stretched(
        changes.pop("compression", [1, 1]), changes.pop("maximum", [1, 1]), changes.pop("degenerate", None)
    )
    if len(given_stretch.degenerate) != 2 and "degenerate" not in message:
        given_stretch = stretched(given_stretch.compression, given_stretch.max, np.zeros(2, bool))
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        label_costs(given_stretch, **changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": np.zeros((3, 3))}, "costs: expected an array of shape (T = 2, 3), got (3, 3)"),
        ({"costs": [[0, 0, 0], [0, np.nan, 0]]}, "costs: label 1 of triangle 1 costs nan; costs are finite, or +inf"),
        ({"costs": [[0, 0, 0], [np.inf] * 3]}, "costs: every label of triangle 1 is forbidden; leave one finite"),
        ({"previous": [0, 3]}, "previous: labels are 0, 1 and 2, found 0 to 3"),
        ({"previous": np.array([0, 3], np.uint8)}, "previous: triangle 1 has label 3; labels are 0, 1 and 2"),
        ({"previous": [0.0, 1.0]}, "previous: expected integer labels, got float64 (2,)"),
        ({"method": "magic"}, 'method: expected one of "exact", "expansion", "swap", "independent", got "magic"'),
        ({"pairwise": np.zeros((2, 2))}, "pairwise: expected an array of shape (3, 3), got (2, 2)"),
        ({"pairwise": np.full((3, 3), np.inf)}, "pairwise: the cost between compression and compression is not"),
        ({"pairwise": [[0, 1, 2], [1, 0, 1], [2.5, 1, 0]]}, "pairwise: the cost between compression and stretch"),
        ({"pairwise": -POTTS}, "pairwise: neighbours labelled compression and rest cost less than equal ones"),
        ({"pairwise": POTTS}, 'method="exact": the pairwise costs are submodular in no order of the labels'),
        ({"pairwise": [[0, 1, 4], [1, 0, 1], [4, 1, 0]], "method": "expansion"}, 'method="expansion": the pairwise'),
    ],
)
def test_reject_solve_labels(arguments: dict[str, Any], message: str) -> None:
    costs = arguments.pop("costs", np.zeros((2, 3)))
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        solve_labels(costs, strip(1).topology, **arguments)
