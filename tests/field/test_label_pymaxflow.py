"""Labels of triangles: the result of each solver compared with PyMaxflow on whole garments."""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

import pymaxflow_labeling as peer
from float64_pipeline import energy, links
from ruckle import Topology, Wrinkler, sample
from ruckle.field.label import PAIRWISE, Method, label_costs, solve_label_sequence, solve_labels

# relative tolerance of energies, which are sums of thousands of float32 costs; pairwise costs are rounded to 2^-20 of
# the largest
TOLERANCE = 1e-5

PEERS: dict[Method, Callable[..., NDArray[np.uint8]]] = {"expansion": peer.expansion, "swap": peer.swap}

every_garment = pytest.mark.parametrize("name", ["chopping", "jumping_jack"])

# topology, label costs, labels of the frame before, labels
Step = tuple[Topology, NDArray[np.float32], NDArray[np.uint8] | None, NDArray[np.uint8]]


def play(name: str) -> Iterator[Step]:
    """Yield each frame of a sample: topology, label costs, labels of the frame before (None at first), and labels."""
    animation = sample(name)
    wrinkler, dt = Wrinkler(animation.faces, animation.vertex_count, r_min=0.0), 1 / animation.fps
    previous = None
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, dt)
        yield wrinkler.topology, label_costs(frame.motion, dt=dt if index else 1 / 30), previous, frame.labels
        previous = frame.labels


@every_garment
def test_exact_streaming_labels_reach_the_optimum_and_moves_end_no_higher_than_the_librarys(name: str) -> None:
    hard = 0
    for topology, costs, previous, labels in islice(play(name), 0, None, 3):
        unary, pairs = costs.astype(np.float64), links(topology)
        # add the pairwise costs with the labels of the frame before, which are fixed
        unary += 0.0 if previous is None else PAIRWISE.astype(np.float64)[previous]
        best = energy(unary, pairs, PAIRWISE, peer.exact(unary, pairs, PAIRWISE))
        found = solve_labels(costs, topology, previous=previous)
        np.testing.assert_array_equal(found.labels, labels)
        assert abs(energy(unary, pairs, PAIRWISE, labels) - best) < TOLERANCE
        assert found.energy == pytest.approx(best, abs=1e-4)
        start = unary.argmin(axis=1)
        for method, library in PEERS.items():
            theirs = energy(unary, pairs, PAIRWISE, library(unary, pairs, PAIRWISE, start))
            moved = solve_labels(costs, topology, previous=previous, method=method)
            assert energy(unary, pairs, PAIRWISE, moved.labels) <= theirs + TOLERANCE
        hard += energy(unary, pairs, PAIRWISE, start) > best + 0.1
    assert hard > 10  # the labels with the lowest unary costs are not sufficient


@every_garment
def test_exact_whole_sequence_reaches_the_optimum(name: str) -> None:
    steps = list(islice(play(name), 40, 100))
    topology, costs = steps[0][0], np.array([step[1] for step in steps])
    unary, pairs = costs.reshape(-1, 3), links(topology, len(costs))
    best = energy(unary, pairs, PAIRWISE, peer.exact(unary, pairs, PAIRWISE))
    found = solve_label_sequence(costs, topology)
    assert abs(energy(unary, pairs, PAIRWISE, found.labels.ravel()) - best) < TOLERANCE * len(costs)
    assert found.energy == pytest.approx(best, rel=1e-6)
