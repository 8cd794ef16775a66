"""Stage 3: every solver against PyMaxflow on the motion-captured garments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import pymaxflow_labeling as peer
from float64_pipeline import energy, links
from ruckle.field.label import PAIRWISE, Method, label_costs, solve_label_sequence, solve_labels
from ruckle.mesh.topology import Topology
from ruckle.paths.frame import Frame
from ruckle.paths.wrinkler import Wrinkler
from shared_data import MISSING, sequence_files

every_sequence = pytest.mark.parametrize(
    "path",
    sequence_files() or [pytest.param(None, marks=pytest.mark.skip(reason=MISSING))],
    ids=lambda path: path.stem if path else "none",
)

# energies are sums of thousands of float32 costs, rounded to 2^-20 of the largest pairwise cost
TOLERANCE = 1e-5

# topology, frame, costs, earlier labels
Step = tuple[Topology, Frame, NDArray[np.float32], NDArray[np.uint8] | None]

PEERS: dict[Method, Callable[..., NDArray[np.uint8]]] = {"expansion": peer.expansion, "swap": peer.swap}


def play(
    path: Path, stride: int = 1
) -> Iterator[tuple[Topology, Frame, NDArray[np.float32], NDArray[np.uint8] | None]]:
    """Yield the frames of a sequence with the costs and the earlier labels that their labels came from."""
    with np.load(path) as arrays:
        positions, faces, dt = arrays["positions"], arrays["faces"], 1 / float(arrays["fps"])
    topology = Topology(faces, positions.shape[1])
    wrinkler = Wrinkler(faces, positions.shape[1], r_min=0.0)
    previous = None
    for index, frame_positions in enumerate(positions):
        frame = wrinkler.step(frame_positions, dt)
        if index % stride == 0:
            costs = label_costs(frame.motion, dt=dt if index else 1 / 30)
            yield topology, frame, costs, previous
        previous = frame.labels


def with_previous(costs: NDArray[np.float32], previous: NDArray[np.uint8] | None) -> NDArray[np.float64]:
    """Return unary costs with the links to the fixed earlier frame taken in."""
    taken_in = costs.astype(np.float64)
    return taken_in if previous is None else taken_in + PAIRWISE.astype(np.float64)[previous]


@every_sequence
def test_exact_streaming_labels_reach_the_optimum_of_every_frame(path: Path) -> None:
    hard = 0
    for topology, frame, costs, previous in play(path):
        unary, pairs = with_previous(costs, previous), links(topology)
        best = energy(unary, pairs, PAIRWISE, peer.exact(unary, pairs, PAIRWISE))
        found = solve_labels(costs, topology, previous=previous)
        np.testing.assert_array_equal(found.labels, frame.labels)
        assert abs(energy(unary, pairs, PAIRWISE, found.labels) - best) < TOLERANCE, f"frame {frame.index}"
        assert found.energy == pytest.approx(best, abs=1e-4)
        hard += energy(unary, pairs, PAIRWISE, unary.argmin(axis=1)) > best + 0.1
    assert hard > 10  # the cheapest labels alone would not do


@every_sequence
def test_property_moves_never_end_above_those_of_the_library(path: Path) -> None:
    for topology, frame, costs, previous in play(path, stride=3):
        unary, pairs = with_previous(costs, previous), links(topology)
        start = unary.argmin(axis=1)
        for method, library in PEERS.items():
            found = solve_labels(costs, topology, previous=previous, method=method)
            theirs = energy(unary, pairs, PAIRWISE, library(unary, pairs, PAIRWISE, start))
            ours = energy(unary, pairs, PAIRWISE, found.labels)
            assert ours <= theirs + TOLERANCE, f"{method}, frame {frame.index}"
            assert ours <= energy(unary, pairs, PAIRWISE, start) + TOLERANCE


@every_sequence
def test_exact_whole_sequence_reaches_the_optimum(path: Path) -> None:
    frames = [(topology, costs) for topology, _, costs, _ in islice(play(path), 60)]
    topology = frames[0][0]
    costs = np.array([frame_costs for _, frame_costs in frames])
    unary, pairs = costs.reshape(-1, 3), links(topology, len(costs))
    best = energy(unary, pairs, PAIRWISE, peer.exact(unary, pairs, PAIRWISE))
    found = solve_label_sequence(costs, topology)
    assert abs(energy(unary, pairs, PAIRWISE, found.labels.ravel()) - best) < TOLERANCE * len(costs)
    assert found.energy == pytest.approx(best, rel=1e-6)
    for threads in (2, 3):
        np.testing.assert_array_equal(solve_label_sequence(costs, topology, threads=threads).labels, found.labels)
