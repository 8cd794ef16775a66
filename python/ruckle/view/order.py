"""In which order the triangles of a cloth are drawn, and how many at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ruckle.stages import Float32, Int32

__all__ = ["DrawOrder", "draw_order"]


@dataclass(frozen=True, eq=False)
class DrawOrder:
    """Triangles sorted for drawing.

    Attributes
    ----------
    corners : (T, 3) int32
        Numbers of the corners: 3 f + k for corner k of face f.
    tessellated : list of (first, count)
        Rows of `corners` that go through the tessellator, one draw each.
    plain : (first, count)
        Rows that need not be divided.
    """

    corners: Int32
    tessellated: list[tuple[int, int]]
    plain: tuple[int, int]


def draw_order(levels: Float32, nearness: NDArray[np.floating], vertices_per_draw: int) -> DrawOrder:
    """Sort triangles: divided ones first, each kind from near to far, so that what is hidden need not be shaded.

    Parameters
    ----------
    levels : (T,) float32
        Inner level of each triangle; 1 for one that is drawn as it is.
    nearness : (T,) float
        Grows toward the viewer.
    vertices_per_draw : int
        About as many vertices as one draw may make: a single triangle may exceed it.
    """
    # 65,536 steps of depth sort in linear time, and the order of nearer ones than that does not matter
    depth = nearness.max(initial=0.0) - nearness
    steps = (depth * (65535.0 / max(float(depth.max(initial=0.0)), 1e-30))).astype(np.uint16)
    faces = np.argsort(steps, kind="stable")
    divided = levels[faces] > 1
    count = int(np.count_nonzero(divided))
    faces = np.concatenate([faces[divided], faces[~divided]])
    # vertices that the tessellator makes of a triangle at level n
    n = levels[faces[:count]].astype(np.int64)
    made = np.cumsum((3 * n * n + 6 * n + 4) // 4)
    breaks = np.flatnonzero(np.diff(made // vertices_per_draw)) + 1
    bounds = [0, *breaks.tolist(), count] if count else []
    return DrawOrder(
        (3 * faces[:, None] + np.arange(3)).astype(np.int32),
        [(first, end - first) for first, end in pairwise(bounds)],
        (count, len(faces) - count),
    )
