"""Converts axes from the plane of each triangle to directions in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.geometry import unit

__all__ = ["axes_in_space"]

Float64 = NDArray[np.float64]


def axes_in_space(positions: ArrayLike, faces: ArrayLike, axis: ArrayLike) -> NDArray[np.float32]:
    """Convert axes from each triangle's own frame to directions in space.

    The x axis of a triangle's own frame is along the first edge, from vertex 0 to vertex 1. The y axis is in the
    triangle's plane and points to the side of vertex 2 (thesis 4.1.1, `ruckle.edge_matrices`).

    Parameters
    ----------
    positions : (V, 3) float, mesh units
        Positions in the animation frame in which `axis` was computed.
    faces : (T, 3) int
    axis : (T, 2) float
        Axes in the triangles' own frames, for example `Frame.stretch.axis`.

    Returns
    -------
    (T, 3) float32
        Axes in space, with unchanged lengths; (0, 0, 0) for a triangle without area.
    """
    corners = np.asarray(positions, np.float64)[np.asarray(faces)]
    along = corners[:, 1] - corners[:, 0]
    normal = np.cross(along, corners[:, 2] - corners[:, 0])
    x = unit(along)
    y = unit(np.cross(normal, x))
    x[~y.any(axis=1)] = 0.0
    flat = np.asarray(axis, np.float64)
    return (flat[:, :1] * x + flat[:, 1:] * y).astype(np.float32)
