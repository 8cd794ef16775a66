"""Rotations as matrices and as rotation vectors (axis times angle)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["nearest_rotations", "rotation_matrices", "rotation_vectors"]


def rotation_vectors(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the rotation vectors (..., 3) of matrices (..., 3, 3), radians. At pi, either sign is correct."""
    r = np.asarray(matrices, np.float64)
    twice_sine = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1)
    sine, cosine = np.linalg.norm(twice_sine, axis=-1) / 2, (np.trace(r, axis1=-2, axis2=-1) - 1) / 2
    angle = np.arctan2(sine, cosine)
    vectors = twice_sine * np.where(sine > 1e-9, angle / np.maximum(2 * sine, 1e-12), 0.5)[..., None]
    # near pi the sine is rounding, but each column of (R + I) / 2 is a multiple of the axis
    columns = (r + np.eye(3)) / 2
    largest = np.diagonal(columns, axis1=-2, axis2=-1).argmax(axis=-1)
    axis = np.take_along_axis(columns, largest[..., None, None], axis=-1)[..., 0]
    axis = axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-300)
    axis = np.where((axis * twice_sine).sum(axis=-1, keepdims=True) < 0.0, -axis, axis)
    return np.asarray(np.where(((sine < 1e-5) & (cosine < 0.0))[..., None], angle[..., None] * axis, vectors))


def rotation_matrices(vectors: ArrayLike) -> NDArray[np.float64]:
    """Return the matrices (..., 3, 3) of rotation vectors (..., 3), radians (Rodrigues's formula)."""
    v = np.asarray(vectors, np.float64)
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    cross = np.zeros((*v.shape[:-1], 3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    cross -= np.swapaxes(cross, -1, -2)
    sine_over = np.where(angle > 1e-9, np.sin(angle) / np.maximum(angle, 1e-12), 1.0)
    versine_over = np.where(angle > 1e-5, (1 - np.cos(angle)) / np.maximum(angle, 1e-12) ** 2, 0.5)
    return np.asarray(np.eye(3) + sine_over * cross + versine_over * (cross @ cross))


def nearest_rotations(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return the nearest rotations (..., 3, 3) to matrices (..., 3, 3) with positive determinants.

    A matrix with a negative determinant gives a reflection.
    """
    u, _, v = np.linalg.svd(np.asarray(matrices, np.float64))
    return np.asarray(u @ v)
