"""Missing samples in the grid of a joint: poses in which the simulated cloth did not come to rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import float64

__all__ = ["filled", "known_grid"]

Float64 = NDArray[np.float64]
Bools = NDArray[np.bool_]


def known_grid(angles: tuple[Float64, ...], known: ArrayLike) -> tuple[tuple[Float64, ...], Bools]:
    """Remove unknown samples at the ends of a grid's axes; return the grid and a mask (S,) of the remaining samples.

    Poses outside the shortened grid are clamped to it. The rest pose is always kept.

    Parameters
    ----------
    angles : D sequences of float, radians
        Angles of each axis, which include 0.
    known : (S,) bool
        True for samples whose cloth came to rest.
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
    """Return details (S, n, 3) whose missing samples are interpolated smoothly from neighbours.

    The filled values minimise the sum of squared difference / length over the edges of the grid. On a grid with one
    axis, the result is linear between two known values, and constant beyond the last known value.

    Parameters
    ----------
    details : (S, n, 3) float, mesh units
        Values of missing samples are ignored.
    angles : D sequences of float, radians
    known : (S,) bool
        Mask of known samples; at least one must be known.
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
