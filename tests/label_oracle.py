"""The best labelings of small problems, by trying them all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from float64_pipeline import links
from ruckle.mesh.topology import Topology

Float64 = NDArray[np.float64]

# every kind of pairwise costs; the largest entry is a power of two, so that whole costs stay exact inside the solver
LINE = {
    "line": [[0, 1, 4], [1, 0, 3], [4, 3, 0]],
    "line_rest_first": [[0, 3, 1], [3, 0, 4], [1, 4, 0]],
    "line_stretch_middle": [[0, 4, 2], [4, 0, 2], [2, 2, 0]],
    "line_compression_middle": [[0, 1, 3], [1, 0, 4], [3, 4, 0]],
    "line_with_a_free_step": [[0, 0, 2], [0, 0, 2], [2, 2, 0]],
    "zero": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
}
CONVEX = {
    "quadratic": [[0, 1, 4], [1, 0, 1], [4, 1, 0]],
    "semi_metric": [[0, 1, 8], [1, 0, 2], [8, 2, 0]],
    "semi_metric_around_stretch": [[0, 8, 1], [8, 0, 2], [1, 2, 0]],
    "only_opposites": [[0, 0, 1], [0, 0, 0], [1, 0, 0]],
}
# without their diagonal, B(k, l) - (B(k, k) + B(l, l)) / 2, both are quadratic
DIAGONAL = {"diagonal": [[2, 3, 6], [3, 2, 3], [6, 3, 2]], "negative_diagonal": [[-2, 0, 2], [0, 0, 0], [2, 0, -2]]}
METRIC = {"potts": [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "strict_metric": [[0, 3, 4], [3, 0, 2], [4, 2, 0]]}
EXACT = {name: np.array(b, np.float64) for name, b in {**LINE, **CONVEX, **DIAGONAL}.items()}
EXPANSION = {name: np.array(b, np.float64) for name, b in {**LINE, **METRIC}.items()}
SWAP = {name: np.array(b, np.float64) for name, b in {**LINE, **CONVEX, **METRIC, **DIAGONAL}.items()}


@dataclass(frozen=True, eq=False)
class Problem:
    """Costs (F, T, 3) over a mesh, the labels (T,) of an earlier frame or None, and pairwise costs (3, 3)."""

    topology: Topology
    costs: Float64
    previous: NDArray[np.uint8] | None
    pairwise: Float64

    @property
    def unary(self) -> Float64:
        """The costs (N, 3) with the fixed earlier frame taken in."""
        costs = self.costs.copy()
        if self.previous is not None:
            costs[0] += self.pairwise[self.previous]
        return costs.reshape(-1, 3)

    @property
    def links(self) -> NDArray[np.int64]:
        """Return the pairs of neighbours (L, 2)."""
        return links(self.topology, len(self.costs))

    def energies(self, labelings: NDArray[Any]) -> Float64:
        """Return the energy of each of the labelings (M, N)."""
        unary, pairs = self.unary, self.links
        energy = np.zeros(len(labelings))
        for node, costs in enumerate(unary):
            energy += costs[labelings[:, node]]
        for a, b in pairs:
            energy += self.pairwise[labelings[:, a], labelings[:, b]]
        return energy

    def optima(self) -> tuple[NDArray[np.intp], float]:
        """Return all best labelings (M, N) and their energy."""
        labelings = all_labelings(len(self.unary), 3)
        energies = self.energies(labelings)
        return labelings[energies == energies.min()], float(energies.min())


ALL: dict[tuple[int, int], NDArray[np.intp]] = {}


def all_labelings(node_count: int, label_count: int) -> NDArray[np.intp]:
    """Return every labeling (label_count ** node_count, node_count)."""
    key = (node_count, label_count)
    if key not in ALL:
        ALL[key] = np.array(list(product(range(label_count), repeat=node_count)), np.intp)
    return ALL[key]


def line_order(pairwise: Float64) -> tuple[int, int, int]:
    """Return the order of the labels in which the costs are submodular: rest in the middle if that will do."""
    half = np.diag(pairwise) / 2
    b = pairwise - half[:, None] - half[None]
    for low, middle, high in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        if b[low, high] >= b[low, middle] + b[middle, high]:
            return (low, middle, high)
    raise AssertionError("the pairwise costs are submodular in no order")
