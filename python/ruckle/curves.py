"""The stages that draw wrinkles as pure functions: NumPy in, NumPy out, in pipeline order.

    trace -> persist -> shape

As in `ruckle.stages`, real arrays may be float32 or float64 and are worked on in float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import LARGEST_SEED, flag, mesh_length, number, pair, whole_number
from ruckle.stages import Float32, Int32, Stretch, Topology, float32, int32, mesh_topology, stretch_of

__all__ = [
    "cross_section",
    "height_ratio",
    "optimize_path",
    "smooth_path",
    "trace",
    "wrinkle_curve",
    "wrinkle_shape",
]


def _parts(stretch: Stretch) -> tuple[Float32, Float32, Float32, Float32, NDArray[np.bool_]]:
    field = stretch_of(stretch)
    return (
        float32("stretch.min", field.min),
        float32("stretch.max", field.max),
        float32("stretch.compression", field.compression),
        float32("stretch.axis", field.axis),
        np.ascontiguousarray(field.degenerate),
    )


def trace(
    topology: Topology,
    positions: ArrayLike,
    stretch: Stretch,
    *,
    r_min: float,
    tau: float = 1.4,
    grow_tau: float | None = None,
    least_length: float = 0.0,
    seed: int = 0,
    smooth: bool = True,
) -> list[tuple[Int32, Float32]]:
    """Trace wrinkle paths over one frame: across the compression, from random seeds (thesis 5.1).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    stretch : Stretch
        The wrinkling field: from the reference to the current triangles.
    r_min : float, mesh units
        Least radius of a wrinkle; seeds keep one wrinkle width from paths.
    tau, grow_tau : float, > 1
        Compression above which paths begin and go on; `grow_tau` is at most `tau`, and `tau` when not given.
    least_length : float, mesh units, >= 0
        Shorter paths are left out.
    seed : int
        Of the seed points.
    smooth : bool
        One step of tangential Laplacian smoothing, as in `smooth_path`.

    Returns
    -------
    list of (edges (n,) int32, t (n,) float32)
        Paths that do not cross: vertex i lies on mesh edge `edges[i]`, at lower vertex * t + higher vertex * (1 - t).

    Raises
    ------
    ValueError
        `r_min` not above 0, a threshold not above 1, `grow_tau` above `tau`, arrays that do not fit the mesh.
    """
    return _core.trace(
        mesh_topology(topology),
        float32("positions", positions),
        _parts(stretch),
        r_min=mesh_length("r_min", r_min),
        tau=number("tau", tau),
        grow_tau=number("tau", tau) if grow_tau is None else number("grow_tau", grow_tau),
        least_length=mesh_length("least_length", least_length),
        seed=whole_number("seed", seed, 0, LARGEST_SEED),
        smooth=flag("smooth", smooth),
    )


def smooth_path(topology: Topology, positions: ArrayLike, edges: ArrayLike, t: ArrayLike) -> Float32:
    """Move each inner vertex half way to the straight line between its neighbours (thesis 5.1, figure 5.1).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges, t : (n,) int and float
        A path, as `trace` returns it.

    Returns
    -------
    (n,) float32
        The new t.

    Raises
    ------
    ValueError
        No path of the mesh: vertices that share no triangle, a triangle passed twice, t outside [0, 1].
    """
    return _core.smooth_path(
        mesh_topology(topology), float32("positions", positions), int32("edges", edges), float32("t", t)
    )


def optimize_path(
    topology: Topology,
    positions: ArrayLike,
    previous: ArrayLike,
    stretch: Stretch,
    edges: ArrayLike,
    t: ArrayLike,
    *,
    alpha: float = 0.4,
    straightness: float = 0.0,
    length_unit: float,
    dt: float = 1.0 / 30.0,
) -> NDArray[np.float64]:
    """Move a path along with the cloth, toward the new field, keeping its place and shape (thesis 5.2).

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
        The new t, not confined to [0, 1].

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
        _parts(stretch),
        int32("edges", edges),
        float32("t", t),
        alpha=number("alpha", alpha),
        straightness=number("straightness", straightness),
        length_unit=mesh_length("length_unit", length_unit),
        dt=number("dt", dt),
    )


def wrinkle_shape(
    points: ArrayLike,
    *,
    kappa: float,
    r_min: float,
    cuts: tuple[float, float] = (0.0, 0.0),
    size: float = 1.0,
    fade: float = 1.0,
) -> tuple[Float32, Float32, float]:
    """Compute width and height along a wrinkle (thesis 6).

    Parameters
    ----------
    points : (n, 3) float, mesh units
        The path's vertices, n >= 2.
    kappa : float
        Share of its length that the cloth has lost, 1 - 1/compression; clamped to at most 1 - 2/π.
    r_min : float, mesh units
    cuts : pair of float
        Shares of the first and last segment beyond the wrinkle's ends.
    size, fade : float, in [0, 1]
        Factors of all measures, and of the height.

    Returns
    -------
    width, height : (n,) float32, mesh units
        Full width and height of the cross-section at each vertex.
    perimeter : float, mesh units
        Length of every cross-section, where `fade` is 1.

    Raises
    ------
    ValueError
        Fewer than two points; `r_min` not above 0; another factor or share outside [0, 1].
    """
    first, last = pair("cuts", cuts)
    width, height, _, perimeter, _, _ = _core.wrinkle_shape(
        float32("points", points),
        kappa=number("kappa", kappa),
        r_min=mesh_length("r_min", r_min),
        cut_first=first,
        cut_last=last,
        size=number("size", size),
        fade=number("fade", fade),
    )
    return width, height, perimeter


def wrinkle_curve(
    topology: Topology,
    positions: ArrayLike,
    edges: ArrayLike,
    t: ArrayLike,
    *,
    kappa: float,
    r_min: float,
    cuts: tuple[float, float] = (0.0, 0.0),
    size: float = 1.0,
    fade: float = 1.0,
    samples: int = 4,
) -> tuple[Float32, Float32, Float32, Int32]:
    """Sample the smooth curve through a path: one Bezier segment per triangle, in its plane (thesis 6).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges, t : (n,) int and float
        The path.
    kappa : float
        Share of its length that the cloth has lost, as in `wrinkle_shape`.
    r_min : float, mesh units
        Least radius of a wrinkle.
    cuts : pair of float
        Shares of the first and last segment beyond the wrinkle's ends.
    size, fade : float, in [0, 1]
        Factors of all measures, and of the height.
    samples : int, in [1, 64]
        Per triangle.

    Returns
    -------
    points : ((n - 1) samples + 1, 3) float32, mesh units
    width, height : the same number, float32, mesh units
    faces : ((n - 1) samples,) int32
        Triangle of each piece of the curve.

    Raises
    ------
    ValueError
        No path of the mesh: vertices that share no triangle, a triangle passed twice, t outside [0, 1];
        factors or shares out of range.
    """
    first, last = pair("cuts", cuts)
    return _core.wrinkle_curve(
        mesh_topology(topology),
        float32("positions", positions),
        int32("edges", edges),
        float32("t", t),
        cut_first=first,
        cut_last=last,
        kappa=number("kappa", kappa),
        r_min=mesh_length("r_min", r_min),
        size=number("size", size),
        fade=number("fade", fade),
        samples=whole_number("samples", samples, 1, 64),
    )


def height_ratio(ratio: float) -> float:
    """Return the height of a cross-section from length conservation (thesis 6).

    Parameters
    ----------
    ratio : float, >= 1
        Length of the cross-section over its width; 1 / (1 - κ) for a share κ of length lost.

    Returns
    -------
    float
        η = height / half width, where ratio = ½ [√(1 + 4η²) + asinh(2η) / (2η)]; to 1e-5 up to ratio 3.

    Raises
    ------
    ValueError
        A ratio that is not a finite number of at least 1.
    """
    return _core.height_ratio(number("ratio", ratio))


def cross_section(u: ArrayLike) -> Float32:
    """Return the height of a wrinkle's cross-section, the uniform quadratic B-spline (thesis 6).

    Parameters
    ----------
    u : (...,) float
        Distance from the crest over half the width; its sign means nothing.

    Returns
    -------
    (...,) float32
        1 - 3u² up to 1/3, 3/2 (1 - u)² up to 1, 0 beyond: a share of the crest's height.

    Raises
    ------
    ValueError
        A `u` that is no array of numbers.
    """
    return np.asarray(_core.cross_section(float32("u", u)), np.float32)
