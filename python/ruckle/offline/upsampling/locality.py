"""The operator with penalties by distance, so that each fine vertex depends mostly on near coarse vertices.

u is the operator's row of a fine vertex. It is solved with the distances d_j of the coarse vertices j from a coarse
vertex, along the coarse cloth, once for each corner of the fine vertex's coarse face:

    minimise ‖u Pc - p‖² + g γ² Σ_j e^(min(d_j / reach, 14)) (u_j - u⁰_j)²   subject to u 1 = 1,   g = tr G / M

Pc are the M coarse vertices and p the fine vertex in all frames, G = Pc Pcᵀ, u⁰ is the prior, γ the strength. The
result is the mean of the three solutions, weighted by the fine vertex's barycentric coordinates.

**Departs from the paper:** the paper penalises harmonics, which extend over the whole garment. With few motions, the
right sleeve would then influence a fold at the left knee.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ruckle._core import solve_local_systems
from ruckle.arguments import number
from ruckle.arrays import Int32
from ruckle.mesh.geometry import edge_lengths
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.learn import Learner
from ruckle.offline.upsampling.statistics import TrainingStatistics

__all__ = ["LocalLearner", "LocalSolver", "Locality"]

Float64 = NDArray[np.float64]

# Upper limit of the exponent d / reach. Coarse vertices at such distances have almost no influence.
MOST_EXPONENT = 14.0

# Smallest γ² for which the system can be solved despite rounding of the statistics.
LEAST_SQUARE = 1e-13


@dataclass(frozen=True, slots=True)
class Locality:
    """Penalties of coarse vertices by their distance from a fine vertex (from the corners of its coarse face).

    Attributes
    ----------
    strength : float
        γ, above 0; γ² is the penalty at distance 0, in units of g.
    reach : float
        Distance, in mean edge lengths of the coarse mesh, over which the penalty grows by a factor of e; above 0.
    gain : float
        Factor on u - u⁰ after the solve, at least 0; applied by `Trainer`, not by `LocalSolver`.

    Raises
    ------
    ValueError
        A number is not finite or out of its range.
    """

    strength: float = 0.01
    reach: float = 0.4
    gain: float = 1.0

    def __post_init__(self) -> None:
        for name in ("strength", "reach"):
            value = number(name, getattr(self, name))
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name}: expected a finite number above 0, got {value:g}")
        if not 0.0 <= number("gain", self.gain) < np.inf:
            raise ValueError(f"gain: expected a finite number, at least 0, got {self.gain:g}")

    def scaled(self, factor: float) -> Locality:
        """Return a copy whose strength γ is multiplied by `factor`, and whose penalties thus by its square."""
        return replace(self, strength=self.strength * factor)


class LocalLearner:
    """Solver for operators of one garment, with one factorisation for each coarse vertex.

    Parameters
    ----------
    garment : Garment
    learner : Learner
        Learner of the same garment, which contains the prior.
    exact : int
        Number of lowest harmonics in which the operator equals the prior, because tracking has constrained the cloth.
    """

    def __init__(self, garment: Garment, learner: Learner, *, exact: int = 0) -> None:
        self.garment, self.learner, self.harmonics, self.exact = garment, learner, learner.harmonics, exact

    def solver(self, statistics: TrainingStatistics) -> LocalSolver:
        """Return a solver for any penalties. The part of the work that does not depend on penalties is done here."""
        learner, vectors = self.learner, self.harmonics.vectors
        right = vectors @ (statistics.cross - learner.prior.rows @ statistics.gram)
        return LocalSolver(self, statistics, right, vectors @ learner.missing)

    @cached_property
    def distances(self) -> Float64:
        """Distances (M, M) between coarse vertices along rest edges, in mean edge lengths."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import dijkstra

        faces, rest = self.garment.coarse_faces, self.garment.coarse_rest.astype(np.float64)
        ends = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
        lengths = edge_lengths(rest, ends)
        graph = csr_matrix((lengths / lengths.mean(), (ends[:, 0], ends[:, 1])), (len(rest), len(rest)))
        return np.asarray(dijkstra(graph, directed=False))

    @cached_property
    def held(self) -> tuple[Int32, Int32, Float64]:
        """The fine vertices that each coarse vertex influences: offsets (M + 1,), vertices (n,) and weights (n,)."""
        shares = self.garment.linear_map.tocsc()
        return shares.indptr.astype(np.int32), shares.indices.astype(np.int32), shares.data.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class LocalSolver:
    """The normal equations of all fine vertices; calling the object with a locality solves them.

    Attributes
    ----------
    learner : LocalLearner
    statistics : TrainingStatistics
    right : (N, M) float64, m²
        p Pcᵀ - u⁰ G for each fine vertex, projected onto the harmonics.
    missing : (N,) float64
        Missing part of the row sums of the prior.
    """

    learner: LocalLearner
    statistics: TrainingStatistics
    right: Float64
    missing: Float64

    def __call__(self, locality: Locality) -> Float64:
        """Return the operator in harmonics, Û (K, M), m."""
        prior, exact = self.learner.learner.prior, self.learner.exact
        rows = prior.rows + self.learner.harmonics.project(self.change(locality))
        rows[:exact] = prior.rows[:exact]
        return np.asarray(rows)

    def change(self, locality: Locality) -> Float64:
        """Return the change relative to the prior at the fine vertices, (N, M).

        The change does not go through the harmonics. They are only used to remove its part in the tracked harmonics.
        """
        learner, scale = self.learner, self.statistics.scale
        square = scale * max(locality.strength**2, LEAST_SQUARE)
        penalties = square * np.exp(np.minimum(learner.distances / locality.reach, MOST_EXPONENT))
        change = solve_local_systems(self.statistics.gram, penalties, self.right, self.missing, *learner.held)
        change -= learner.harmonics.lowest(change, learner.exact)
        return change
