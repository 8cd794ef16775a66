"""Samples that are missing from a joint's grid, because the cloth did not come to rest there."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import float64

__all__ = ["filled", "known_grid"]

Float64 = NDArray[np.float64]
Bools = NDArray[np.bool_]


def known_grid(angles: tuple[Float64, ...], known: ArrayLike) -> tuple[tuple[Float64, ...], Bools]:
    """Return a grid without the unknown ends of its axes, and a mask of its remaining samples, (S,) bool.

    Poses beyond then count as beyond the grid. The rest pose always remains.

    Parameters
    ----------
    angles : D sequences of float, radians
        Each holds 0.
    known : (S,) bool
    """
    grid = np.asarray(known, bool).reshape([len(axis) for axis in angles])
    slices = []
    for number, axis in enumerate(angles):
        others = tuple(other for other in range(len(angles)) if other != number)
        some = np.flatnonzero(grid.any(axis=others) | (axis == 0.0))
        slices.append(slice(int(some[0]), int(some[-1]) + 1))
    stays = np.zeros(grid.shape, bool)
    stays[tuple(slices)] = True
    return tuple(axis[part] for axis, part in zip(angles, slices, strict=True)), stays.ravel()


def filled(details: ArrayLike, angles: tuple[Float64, ...], known: ArrayLike) -> Float64:
    """Return details (S, n, 3) with missing samples interpolated from their neighbours, without jumps.

    The filled values minimise the change from sample to sample: the sum over the edges of the grid of the squared
    difference by the edge's length. Between two known values this is a straight line; beyond the last known one it is
    constant.

    Parameters
    ----------
    details : (S, n, 3) float, mesh units
        Values of missing samples are not used.
    angles : D sequences of float, radians
    known : (S,) bool
        At least one.
    """
    values, kept = float64("details", details).copy(), np.asarray(known, bool)
    missing = np.flatnonzero(~kept)
    if not len(missing):
        return values
    numbers = np.arange(len(values)).reshape([len(axis) for axis in angles])
    stiffness = np.zeros((len(values), len(values)))
    for number, axis in enumerate(angles):
        lengths = np.diff(axis).reshape([-1 if other == number else 1 for other in range(len(angles))])
        first = np.delete(numbers, -1, axis=number)
        second, strength = np.delete(numbers, 0, axis=number), (1.0 / lengths) * np.ones(first.shape)
        for a, b in ((first, second), (second, first)):
            stiffness[a, b] -= strength
            np.add.at(stiffness, (a, a), strength)
    held = values[kept].reshape(int(kept.sum()), -1)
    right = -stiffness[np.ix_(missing, np.flatnonzero(kept))] @ held
    values[missing] = np.linalg.solve(stiffness[np.ix_(missing, missing)], right).reshape(len(missing), -1, 3)
    return values
