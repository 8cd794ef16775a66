"""Give wrinkles their widths, heights and cross-sections (thesis 6)."""

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
        Length of every cross-section with a `fade` of 1.

    Raises
    ------
    ValueError
        Fewer than two points; `r_min` not above 0; another factor or share outside [0, 1].

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
        Return η = height / half width from ratio = ½ [√(1 + 4η²) + asinh(2η) / (2η)]; to 1e-5 up to ratio 3.

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
        `u` is not an array of numbers, or holds NaN.

    Examples
    --------
    >>> ruckle.cross_section([0.0, 0.5, 1.0]).tolist()
    [1.0, 0.375, 0.0]
    """
    distances = float32("u", u)
    if np.isnan(distances).any():
        raise ValueError("u: expected numbers, got nan")
    return np.asarray(_core.cross_section(distances), np.float32)
