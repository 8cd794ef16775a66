"""Monotone cubic splines, used for body profiles and for motions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MonotoneSpline"]

FloatArray = NDArray[np.float64]


class MonotoneSpline:
    """A C1 cubic spline through given values that does not overshoot them.

    So a constant pose remains constant, and a profile remains between its measured values; a Catmull-Rom spline would
    not ensure this. Outside the given range, the end values are constant.

    Parameters
    ----------
    at : (K,) increasing positions of the values: seconds for motions, metres for profiles
    values : (K,) or (K, D) values, any unit

    Notes
    -----
    The tangents are from Fritsch and Butland, "A Method for Constructing Local Monotone Piecewise Cubic Interpolants",
    1984: the weighted harmonic mean of the two neighbouring slopes, zero at extrema and at both ends.
    """

    def __init__(self, at: ArrayLike, values: ArrayLike) -> None:
        self.at: FloatArray = np.asarray(at, dtype=np.float64)
        given = np.asarray(values, dtype=np.float64)
        self.scalar = given.ndim == 1
        self.values: FloatArray = given.reshape(len(self.at), -1)
        spacing = np.diff(self.at)[:, None]
        slopes = np.diff(self.values, axis=0) / spacing
        before, after = slopes[:-1], slopes[1:]
        weight = (spacing[:-1] + 2.0 * spacing[1:]) / (3.0 * (spacing[:-1] + spacing[1:]))
        product = before * after
        blend = weight * after + (1.0 - weight) * before
        self.tangents: FloatArray = np.zeros_like(self.values)
        same_sign = product > 0.0
        self.tangents[1:-1][same_sign] = product[same_sign] / blend[same_sign]

    def __call__(self, positions: ArrayLike) -> FloatArray:
        """Return the values at `positions` (N,), with shape (N,) or (N, D) float64 like the given values."""
        query = np.clip(np.asarray(positions, dtype=np.float64), self.at[0], self.at[-1])
        left = np.clip(np.searchsorted(self.at, query, side="right") - 1, 0, len(self.at) - 2)
        spacing = (self.at[left + 1] - self.at[left])[:, None]
        s = ((query - self.at[left]) / spacing[:, 0])[:, None]
        result: FloatArray = (
            (1.0 + 2.0 * s) * (1.0 - s) ** 2 * self.values[left]
            + s * (1.0 - s) ** 2 * spacing * self.tangents[left]
            + s**2 * (3.0 - 2.0 * s) * self.values[left + 1]
            + s**2 * (s - 1.0) * spacing * self.tangents[left + 1]
        )
        return result[:, 0] if self.scalar else result
