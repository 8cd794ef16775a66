"""Figure 7.1: the closest point of a bent path jumps at its medial axis, the modified projection does not.

Both are computed here in double precision, from the curve that `ruckle.Surface` makes of the path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ruckle.figures.drawing import PATH, STRONG, Drawing, canvas
from ruckle.figures.peters2015.raised_sheet import KAPPA, R_MIN, frame_of, heights_at, lay_wrinkle, raise_sheet
from ruckle.figures.sheet import flat_sheet
from ruckle.paths.shape import cross_section

__all__ = ["Bend", "Projection", "closest_point", "draw", "measure", "modified_projection"]

Float64 = NDArray[np.float64]

# A path that bends far from its middle, mesh units: heights on its two arms differ, so that a jump between them shows.
CORNER, ARM, TAIL, ANGLE = np.array([3.1, 2.95]), 3.2, 1.2, 80.0
# A line across the inside of the bend: its distance from the corner and half its length, mesh units; and its samples.
INSIDE, HALF, STEPS = 0.35, 0.4, 10_000

# Of the picture: half its side, mesh units; points a side; length of path per stripe, mesh units.
REACH, PIXELS, STRIPE = 0.95, 420, 0.16


@dataclass(frozen=True, eq=False)
class Projection:
    """Points projected onto a wrinkle's curve.

    Attributes
    ----------
    position : (n,) float64, mesh units
        Along the curve; NaN beyond the wrinkle's width.
    height : (n,) float64, mesh units
    """

    position: Float64
    height: Float64

    @property
    def jumps(self) -> tuple[float, float]:
        """Largest change between neighbours of position and of height, in R_min."""
        position, height = (float(np.nanmax(np.abs(np.diff(of)))) for of in (self.position, self.height))
        return position / R_MIN, height / R_MIN


@dataclass(frozen=True, eq=False)
class Bend:
    """A bent wrinkle, and a line across the inside of its bend.

    Attributes
    ----------
    curve : (m, 3, 4) float32
        `ruckle._core.PathHeights.curve_vertices`.
    line : (n, 2) float64, mesh units
    closest, modified : Projection
        Of the line's points.
    core : (n,) float64, mesh units
        Heights of the line's points as the core has them.
    """

    curve: NDArray[np.float32]
    line: Float64
    closest: Projection
    modified: Projection
    core: Float64


def closest_point(curve: NDArray[np.float32], points: Float64) -> Projection:
    """Project points (n, 2) onto the nearest point of a curve."""
    vertices, radii, crests, starts = _curve_in_plane(curve)
    best, position, height = np.full(len(points), np.inf), np.full(len(points), np.nan), np.zeros(len(points))
    for k, step in enumerate(np.diff(vertices, axis=0)):
        x = np.clip((points - vertices[k]) @ step / (step @ step), 0.0, 1.0)
        distance = np.linalg.norm(points - vertices[k] - x[:, None] * step, axis=1)
        nearer = distance < best
        best[nearer] = distance[nearer]
        u = distance / (radii[k] + x * (radii[k + 1] - radii[k]))
        height[nearer] = _raised(crests, k, x, u)[nearer]
        position[nearer] = np.where(u < 1.0, starts[k] + x * np.linalg.norm(step), np.nan)[nearer]
    return Projection(position, height)


def modified_projection(curve: NDArray[np.float32], points: Float64) -> Projection:
    """Project points (n, 2) along each segment, between the planes that part it from its neighbours (thesis 7)."""
    vertices, radii, crests, starts = _curve_in_plane(curve)
    normals = curve[:, 1, :2].astype(np.float64)
    position, height = np.full(len(points), np.nan), np.zeros(len(points))
    for k, step in enumerate(np.diff(vertices, axis=0)):
        length = float(np.linalg.norm(step))
        along = step / length
        before = (points - vertices[k]) @ normals[k] / (along @ normals[k])
        after = (vertices[k + 1] - points) @ normals[k + 1] / (along @ normals[k + 1])
        inside = (before >= 0.0) & (after >= 0.0) & (before + after > 0.0)
        x = np.divide(before, before + after, out=np.zeros_like(before), where=inside)
        distance = np.linalg.norm(points - vertices[k] - x[:, None] * step, axis=1)
        u = distance / (radii[k] + x * (radii[k + 1] - radii[k]))
        raised = _raised(crests, k, x, u)
        # where several segments of one wrinkle reach a point, the highest counts
        higher = inside & (u < 1.0) & ((raised > height) | np.isnan(position))
        height[higher], position[higher] = raised[higher], (starts[k] + x * length)[higher]
    return Projection(position, height)


def measure(angle: float = ANGLE) -> Bend:
    """Lay a wrinkle that turns by an angle, in degrees, and project the points of a line inside its bend."""
    sheet, turn = flat_sheet(), np.radians(180.0 - angle)
    arm = np.array([np.cos(turn), np.sin(turn)])
    wrinkle = lay_wrinkle(sheet, [CORNER + np.array([ARM, 0.03]), CORNER, CORNER + TAIL * arm])
    surface = raise_sheet(sheet, [wrinkle])
    inward = np.array([np.cos(turn / 2.0), np.sin(turn / 2.0)])
    across = np.array([-inward[1], inward[0]])
    line = CORNER + INSIDE * inward + np.linspace(-HALF, HALF, STEPS + 1)[:, None] * across
    curve = frame_of(sheet, [wrinkle]).path_heights.curve_vertices
    return Bend(
        curve, line, closest_point(curve, line), modified_projection(curve, line), heights_at(sheet, surface, line)
    )


def draw() -> Drawing:
    """Draw where points are projected to, both ways, and the heights that follow along a line."""
    found = measure()
    figure = canvas(10.5, 3.6)
    left, right, chart = figure.subplots(1, 3, width_ratios=(3, 3, 4))
    for axes, project, title in (
        (left, closest_point, "closest point"),
        (right, modified_projection, "modified projection"),
    ):
        middle = found.line[len(found.line) // 2]
        x, y = (np.linspace(middle[k] - REACH, middle[k] + REACH, PIXELS) for k in range(2))
        points = np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)
        _show_positions(axes, x, y, project(found.curve, points).position)
        axes.plot(*found.curve[:, 0, :2].T, color="white", lw=1.6)
        axes.plot(*found.line[[0, -1]].T, color=STRONG, lw=1.0, ls="--")
        axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), aspect="equal")
        axes.set_title(title, fontsize=9)
    share = np.linspace(0.0, 1.0, len(found.line))
    chart.plot(share, found.closest.height / R_MIN, color=STRONG, lw=1.2, label="closest point")
    chart.plot(share, found.modified.height / R_MIN, color=PATH, lw=1.4, label="modified projection")
    chart.set_xlabel("along the dashed line", fontsize=8)
    chart.set_ylabel("height, R_min", fontsize=8)
    chart.tick_params(labelsize=7)
    chart.legend(frameon=False, fontsize=8)
    (far, step), (near, smooth) = found.closest.jumps, found.modified.jumps
    return Drawing(
        figure,
        seen=f"Each stripe is what is projected to one piece of the path (white). Inside the bend the closest point "
        f"jumps by up to {far:.2f} R_min along the path, the modified projection by {near:.3f} between samples "
        f"1/{STEPS:,} of the dashed line apart; the heights change by {step:.3f} and {smooth:.4f} R_min.",
        parameters=f"flat sheet; path turning by {ANGLE:.0f}°; R_min = {R_MIN:g} edges, κ = {KAPPA:g}",
    )


def _curve_in_plane(curve: NDArray[np.float32]) -> tuple[Float64, Float64, Float64, Float64]:
    """Return vertices (m, 2), half widths, heights and lengths from the start (m,) of a curve in the plane z = 0."""
    vertices = curve[:, 0, :2].astype(np.float64)
    starts = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(vertices, axis=0), axis=1)))
    return vertices, curve[:, 0, 3].astype(np.float64), curve[:, 1, 3].astype(np.float64), starts


def _raised(crests: Float64, k: int, x: Float64, u: Float64) -> Float64:
    """Return the heights of points at shares x of segment k, u half widths away."""
    raised: Float64 = (crests[k] + x * (crests[k + 1] - crests[k])) * cross_section(np.minimum(u, 1.0))
    return raised


def _show_positions(axes: Axes, x: Float64, y: Float64, position: Float64) -> None:
    """Paint positions along the curve as stripes of two shades, and nothing where there are none."""
    length = float(np.nanmax(position))
    colors = colormaps["viridis"](np.nan_to_num(position) / length)
    colors[:, :3] *= np.where(np.nan_to_num(position) // STRIPE % 2 == 0, 1.0, 0.8)[:, None]
    colors[np.isnan(position)] = (0.97, 0.96, 0.93, 1.0)
    axes.imshow(colors.reshape(len(y), len(x), 4), origin="lower", extent=(x[0], x[-1], y[0], y[-1]))
    axes.set_axis_off()
