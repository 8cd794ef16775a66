"""Finds the best labelings of small problems by computing the energy of every possible labeling."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from float64_pipeline import links
from ruckle import Topology

Float64 = NDArray[np.float64]

# Pairwise costs of each kind: (compression, rest), (compression, stretch), (rest, stretch). The largest cost is a power
# of two, so that integer costs remain exact inside the solver.
LINE = {"line": (1, 4, 3), "line_rest_first": (3, 1, 4), "line_stretch_middle": (4, 2, 2),
        "line_compression_middle": (1, 3, 4), "line_with_a_free_step": (0, 2, 2), "zero": (0, 0, 0)}  # fmt: skip
CONVEX = {"quadratic": (1, 4, 1), "semi_metric": (1, 8, 2), "semi_metric_around_stretch": (8, 1, 2),
          "only_opposites": (0, 1, 0)}  # fmt: skip
METRIC = {"potts": (1, 1, 1), "strict_metric": (3, 4, 2)}
# After subtraction of half the diagonal costs of both labels, B(k, l) - (B(k, k) + B(l, l)) / 2, both matrices are
# equal to "quadratic".
DIAGONAL = {"diagonal": [[2, 3, 6], [3, 2, 3], [6, 3, 2]], "negative_diagonal": [[-2, 0, 2], [0, 0, 0], [2, 0, -2]]}


def matrices(kinds: dict[str, Any]) -> dict[str, Float64]:
    """Return named cost matrices (3, 3). Three numbers become a symmetric matrix; complete matrices are not changed."""
    whole = {name: [[0, a, b], [a, 0, c], [b, c, 0]] for name, (a, b, c) in kinds.items() if name not in DIAGONAL}
    return {name: np.array(whole.get(name, kinds[name]), np.float64) for name in kinds}


EXACT = matrices(LINE | CONVEX | DIAGONAL)
EXPANSION = matrices(LINE | METRIC)
SWAP = matrices(LINE | CONVEX | METRIC | DIAGONAL)


@dataclass(frozen=True, eq=False)
class Problem:
    """A labeling problem: costs (F, T, 3), labels (T,) of the frame before or None, and pairwise costs (3, 3)."""

    topology: Topology
    costs: Float64
    previous: NDArray[np.uint8] | None
    pairwise: Float64

    @property
    def unary(self) -> Float64:
        """Costs (N, 3) of the labels of all nodes, N = F T.

        They include the pairwise costs with the known labels of the frame before.
        """
        costs = self.costs.copy()
        if self.previous is not None:
            costs[0] += self.pairwise[self.previous]
        return costs.reshape(-1, 3)

    @property
    def links(self) -> NDArray[np.int64]:
        return links(self.topology, len(self.costs))

    def energies(self, labelings: NDArray[Any]) -> Float64:
        energy = np.zeros(len(labelings))
        for node, costs in enumerate(self.unary):
            energy += costs[labelings[:, node]]
        for a, b in self.links:
            energy += self.pairwise[labelings[:, a], labelings[:, b]]
        return energy

    def optima(self) -> tuple[NDArray[np.intp], float]:
        """Return all labelings with the smallest energy, (M, N), and this energy."""
        labelings = all_labelings(len(self.unary), 3)
        energies = self.energies(labelings)
        return labelings[energies == energies.min()], float(energies.min())


@cache
def all_labelings(node_count: int, label_count: int) -> NDArray[np.intp]:
    """Return all possible labelings, an array (label_count ** node_count, node_count)."""
    return np.array(list(product(range(label_count), repeat=node_count)), np.intp)


def line_order(pairwise: Float64) -> tuple[int, int, int]:
    """Return an order of the three labels in which the pairwise costs are submodular.

    An order with rest in the middle is preferred. If the costs are not submodular in any order, raise AssertionError.
    """
    half = np.diag(pairwise) / 2
    b = pairwise - half[:, None] - half[None]
    for low, middle, high in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        if b[low, high] >= b[low, middle] + b[middle, high]:
            return (low, middle, high)
    raise AssertionError("the pairwise costs are submodular in no order")
