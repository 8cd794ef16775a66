"""Distributes a limited number of fine vertices over the coarse edges, according to the folds on each edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Int32

__all__ = ["fine_vertex_count", "levels_within"]

# Number of bisection steps of `levels_within` for the factor of the wanted levels. The error is then below 1e-6.
STEPS = 24

# Largest factor by which `levels_within` multiplies the wanted levels. A larger factor would not improve the surface.
LARGEST_SCALE = 4.0


def fine_vertex_count(topology: _core.Topology, levels: Int32) -> int:
    """Return the number of fine vertices if edge e has `levels[e]` parts and OpenGL divides the faces.

    The inner level of a face is the largest level of its edges.
    """
    inside = levels[topology.face_edges].max(axis=1).astype(np.int64)
    inner = (3 * inside * inside + 6 * inside + 4) // 4 - 3 * inside
    return int(topology.vertex_count + (levels.astype(np.int64) - 1).sum() + inner.sum())


def levels_within(topology: _core.Topology, needed: NDArray[np.float64], largest: Int32, budget: int) -> Int32:
    """Return levels (numbers of parts) of all edges that give at most `budget` fine vertices.

    The distance between a fold and the chords of its edge is proportional to (wanted level / level)². All edges have
    the same mean distance over the frames if levels are proportional to the root mean square of the wanted levels, as
    here. Edges with tight or lasting folds get more parts. If `largest` is within the budget, it is the result.

    Parameters
    ----------
    topology : Topology
        Topology of the mesh whose edges are divided.
    needed : (E,) float64, at least 1
        Root mean square, over the frames, of the level that each edge needs.
    largest : (E,) int32
        Largest level of each edge in any frame; the result does not exceed it.
    budget : int
        Largest number of fine vertices.

    Raises
    ------
    ValueError
        The undivided mesh already has more vertices than the budget.
    """
    least = fine_vertex_count(topology, np.ones_like(largest))
    if budget < least:
        raise ValueError(f"budget: expected at least the {least:,} vertices of the coarse mesh, got {budget:,}")
    if fine_vertex_count(topology, largest) <= budget:
        return largest
    low, high = 0.0, LARGEST_SCALE

    def scaled(scale: float) -> Int32:
        return np.clip(np.rint(scale * needed), 1, largest).astype(np.int32)

    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if fine_vertex_count(topology, scaled(middle)) <= budget:
            low = middle
        else:
            high = middle
    return scaled(low)
