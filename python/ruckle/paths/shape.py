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
        Vertices of the path, n >= 2.
    kappa : float
        Share of its length that the cloth has lost across the wrinkle: 1 - 1/compression. Values are limited to 1 -
        2/π.
    r_min : float, mesh units
        Minimum radius of a wrinkle.
    cuts : pair of float
        Shares of the first and of the last segment that are outside the wrinkle's ends.
    size, fade : float, in [0, 1]
        `size` multiplies all lengths; `fade` multiplies only the height.

    Returns
    -------
    width, height : (n,) float32, mesh units
        Full width and height of the cross-section at each vertex.
    perimeter : float, mesh units
        Length of the cloth along every cross-section, if `fade` is 1.

    Raises
    ------
    ValueError
        There are fewer than two points, `r_min` is not above 0, or another number is outside [0, 1].

    Examples
    --------
    >>> points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    >>> widths, heights, perimeter = ruckle.wrinkle_shape(points, kappa=0.3, r_min=0.1)
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
        The path, in the form that `trace` returns.
    kappa : float
        Share of its length that the cloth has lost across the wrinkle, as in `wrinkle_shape`.
    r_min : float, mesh units
        Minimum radius of a wrinkle.
    cuts : pair of float
        Shares of the first and of the last segment that are outside the wrinkle's ends.
    size, fade : float, in [0, 1]
        `size` multiplies all lengths; `fade` multiplies only the height.
    samples : int, in [1, 64]
        Samples per triangle.

    Returns
    -------
    points : ((n - 1) samples + 1, 3) float32, mesh units
    width, height : ((n - 1) samples + 1,) float32, mesh units
    faces : ((n - 1) samples,) int32
        Triangle of each piece of the curve.

    Raises
    ------
    ValueError
        `edges` and `t` do not describe a path of the mesh: two successive vertices do not have a common triangle, a
        triangle occurs twice, or t is outside [0, 1]. Or another number is outside its range.
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
    """Return height / half width of a cross-section that has a given length (thesis 6).

    Parameters
    ----------
    ratio : float, >= 1
        Length of the cross-section divided by its width: 1 / (1 - κ) if a share κ of the length is lost.

    Returns
    -------
    float
        η = height / half width, the solution of ratio = ½ [√(1 + 4η²) + asinh(2η) / (2η)]. The error is at most 1e-5
        for ratios up to 3.

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
        Height divided by the crest's height: 1 - 3u² for u up to 1/3, 3/2 (1 - u)² for u up to 1, otherwise 0.

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
