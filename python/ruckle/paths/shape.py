"""Computes widths, heights and cross-sections of wrinkles (thesis 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import mesh_length, number, pair, whole_number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.mesh.topology import mesh_topology

__all__ = ["cross_section", "height_ratio", "wrinkle_curve", "wrinkle_shape"]


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
        Share of its length that the cloth has lost, 1 - 1/compression; larger values than 1 - 2/π count as that.
    r_min : float, mesh units
    cuts : pair of float
        Shares of the first and last segment that lie beyond the wrinkle's ends.
    size, fade : float, in [0, 1]
        `size` scales all lengths, `fade` only the height.

    Returns
    -------
    width, height : (n,) float32, mesh units
        Full width and height of the cross-section at each vertex.
    perimeter : float, mesh units
        Length of every cross-section at `fade` 1.

    Raises
    ------
    ValueError
        There are fewer than two points, `r_min` is not above 0, or another number is outside [0, 1].

    Examples
    --------
    >>> points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    >>> widths, heights, full_width = ruckle.wrinkle_shape(points, kappa=0.3, r_min=0.1)
    >>> round(float(heights[1]), 3)
    0.113
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
    topology: _core.Topology,
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
    """Sample the smooth curve through a path: one Bezier segment per triangle, in the triangle's plane (thesis 6).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges, t : (n,) int and float
        The path, as `trace` returns it.
    kappa : float
        Share of its length that the cloth has lost, as in `wrinkle_shape`.
    r_min : float, mesh units
        Minimum radius of a wrinkle.
    cuts : pair of float
        Shares of the first and last segment that lie beyond the wrinkle's ends.
    size, fade : float, in [0, 1]
        `size` scales all lengths, `fade` only the height.
    samples : int, in [1, 64]
        Samples per triangle.

    Returns
    -------
    points : ((n - 1) samples + 1, 3) float32, mesh units
    width, height : (as many,) float32, mesh units
    faces : ((n - 1) samples,) int32
        Triangle of each piece of the curve.

    Raises
    ------
    ValueError
        `edges` and `t` are not a path of the mesh (two successive vertices without a common triangle, a triangle passed
        twice, t outside [0, 1]), or another number is outside its range.
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
    """Return the relative height of a cross-section that conserves length (thesis 6).

    Parameters
    ----------
    ratio : float, >= 1
        Length of the cross-section over its width; 1 / (1 - κ) for a share κ of length lost.

    Returns
    -------
    float
        η = height / half width, the solution of ratio = ½ [√(1 + 4η²) + asinh(2η) / (2η)]; error 1e-5 up to ratio 3.

    Raises
    ------
    ValueError
        `ratio` is not a finite number of at least 1.
    """
    return _core.height_ratio(number("ratio", ratio))


def cross_section(u: ArrayLike) -> Float32:
    """Return the height of a wrinkle's cross-section, the uniform quadratic B-spline (thesis 6).

    Parameters
    ----------
    u : (...,) float
        Distance from the crest divided by half the width; the sign is ignored.

    Returns
    -------
    (...,) float32
        Share of the crest's height: 1 - 3u² up to 1/3, 3/2 (1 - u)² up to 1, 0 beyond.

    Raises
    ------
    ValueError
        `u` is not an array of numbers, or contains NaN.

    Examples
    --------
    >>> ruckle.cross_section([0.0, 0.5, 1.0]).tolist()
    [1.0, 0.375, 0.0]
    """
    distances = float32("u", u)
    if np.isnan(distances).any():
        raise ValueError("u: expected numbers, got nan")
    return np.asarray(_core.cross_section(distances), np.float32)
