"""Let a path follow the cloth from one frame to the next (thesis 5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import mesh_length, number
from ruckle.arrays import float32, int32
from ruckle.field.stretch import Stretch, stretch_arrays
from ruckle.mesh.topology import Topology, mesh_topology
from ruckle.paths.parameters import PARAMETERS

__all__ = ["optimize_path"]


def optimize_path(
    topology: Topology,
    positions: ArrayLike,
    previous: ArrayLike,
    stretch: Stretch,
    edges: ArrayLike,
    t: ArrayLike,
    *,
    alpha: float = PARAMETERS["path_alpha"].default,
    straightness: float = 0.0,
    length_unit: float,
    dt: float = 1.0 / 30.0,
) -> NDArray[np.float64]:
    """Move a path along with the cloth, toward the new field, keeping its position and shape (thesis 5.2).

    The minimum of equation (5.2), from one banded linear system.

    Parameters
    ----------
    topology : Topology
    positions, previous : (V, 3) float, mesh units
        This frame and the one before.
    stretch : Stretch
        The wrinkling field of this frame.
    edges, t : (n,) int and float
        The path in the previous frame.
    alpha : float
        Weight of the field, per 1/30 s.
    straightness : float
        Weight of the distance of vertices from the straight line between their neighbours, per 1/30 s; 0 in (5.2).
    length_unit : float, mesh units
        ℓ, whose square weighs changes of t: the mean edge length of the first frame.
    dt : float, seconds
        Time since the previous frame.

    Returns
    -------
    (n,) float64
        The new t, not confined to [0, 1]; the old one if the squares of lengths overflow.

    Raises
    ------
    ValueError
        No path of the mesh: vertices that share no triangle, a triangle passed twice, t outside [0, 1];
        `length_unit` or `dt` not above 0.
    """
    return _core.optimize_path(
        mesh_topology(topology),
        float32("positions", positions),
        float32("previous", previous),
        stretch_arrays(stretch),
        int32("edges", edges),
        float32("t", t),
        alpha=number("alpha", alpha),
        straightness=number("straightness", straightness),
        length_unit=mesh_length("length_unit", length_unit),
        dt=number("dt", dt),
    )
