"""Modulated patterns in NumPy float64, directly from the formulas.

Tests and benchmarks compare the core with this code.
"""

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


def determinant(grams: Float64) -> Float64:
    """Return the determinants EG - F² (T,) of Gram matrices (T, 3), whose columns are E, F and G.

    Negative values become 0.
    """
    return np.maximum(grams[:, 0] * grams[:, 2] - grams[:, 1] ** 2, 0.0)


def energies(grams: Float64, moments: Float64) -> Float64:
    """Return the quadratic form q (T, K, K) for each pair of K patterns.

    `moments` (T, K (K + 1) / 2, 3) are means of products of the patterns' derivatives, as in moments.h.
    """
    count = int((np.sqrt(8 * moments.shape[1] + 1) - 1) / 2)
    adjugate = np.stack([grams[:, 2], -2 * grams[:, 1], grams[:, 0]], axis=1)
    pairs = np.einsum("tc,tpc->tp", adjugate, moments)
    full = np.zeros((len(grams), count, count))
    for pair, (j, k) in enumerate(zip(*np.triu_indices(count), strict=True)):
        full[:, j, k] = full[:, k, j] = pairs[:, pair]
    return full


def trace(rest: Float64, current: Float64) -> Float64:
    """Return half the trace of adj(M0) M, (T,), for Gram matrices M0 at rest and M now."""
    return (rest[:, 0] * current[:, 2] - 2 * rest[:, 1] * current[:, 1] + rest[:, 2] * current[:, 0]) / 2


def fold_weights(rest: Float64, current: Float64, moments: Float64, mean_square: Float64) -> Float64:
    """Return weights (T, K) of the patterns in each triangle, with sum 1.

    A weight is the strength of the pattern in the triangle times the fourth power of its alignment with the
    compression. `mean_square` is the mean squared slope of the patterns over the garment.
    """
    d0, d = determinant(rest), np.maximum(determinant(current), 1e-4 * determinant(rest))
    half = trace(rest, current) / d
    root = np.sqrt(np.maximum(half**2 - d0 / d, 0))
    before = np.einsum("tkk->tk", energies(rest, moments)) / d0[:, None]
    after = np.einsum("tkk->tk", energies(current, moments)) / d[:, None]
    growth = after / np.maximum(before, 1e-15) - (half - root)[:, None]
    alignment = np.clip((growth + 0.02) / (2 * root + 0.02)[:, None], 1e-3, 1)
    power = before / (before + 0.01 * mean_square) * alignment**4 + 1e-9
    return power / power.sum(axis=1, keepdims=True)


def target_area(
    rest: Float64, current: Float64, moments: Float64, weights: Float64, *, rest_slope: float = 0.0, slack: float = 0.02
) -> Float64:
    """Return twice the target area (T,) of each triangle.

    At this area, the cloth keeps its length, except for the share `slack`.
    """
    d0 = determinant(rest)
    blend = np.einsum("tjk,tj,tk->t", energies(rest, moments), weights, weights)
    half = trace(rest, current) / d0
    longest = np.maximum(1, half + np.sqrt(np.maximum(half**2 - determinant(current) / d0, 0)))
    return np.sqrt((d0 + rest_slope**2 * blend) * longest) * (1 - slack)


def modulation(
    rest: Float64, current: Float64, moments: Float64, bend: tuple[float, float], weights: Float64, target: Float64,
    faces: NDArray[np.int32], vertex_count: int, *, largest: Float64 | float = np.inf, corrections: int = 2,
) -> Float64:  # fmt: skip
    """Return the factors (V, K) by which the patterns are multiplied at the vertices."""

    def gathered(values: Float64) -> Float64:
        return np.bincount(faces.ravel(), np.repeat(values, 3), vertex_count)

    flat = np.maximum(np.sqrt(determinant(current)), 0.05 * target)
    more, (c, d) = (target / flat) ** 2 - 1, bend
    b = 1 - d * more
    z = np.where(more > 0, 2 * more / (b + np.sqrt(np.maximum(b**2 + 4 * (d - c) * more, 0))), more)
    q, area = energies(current, moments), np.sqrt(determinant(rest))
    offered = gathered(np.einsum("tjk,tj,tk->t", q, weights, weights) / flat)
    goal, least = np.maximum(gathered(z * flat), 0), 0.02**2 * gathered(flat)
    share = np.stack([gathered(w * area) for w in weights.T], axis=1) / gathered(area)[:, None]
    limit = share * largest
    factors = np.minimum(np.sqrt(goal / (offered + least))[:, None] * share, limit)
    for _ in range(corrections):
        m = factors[faces]
        means = (np.einsum("tij,tik->tjk", m, m) + m.sum(axis=1)[:, :, None] * m.sum(axis=1)[:, None, :]) / 12
        squares = (m**2).sum(axis=(1, 2))
        z = (means * q).sum(axis=(1, 2)) / flat**2 + 0.02**2 / 3 * squares
        raised = np.sqrt(1 + z - c * z**2 / (1 + d * z))
        growth = flat * z * (1 - c * (2 * z + d * z**2) / (1 + d * z) ** 2) / (2 * raised)
        missing, growth = (gathered(x / (squares + 1e-3)) for x in (target - flat * raised, growth))
        more = missing / np.maximum(growth, 1e-300)
        factors = np.minimum(factors * np.clip(np.sqrt(np.maximum(1 + more, 0)), 0.5, 1.5)[:, None], limit)
    return factors
