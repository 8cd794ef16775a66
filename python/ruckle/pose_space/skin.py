"""Positions of coarse cloth that follows the skin, and its distance from the examples, the basis of trust."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, float32, float64

__all__ = ["CoarseSkin", "fit_skin", "known_skin"]

# Steps of the accelerated descent: enough to recover skinned sleeves to a thousandth of an edge.
STEPS = 400

# Largest effect of rounding on a vertex, as a share of the garment's extent.
ROUNDING = 1e-6

# Weights are stored in 16 bits.
WEIGHT_STEPS = 65535

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CoarseSkin:
    """Coarse cloth as skin.

    Attributes
    ----------
    weights : (C, B) float32
        Share of each joint's bone in each coarse vertex; rows sum to 1.
    distances : (C,) float32, mesh units
        Largest distance of the examples' coarse cloth from its position as skin.

    Raises
    ------
    ValueError
        Numbers that are not finite or below 0, or other shapes.
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
    """Fit the shares of bones to the shapes of coarse cloth in sampled poses, by least squares.

    Parameters
    ----------
    rest : (C, 3) float, mesh units
    shapes : (S, C, 3) float, mesh units
        Shapes in poses that turn every joint, so that its bone can be told from the others.
    bones : (S, B, 3, 4) float
        From rest to each pose.
    used : (K,) int
        The joints whose bones have a share.

    Returns
    -------
    CoarseSkin
    """
    points, targets = float64("rest", rest), float64("shapes", shapes)
    chosen, every = np.asarray(used, np.intp), float64("bones", bones)
    matrices = every[:, chosen]
    # weights sum to 1, so the residual is the weighted sum of the bones' residuals
    residuals = [_moved(points, matrix) - target[:, None] for matrix, target in zip(matrices, targets, strict=True)]
    gram = sum(
        (part @ part.transpose(0, 2, 1) for part in residuals), np.zeros((len(points), len(chosen), len(chosen)))
    )
    weights = np.zeros((len(points), every.shape[1]), np.float32)
    weights[:, chosen] = np.rint(_least(gram) * WEIGHT_STEPS) / WEIGHT_STEPS
    # rounded as in files
    kept = weights[:, chosen].astype(np.float64)
    gaps = [np.linalg.norm(np.einsum("cb,cbi->ci", kept, part), axis=1) for part in residuals]
    extent = float(np.ptp(points, axis=0).max())
    return CoarseSkin(weights, (np.max(gaps, axis=0) + ROUNDING * extent).astype(np.float32))


def known_skin(rest: ArrayLike, shapes: ArrayLike, bones: ArrayLike, weights: ArrayLike) -> CoarseSkin:
    """Return the skin of coarse cloth with known shares of bones (C, B); other parameters as for `fit_skin`."""
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
    """Return points (C, 3) moved by each of the bones (K, 3, 4): (C, K, 3)."""
    moved: Float64 = np.einsum("kij,cj->cki", bones[:, :, :3], points) + bones[:, :, 3]
    return moved


def _least(gram: Float64) -> Float64:
    """Return weights (C, K) >= 0 with sum 1 that minimise w G w, by projected accelerated descent."""
    count = gram.shape[1]
    weights = before = np.full(gram.shape[:2], 1.0 / max(count, 1))
    step = 1.0 / np.maximum(np.trace(gram, axis1=1, axis2=2), 1e-300)[:, None]
    for number in range(STEPS):
        ahead = weights + number / (number + 3.0) * (weights - before)
        before, weights = weights, _on_simplex(ahead - step * np.einsum("cij,cj->ci", gram, ahead))
    return weights


def _on_simplex(values: Float64) -> Float64:
    """Return the nearest rows (C, K) with entries >= 0 and sum 1: projections to the simplex."""
    falling = -np.sort(-values, axis=1)
    excess = np.cumsum(falling, axis=1) - 1.0
    counts = np.arange(1, values.shape[1] + 1)
    last = (falling - excess / counts > 0).sum(axis=1) - 1
    rows = np.arange(len(values))
    shift: Float64 = excess[rows, last] / (last + 1.0)
    return np.maximum(values - shift[:, None], 0.0)
