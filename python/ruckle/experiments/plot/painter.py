"""Painter's algorithm: triangles are drawn from far to near, each with its tick (a mark along an axis) on top."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import ArrayLike

from ruckle.experiments.plot.space import Projection, shade, ticks_in_space

__all__ = ["paint_mesh"]

# An edge has the colour of its triangle, darkened by this fraction in meshes of up to DENSE triangles, and by less in
# larger meshes. Edges also close the thin gaps that antialiasing leaves between triangles, so their width in points is
# constant.
EDGE_DARKNESS = 0.17
DENSE = 1000
EDGE_WIDTH = 0.3

# A tick is white on triangles with a luminance below this value, and dark on brighter triangles.
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
    """Paint a shaded coarse mesh with one colour per triangle.

    Parameters
    ----------
    axes : matplotlib Axes
        Axes in the unit of `positions`; the caller sets limits and aspect.
    positions : (V, 3) float, mesh units
    faces : (T, 3) int
    colors : (T, 3) float, RGB from 0 to 1
    axis : (T, 2) float, optional
        Draw a tick along each axis that is not (0, 0); see `axes_in_space`. Triangles that show their inner side do not
        have a tick, and nearer triangles hide ticks.
    projection : Projection, optional
        Default: `Projection()`, in which Y points up.

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
    # the last corner is repeated, so that triangles and ticks can be rows of the same array
    shapes, layers = corners[:, [0, 1, 2, 2], :2], np.zeros(len(triangles))
    edges = fills * (1 - EDGE_DARKNESS * min(1.0, DENSE / len(triangles)))
    if axis is not None:
        shown = np.flatnonzero(np.asarray(axis).any(axis=1) & ~inside)
        ticks = projection.project(ticks_in_space(positions, triangles, axis)[shown])
        inks = np.where((fills[shown] @ LUMINANCE < TICK_SWITCH)[:, None], TICK_LIGHT, TICK_DARK)
        # A tick has the same depth as its triangle, but is one layer above it, so that nearer triangles hide both.
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
