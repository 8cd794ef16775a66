"""Figure 7.2: two wrinkles that cross, with and without blending."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import MUTED, PATH, STRONG, Drawing, canvas
from ruckle.experiments.figures.peters2015.raised_sheet import (
    KAPPA,
    R_MIN,
    heights_at,
    lay_wrinkle,
    raise_sheet,
    show_heights,
)
from ruckle.experiments.figures.sheet import flat_sheet

__all__ = ["Meeting", "draw", "measure"]

Float64 = NDArray[np.float64]

# Two paths that cross in the middle of the sheet, and the displayed window around the crossing, mesh units.
PATHS = (((1.4, 2.15), (6.6, 4.2)), ((2.0, 5.3), (6.3, 2.5)))
WINDOW = ((2.2, 6.0), (2.2, 5.0))


@dataclass(frozen=True, eq=False)
class Meeting:
    """Heights over a window: of each wrinkle alone, of both blended, and of the later one laid over the earlier one.

    Attributes
    ----------
    x : (columns,) float64, mesh units
    y : (rows,) float64, mesh units
    alone : (2, rows, columns) float64, mesh units
    blended, overlaid : (rows, columns) float64, mesh units
        Blended by the core; the later wrinkle's height where it is positive, otherwise the earlier wrinkle's height.
    """

    x: Float64
    y: Float64
    alone: Float64
    blended: Float64
    overlaid: Float64

    def cliff(self, heights: Float64) -> float:
        """Return the largest height difference between neighbouring samples, in R_min (least wrinkle radius)."""
        steps = [float(np.abs(np.diff(heights, axis=axis)).max()) for axis in (0, 1)]
        return max(steps) / R_MIN


def measure(columns: int = 380) -> Meeting:
    """Place two crossing wrinkles and evaluate their heights on a grid."""
    sheet = flat_sheet()
    wrinkles = [lay_wrinkle(sheet, line, number=k) for k, line in enumerate(PATHS)]
    (left, right), (low, high) = WINDOW
    x = np.linspace(left, right, columns)
    y = np.linspace(low, high, round(columns * (high - low) / (right - left)))
    points = np.stack(np.meshgrid(x, y), axis=2)
    alone = np.array([heights_at(sheet, raise_sheet(sheet, [wrinkle]), points) for wrinkle in wrinkles])
    blended = heights_at(sheet, raise_sheet(sheet, wrinkles), points)
    return Meeting(x, y, alone, blended, np.where(alone[1] > 0.0, alone[1], alone[0]))


def draw() -> Drawing:
    """Draw both surfaces, and their heights along a line through the crossing."""
    found = measure()
    figure = canvas(11.0, 3.2)
    left, right, chart = figure.subplots(1, 3, width_ratios=(4, 4, 4))
    row = len(found.y) // 2
    for axes, title, heights in (
        (left, "without blending", found.overlaid),
        (right, "with blending", found.blended),
    ):
        show_heights(axes, found.x, found.y, heights)
        axes.axhline(found.y[row], color=MUTED, lw=0.8, ls="--")
        axes.set_title(title, fontsize=9)
    chart.plot(found.x, found.overlaid[row] / R_MIN, color=STRONG, lw=1.2, label="without")
    chart.plot(found.x, found.blended[row] / R_MIN, color=PATH, lw=1.4, label="with blending")
    for heights in found.alone:
        chart.plot(found.x, heights[row] / R_MIN, color=MUTED, lw=0.7, ls=":")
    chart.set_xlabel("along the dashed line", fontsize=8)
    chart.set_ylabel("height, R_min", fontsize=8)
    chart.tick_params(labelsize=7)
    chart.legend(frameon=False, fontsize=8)
    return Drawing(
        figure,
        seen=f"Left: the later wrinkle replaces the earlier one where they overlap, with cliffs of "
        f"{found.cliff(found.overlaid):.2f} R_min. Right: the two heights are blended, without a step or a crease; "
        f"where only one wrinkle reaches, its height is unchanged. Dotted: each wrinkle alone.",
        parameters=f"flat sheet; R_min = {R_MIN:g} edges, κ = {KAPPA:g}",
    )
