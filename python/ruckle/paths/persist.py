"""Moves a path with the cloth from one frame to the next (thesis 5.2)."""

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
    """Turn a path toward the direction perpendicular to the compression of the new frame (thesis 5.2).

    Position on the cloth and shape of the path change little. One banded linear system minimises equation (5.2).

    Parameters
    ----------
    topology : Topology
    positions, previous : (V, 3) float, mesh units
        Positions of this frame and of the previous frame.
    stretch : Stretch
        The wrinkling field of this frame.
    edges, t : (n,) int and float
        The path in the previous frame, in the form that `trace` returns.
    alpha : float
        Weight, per 1/30 s, of the term that turns the path perpendicular to the compression.
    straightness : float
        Weight per 1/30 s of the distance between each vertex and the line through its neighbours. Equation (5.2) does
        not have this term.
    length_unit : float, mesh units
        ℓ, the mean edge length of the first frame. The square of ℓ multiplies the squared changes of t.
    dt : float, seconds
        Time since the previous frame.

    Returns
    -------
    (n,) float64
        The new t, not limited to [0, 1]. If squared lengths overflow, the result is the old t.

    Raises
    ------
    ValueError
        `edges` and `t` do not describe a path of the mesh: two successive vertices do not have a common triangle, a
        triangle occurs twice, or t is outside [0, 1]. Or `length_unit` or `dt` is not above 0.
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
