"""Triangles on a surface that is given by a signed distance: the wearer's body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .form import Form

__all__ = ["surface_net"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

RELAXATIONS = 6
"""Rounds of moving to the neighbours' mean and back onto the form; more rounds change triangles very little."""


def surface_net(form: Form, low: Sequence[float], high: Sequence[float], cell: float) -> tuple[FloatArray, IndexArray]:
    """Return positions (V, 3) and outward faces (T, 3) of the part of a form within a box.

    One vertex in every cell of a grid that the surface passes, one quad across every grid edge that it crosses: Gibson,
    "Constrained Elastic Surface Nets", 1998.

    Parameters
    ----------
    form : the surface; it must not leave the box
    low, high : corners of the box, metres
    cell : edge length of the grid's cells, metres
    """
    counts = np.ceil((np.asarray(high) - low) / cell).astype(np.int64) + 1
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1)
    distance = separated(form.distance((low + cell * grid).reshape(-1, 3)).reshape(counts), cell)
    strides = np.array([counts[1] * counts[2], counts[2], 1])
    quads, crossings = [], []
    for axis in range(3):
        start = np.moveaxis(np.moveaxis(distance, axis, 0)[:-1], 0, axis)
        end = np.moveaxis(np.moveaxis(distance, axis, 0)[1:], 0, axis)
        crossed = np.argwhere((start < 0.0) != (end < 0.0))
        before, after = start[tuple(crossed.T)], end[tuple(crossed.T)]
        crossings.append(crossed + np.outer(before / (before - after), np.eye(3)[axis]))
        right, up = strides[(axis + 1) % 3], strides[(axis + 2) % 3]
        around = (crossed @ strides)[:, None] - [0, right, right + up, up]
        quads.append(np.where((before < 0.0)[:, None], around, around[:, ::-1]))
    cells, corners = np.unique(np.concatenate(quads), return_inverse=True)
    corners = corners.reshape(-1, 4)
    shares = np.bincount(corners.ravel(), minlength=len(cells))[:, None]
    sums = np.zeros((len(cells), 3))
    np.add.at(sums, corners.ravel(), np.repeat(np.concatenate(crossings), 4, axis=0))
    faces = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return relaxed(form, low + cell * sums / shares, faces), faces


def separated(distance: FloatArray, cell: float) -> FloatArray:
    """Return distances (X, Y, Z) with no square of the grid whose corners are in, out, in, out.

    Four triangles would meet at an edge there. Of the four corners the one nearest to the surface changes its side.
    """
    for axis in range(3):
        layers = np.moveaxis(distance, axis, 0)
        while True:
            a, b, c, d = layers[:, :-1, :-1], layers[:, 1:, :-1], layers[:, 1:, 1:], layers[:, :-1, 1:]
            inside = np.stack([corner < 0.0 for corner in (a, b, c, d)])
            crossed = (inside[0] == inside[2]) & (inside[1] == inside[3]) & (inside[0] != inside[1])
            squares = np.argwhere(crossed)
            if not len(squares):
                break
            nearest = np.argmin(np.abs(np.stack([corner[crossed] for corner in (a, b, c, d)])), axis=0)
            at = squares + np.array([(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)])[nearest]
            for place in np.unique(at, axis=0):
                layers[tuple(place)] = np.copysign(1e-3 * cell, -layers[tuple(place)])
    return distance


def relaxed(form: Form, positions: FloatArray, faces: IndexArray) -> FloatArray:
    """Return positions (V, 3) on the form, evenly spread."""
    free = np.broadcast_to(np.eye(3), (len(positions), 3, 3))
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    degrees = np.bincount(starts, minlength=len(positions))[:, None]
    for _ in range(RELAXATIONS):
        sums = np.zeros_like(positions)
        np.add.at(sums, starts, positions[ends])
        positions = form.project(sums / degrees, free)
    return positions
