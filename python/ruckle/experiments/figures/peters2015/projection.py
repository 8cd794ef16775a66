"""Figure 7.1: projection onto a bent path. The closest point jumps at the medial axis; weighted means do not.

Both projections are computed here in double precision: the closest point from the path, the means from the drawn curve.
The thesis projects between joint planes instead of computing means.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import PATH, STRONG, Drawing, canvas
from ruckle.experiments.figures.peters2015.raised_sheet import (
    KAPPA,
    R_MIN,
    frame_of,
    heights_at,
    lay_wrinkle,
    raise_sheet,
)
from ruckle.experiments.figures.sheet import flat_sheet
from ruckle.paths.frame import Wrinkle
from ruckle.paths.shape import cross_section

__all__ = ["Bend", "Projection", "closest_point", "draw", "measure", "weighted_means"]

Float64 = NDArray[np.float64]

# The bent path: its corner, length of the longer and of the shorter arm (mesh units), and turning angle (degrees). At
# the same distance from the corner, the two arms have different heights, so a jump from one to the other is visible.
CORNER, ARM, TAIL, ANGLE = np.array([3.1, 2.95]), 3.2, 1.2, 80.0
# A line across the inside of the bend: distance from the corner and half length in mesh units, and number of samples.
INSIDE, HALF, STEPS = 0.35, 0.4, 10_000

# The picture: half of its side length (mesh units), pixels per side, and path length per stripe (mesh units).
REACH, PIXELS, STRIPE = 0.95, 420, 0.16


@dataclass(frozen=True, eq=False)
class Projection:
    """Projection of points onto a wrinkle's curve.

    Attributes
    ----------
    position : (n,) float64, mesh units
        Arc length along the curve; NaN outside the wrinkle's width.
    height : (n,) float64, mesh units
    """

    position: Float64
    height: Float64

    @property
    def jumps(self) -> tuple[float, float]:
        """Largest change of position and of height between neighbouring points, in R_min."""
        position, height = (float(np.nanmax(np.abs(np.diff(of)))) for of in (self.position, self.height))
        return position / R_MIN, height / R_MIN


@dataclass(frozen=True, eq=False)
class Bend:
    """A bent wrinkle, and a line across the inside of its bend.

    Attributes
    ----------
    wrinkle : Wrinkle
    curve : (m, 4, 4) float32
        Samples of the drawn curve, as in `ruckle._core.PathHeights.curve_points`.
    line : (n, 2) float64, mesh units
        Points of the line.
    closest, means : Projection
        Projections of the line's points.
    core : (n,) float64, mesh units
        Heights of the surface at the line's points, computed by the C++ core.
    """

    wrinkle: Wrinkle
    curve: NDArray[np.float32]
    line: Float64
    closest: Projection
    means: Projection
    core: Float64


def closest_point(wrinkle: Wrinkle, points: Float64) -> Projection:
    """Project points (n, 2) onto the closest point of a wrinkle's path."""
    vertices, radii = wrinkle.points[:, :2].astype(np.float64), 0.5 * wrinkle.width.astype(np.float64)
    crests, starts = wrinkle.height.astype(np.float64), _lengths(vertices)
    best, position, height = np.full(len(points), np.inf), np.full(len(points), np.nan), np.zeros(len(points))
    for k, step in enumerate(np.diff(vertices, axis=0)):
        x = np.clip((points - vertices[k]) @ step / (step @ step), 0.0, 1.0)
        distance = np.linalg.norm(points - vertices[k] - x[:, None] * step, axis=1)
        nearer = distance < best
        best[nearer] = distance[nearer]
        u = distance / (radii[k] + x * (radii[k + 1] - radii[k]))
        height[nearer] = ((crests[k] + x * (crests[k + 1] - crests[k])) * cross_section(np.minimum(u, 1.0)))[nearer]
        position[nearer] = np.where(u < 1.0, starts[k] + x * np.linalg.norm(step), np.nan)[nearer]
    return Projection(position, height)


def weighted_means(curve: NDArray[np.float32], points: Float64) -> Projection:
    """Project points (n, 2) onto the line through the weighted mean of nearby curve samples (see `path_heights.h`)."""
    vertices, (radii, crests) = curve[:, 0, :2].astype(np.float64), curve[:, 2, :2].T.astype(np.float64)
    starts = _lengths(vertices)
    away = points[:, None] - vertices
    near = 1.0 - (away**2).sum(axis=2) * curve[:, 0, 3].astype(np.float64)
    weights = np.maximum(near, 0.0) ** 3 * curve[:, 1, 3]
    some = weights.sum(axis=1) > 0.0
    weights /= np.where(some, weights.sum(axis=1), 1.0)[:, None]
    off, direction = np.einsum("nk,nkc->nc", weights, away), weights @ curve[:, 1, :2]
    radius, slope = np.where(some, weights @ radii, 1.0), weights @ curve[:, 2, 2]
    along = np.clip((off * direction).sum(axis=1), -0.3 * radius, 0.3 * radius)
    mean = weights @ crests
    crest = np.clip(mean + along * slope, 0.8 * mean, 1.25 * mean)
    u = np.linalg.norm(off - along[:, None] * direction, axis=1) / radius
    inside = some & (u < 1.0)
    height = np.where(inside, crest * cross_section(np.minimum(u, 1.0)), 0.0)
    return Projection(np.where(inside, weights @ starts + along, np.nan), height)


def measure(angle: float = ANGLE) -> Bend:
    """Create a wrinkle that bends by an angle (degrees), and project the points of a line inside the bend."""
    sheet, turn = flat_sheet(), np.radians(180.0 - angle)
    arm = np.array([np.cos(turn), np.sin(turn)])
    wrinkle = lay_wrinkle(sheet, [CORNER + np.array([ARM, 0.03]), CORNER, CORNER + TAIL * arm])
    surface = raise_sheet(sheet, [wrinkle])
    inward = np.array([np.cos(turn / 2.0), np.sin(turn / 2.0)])
    across = np.array([-inward[1], inward[0]])
    line = CORNER + INSIDE * inward + np.linspace(-HALF, HALF, STEPS + 1)[:, None] * across
    curve = frame_of(sheet, [wrinkle]).path_heights.curve_points
    return Bend(
        wrinkle,
        curve,
        line,
        closest_point(wrinkle, line),
        weighted_means(curve, line),
        heights_at(sheet, surface, line),
    )


def draw() -> Drawing:
    """Draw both projections of points, and the resulting heights along a line."""
    found = measure()
    figure = canvas(10.5, 3.6)
    left, right, chart = figure.subplots(1, 3, width_ratios=(3, 3, 4))
    for axes, project, line, title in (
        (left, partial(closest_point, found.wrinkle), found.wrinkle.points, "closest point"),
        (right, partial(weighted_means, found.curve), found.curve[:, 0], "weighted means"),
    ):
        middle = found.line[len(found.line) // 2]
        x, y = (np.linspace(middle[k] - REACH, middle[k] + REACH, PIXELS) for k in range(2))
        points = np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)
        _show_positions(axes, x, y, project(points).position)
        axes.plot(*line[:, :2].T, color="white", lw=1.6)
        axes.plot(*found.line[[0, -1]].T, color=STRONG, lw=1.0, ls="--")
        axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), aspect="equal")
        axes.set_title(title, fontsize=9)
    share = np.linspace(0.0, 1.0, len(found.line))
    chart.plot(share, found.closest.height / R_MIN, color=STRONG, lw=1.2, label="closest point")
    chart.plot(share, found.means.height / R_MIN, color=PATH, lw=1.4, label="weighted means")
    chart.set_xlabel("along the dashed line", fontsize=8)
    chart.set_ylabel("height, R_min", fontsize=8)
    chart.tick_params(labelsize=7)
    chart.legend(frameon=False, fontsize=8)
    (far, step), (near, smooth) = found.closest.jumps, found.means.jumps
    return Drawing(
        figure,
        seen=f"All points of a stripe project to the same piece of the path (white). Along the dashed line, sampled at "
        f"{STEPS:,} steps, the closest point jumps by up to {far:.2f} R_min along the path, and the weighted means by "
        f"{near:.3f}; heights jump by {step:.3f} and {smooth:.4f} R_min.",
        parameters=f"flat sheet; path turning by {ANGLE:.0f}°; R_min = {R_MIN:g} edges, κ = {KAPPA:g}",
    )


def _lengths(vertices: Float64) -> Float64:
    """Return the arc length of a polyline from its start to each vertex."""
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(vertices, axis=0), axis=1)))


def _show_positions(axes: Axes, x: Float64, y: Float64, position: Float64) -> None:
    """Paint positions along the curve as stripes of two shades; points without a position remain empty."""
    length = float(np.nanmax(position))
    colors = colormaps["viridis"](np.nan_to_num(position) / length)
    colors[:, :3] *= np.where(np.nan_to_num(position) // STRIPE % 2 == 0, 1.0, 0.8)[:, None]
    colors[np.isnan(position)] = (0.97, 0.96, 0.93, 1.0)
    axes.imshow(colors.reshape(len(y), len(x), 4), origin="lower", extent=(x[0], x[-1], y[0], y[-1]))
    axes.set_axis_off()
