"""Computes the height of a pattern by Newton's method on the area of each grid cell: slow, but exact to rounding."""

from __future__ import annotations

import numpy as np

from ruckle.arrays import Float32, Int32
from ruckle.patterns.cells import Float64, determinant, face_means, per_cell, quadratic

__all__ = ["exact_excess"]

# Number of Newton steps of `exact_excess`. After three steps, the error of the height is 6e-7. Twelve steps are exact
# to the last bit.
STEPS = 12


def exact_excess(current: Float32, slopes: Float64, offsets: Int32, target: Float32) -> Float64:
    """Return z = h² q / D of every triangle, with h such that the mean of √(D + h² q) over its cells is the target.

    In the result, q is the mean over the cells. D is (2 flat area)². Newton's method solves for u = h². The mean is
    concave in u, so the method converges from below if it starts from the solution for equal slopes. A stretched
    triangle gets the value of the closed form, z = (target² - D) / D < 0.

    Parameters
    ----------
    current : (T, 3) float32, mesh units²
    slopes : (C, 2) float64
        Gradient of the weighted sum of the patterns in each cell, in edge coordinates.
    offsets : (T + 1,) int32
        The cells of face t have the indices [offsets[t], offsets[t + 1]).
    target : (T,) float32, mesh units²
        Twice the target area.

    Returns
    -------
    (T,) float64
        A triangle below 1/20 of its target area is computed with 1/20 of its target area, as in the core.
    """
    wanted = target.astype(np.float64)
    d = np.maximum(determinant(current), (0.05 * wanted) ** 2)
    q = quadratic(per_cell(current, offsets), slopes)
    mean = face_means(q, offsets)
    excess = wanted**2 / np.maximum(d, 1e-300) - 1.0
    folds = (excess > 0) & (mean > 0)
    u = np.where(folds, excess * d / np.maximum(mean, 1e-300), 0.0)
    flat = per_cell(d, offsets)
    for _ in range(STEPS):
        root = np.sqrt(flat + per_cell(u, offsets) * q)
        slope = face_means(q / np.maximum(2.0 * root, 1e-300), offsets)
        u = np.where(folds, u + (wanted - face_means(root, offsets)) / np.maximum(slope, 1e-300), 0.0)
    return np.where(folds, u * mean / np.maximum(d, 1e-300), excess)
