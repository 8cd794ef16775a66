"""Sums over the grid cells of faces in float64, for the exact formulas and for the formulas of the paper.

A "gram" is the first fundamental form (E, F, G) of a triangle, see `ruckle.patterns.modulation.gram`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32

__all__ = ["Float64", "determinant", "face_means", "per_cell", "quadratic"]

Float64 = NDArray[np.float64]


def determinant(grams: Float32) -> Float64:
    """Return EG - F², limited to at least 0, of first fundamental forms (T, 3). It equals (2 area)²."""
    e, f, g = grams.T.astype(np.float64)
    squares: Float64 = np.maximum(e * g - f * f, 0.0)
    return squares


def per_cell(values: NDArray[np.floating], offsets: Int32) -> Float64:
    """Return (C, ...): the values (T, ...) of faces, repeated for each grid cell of the face.

    `offsets` (T + 1,) is the index of the first cell of each face.
    """
    return np.repeat(values.astype(np.float64), np.diff(offsets), axis=0)


def face_means(values: Float64, offsets: Int32) -> Float64:
    """Return (T,): the mean of the cell values (C,) over each face; for `offsets` see `per_cell`."""
    return np.add.reduceat(values, offsets[:-1]) / np.diff(offsets)


def quadratic(grams: Float64, slopes: Float64) -> Float64:
    """Return q = G p1² - 2 F p1 p2 + E p2², at least 0, for slopes (C, 2) and first fundamental forms (C, 3)."""
    e, f, g = grams.T
    p, r = slopes.T
    products: Float64 = np.maximum(g * p * p - 2.0 * f * p * r + e * r * r, 0.0)
    return products
