"""The operator from nearby: every fine vertex fits the training frames by what is around it first.

For a fine vertex i, with u a row of the operator and d the distances of coarse vertices from it along the coarse cloth:

    minimise ‖u Pc - p‖² + g γ² Σ_j e^(d_j / reach) (u_j - u⁰_j)²   subject to u 1 = 1,        g = tr G / M

Not of the paper, which penalises harmonics: those reach over the whole garment, so that a fold at the left knee is
explained by the right sleeve where few motions have shown otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import number
from ruckle.upsampling.garment import Garment
from ruckle.upsampling.learn import Learner
from ruckle.upsampling.statistics import TrainingStatistics

__all__ = ["LocalLearner", "Locality"]

Float64 = NDArray[np.float64]

# Exponents beyond this count as this: what is further away adds nothing already.
MOST_EXPONENT = 14.0

# How fast the reach grows as penalties are lowered: alone, lower penalties of the nearest add little detail.
REACH_POWER = 0.35

# Least γ², at which rounding of the statistics still leaves a system that can be solved.
LEAST_SQUARE = 1e-13


@dataclass(frozen=True, slots=True)
class Locality:
    """Penalties of coarse vertices by their distance.

    Attributes
    ----------
    strength : float
        γ of the nearest, above 0.
    reach : float
        Distance, in mean edges of the coarse mesh, over which γ² rises by a factor of e; above 0.
    """

    strength: float = 0.01
    reach: float = 0.4

    def __post_init__(self) -> None:
        for name in ("strength", "reach"):
            value = number(name, getattr(self, name))
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name}: expected a finite number above 0, got {value:g}")

    def scaled(self, factor: float) -> Locality:
        """Return lower or higher penalties: their squares multiplied, and what is far let in as they fall."""
        return Locality(self.strength * factor**0.5, self.reach * factor**-REACH_POWER)


class LocalLearner:
    """Solves for the operators of one garment, one factorisation for each coarse vertex.

    Parameters
    ----------
    garment : Garment
    learner : Learner
        Whose prior is left.
    exact : int
        How many of the lowest harmonics keep the prior, because tracking has fixed the cloth there.
    """

    def __init__(self, garment: Garment, learner: Learner, *, exact: int = 0) -> None:
        self.garment, self.learner, self.harmonics, self.exact = garment, learner, learner.harmonics, exact

    def solver(self, statistics: TrainingStatistics) -> Callable[[Locality], Float64]:
        """Return what gives Û (K, M), m, after the part of the work that is common to all penalties."""
        learner, vectors = self.learner, self.harmonics.vectors
        right = vectors @ (statistics.cross - learner.prior.rows @ statistics.gram)
        missing = vectors @ learner.missing
        return lambda locality: self._rows(statistics, locality, right, missing)

    @cached_property
    def distances(self) -> Float64:
        """Between coarse vertices along edges at rest, in mean edges: (M, M)."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import dijkstra

        faces, rest = self.garment.coarse_faces, self.garment.coarse_rest.astype(np.float64)
        ends = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
        lengths = np.linalg.norm(rest[ends[:, 0]] - rest[ends[:, 1]], axis=1)
        graph = csr_matrix((lengths / lengths.mean(), (ends[:, 0], ends[:, 1])), (len(rest), len(rest)))
        return np.asarray(dijkstra(graph, directed=False))

    @cached_property
    def _held(self) -> list[tuple[NDArray[np.int64], Float64]]:
        """Return the fine vertices beside each coarse one, and its shares in them, which are 1 for each fine vertex."""
        shares = self.garment.linear_map.tocsc()
        parts = [slice(*shares.indptr[c : c + 2]) for c in range(self.garment.coarse_count)]
        return [(shares.indices[part], shares.data[part].astype(np.float64)) for part in parts]

    def _rows(self, statistics: TrainingStatistics, locality: Locality, right: Float64, missing: Float64) -> Float64:
        from scipy.linalg import cho_factor, cho_solve

        change, count = np.zeros_like(right), len(statistics.gram)
        square = statistics.scale * max(locality.strength**2, LEAST_SQUARE)
        for vertex, (held, shares) in enumerate(self._held):
            system = statistics.gram.copy()
            exponents = np.minimum(self.distances[vertex] / locality.reach, MOST_EXPONENT)
            system[np.diag_indices(count)] += square * np.exp(exponents)
            factors = cho_factor(system, overwrite_a=True, check_finite=False)
            both = cho_solve(factors, np.vstack([right[held], np.ones(count)]).T, check_finite=False).T
            free, ones = both[:-1], both[-1]
            # the multiplier that gives rows their sum
            free -= ((free.sum(axis=1) - missing[held]) / ones.sum())[:, None] * ones
            change[held] += shares[:, None] * free
        rows = self.learner.prior.rows + self.harmonics.project(change)
        rows[: self.exact] = self.learner.prior.rows[: self.exact]
        return np.asarray(rows)
