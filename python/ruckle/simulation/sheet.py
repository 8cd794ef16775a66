"""Pieces of cloth for simulation: the mesh at rest, and its attachment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.simulation.body import skin

__all__ = ["BLEND", "Sheet", "grid_faces", "grid_sheet", "smooth_attachment"]

# m: attachment decreases to 0 over this distance from the pins
BLEND = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Cloth at rest, and its attachment to bones.

    Attributes
    ----------
    rest : (V, 3) float32, metres
    faces : (T, 3) int32
    attachment : (V,) float32, in [0, 1]
        1 for pinned vertices, 0 for free ones.
    weights : (V, J) float32
        Weights of the bones at the pins; rows of free vertices are not read.
    """

    rest: Float32
    faces: Int32
    attachment: Float32
    weights: Float32

    def pins(self, bones: ArrayLike) -> Float32:
        """Return pin positions (V, 3) float32, metres: the cloth skinned to bones (J, 3, 4)."""
        return skin(self.rest, self.weights, bones)


def grid_faces(columns: int, rows: int, *, closed: bool = False) -> Int32:
    """Return triangles (T, 3) int32 of a grid with vertices row * columns + column; closed: a tube.

    Diagonals alternate from row to row, so that every inner vertex has six neighbours. If they also alternated along
    rows, ridges would be uneven: vertices with eight neighbours fold less than those with four.
    """
    column, row = (a.ravel() for a in np.meshgrid(np.arange(columns - (not closed)), np.arange(rows - 1)))
    a, b = row * columns + column, row * columns + (column + 1) % columns
    c, d = a + columns, b + columns
    even = (row % 2 == 0)[:, None]
    first = np.where(even, np.c_[a, c, b], np.c_[a, c, d])
    second = np.where(even, np.c_[b, c, d], np.c_[a, d, b])
    return np.concatenate([first, second]).astype(np.int32)


def grid_sheet(
    columns: int,
    rows: int,
    shape: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    *,
    closed: bool = False,
    inside_out: bool = False,
) -> tuple[Float32, Int32]:
    """Return positions (V, 3), metres, and faces of a surface over a grid.

    Parameters
    ----------
    columns, rows : int
        Number of vertices along u and along v.
    shape : function of u and v, each (V,) in [0, 1], to positions (V, 3)
        In the last column u is 1, or 1 - 1 / columns if the grid is closed.
    closed : bool
        True: the last column is connected to the first.
    inside_out : bool
        True: flip the faces.
    """
    columns, rows = whole_number("columns", columns, 2), whole_number("rows", rows, 2)
    u, v = np.meshgrid(np.linspace(0, 1, columns, endpoint=not closed), np.linspace(0, 1, rows))
    faces = grid_faces(columns, rows, closed=closed)
    return float32("rest", shape(u.ravel(), v.ravel())), np.ascontiguousarray(faces[:, ::-1] if inside_out else faces)


def smooth_attachment(distance: ArrayLike, blend: float) -> Float32:
    """Return the attachment (V,) for distances from the pins: 1 at 0, smoothly down to 0 at `blend`; both metres."""
    share = np.clip(np.asarray(distance, np.float64) / blend, 0, 1)
    return float32("attachment", 1 - share * share * (3 - 2 * share))
