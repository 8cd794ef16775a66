"""Pieces of cloth for simulation: the mesh at rest, and its attachment to bones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.simulation.body import skin

__all__ = ["BLEND", "Sheet", "grid_faces", "grid_sheet", "smooth_attachment"]

# Distance from the pinned vertices, in metres, at which the attachment has decreased from 1 to 0.
BLEND = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Cloth at rest, and its attachment to bones.

    Attributes
    ----------
    rest : (V, 3) float32, metres
    faces : (T, 3) int32
    attachment : (V,) float32, in [0, 1]
        1 for a pinned vertex, 0 for a free vertex.
    weights : (V, J) float32
        Skin weights of the bones. `pins` of attached vertices need them; `ruckle.Simulated` also places all vertices
        with them in its first frame.
    """

    rest: Float32
    faces: Int32
    attachment: Float32
    weights: Float32

    def pins(self, bones: ArrayLike) -> Float32:
        """Return pin positions (V, 3) float32, metres: the cloth as a skin of bones (J, 3, 4)."""
        return skin(self.rest, self.weights, bones)


def grid_faces(columns: int, rows: int, *, closed: bool = False) -> Int32:
    """Return triangles (T, 3) int32 of a grid whose vertices are row * columns + column; a tube if `closed`.

    The diagonals alternate from row to row, so that every inner vertex has six neighbours. Diagonals that also
    alternate along rows would give eight and four neighbours. Ridges would then be uneven, because vertices with eight
    fold less.
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
    """Return positions (V, 3), metres, and faces of a parametric surface, sampled on a grid.

    Parameters
    ----------
    columns, rows : int, >= 2
        Number of vertices along u and along v.
    shape : function of u and v, each (V,) in [0, 1], to positions (V, 3)
        The surface: a function from u and v to positions. In the last column, u is 1; if closed, 1 - 1 / columns.
    closed : bool
        If True, the last column is connected to the first.
    inside_out : bool
        If True, the faces are flipped.
    """
    columns, rows = whole_number("columns", columns, 2), whole_number("rows", rows, 2)
    u, v = np.meshgrid(np.linspace(0, 1, columns, endpoint=not closed), np.linspace(0, 1, rows))
    faces = grid_faces(columns, rows, closed=closed)
    return float32("rest", shape(u.ravel(), v.ravel())), np.ascontiguousarray(faces[:, ::-1] if inside_out else faces)


def smooth_attachment(distance: ArrayLike, blend: float) -> Float32:
    """Return the attachment (V,) from distances to the pins, metres: 1 at 0, decreasing smoothly to 0 at `blend`."""
    share = np.clip(np.asarray(distance, np.float64) / blend, 0, 1)
    return float32("attachment", 1 - share * share * (3 - 2 * share))
