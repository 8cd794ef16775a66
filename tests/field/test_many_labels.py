"""Any number of labels and any edge weights, compared with all labelings and with the solver for three labels."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from meshes import grid, small_mesh
from ruckle import Topology, solve_labels

Array = NDArray[Any]


def problem(seed: int, labels: int, *, faces: int = 6) -> tuple[Topology, Array, Array, Array, Array | None]:
    """Return a random small mesh, costs, a metric, edge weights, and labels of the frame before or None."""
    random = np.random.default_rng(seed)
    mesh = small_mesh(random, faces)
    topology = Topology(mesh.faces, mesh.vertex_count)
    places = random.random((labels, 2))
    metric = np.linalg.norm(places[:, None] - places[None], axis=2)
    previous = random.integers(0, labels, topology.face_count) if random.random() < 0.5 else None
    return topology, random.random((topology.face_count, labels)), metric, random.random(topology.edge_count), previous


def energy(
    topology: Topology, costs: Array, pairwise: Array, weights: Array, previous: Array | None, labels: Array
) -> float:
    """Return the energy of a labeling by its definition: unary, weighted pairwise and temporal costs."""
    inner = topology.edge_faces[:, 1] >= 0
    first, second = labels[topology.edge_faces[inner]].T
    links = (weights[inner] * pairwise[first, second]).sum()
    return float(
        costs[np.arange(len(labels)), labels].sum()
        + links
        + (0.0 if previous is None else pairwise[labels, previous].sum())
    )


@pytest.mark.parametrize("labels", [2, 3, 4])
@pytest.mark.parametrize("method", ["expansion", "swap"])
def test_exact_labels_are_near_the_best_of_all(labels: int, method: Any) -> None:
    for seed in range(15):
        topology, costs, pairwise, weights, previous = problem(seed, labels)
        found = solve_labels(costs, topology, previous=previous, pairwise=pairwise, edge_weights=weights, method=method)
        mine = energy(topology, costs, pairwise, weights, previous, found.labels)
        assert found.energy == pytest.approx(mine, rel=1e-5)
        every = product(range(labels), repeat=topology.face_count)
        best = min(energy(topology, costs, pairwise, weights, previous, np.array(one)) for one in every)
        # For two labels, one cut is exact. For more labels, the energy of alpha expansion is at most twice the optimum
        # (Boykov et al. 2001, theorem 6.1).
        assert mine <= (best + 1e-4 if labels == 2 else 2 * best)


def test_exact_three_labels_of_one_weight_are_those_of_the_pipeline() -> None:
    for seed in range(20):
        topology, costs, _, _, previous = problem(seed, 3, faces=40)
        ones = np.ones(topology.edge_count)
        one = solve_labels(costs, topology, previous=previous, method="expansion")
        many = solve_labels(costs, topology, previous=previous, edge_weights=ones, method="expansion")
        assert many.energy == pytest.approx(one.energy, rel=1e-4)


def test_exact_an_edge_without_weight_is_no_link() -> None:
    sheet = grid(2, 2)
    topology = Topology(sheet.faces, sheet.vertex_count)
    costs = np.tile([0.0, 0.1, 0.1], (topology.face_count, 1))
    costs[0] = [0.1, 0.0, 0.1]
    assert solve_labels(costs, topology).labels[0] == 0
    alone = solve_labels(costs, topology, edge_weights=np.zeros(topology.edge_count))
    assert alone.labels.tolist() == costs.argmin(axis=1).tolist()


def test_exact_methods_are_chosen_by_what_the_costs_allow() -> None:
    topology, costs, metric, weights, _ = problem(3, 4)
    chosen = solve_labels(costs, topology, pairwise=metric)
    assert chosen.energy == solve_labels(costs, topology, pairwise=metric, method="expansion").energy
    assert repr(chosen).startswith(f"Labeling(({topology.face_count},): ")
    detour = np.array([[0, 0.1, 1], [0.1, 0, 0.1], [1, 0.1, 0]])
    swapped = solve_labels(costs[:, :3], topology, pairwise=detour, edge_weights=weights)
    assert (
        swapped.energy
        == solve_labels(costs[:, :3], topology, pairwise=detour, edge_weights=weights, method="swap").energy
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": "exact"}, 'method: "exact" needs three labels and equal weights of all edges; use'),
        ({"pairwise": np.ones((4, 4))}, "pairwise: expected symmetric costs of at least 0 with zeros on the diagonal"),
        ({"pairwise": np.zeros((3, 3))}, "pairwise: expected an array of shape (L = 4, L = 4), got (3, 3)"),
        ({"edge_weights": np.full(99, 1.0)}, "edge_weights: expected an array of shape (E = 11,), got (99,)"),
        ({"previous": [9] * 5}, "previous: expected labels from 0 to 3"),
        ({"previous": [999] * 5}, "previous: expected integers from 0 to 255, found 999 to 999"),
        ({"costs": np.zeros((5, 1))}, "costs: expected from 2 to 255 labels, got 1"),
    ],
)
def test_reject(changes: dict[str, Any], sentence: str) -> None:
    topology, costs, pairwise, _, _ = problem(1, 4, faces=6)
    given: dict[str, Any] = {"costs": costs, "pairwise": pairwise} | changes
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        solve_labels(given.pop("costs"), topology, **given)


def test_reject_negative_weights_and_wrong_metrics() -> None:
    topology, costs, pairwise, weights, _ = problem(1, 4)
    with pytest.raises(ValueError, match="edge_weights: expected numbers of at least 0"):
        solve_labels(costs, topology, pairwise=pairwise, edge_weights=weights - 1)
    far = np.where(np.eye(4) > 0, 0.0, 1.0)
    far[0, 3] = far[3, 0] = 5.0
    with pytest.raises(ValueError, match='"expansion" needs a metric, but the cost between labels 0 and 3 exceeds'):
        solve_labels(costs, topology, pairwise=far, method="expansion")


def test_run_exact_own_costs_that_are_the_usual_ones_change_nothing() -> None:
    animation = ruckle.sample("sawing").cut(0, 30)
    usual = list(ruckle.run(animation, tau=1.25))
    own = list(ruckle.run(animation, tau=1.25, costs=lambda motion, dt: ruckle.label_costs(motion, dt=dt)))
    for a, b in zip(usual, own, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
        np.testing.assert_array_equal(a.reference, b.reference)
    assert [repr(w) for w in usual[-1].wrinkles] == [repr(w) for w in own[-1].wrinkles]


def test_run_exact_own_costs_decide_where_wrinkles_are() -> None:
    animation = ruckle.sample("sawing").cut(0, 30)

    def resting(motion: ruckle.Stretch, _: float) -> Array:
        return np.tile([1.0, 0.0, 1.0], (len(motion.max), 1))

    frames = list(ruckle.run(animation, costs=resting))
    assert all((frame.labels == 1).all() for frame in frames[1:])
    with pytest.raises(ValueError, match="edge_weights: used only together with costs"):
        ruckle.run(animation, edge_weights=[1.0])
    with pytest.raises(TypeError, match="costs: expected a function of a stretch and of seconds, got 3"):
        ruckle.run(animation, costs=3)


def test_step_exact_given_labels_are_the_frame_s() -> None:
    animation = ruckle.sample("sawing").cut(0, 12)
    wrinkler = ruckle.Wrinkler.for_animation(animation)
    random = np.random.default_rng(0)
    for positions in animation.positions:
        labels = random.integers(0, 3, animation.face_count)
        frame = wrinkler.step(positions, 1 / 60, labels=labels)
        assert frame.labels.tolist() == labels.tolist()
    for wrong, sentence in (([9] * animation.face_count, "labels are 0, 1 and 2"), ([1, 2], "labels: expected")):
        with pytest.raises(ValueError, match=sentence):
            wrinkler.step(animation.positions[0], 1 / 60, labels=wrong)
    assert wrinkler.frame_count == 12
