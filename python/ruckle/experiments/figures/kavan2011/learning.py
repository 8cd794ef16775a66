"""Figures 3, 4 and 9: operators learned without penalty, with one penalty for all harmonics, with rising penalties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import INK, MUTED, PATH, STRONG, Drawing, canvas, panels
from ruckle.experiments.figures.kavan2011.upsampled import draw_dance
from ruckle.experiments.figures.kavan2011.wardrobe import wardrobe
from ruckle.offline.upsampling.learn import HarmonicPenalties

__all__ = ["draw_columns", "draw_profiles", "draw_tikhonov"]

# A penalty for all harmonics that is so small that it has almost no effect.
FREE = 1e-7

# Penalties of figure 4, each used for all harmonics, and exponents of figure 9.
ALPHAS = (0.03, 1.0)
EXPONENTS = (1.0, 2.0, 4.0, 8.0)


def draw_columns() -> Drawing:
    """Draw one column of three operators on the garment: the effect of moving one coarse vertex (figure 3)."""
    worn = wardrobe("skirt")
    operators = {
        "Loop subdivision": worn.loop,
        "least squares": worn.operator(HarmonicPenalties(FREE, FREE), prior="none"),
        "harmonic penalties": worn.operator(HarmonicPenalties(), prior="none"),
    }
    # a vertex at half height, away from the seam of the angles at ±180°
    vertex = worn.garment.coarse_count // 2 - 5
    figure = canvas(7.5, 2.9)
    grid = panels(figure, 1, 3)[0]
    rest = worn.garment.fine_rest
    angle = np.degrees(np.arctan2(rest[:, 2], rest[:, 0]))
    far = []
    at = worn.garment.coarse_rest[vertex]
    away = np.linalg.norm(rest - at, axis=1) > 0.3
    for axes, (title, operator) in zip(grid, operators.items(), strict=True):
        column = operator[:, vertex]
        top = np.abs(column).max()
        axes.scatter(angle, rest[:, 1], c=column, s=5, cmap="RdBu_r", vmin=-top, vmax=top, linewidths=0)
        axes.set_title(f"{title}: up to {top:.2g}", fontsize=9)
        axes.set(xlabel="angle, degrees", xticks=(-180, 0, 180))
        far.append(float(np.sqrt((column[away] ** 2).sum() / (column**2).sum())))
    grid[0].set_ylabel("height, m")
    return Drawing(
        figure,
        seen="The effect of one coarse vertex: with subdivision it is local; with least squares it is large "
        f"everywhere. Share of its norm farther than 30 cm: {far[1]:.0%} with least squares, {far[2]:.0%} with "
        f"penalties, {far[0]:.0%} with subdivision.",
        parameters=f"Skirt, learnt from walking; coarse vertex {vertex}.",
    )


def draw_tikhonov() -> Drawing:
    """Draw a frame of the dance with operators learned from walking (figure 4).

    Two operators have one penalty for all harmonics; the third has penalties that rise with the harmonic.
    """
    worn = wardrobe("skirt")
    operators = {f"α = {alpha:g}": worn.operator(HarmonicPenalties(alpha, alpha), prior="none") for alpha in ALPHAS}
    operators["rising penalties"] = worn.operator(HarmonicPenalties(), prior="none")
    figure, ratios = draw_dance(worn, operators)
    return Drawing(
        figure,
        seen="A small penalty fits noise; a large penalty also shrinks the garment. Errors on an unseen dance "
        f"relative to interpolation: {ratios[0]:.2f} and {ratios[1]:.2f}; with rising penalties {ratios[2]:.2f}.",
        parameters="Skirt, learnt from walking, prior of zero.",
    )


def measure_profiles() -> NDArray[np.float64]:
    """Return the errors (4, 2) of operators for each exponent, on the training motion and on the unseen motion.

    Errors are relative to the error of interpolation.
    """
    worn = wardrobe("skirt")
    errors = []
    for exponent in EXPONENTS:
        operator = worn.operator(HarmonicPenalties(exponent=exponent), prior="none")
        errors.append([worn.ratio(operator, pair) for pair in worn.pairs.values()])
    return np.array(errors)


def draw_profiles() -> Drawing:
    """Draw penalties of several exponents, and the errors of the operators (figure 9)."""
    worn = wardrobe("skirt")
    count = worn.trainers["none"].harmonics.count
    figure = canvas(7.5, 2.9)
    left, right = panels(figure, 1, 2)[0]
    for exponent, color in zip(EXPONENTS, (MUTED, PATH, INK, STRONG), strict=True):
        penalties = HarmonicPenalties(exponent=exponent).penalties(count, worn.garment.fine_count)
        left.plot(np.arange(1, count + 1), penalties, color=color, label=f"c = {exponent:g}")
    left.set(xlabel="harmonic", ylabel="penalty γ", yscale="log")
    left.legend(fontsize=8, frameon=False)
    errors = measure_profiles()
    for column, (kind, color) in enumerate(zip(worn.pairs, (PATH, STRONG), strict=True)):
        right.plot(EXPONENTS, errors[:, column], "o-", color=color, label=kind)
    right.axhline(1.0, color=MUTED, lw=0.8)
    right.set(xlabel="exponent c", ylabel="error over interpolation's", xscale="log", xticks=EXPONENTS)
    right.set_xticklabels([f"{exponent:g}" for exponent in EXPONENTS])
    right.minorticks_off()
    right.legend(fontsize=8, frameon=False)
    return Drawing(
        figure,
        seen="The later the penalties rise, the closer is the fit to the training motion: its error relative to "
        f"interpolation changes from {errors[0, 0]:.2f} to {errors[-1, 0]:.2f}. The unseen motion has its least error, "
        f"{errors[:, 1].min():.2f}, at c = {EXPONENTS[errors[:, 1].argmin()]:g}; a prior is not used.",
        parameters="Skirt, learnt from walking, prior of zero, γ from 0.01 to 10.",
    )
