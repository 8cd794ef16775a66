"""The painter's algorithm: triangles from far to near, each with its tick on top of it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import ArrayLike

from ruckle.experiments.plot.space import Projection, shade, ticks_in_space

__all__ = ["paint_mesh"]

# An edge has its triangle's colour, darker by this share in a mesh of up to DENSE triangles, and by less in a larger
# one: the coarse mesh is visible, but edges do not hide the data. Their width in points is constant, because they also
# close the hairlines that antialiasing leaves between neighbours.
EDGE_DARKNESS = 0.17
DENSE = 1000
EDGE_WIDTH = 0.3

# A tick is white on colours darker than this luminance, else dark.
TICK_SWITCH = 0.52
TICK_LIGHT, TICK_DARK = (1.0, 1.0, 1.0), (0.22, 0.10, 0.26)
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def paint_mesh(
    axes: Axes,
    positions: ArrayLike,
    faces: ArrayLike,
    colors: ArrayLike,
    *,
    axis: ArrayLike | None = None,
    projection: Projection | None = None,
) -> PolyCollection:
    """Paint a coarse mesh, shaded, in one colour per triangle.

    Parameters
    ----------
    axes : matplotlib Axes
        In the unit of `positions`; limits and aspect are the caller's.
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
    colors : (T, 3) float, RGB from 0 to 1
    axis : (T, 2) float, optional
        Draws a tick along each axis that is not (0, 0); see `axes_in_space`. A hidden triangle hides its tick.
    projection : Projection, optional

    Returns
    -------
    PolyCollection
        The collection added to `axes`.
    """
    projection = projection or Projection()
    triangles = np.asarray(faces)
    view = projection.project(positions)
    brightness, inside = shade(view, triangles)
    fills = np.asarray(colors, np.float64) * brightness[:, None]
    corners = view[triangles]
    depths = corners[:, :, 2].mean(axis=1)
    # repeat the last corner, so that triangles and ticks share one array
    shapes, layers = corners[:, [0, 1, 2, 2], :2], np.zeros(len(triangles))
    edges = fills * (1 - EDGE_DARKNESS * min(1.0, DENSE / len(triangles)))
    if axis is not None:
        shown = np.flatnonzero(np.asarray(axis).any(axis=1) & ~inside)
        ticks = projection.project(ticks_in_space(positions, triangles, axis)[shown])
        inks = np.where((fills[shown] @ LUMINANCE < TICK_SWITCH)[:, None], TICK_LIGHT, TICK_DARK)
        # a tick has its triangle's depth, one layer above it: the same triangles hide both
        shapes, depths = np.concatenate([shapes, ticks[:, :, :2]]), np.concatenate([depths, depths[shown]])
        fills, edges = np.concatenate([fills, inks]), np.concatenate([edges, inks])
        layers = np.concatenate([layers, np.ones(len(shown))])
    order = np.lexsort((layers, depths))
    collection = PolyCollection(
        shapes[order],
        facecolors=fills[order],
        edgecolors=edges[order],
        linewidths=np.where(layers[order] == 0, EDGE_WIDTH, 0.0),
        joinstyle="round",
    )
    axes.add_collection(collection, autolim=False)
    return collection
