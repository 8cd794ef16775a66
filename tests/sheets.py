"""Sheets of cloth for the simulator's tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def grid_faces(columns: int, rows: int, *, closed: bool = False) -> NDArray[np.int32]:
    """Return the triangles of vertices row * columns + column, with alternating diagonals; closed: a tube."""
    column, row = (a.ravel() for a in np.meshgrid(np.arange(columns - (not closed)), np.arange(rows - 1)))
    a, b = row * columns + column, row * columns + (column + 1) % columns
    c, d = a + columns, b + columns
    even = ((column + row) % 2 == 0)[:, None]
    first = np.where(even, np.c_[a, c, b], np.c_[a, c, d])
    second = np.where(even, np.c_[b, c, d], np.c_[a, d, b])
    return np.concatenate([first, second]).astype(np.int32)


def sheet(columns: int, rows: int, width: float = 1.0, height: float = 1.0) -> tuple[NDArray, NDArray]:
    """Return the positions and faces of a rectangle in the xz plane, rows along z."""
    x, z = np.meshgrid(np.linspace(0.0, width, columns), np.linspace(0.0, height, rows))
    return np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1), grid_faces(columns, rows)
