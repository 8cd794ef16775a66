"""Wrinkles along given polylines on a flat sheet, and pictures of their heights, for figures 7.1 and 7.2."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LightSource, LinearSegmentedColormap
from matplotlib.tri import Triangulation
from numpy.typing import ArrayLike, NDArray

from ruckle.experiments.figures.sheet import Sheet
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.paths.shape import wrinkle_shape
from ruckle.surface.surface import Surface

__all__ = ["KAPPA", "R_MIN", "frame_of", "heights_at", "lay_wrinkle", "raise_sheet", "show_heights"]

Float64 = NDArray[np.float64]

# Least wrinkle radius in mesh units, and relative loss of cloth length across a wrinkle. With these values, wrinkles
# are 0.87 mesh units wide, a little less than an edge of the sheet.
R_MIN, KAPPA = 0.3, 0.25

CLOTH = LinearSegmentedColormap.from_list("cloth", ["#c9c2b2", "#f3eee2"])
LIGHT = LightSource(azdeg=315, altdeg=40)


def lay_wrinkle(sheet: Sheet, line: ArrayLike, *, number: int = 0) -> Wrinkle:
    """Return the wrinkle whose path vertices are the intersections of mesh edges with a polyline (n, 2), mesh units.

    Parameters
    ----------
    sheet : Sheet
    line : (n, 2) float, mesh units
        Polyline from inside one triangle to inside another triangle, without touching mesh vertices.
    number : int
        Identity of the wrinkle.
    """
    topology = sheet.topology
    ends = sheet.positions.astype(np.float64)[topology.edges][:, :, :2]
    sides = ends[:, 1] - ends[:, 0]
    crossings = []
    for piece, (a, b) in enumerate(pairwise(np.asarray(line, np.float64))):
        along, away = b - a, ends[:, 0] - a
        area = along[0] * sides[:, 1] - along[1] * sides[:, 0]
        slanted = np.flatnonzero(np.abs(area) > 1e-12)
        x = (away[slanted, 0] * sides[slanted, 1] - away[slanted, 1] * sides[slanted, 0]) / area[slanted]
        y = (away[slanted, 0] * along[1] - away[slanted, 1] * along[0]) / area[slanted]
        met = (x >= 0.0) & (x < 1.0) & (y > 0.0) & (y < 1.0)
        crossings += list(zip(piece + x[met], slanted[met], 1.0 - y[met], strict=True))
    crossings.sort()
    edges = np.array([edge for _, edge, _ in crossings], np.int32)
    t = np.array([share for _, _, share in crossings], np.float32)
    beside = [set(topology.edge_faces[edge].tolist()) - {-1} for edge in edges]
    faces = np.array([min(a & b) for a, b in pairwise(beside)], np.int32)
    first, second = (sheet.positions[topology.edges[edges, k]] for k in (0, 1))
    points = first * t[:, None] + second * (1.0 - t[:, None])
    width, height, perimeter = wrinkle_shape(points, kappa=KAPPA, r_min=R_MIN)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return Wrinkle(
        id=number, age=1.0, fading=False, edges=edges, t=t, faces=faces, points=points, width=width, height=height,
        perimeter=perimeter, cuts=np.zeros(2, np.float32), extent=np.array([0.0, length], np.float32), kappa=KAPPA,
        size=1.0, fade=1.0, crest=float(height.max()), full_width=2.0 * R_MIN * (1.0 - 2.0 / np.pi) / KAPPA,
    )  # fmt: skip


def frame_of(sheet: Sheet, wrinkles: Sequence[Wrinkle]) -> Frame:
    """Return the frame of a sheet with the given wrinkles."""
    return Frame.of(sheet.positions, sheet.topology, wrinkles, r_min=R_MIN)


def raise_sheet(sheet: Sheet, wrinkles: Sequence[Wrinkle]) -> Surface:
    """Return the surface of a sheet with the given wrinkles."""
    surface = Surface(sheet.topology, base="flat")
    surface.update(frame_of(sheet, wrinkles))
    return surface


def heights_at(sheet: Sheet, surface: Surface, points: ArrayLike) -> Float64:
    """Return the height of a surface at points (..., 2) of the sheet, mesh units."""
    given = np.asarray(points, np.float64)
    flat = given.reshape(-1, 2)
    corners = sheet.positions.astype(np.float64)[:, :2]
    triangles = Triangulation(corners[:, 0], corners[:, 1], sheet.topology.faces)
    faces = np.asarray(triangles.get_trifinder()(flat[:, 0], flat[:, 1]))
    a, b, c = (corners[sheet.topology.faces[faces, k]] for k in range(3))
    area = _cross(b - a, c - a)
    second, third = _cross(flat - a, c - a) / area, _cross(b - a, flat - a) / area
    weights = np.stack([1.0 - second - third, second, third], axis=1)
    return surface.evaluate(faces, weights).heights.astype(np.float64).reshape(given.shape[:-1])


def show_heights(axes: Axes, x: Float64, y: Float64, heights: Float64) -> None:
    """Paint heights (rows, columns) at positions x (columns,) and y (rows,), lit from the upper left."""
    step = float(x[1] - x[0])
    shaded = LIGHT.shade(heights[::-1], CLOTH, vert_exag=1.0, dx=step, dy=step, blend_mode="soft", vmin=0.0)[::-1]
    axes.imshow(shaded, origin="lower", extent=(x[0], x[-1], y[0], y[-1]), interpolation="bilinear")
    axes.set_axis_off()


def _cross(first: Float64, second: Float64) -> Float64:
    crossed: Float64 = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return crossed
