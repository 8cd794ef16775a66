"""Unit quaternions (w, x, y, z): rotations of joints and their interpolation over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .spline import MonotoneSpline

__all__ = ["IDENTITY", "between", "interpolate", "matrices", "product", "turn"]

FloatArray = NDArray[np.float64]

IDENTITY: FloatArray = np.array([1.0, 0.0, 0.0, 0.0])


def turn(pitch: float, yaw: float, lean: float) -> FloatArray:
    """Return the quaternion (4,) of a rotation in degrees: lean is applied first, then pitch, then yaw.

    Positive `pitch` bends forward (+y toward +z), positive `yaw` turns to the left (+z toward +x), positive `lean`
    tilts to the left (+y toward +x).
    """
    x, y, z = np.radians([pitch, yaw, -lean]) / 2.0
    about_x = np.array([np.cos(x), np.sin(x), 0.0, 0.0])
    about_y = np.array([np.cos(y), 0.0, np.sin(y), 0.0])
    about_z = np.array([np.cos(z), 0.0, 0.0, np.sin(z)])
    return product(about_y, product(about_x, about_z))


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the quaternion (4,) that rotates by `b` first and then by `a`."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def between(start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the minimal rotation (4,) from unit vector `start` to unit vector `end`, which must not be opposite."""
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
    """Return quaternions (N, 4) at times `at` (N,), on a smooth curve through `keys` (K, 4).

    The curve is a monotone cubic for each of the four components, normalised. If rotations between keys are below 130
    degrees, as here, it is close to the geodesic. Constant keys remain constant.
    """
    aligned = keys.copy()
    for index in range(1, len(aligned)):
        # q and -q are the same rotation, so choose the one nearer to the key before
        if aligned[index] @ aligned[index - 1] < 0.0:
            aligned[index] *= -1.0
    curve = MonotoneSpline(times, aligned)(at)
    result: FloatArray = curve / np.linalg.norm(curve, axis=1, keepdims=True)
    return result
