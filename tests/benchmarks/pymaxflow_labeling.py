"""Labelings by PyMaxflow, a Python binding of Kolmogorov's max-flow library.

Tests and benchmarks compare the core with it.

PyMaxflow has the GPL licence, so no module of the package imports it.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

import maxflow
import numpy as np
from numpy.typing import NDArray

from float64_pipeline import energy

Array = NDArray[Any]
Labels = NDArray[np.uint8]


class Clock:
    """Context manager that sums the seconds that PyMaxflow spends on building graphs and on max-flow."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._start


def cut(
    clock: Clock, to_source: Array, to_sink: Array, tails: Array, heads: Array, forward: Array, backward: Array
) -> NDArray[np.bool_]:
    """Return a mask of the nodes on the sink side of a minimum cut. `clock` measures the time."""
    with clock:
        graph = maxflow.Graph[float](len(to_source), len(tails))
        nodes = graph.add_nodes(len(to_source))
        graph.add_grid_tedges(nodes, to_source, to_sink)
        graph.add_edges(tails, heads, forward, backward)
        graph.maxflow()
        return np.asarray(graph.get_grid_segments(nodes))


def exact(unary: Array, pairs: Array, pairwise: Array) -> Labels:
    """Return the optimal labels (N,) for additive pairwise costs by one minimum cut with two nodes per site."""
    unary = np.asarray(unary, np.float64)
    pairwise = np.asarray(pairwise, np.float64)
    count = len(unary)
    # The nodes are x1 = [label >= 1] and x2 = [label >= 2]. A node on the sink side has the value 1, and the cut pays
    # the capacity of its arc from the source.
    steps = np.concatenate([unary[:, 1] - unary[:, 0], unary[:, 2] - unary[:, 1]])
    sites = np.arange(count)
    i, j = pairs[:, 0], pairs[:, 1]
    tails = np.concatenate([i, i + count, sites])
    heads = np.concatenate([j, j + count, sites + count])
    low = np.full(len(i), pairwise[0, 1])
    high = np.full(len(i), pairwise[1, 2])
    # the large capacity of the arc from x1 to x2 forbids x1 = 0 (source side) with x2 = 1 (sink side)
    forward = np.concatenate([low, high, np.full(count, 1e6)])
    backward = np.concatenate([low, high, np.zeros(count)])
    ones = cut(Clock(), np.maximum(steps, 0), np.maximum(-steps, 0), tails, heads, forward, backward)
    return (ones[:count].astype(np.uint8) + ones[count:]).astype(np.uint8)


def descend(
    costs: tuple[Array, Array, Array], start: Array, moves: Iterable[Any], propose: Callable[[Array, Any], Array]
) -> Labels:
    """Apply the moves in turn while a move lowers the energy of `costs` (unary, pairs, pairwise).

    Return the final labels.
    """
    labels = start.astype(np.int64)
    best, improved = energy(*costs, labels), True
    while improved:
        improved = False
        for move in moves:
            proposed = propose(labels, move)
            reached = energy(*costs, proposed)
            if reached < best - 1e-9:
                labels, best, improved = proposed, reached, True
    return labels.astype(np.uint8)


def expansion(unary: Array, pairs: Array, pairwise: Array, start: Array, clock: Clock | None = None) -> Labels:
    """Return labels (N,) after alpha-expansion moves from the labels `start`. Stop if no move lowers the energy."""
    unary, pairwise = np.asarray(unary, np.float64), np.asarray(pairwise, np.float64)
    i, j = pairs[:, 0], pairs[:, 1]

    def propose(labels: Array, alpha: int) -> Array:
        # Nodes on the sink side change to the label alpha. The cost E(x_i, x_j) of a pair is divided into unary costs
        # and one arc.
        keep_keep = pairwise[labels[i], labels[j]]
        keep_take = pairwise[labels[i], alpha]
        take_keep = pairwise[alpha, labels[j]]
        gain = unary[:, alpha] - unary[np.arange(len(unary)), labels]
        np.add.at(gain, i, take_keep - keep_keep)
        np.add.at(gain, j, -take_keep)
        arcs = np.maximum(keep_take + take_keep - keep_keep, 0)
        moved = cut(clock or Clock(), np.maximum(gain, 0), np.maximum(-gain, 0), i, j, arcs, np.zeros(len(i)))
        return np.where(moved, alpha, labels)

    return descend((unary, pairs, pairwise), start, range(3), propose)


def swap(unary: Array, pairs: Array, pairwise: Array, start: Array) -> Labels:
    """Return labels (N,) after alpha-beta swaps from the labels `start`. Stop if no swap lowers the energy."""
    unary, pairwise = np.asarray(unary, np.float64), np.asarray(pairwise, np.float64)

    def propose(labels: Array, move: tuple[int, int]) -> Array:
        alpha, beta = move
        movable = np.isin(labels, move)
        sites = np.flatnonzero(movable)
        node = np.cumsum(movable) - 1
        gain = unary[:, alpha] - unary[:, beta]
        for here, there in (pairs.T, pairs.T[::-1]):
            fixed = movable[here] & ~movable[there]
            other = labels[there[fixed]]
            np.add.at(gain, here[fixed], pairwise[alpha, other] - pairwise[beta, other])
        inner = node[pairs[movable[pairs].all(axis=1)]]
        arcs = np.full(len(inner), pairwise[alpha, beta])
        to_source, to_sink = np.maximum(gain[sites], 0), np.maximum(-gain[sites], 0)
        proposed = labels.copy()
        if len(sites):
            moved = cut(Clock(), to_source, to_sink, inner[:, 0], inner[:, 1], arcs, arcs)
            proposed[sites] = np.where(moved, alpha, beta)
        return proposed

    return descend((unary, pairs, pairwise), start, ((0, 1), (0, 2), (1, 2)), propose)
