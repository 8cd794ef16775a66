"""The operator in closed form: per harmonic, least squares over the training frames, with a pull toward a prior.

For harmonic n, with û = φᵀVU a row of the operator seen in the harmonics (Kavan et al. 2011, equation 5):

    minimise ‖û Pc - y‖² + g γ² ‖û - û⁰‖²   subject to û 1 = s,        g = tr G / M

Departs from the paper: a prior û⁰ that is not 0, and g, which makes γ a pure number, the same in any unit and for any
number of frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import choice, number
from ruckle.mesh.geometry import vertex_normals
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.harmonics import Harmonics
from ruckle.offline.upsampling.statistics import TrainingStatistics
from ruckle.offline.upsampling.subdivision import loop_map

__all__ = ["PRIORS", "HarmonicPenalties", "Learner", "Prior", "prior_of"]

Float64 = NDArray[np.float64]

PriorName = Literal["smooth", "linear", "loop", "none"]

PRIORS = get_args(PriorName)
"""Default of an operator without data: coarse triangles without their facets, with them, Loop subdivision, or zero."""


@dataclass(frozen=True, slots=True)
class HarmonicPenalties:
    """Penalties of the harmonics: γ_n = low (1 + b (n - 1) / N)^exponent, with γ_N = high; the paper's by default.

    Attributes
    ----------
    low, high : float
        γ of the first harmonic, and of number N of a mesh of N vertices; above 0.
    exponent : float
        Above 0; with a larger exponent, penalties rise later.
    """

    low: float = 0.01
    high: float = 10.0
    exponent: float = 4.0

    def __post_init__(self) -> None:
        for name in ("low", "high", "exponent"):
            value = number(name, getattr(self, name))
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name}: expected a finite number above 0, got {value:g}")

    def penalties(self, count: int, vertex_count: int) -> Float64:
        """Return γ (K,) of the first K harmonics of a mesh of N vertices."""
        rise = (self.high / self.low) ** (1.0 / self.exponent) - 1.0
        return np.asarray(self.low * (1.0 + rise * np.arange(count) / max(vertex_count - 1, 1)) ** self.exponent)

    def scaled(self, factor: float) -> HarmonicPenalties:
        """Return penalties multiplied by a factor."""
        return HarmonicPenalties(self.low * factor, self.high * factor, self.exponent)


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The operator to which a solution is pulled.

    Attributes
    ----------
    rows : (K, M) float64, m
        Û⁰ = Φᵀ V P.
    beyond : (N, M) sparse or dense, optional
        P, if it has more than the harmonics.
    """

    rows: Float64
    beyond: Any = None


def prior_of(name: PriorName, garment: Garment, harmonics: Harmonics, *, exact: int = 60) -> Prior:
    """Return a prior of a garment.

    Parameters
    ----------
    name : {"smooth", "linear", "loop", "none"}
        The linear map in the lowest harmonics, faded out until number 2M, with the borders of the rest shape; the
        linear map; Loop subdivision of the coarse mesh; zero, as in the paper.
    garment : Garment
    harmonics : Harmonics
    exact : int
        R, how many harmonics of the fine cloth tracking has fixed: there, the smooth prior is the linear map.
    """
    match choice("prior", name, PRIORS):
        case "none":
            return Prior(np.zeros((harmonics.count, garment.coarse_count)))
        case "loop":
            loop = loop_map(garment.coarse_rest, garment.coarse_faces, garment.fine_rest)
            return Prior(harmonics.project(loop.toarray()), loop)
        case kind:
            linear = garment.linear_map.toarray()
            rows = harmonics.project(linear)
            if kind == "linear":
                return Prior(rows, garment.linear_map)
            last = min(2 * garment.coarse_count, harmonics.count)
            share = np.clip((last - np.arange(harmonics.count)) / max(last - exact, 1), 0.0, 1.0)
            share = share * share * (3.0 - 2.0 * share)
            # the sums of the first rows equal those of any operator and remain
            share[: min(exact, last)] = 1.0
            smooth = harmonics.vectors @ (rows * share[:, None])
            bordered = smooth + _border_correction(smooth, garment, harmonics, exact)
            return Prior(harmonics.project(bordered), bordered)


def _border_correction(smooth: Float64, garment: Garment, harmonics: Harmonics, exact: int) -> Float64:
    """Return the error of a smooth operator at borders, (N, M): harmonics are level across them and draw cloth in.

    The error of each fine vertex's position at rest, along the surface, times the derivative of positions there. The
    correction of the rest shape then applies to any pose.
    """
    import scipy.sparse as sparse

    center = garment.coarse_rest.mean(axis=0, dtype=np.float64)
    off = garment.fine_rest - (smooth @ (garment.coarse_rest - center) + center)
    normals = vertex_normals(garment.fine_rest.astype(np.float64), garment.fine_faces)
    off -= (off * normals).sum(axis=1, keepdims=True) * normals
    changes = (garment.linear_map @ gradient for gradient in _vertex_gradients(garment))
    lacking = sum(sparse.diags(along) @ change for along, change in zip(off.T, changes, strict=True)).toarray()
    # tracking fixes these harmonics, so they do not need a correction
    return np.asarray(lacking - harmonics.lowest(lacking, exact))


def _vertex_gradients(garment: Garment) -> list[Any]:
    """Return the sparse (M, M) that give the x, y and z of gradients over the coarse rest shape, mean of triangles."""
    import scipy.sparse as sparse

    faces, count = garment.coarse_faces, garment.coarse_count
    corners = garment.coarse_rest.astype(np.float64)[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    square = np.maximum((across**2).sum(axis=1), np.finfo(np.float64).tiny)
    # the opposite edge, turned by a right angle, over twice the area
    opposite = np.roll(corners, 1, axis=1) - np.roll(corners, -1, axis=1)
    hats = np.cross(across[:, None], opposite) / square[:, None, None]
    columns, triangles = faces.ravel(), np.repeat(np.arange(len(faces)), 3)
    around = sparse.csr_matrix((np.repeat(np.sqrt(square), 3), (columns, triangles)), (count, len(faces)))
    around = sparse.diags(1.0 / np.maximum(np.asarray(around.sum(axis=1)).ravel(), 1e-300)) @ around
    shape = (len(faces), count)
    return [around @ sparse.csr_matrix((hats[:, :, axis].ravel(), (triangles, columns)), shape) for axis in range(3)]


class Learner:
    """Solves for the operators of one garment.

    Parameters
    ----------
    harmonics : Harmonics
        Harmonics of the fine mesh.
    prior : Prior
    """

    def __init__(self, harmonics: Harmonics, prior: Prior) -> None:
        self.harmonics, self.prior = harmonics, prior
        # the missing part of the rows' sums: zero except with a prior of zero
        self.missing = harmonics.sums - prior.rows.sum(axis=1)

    def rows(self, statistics: TrainingStatistics, penalties: ArrayLike) -> Float64:
        """Return Û (K, M), m, the operator seen in the harmonics, for penalties γ (K,)."""
        return self.solver(statistics)(np.asarray(penalties, np.float64))

    def solver(self, statistics: TrainingStatistics) -> Solver:
        """Return a solver for any penalties, after the part of the work that is common to all."""
        values, vectors = np.linalg.eigh(statistics.gram)
        right = (statistics.cross - self.prior.rows @ statistics.gram) @ vectors
        return Solver(np.maximum(values, 0.0), vectors, right, self.prior.rows, self.missing, statistics.scale)

    def operator(self, rows: Float64) -> Float64:
        """Return U (N, M) whose harmonics are Û (K, M); harmonics that were not computed keep the prior."""
        return self.raised(self.harmonics.vectors @ (rows - self.prior.rows))

    def raised(self, change: Float64) -> Float64:
        """Return U (N, M), the sum of the prior and the change (N, M)."""
        return change if self.prior.beyond is None else np.asarray(self.prior.beyond + change)


@dataclass(frozen=True, slots=True, eq=False)
class Solver:
    """The normal equations in the eigenvectors W of the gram, G = W S Wᵀ; call it with penalties.

    û = û⁰ + (x - û⁰ G - μ 1ᵀ) H with H = W (S + g γ²)⁻¹ Wᵀ, and the multiplier μ that gives the row its sum.
    """

    values: Float64
    vectors: Float64
    right: Float64
    prior_rows: Float64
    missing: Float64
    scale: float

    def __call__(self, penalties: Float64) -> Float64:
        inverse = 1.0 / (self.values[None] + self.scale * penalties[:, None] ** 2)
        ones, free = self.vectors.sum(axis=0), self.right * inverse
        multipliers = (free @ ones - self.missing) / (inverse @ ones**2)
        return np.asarray(self.prior_rows + (free - multipliers[:, None] * inverse * ones) @ self.vectors.T)
