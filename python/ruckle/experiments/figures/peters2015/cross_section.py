"""Figures 6.1 and 6.2: the cross-section of a wrinkle, and its change along the wrinkle."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import INK, PATH, PLAIN, STRONG, Drawing, canvas, panels
from ruckle.paths.shape import cross_section, wrinkle_shape

__all__ = ["FULL_KAPPA", "KAPPAS", "SectionMeasures", "draw_contour", "draw_shape", "measure"]

# Relative loss of length at which the width is 2 R_min and the perimeter equals that of a half circle (thesis, chapter
# 6).
FULL_KAPPA = 1.0 - 2.0 / pi
KAPPAS = (0.05, 0.1, 0.2, FULL_KAPPA)

# Vertices along the wrinkle, and samples across it. Lengths measured by chords are then accurate to 0.1 %.
ALONG, ACROSS = 81, 801


@dataclass(frozen=True, eq=False)
class SectionMeasures:
    """Measurements of a straight wrinkle; all lengths are in units of R_min (least wrinkle radius).

    Attributes
    ----------
    kappa : float
        Relative loss of cloth length across the wrinkle.
    perimeter : float
        Length of the cloth across the wrinkle.
    width, height : (ALONG,) float64
        Width and height at each vertex along the wrinkle.
    lengths : (ALONG,) float64
        Length of the cross-section at each vertex, measured as a polyline; it should equal `perimeter`.
    slope : float
        Slope of the middle cross-section at its border with the flat cloth.
    """

    kappa: float
    perimeter: float
    width: NDArray[np.float64]
    height: NDArray[np.float64]
    lengths: NDArray[np.float64]
    slope: float

    @property
    def middle(self) -> int:
        """Index of the vertex in the middle of the wrinkle."""
        return len(self.width) // 2


def measure(kappa: float, *, length: float = 20.0) -> SectionMeasures:
    """Compute the shape of a straight wrinkle of the given length (in R_min), and measure its cross-sections."""
    line = np.zeros((ALONG, 3))
    line[:, 0] = np.linspace(0.0, length, ALONG)
    width, height, perimeter = (np.asarray(found, np.float64) for found in wrinkle_shape(line, kappa=kappa, r_min=1.0))
    u, section = _section()
    across, up = u[:, None] * width / 2.0, section[:, None] * height
    lengths = np.hypot(np.diff(across, axis=0), np.diff(up, axis=0)).sum(axis=0)
    middle = ALONG // 2
    slope = abs(up[1, middle] - up[0, middle]) / (across[1, middle] - across[0, middle])
    return SectionMeasures(kappa, float(perimeter), width, height, lengths, float(slope))


def draw_contour() -> Drawing:
    """Draw cross-sections for several compressions, and a sketch of the parameters (figure 6.1)."""
    u, section = _section()
    figure = canvas(9.6, 3.4)
    chart, sketch = panels(figure, 1, 2, width_ratios=(3, 2))[0]
    for kappa, shade in zip(KAPPAS, (0.75, 0.55, 0.35, 0.0), strict=True):
        found = measure(kappa)
        color = (0.8 * shade, 0.9 * shade, 0.45 + 0.45 * shade)
        half, top = found.width[found.middle] / 2, found.height[found.middle]
        chart.plot(u * half, section * top, color=color, label=f"κ = {kappa:.2f}")
    angle = np.linspace(0.0, pi, 100)
    chart.plot(np.cos(angle), np.sin(angle), "--", color=PLAIN, lw=0.8, label="half circle")
    chart.axhline(0.0, color=PLAIN, lw=0.6)
    chart.set(aspect="equal", ylim=(-0.2, 4.0))
    chart.set_xlabel("across the wrinkle, R_min", fontsize=8)
    chart.set_ylabel("height, R_min", fontsize=8)
    chart.legend(frameon=False, fontsize=7, ncols=2, loc="upper center")
    _sketch(sketch, measure(0.2), u, section)
    full = measure(FULL_KAPPA)
    return Drawing(
        figure,
        seen="The same length of cloth over bases of decreasing width. At the largest κ the width is "
        f"{full.width.min():.2f} R_min and the perimeter {full.perimeter:.3f} R_min, as of a half circle; the contour "
        "meets the cloth without slope.",
        parameters="radius R_min (1 - 2/π) / κ, width 2r, perimeter 2r / (1 - κ)",
    )


def draw_shape() -> Drawing:
    """Draw the shape of a wrinkle along its path (figure 6.2)."""
    found = measure(0.25)
    u, section = _section()
    along = np.linspace(0.0, 20.0, ALONG)
    figure = canvas(9.6, 3.4)
    space = figure.add_subplot(1, 2, 1, projection="3d", computed_zorder=False)
    across, up = u[::20, None] * found.width / 2, section[::20, None] * found.height
    space.plot_surface(
        np.broadcast_to(along, across.shape), across, up, color="#9db7d8", lw=0, shade=True, rstride=1, cstride=1
    )
    for k in range(0, ALONG, 8):
        space.plot(np.full(len(across), along[k]), across[:, k], up[:, k] + 0.02, color=PATH, lw=0.7)
    space.set_box_aspect((20, 6, 2.5), zoom=1.5)
    space.view_init(30, -62)
    space.set_axis_off()
    chart = figure.add_subplot(1, 2, 2)
    for values, name, color in ((found.width, "width", PATH), (found.height, "height", STRONG)):
        chart.plot(along, values, color=color, label=name)
    chart.axhline(found.perimeter, color=PLAIN, lw=0.8, ls="--", label="perimeter")
    chart.set(ylim=(0.0, None))
    chart.set_xlabel("along the wrinkle, R_min", fontsize=8)
    chart.tick_params(labelsize=7)
    chart.legend(frameon=False, fontsize=8)
    error = float(np.abs(found.lengths / found.perimeter - 1.0).max())
    return Drawing(
        figure,
        seen=f"The width is 2r in the middle and equals the perimeter at the ends, where the height is 0. The arc "
        f"length of every cross-section equals the perimeter within {error:.2%}.",
        parameters="κ = 0.25, length 20 R_min",
    )


def _section() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions across the wrinkle in half widths, and heights of a wrinkle of height 1 at these positions."""
    u = np.linspace(-1.0, 1.0, ACROSS)
    return u, np.asarray(cross_section(np.abs(u)), np.float64)


def _sketch(axes: Axes, found: SectionMeasures, u: NDArray[np.float64], section: NDArray[np.float64]) -> None:
    """Label the parameters on one cross-section."""
    half, top = found.width[found.middle] / 2, found.height[found.middle]
    axes.plot(u * half, section * top, color=PATH, lw=2)
    for side in (-1.0, 1.0):
        axes.plot([side * 1.45 * half, side * half], [0.0, 0.0], color=PATH, lw=2)
    arrow = {"arrowstyle": "<->", "color": STRONG}
    axes.annotate("", (-half, -0.14 * top), (half, -0.14 * top), arrowprops=arrow)
    axes.text(0.0, -0.36 * top, "width 2r", ha="center", fontsize=8, color=INK)
    axes.annotate("", (0.0, 0.0), (0.0, top), arrowprops=arrow)
    axes.text(-0.04 * half, 0.3 * top, "height", ha="right", fontsize=8, color=INK)
    axes.text(0.62 * half, 0.62 * top, "perimeter", fontsize=8, color=PATH)
    axes.set(xlim=(-1.5 * half, 1.5 * half), ylim=(-0.5 * top, 1.2 * top), aspect="equal")
    axes.set_title(f"κ = {found.kappa:g}", fontsize=9)
    axes.set_axis_off()
