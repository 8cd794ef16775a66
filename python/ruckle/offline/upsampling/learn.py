"""The operator in closed form: least squares over the training frames for each harmonic, regularised toward a prior.

û = φᵀVU is the coefficient row of operator U for harmonic n (Kavan et al. 2011, equation 5):

    minimise ‖û Pc - y‖² + g γ² ‖û - û⁰‖²   subject to û 1 = s,        g = tr G / M

Pc are the M coarse vertices in all frames, y is the coefficient row of the fine vertices, and G = Pc Pcᵀ (see
`TrainingStatistics`). û⁰ is the prior, γ the penalty of the harmonic, and s = φᵀV1, so that rows of U sum to 1.

**Departs from the paper:** the prior û⁰ is not 0, and the factor g makes γ dimensionless. So γ does not depend on units
or on the number of frames.
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
"""Names of the priors (operators without training data): smoothed linear map, linear map, Loop subdivision, zero."""


@dataclass(frozen=True, slots=True)
class HarmonicPenalties:
    """Penalties of the harmonics: γ_n = low (1 + b (n - 1) / (N - 1))^exponent, with b such that γ_N = high.

    The defaults are the paper's.

    Attributes
    ----------
    low, high : float
        γ of the first harmonic, and of harmonic N for a mesh of N vertices; above 0.
    exponent : float
        Exponent, above 0. With a larger exponent, penalties begin to rise at higher harmonics.

    Raises
    ------
    ValueError
        A number is not finite or not above 0.
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
        """Return γ (K,) of the first K harmonics of a mesh with N vertices."""
        rise = (self.high / self.low) ** (1.0 / self.exponent) - 1.0
        return np.asarray(self.low * (1.0 + rise * np.arange(count) / max(vertex_count - 1, 1)) ** self.exponent)

    def scaled(self, factor: float) -> HarmonicPenalties:
        """Return a copy in which all penalties are multiplied by a factor."""
        return HarmonicPenalties(self.low * factor, self.high * factor, self.exponent)


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The operator toward which the solution is regularised.

    Attributes
    ----------
    rows : (K, M) float64, m
        Û⁰ = Φᵀ V P.
    beyond : (N, M) sparse or dense, optional
        P, if it contains more than the harmonics.
    """

    rows: Float64
    beyond: Any = None


def prior_of(name: PriorName, garment: Garment, harmonics: Harmonics, *, exact: int = 60) -> Prior:
    """Return the prior of a garment.

    Parameters
    ----------
    name : {"smooth", "linear", "loop", "none"}
        "smooth": the linear map in the lowest harmonics, faded out up to harmonic 2M, with corrected borders; "linear":
        the linear map; "loop": Loop subdivision of the coarse mesh; "none": zero, as in the paper.
    garment : Garment
    harmonics : Harmonics
    exact : int
        Number R of harmonics that tracking has constrained. In these, the smooth prior equals the linear map.
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
            # the sum of a row is determined by the tracked harmonics, so these harmonics are not faded
            share[: min(exact, last)] = 1.0
            smooth = harmonics.vectors @ (rows * share[:, None])
            bordered = smooth + _border_correction(smooth, garment, harmonics, exact)
            return Prior(harmonics.project(bordered), bordered)


def _border_correction(smooth: Float64, garment: Garment, harmonics: Harmonics, exact: int) -> Float64:
    """Return the correction (N, M) of a smooth operator at borders, where low harmonics would pull the cloth inward.

    The correction is the tangential rest-shape error of each fine vertex, times the derivative of position there. So
    the correction of the rest shape applies to any pose.
    """
    import scipy.sparse as sparse

    center = garment.coarse_rest.mean(axis=0, dtype=np.float64)
    off = garment.fine_rest - (smooth @ (garment.coarse_rest - center) + center)
    normals = vertex_normals(garment.fine_rest.astype(np.float64), garment.fine_faces)
    off -= (off * normals).sum(axis=1, keepdims=True) * normals
    changes = (garment.linear_map @ gradient for gradient in _vertex_gradients(garment))
    lacking = sum(sparse.diags(along) @ change for along, change in zip(off.T, changes, strict=True)).toarray()
    # tracked harmonics do not need a correction, so they are removed from it
    return np.asarray(lacking - harmonics.lowest(lacking, exact))


def _vertex_gradients(garment: Garment) -> list[Any]:
    """Return sparse (M, M) matrices for the x, y and z gradient on the coarse rest mesh, averaged at the vertices."""
    import scipy.sparse as sparse

    faces, count = garment.coarse_faces, garment.coarse_count
    corners = garment.coarse_rest.astype(np.float64)[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    square = np.maximum((across**2).sum(axis=1), np.finfo(np.float64).tiny)
    # gradient of a hat function: the opposite edge, rotated by a right angle, divided by twice the area
    opposite = np.roll(corners, 1, axis=1) - np.roll(corners, -1, axis=1)
    hats = np.cross(across[:, None], opposite) / square[:, None, None]
    columns, triangles = faces.ravel(), np.repeat(np.arange(len(faces)), 3)
    around = sparse.csr_matrix((np.repeat(np.sqrt(square), 3), (columns, triangles)), (count, len(faces)))
    around = sparse.diags(1.0 / np.maximum(np.asarray(around.sum(axis=1)).ravel(), 1e-300)) @ around
    shape = (len(faces), count)
    return [around @ sparse.csr_matrix((hats[:, :, axis].ravel(), (triangles, columns)), shape) for axis in range(3)]


class Learner:
    """Solver for operators of one garment.

    Parameters
    ----------
    harmonics : Harmonics
        Harmonics of the fine mesh.
    prior : Prior
    """

    def __init__(self, harmonics: Harmonics, prior: Prior) -> None:
        self.harmonics, self.prior = harmonics, prior
        # required row sums minus row sums of the prior; not zero only for the prior "none"
        self.missing = harmonics.sums - prior.rows.sum(axis=1)

    def rows(self, statistics: TrainingStatistics, penalties: ArrayLike) -> Float64:
        """Return the operator in harmonics, Û (K, M), m, for penalties γ (K,)."""
        return self.solver(statistics)(np.asarray(penalties, np.float64))

    def solver(self, statistics: TrainingStatistics) -> Solver:
        """Return a solver for any penalties. The part of the work that does not depend on penalties is done here."""
        values, vectors = np.linalg.eigh(statistics.gram)
        right = (statistics.cross - self.prior.rows @ statistics.gram) @ vectors
        return Solver(np.maximum(values, 0.0), vectors, right, self.prior.rows, self.missing, statistics.scale)

    def operator(self, rows: Float64) -> Float64:
        """Return the operator U (N, M) from its coefficients Û (K, M).

        The part of U beyond the K harmonics is that of the prior.
        """
        return self.raised(self.harmonics.vectors @ (rows - self.prior.rows))

    def raised(self, change: Float64) -> Float64:
        """Return the operator U (N, M): a change (N, M) plus the part of the prior outside the harmonics."""
        return change if self.prior.beyond is None else np.asarray(self.prior.beyond + change)


@dataclass(frozen=True, slots=True, eq=False)
class Solver:
    """The normal equations in the eigenvectors W of the Gram matrix G = W S Wᵀ; calling the object solves them.

    û = û⁰ + (x - û⁰ G - μ 1ᵀ) H with H = W (S + g γ²)⁻¹ Wᵀ and x = y Pcᵀ. The multiplier μ enforces the row sum.
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
