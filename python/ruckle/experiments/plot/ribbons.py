"""Wrinkles as ribbons on the cloth: as wide as the wrinkle, tapered with its height, and hidden by nearer cloth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from ruckle.experiments.plot.space import LIGHT, Projection, hidden_points
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.paths.shape import wrinkle_curve

__all__ = ["paint_wrinkles", "ribbon"]

Float64 = NDArray[np.float64]

# Samples of the smooth curve per triangle. With this number, corners are not visible.
SAMPLES = 12
# The ribbon's width is the wrinkle's width times (height / crest) to this power. With a power below 1, tips are
# blunter.
TAPER = 0.75

# Base colour of a wrinkle. Its bright and its dark flank are both darker than any cloth colour.
INK = np.array(to_rgb("#1d3f72"))
LIT = np.array(to_rgb("#5f8fcf"))
RIM = "#fffdf8"
# Width in points of the bright border between a ribbon and dark cloth.
RIM_WIDTH = 0.9
# Slope of the sides of a fold for shading. A fold is about as high as half its width, so the slope is 1.
SLOPE = 1.0
# Smallest opacity, for a wrinkle that has just appeared or has almost disappeared.
LEAST = 0.25


@dataclass(frozen=True, eq=False)
class Ribbon:
    """A band along a wrinkle.

    The left border, the middle and the right border are polylines (n, 3) float64 in mesh units. Each of the n samples
    has a unit normal of the cloth, and the triangle under it.
    """

    left: Float64
    middle: Float64
    right: Float64
    normals: Float64
    faces: NDArray[np.int32]


def ribbon(wrinkle: Wrinkle, frame: Frame) -> Ribbon:
    """Return the ribbon of a wrinkle in a frame."""
    middle, width, height, pieces = wrinkle_curve(
        frame.topology,
        frame.positions,
        wrinkle.edges,
        wrinkle.t,
        kappa=wrinkle.kappa,
        r_min=frame.length_unit,
        cuts=(float(wrinkle.cuts[0]), float(wrinkle.cuts[1])),
        size=wrinkle.size,
        samples=SAMPLES,
    )
    line = middle.astype(np.float64)
    faces = np.append(pieces, pieces[-1:])
    normals = unit(face_crosses(frame.positions, frame.topology.faces[faces]))
    # normals are averaged over neighbouring samples, so that the band turns gradually at mesh edges
    normals[1:-1] = unit(normals[:-2] + 2 * normals[1:-1] + normals[2:])
    along = np.gradient(line, axis=0)
    across = unit(np.cross(normals, along))
    crest = height.max(initial=0.0)
    taper = (height / crest) ** TAPER if crest > 0 else np.zeros(len(height))
    half = (width / 2 * taper)[:, None]
    return Ribbon(line + half * across, line, line - half * across, normals, faces)


def paint_wrinkles(axes: Axes, frame: Frame, *, projection: Projection | None = None) -> PolyCollection:
    """Paint the wrinkles of a frame on its mesh, which `paint_mesh` has painted before.

    Parameters
    ----------
    axes : matplotlib Axes
    frame : Frame
        Frame with the wrinkles. Young and fading wrinkles are paler and thinner; cloth hides the parts behind it.
    projection : Projection, optional
        Projection of the mesh; default: `Projection()`, in which Y points up.

    Returns
    -------
    PolyCollection
        The collection added to `axes`.
    """
    projection = projection or Projection()
    view, faces = projection.project(frame.positions), frame.topology.faces
    shapes, fills, rims, widths = [], [], [], []
    for wrinkle in sorted(frame.wrinkles, key=lambda wrinkle: wrinkle.crest):
        band = ribbon(wrinkle, frame)
        opacity = LEAST + (1 - LEAST) * wrinkle.fade
        left, middle, right, normals = (
            projection.project(line) for line in (band.left, band.middle, band.right, band.normals)
        )
        raised = np.linalg.norm(band.left - band.right, axis=1) > 0
        raised[1:-1] |= raised[:-2] | raised[2:]  # including the tips, but not the path beyond them
        shown = raised & (normals[:, 2] > 0) & ~hidden_points(middle, view, faces)
        for run in _runs(shown):
            outline = np.concatenate([left[run], right[run][::-1]])[:, :2]
            shapes.append(outline)
            fills.append((*INK, 0.0))
            rims.append((*to_rgb(RIM), 0.8 * opacity))
            widths.append(RIM_WIDTH)
            for side, sign in ((left, 1.0), (right, -1.0)):
                shapes.append(np.concatenate([side[run], middle[run][::-1]])[:, :2])
                flank = unit(normals[run] + sign * SLOPE * unit(left[run] - right[run]))
                share = float(np.clip(flank @ LIGHT, 0.0, 1.0).mean())
                color = (*(INK + share * (LIT - INK)), opacity)
                fills.append(color)
                rims.append(color)
                widths.append(0.15)
    collection = PolyCollection(
        shapes, facecolors=fills, edgecolors=rims, linewidths=widths, joinstyle="round", capstyle="round"
    )
    axes.add_collection(collection, autolim=False)
    return collection


def _runs(shown: NDArray[np.bool_]) -> Iterator[slice]:
    """Yield slices of consecutive visible samples. A single visible sample is skipped."""
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], shown, [False]]).astype(np.int8)))
    for start, stop in zip(bounds[::2], bounds[1::2], strict=True):
        if stop - start > 1:
            yield slice(int(start), int(stop))
