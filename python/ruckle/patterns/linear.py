"""The formulas of the paper, for comparison: the area as a linear function, and the two-fold rule (Hadap 3, 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arrays import Float32, Int32, float32
from ruckle.patterns.cells import Float64, determinant, face_means, per_cell
from ruckle.patterns.grid import PatternGrid, pattern_grid

__all__ = ["linear_factors", "mean_factors", "opposed_weights", "wrinkling_coefficients"]


def wrinkling_coefficients(grid: PatternGrid, heights: ArrayLike) -> Float64:
    """Return the wrinkling coefficients C1 to C4 of a pattern in every triangle (Hadap, equation 11).

    The raised area is integrated over a triangle. C1 to C4 are its derivatives with respect to a', b', d' and the
    factor h. T⁻¹ = [[a', b'], [0, d']] maps the deformed triangle to the undeformed triangle; the x axis is along the
    first edge.

    Parameters
    ----------
    grid : PatternGrid
    heights : (N,) float, mesh units

    Returns
    -------
    (T, 4) float64, mesh units²
        C1 and C3 are negative: compression (a' > 1, d' > 1) reduces the area.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a height is not finite.
    """
    slopes = pattern_grid(grid).slopes(float32("heights", heights)).astype(np.float64)
    return _coefficients(_core.gram(grid.rest, grid.topology.faces), slopes, grid.cell_offsets)


def _coefficients(rest: Float32, slopes: Float64, offsets: Int32) -> Float64:
    """Return C1 to C4 (T, 4) from grams (T, 3) at rest and slopes (C, 2) in edge coordinates."""
    e, f, _ = rest.T.astype(np.float64)
    length, twice_area = np.sqrt(e), np.sqrt(determinant(rest))
    # scale 0, so that a triangle without area at rest gets coefficients of 0
    scale = np.where(twice_area > 0, length / np.maximum(twice_area, 1e-300), 0.0)
    fx = slopes[:, 0] / per_cell(np.maximum(length, 1e-300), offsets)
    fy = (slopes[:, 1] - per_cell(f / np.maximum(length, 1e-300), offsets) * fx) * per_cell(scale, offsets)
    s = np.sqrt(1.0 + fx**2 + fy**2)
    integrands = fx**2 / s - s, fx * fy / s, fy**2 / s - s, (fx**2 + fy**2) / s
    return np.stack([face_means(c, offsets) for c in integrands], axis=1) * (twice_area / 2.0)[:, None]


def _inverse_deformation(rest: Float32, current: Float32) -> tuple[Float64, Float64, Float64]:
    """Return a', b', d' of T⁻¹ = [[a', b'], [0, d']], which maps deformed to undeformed triangles (equations 1, 2)."""
    l0, l1 = (np.sqrt(np.maximum(grams[:, 0].astype(np.float64), 1e-300)) for grams in (rest, current))
    y0 = np.sqrt(determinant(rest)) / l0
    y1 = np.maximum(np.sqrt(determinant(current)) / l1, 1e-300)
    a = l0 / l1
    return a, (rest[:, 1] / l0 - a * current[:, 1] / l1) / y1, y0 / y1


def linear_factors(rest: Float32, current: Float32, slopes: Float64, offsets: Int32) -> Float64:
    """Return the factor h of each pattern in each triangle by the paper's equation 5.

    h = 1 - (C1 (a'-1) + C2 b' + C3 (d'-1)) / C4

    Parameters
    ----------
    rest, current : (T, 3) float32, mesh units²
    slopes : (K, C, 2) float64
    offsets : (T + 1,) int32

    Returns
    -------
    (T, K) float64
        1 for a flat pattern, as in the paper. Negative for very large deformations. For large deformations, the result
        also depends on which corner is vertex 0.
    """
    a, b, d = _inverse_deformation(rest, current)
    factors = []
    for pattern in slopes:
        c1, c2, c3, c4 = _coefficients(rest, pattern, offsets).T
        lost = c1 * (a - 1.0) + c2 * b + c3 * (d - 1.0)
        factors.append(np.where(c4 > 0, 1.0 - lost / np.where(c4 > 0, c4, 1.0), 1.0))
    return np.stack(factors, axis=1)


def opposed_weights(factors: Float64, variance: float, power: float) -> Float64:
    """Return the weights of the two-fold rule (Hadap 4.1, figure 11), which prefers patterns with small factors.

    Parameters
    ----------
    factors : (T, K) float64
    variance : float, > 0
        A share of the mean factor. Before normalisation, a weight is 1 if its factor is below the mean by this share,
        and 0 if its factor is above the mean by this share.
    power : float, > 0

    Returns
    -------
    (T, K) float64
        Weights with sum 1.
    """
    mean = factors.mean(axis=1, keepdims=True)
    relative = np.clip((factors / np.where(mean == 0, 1.0, mean) - 1.0) / variance, -1.0, 1.0)
    # 1e-9: negative factors could make all weights 0; then the patterns get equal weights
    weights: Float64 = ((1.0 - relative) / 2.0) ** power + 1e-9
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def mean_factors(topology: _core.Topology, rest: Float32, factors: Float64) -> Float64:
    """Return (V, K): the mean of the factors (T, K) over the triangles at each vertex, weighted by area at rest.

    The paper does not define factors of vertices.

    Returns
    -------
    (V, K) float64
    """
    area = np.sqrt(determinant(rest))
    sums, areas = np.zeros((topology.vertex_count, factors.shape[1])), np.zeros(topology.vertex_count)
    for corner in topology.faces.T:
        np.add.at(sums, corner, factors * area[:, None])
        np.add.at(areas, corner, area)
    return sums / np.maximum(areas, 1e-300)[:, None]
