"""Unit quaternions (w, x, y, z): the rotations of joints and their interpolation over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .spline import MonotoneSpline

__all__ = ["IDENTITY", "between", "interpolate", "matrices", "product", "turn"]

FloatArray = NDArray[np.float64]

IDENTITY: FloatArray = np.array([1.0, 0.0, 0.0, 0.0])


def turn(pitch: float, yaw: float, lean: float) -> FloatArray:
    """Return the quaternion (4,) of a turn in degrees: lean first, then pitch, then yaw.

    Positive `pitch` bends forward (+Y toward +Z), `yaw` turns to the left (+Z toward +X), `lean`
    tilts to the left (+Y toward +X).
    """
    x, y, z = np.radians([pitch, yaw, -lean]) / 2.0
    about_x = np.array([np.cos(x), np.sin(x), 0.0, 0.0])
    about_y = np.array([np.cos(y), 0.0, np.sin(y), 0.0])
    about_z = np.array([np.cos(z), 0.0, 0.0, np.sin(z)])
    return product(about_y, product(about_x, about_z))


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the quaternion (4,) that turns by `b` and then by `a`."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def between(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the least turn (4,) from unit vector `start` to `end`, which must not be opposite."""
    half = np.concatenate([[1.0 + start @ end], np.cross(start, end)])
    result: FloatArray = half / np.linalg.norm(half)
    return result


def matrices(quaternions: FloatArray) -> FloatArray:
    """Return the rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def interpolate(times: ArrayLike, keys: FloatArray, at: FloatArray) -> FloatArray:
    """Return the quaternions (N, 4) at the times `at` (N,) of a smooth curve through `keys` (K, 4).

    A monotone cubic through the four components, normalised. For the turns of less than 130 degrees between keys here
    it is close to the geodesic, and held keys remain held.
    """
    aligned = keys.copy()
    for index in range(1, len(aligned)):
        # q and -q are one turn: take the one on the near side
        if aligned[index] @ aligned[index - 1] < 0.0:
            aligned[index] *= -1.0
    curve = MonotoneSpline(times, aligned)(at)
    result: FloatArray = curve / np.linalg.norm(curve, axis=1, keepdims=True)
    return result
