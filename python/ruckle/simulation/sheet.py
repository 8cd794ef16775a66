"""Pieces of cloth before simulation: a mesh at rest, and its attachment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.simulation.body import skin

__all__ = ["BLEND", "Sheet", "grid_faces", "grid_sheet", "smooth_attachment"]

# m: attachment falls to 0 over this distance from the pins
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
        Shares of the bones that pins follow; not read for free vertices.
    """

    rest: Float32
    faces: Int32
    attachment: Float32
    weights: Float32

    def pins(self, bones: ArrayLike) -> Float32:
        """Return the cloth skinned to bones (J, 3, 4) as pin positions, (V, 3) float32, metres."""
        return skin(self.rest, self.weights, bones)


def grid_faces(columns: int, rows: int, *, closed: bool = False) -> Int32:
    """Return triangles (T, 3) int32 of vertices row * columns + column; closed: a tube.

    Diagonals alternate from row to row, so that every inner vertex has six neighbors. If they also alternated along
    rows, ridges would be beaded: vertices with eight neighbors fold less than those with four.
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
        Vertices along u and along v.
    shape : function of u and v, each (V,) in [0, 1], to positions (V, 3)
        The last column has u = 1, or u = 1 - 1 / columns if the grid closes.
    closed : bool
        The last column meets the first.
    inside_out : bool
        Flip the faces.
    """
    columns, rows = whole_number("columns", columns, 2), whole_number("rows", rows, 2)
    u, v = np.meshgrid(np.linspace(0, 1, columns, endpoint=not closed), np.linspace(0, 1, rows))
    faces = grid_faces(columns, rows, closed=closed)
    return float32("rest", shape(u.ravel(), v.ravel())), np.ascontiguousarray(faces[:, ::-1] if inside_out else faces)


def smooth_attachment(distance: ArrayLike, blend: float) -> Float32:
    """Return the attachment (V,) at distances from the pins: 1 at 0, falling smoothly to 0 at `blend`; both metres."""
    share = np.clip(np.asarray(distance, np.float64) / blend, 0, 1)
    return float32("attachment", 1 - share * share * (3 - 2 * share))
