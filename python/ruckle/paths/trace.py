"""Traces wrinkle paths through the compressed cloth of one frame (thesis 5.1)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import flag, mesh_length, number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.field.stretch import Stretch, stretch_arrays
from ruckle.mesh.topology import Topology, mesh_topology
from ruckle.paths.parameters import PARAMETERS

__all__ = ["smooth_path", "trace"]


def trace(
    topology: Topology,
    positions: ArrayLike,
    stretch: Stretch,
    *,
    r_min: float,
    tau: float = PARAMETERS["tau"].default,
    grow_tau: float | None = None,
    least_aspect: float = 0.0,
    seed: int = 0,
    smooth: bool = True,
) -> list[tuple[Int32, Float32]]:
    """Trace wrinkle paths in one frame from random seed points, perpendicular to the compression (thesis 5.1).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    stretch : Stretch
        The wrinkling field: from the reference to the current triangles.
    r_min : float, mesh units
        Least radius of a wrinkle. The distance between a seed point and a path is at least one wrinkle width.
    tau, grow_tau : float, > 1
        A path begins if the compression is above `tau`, and continues while it is above `grow_tau`. `grow_tau` is at
        most `tau`; default: `tau`.
    least_aspect : float, widths, >= 0
        Least length of a path, in wrinkle widths. Shorter paths are removed.
    seed : int
        Seed of the random generator that chooses seed points.
    smooth : bool
        If True, apply one step of tangential Laplacian smoothing, see `smooth_path`.

    Returns
    -------
    list of (edges (n,) int32, t (n,) float32)
        Paths that do not cross each other. Vertex i is on mesh edge `edges[i]`, at a * t[i] + b * (1 - t[i]). Of the
        edge's vertices, a has the smaller index and b the larger index.

    Raises
    ------
    ValueError
        A number is out of its range, or an array does not match the mesh.
    """
    return _core.trace(
        mesh_topology(topology),
        float32("positions", positions),
        stretch_arrays(stretch),
        r_min=mesh_length("r_min", r_min),
        tau=number("tau", tau),
        grow_tau=number("tau", tau) if grow_tau is None else number("grow_tau", grow_tau),
        least_aspect=number("least_aspect", least_aspect),
        seed=PARAMETERS["seed"].read(seed),
        smooth=flag("smooth", smooth),
    )


def smooth_path(topology: Topology, positions: ArrayLike, edges: ArrayLike, t: ArrayLike) -> Float32:
    """Move each inner vertex of a path halfway to the straight line between its neighbours (thesis 5.1, figure 5.1).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges, t : (n,) int and float
        A path, in the form that `trace` returns.

    Returns
    -------
    (n,) float32
        The new t.

    Raises
    ------
    ValueError
        `edges` and `t` do not describe a path of the mesh: two successive vertices do not have a common triangle, a
        triangle occurs twice, or t is outside [0, 1].
    """
    return _core.smooth_path(
        mesh_topology(topology), float32("positions", positions), int32("edges", edges), float32("t", t)
    )
