"""Skin weights of the coarse cloth, and the errors of this skin in the examples; the parameter `trust` uses both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, float32, float64

__all__ = ["CoarseSkin", "fit_skin", "known_skin"]

# Number of steps of the accelerated gradient descent. The weights then reproduce skinned sleeves with an error of
# 1/1000 of an edge.
STEPS = 400

# Largest displacement of a vertex by the rounding of its weights, as a share of the garment's extent.
ROUNDING = 1e-6

# Weights are stored as multiples of 1/65535.
WEIGHT_STEPS = 65535

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CoarseSkin:
    """Coarse cloth as a linear blend skin of the bones.

    Attributes
    ----------
    weights : (C, B) float32
        Weight of each bone at each coarse vertex; the sum of a row is 1.
    distances : (C,) float32, mesh units
        Largest distance, over the examples, between a coarse vertex and its position by the skin weights, plus a
        millionth of the garment's extent for rounding.

    Raises
    ------
    ValueError
        A number is negative or not finite, or the shapes do not match.
    """

    weights: Float32
    distances: Float32

    def __post_init__(self) -> None:
        weights, distances = float32("weights", self.weights), float32("distances", self.distances)
        if weights.ndim != 2 or distances.shape != weights.shape[:1]:
            raise ValueError(f"skin: expected shapes (C, B) and (C,), got {weights.shape} and {distances.shape}")
        if not all(np.isfinite(array).all() and (array >= 0).all() for array in (weights, distances)):
            raise ValueError("skin: expected finite weights and distances of at least 0")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "distances", distances)


def fit_skin(rest: ArrayLike, shapes: ArrayLike, bones: ArrayLike, used: ArrayLike) -> CoarseSkin:
    """Fit skin weights, at least 0 and with sum 1, to the coarse cloth in sampled poses by least squares.

    Parameters
    ----------
    rest : (C, 3) float, mesh units
    shapes : (S, C, 3) float, mesh units
        Coarse cloth in S poses. Every joint must turn in one of them, so that the bones can be distinguished.
    bones : (S, B, 3, 4) float
        Bone matrices from rest to each pose.
    used : (K,) int
        Indices of the bones that may have weights.

    Returns
    -------
    CoarseSkin
    """
    points, targets = float64("rest", rest), float64("shapes", shapes)
    chosen, every = np.asarray(used, np.intp), float64("bones", bones)
    matrices = every[:, chosen]
    # Residual of a bone: vertex moved by this bone alone, minus the target. The weights of a vertex have sum 1, so the
    # residual of the vertex is the weighted sum of these residuals.
    residuals = [_moved(points, matrix) - target[:, None] for matrix, target in zip(matrices, targets, strict=True)]
    gram = sum(
        (part @ part.transpose(0, 2, 1) for part in residuals), np.zeros((len(points), len(chosen), len(chosen)))
    )
    weights = np.zeros((len(points), every.shape[1]), np.float32)
    weights[:, chosen] = np.rint(_least(gram) * WEIGHT_STEPS) / WEIGHT_STEPS
    # compute the distances with the rounded weights that files store
    kept = weights[:, chosen].astype(np.float64)
    gaps = [np.linalg.norm(np.einsum("cb,cbi->ci", kept, part), axis=1) for part in residuals]
    extent = float(np.ptp(points, axis=0).max())
    return CoarseSkin(weights, (np.max(gaps, axis=0) + ROUNDING * extent).astype(np.float32))


def known_skin(rest: ArrayLike, shapes: ArrayLike, bones: ArrayLike, weights: ArrayLike) -> CoarseSkin:
    """Return the skin for known weights (C, B); its distances from `shapes` are computed.

    For the other parameters see `fit_skin`. Raise ValueError if the shape of the weights is wrong.
    """
    points, shares = float64("rest", rest), float64("weights", weights)
    if shares.shape != (len(points), np.shape(bones)[1]):
        raise ValueError(f"skin_weights: expected shape ({len(points)}, {np.shape(bones)[1]}), got {shares.shape}")
    kept = np.rint(shares * WEIGHT_STEPS) / WEIGHT_STEPS
    gaps = [
        np.linalg.norm(np.einsum("cb,cbi->ci", kept, _moved(points, pose)) - shape, axis=1)
        for pose, shape in zip(float64("bones", bones), float64("shapes", shapes), strict=True)
    ]
    extent = float(np.ptp(points, axis=0).max())
    return CoarseSkin(kept.astype(np.float32), (np.max(gaps, axis=0) + ROUNDING * extent).astype(np.float32))


def _moved(points: Float64, bones: Float64) -> Float64:
    """Return points (C, 3) moved by each bone (K, 3, 4): (C, K, 3)."""
    moved: Float64 = np.einsum("kij,cj->cki", bones[:, :, :3], points) + bones[:, :, 3]
    return moved


def _least(gram: Float64) -> Float64:
    """Return weights w (C, K) >= 0 with sum 1 that minimise w·Gw, by accelerated projected gradient descent.

    G (C, K, K) is the Gram matrix of the residuals, see `fit_skin`.
    """
    count = gram.shape[1]
    weights = before = np.full(gram.shape[:2], 1.0 / max(count, 1))
    step = 1.0 / np.maximum(np.trace(gram, axis1=1, axis2=2), 1e-300)[:, None]
    for number in range(STEPS):
        ahead = weights + number / (number + 3.0) * (weights - before)
        before, weights = weights, _on_simplex(ahead - step * np.einsum("cij,cj->ci", gram, ahead))
    return weights


def _on_simplex(values: Float64) -> Float64:
    """Return the nearest rows (C, K) with entries >= 0 and sum 1: the projection onto the simplex."""
    falling = -np.sort(-values, axis=1)
    excess = np.cumsum(falling, axis=1) - 1.0
    counts = np.arange(1, values.shape[1] + 1)
    last = (falling - excess / counts > 0).sum(axis=1) - 1
    rows = np.arange(len(values))
    shift: Float64 = excess[rows, last] / (last + 1.0)
    return np.maximum(values - shift[:, None], 0.0)
