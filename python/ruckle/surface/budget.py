"""A budget of fine vertices, divided among the coarse edges by the folds that need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Int32

__all__ = ["fine_vertex_count", "levels_within"]

# Steps of the bisection of a scale: one part in a million.
STEPS = 24

# Largest scale of the wanted levels: a budget that allows more is not needed.
LARGEST_SCALE = 4.0


def fine_vertex_count(topology: _core.Topology, levels: Int32) -> int:
    """Return the number of fine vertices if edge e has `levels[e]` parts: OpenGL's pattern of nested triangles."""
    inside = levels[topology.face_edges].max(axis=1).astype(np.int64)
    inner = (3 * inside * inside + 6 * inside + 4) // 4 - 3 * inside
    return int(topology.vertex_count + (levels.astype(np.int64) - 1).sum() + inner.sum())


def levels_within(topology: _core.Topology, needed: NDArray[np.float64], largest: Int32, budget: int) -> Int32:
    """Return the levels of all edges that give at most `budget` fine vertices.

    The gap between a fold and its chords falls with the square of the level. Levels in proportion to the root mean
    square of the needed levels over all frames spend the budget on edges with tight or lasting folds.

    Parameters
    ----------
    topology : Topology
        Topology of the divided mesh.
    needed : (E,) float64, at least 1
        Root mean square of each edge's level over the frames.
    largest : (E,) int32
        Largest level of each edge in any frame, which the result does not exceed.
    budget : int

    Raises
    ------
    ValueError
        The mesh without any division has more vertices.
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
