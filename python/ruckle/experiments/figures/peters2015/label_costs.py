"""Figure 4.2: the costs of the labels as functions of compression and stretch between two frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import INK, Drawing, canvas, panels
from ruckle.experiments.plot.colors import LABELS
from ruckle.field.label import label_costs as label_costs_of
from ruckle.field.stretch import Stretch

__all__ = ["Surfaces", "draw", "measure", "on_grid"]

# Range of compression and stretch as in the thesis, and number of samples per axis.
LOW, HIGH, STEPS = 0.9, 1.3, 161


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Label costs on a grid.

    Attributes
    ----------
    values : (n,) float64
        Values on both axes: compression (rows) and the larger principal stretch (columns).
    costs : (n, n, 3) float64
        Costs of the labels compression, rest and stretch.
    """

    values: NDArray[np.float64]
    costs: NDArray[np.float64]


def on_grid(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two grids (n, n): compression and larger principal stretch of every pair of values."""
    compression, largest = np.meshgrid(values, values, indexing="ij")
    return compression, largest


def measure(*, sigma: float = 0.05, alpha: float = 9.0, beta: float = 90.0) -> Surfaces:
    """Compute the costs for all pairs of compression and stretch in the ranges of the thesis."""
    values = np.linspace(LOW, HIGH, STEPS)
    compression, largest = (grid.ravel() for grid in on_grid(values))
    stretch = Stretch(
        min=(1.0 / compression).astype(np.float32),
        max=largest.astype(np.float32),
        compression=compression.astype(np.float32),
        axis=np.zeros((compression.size, 2), np.float32),
    )
    costs = label_costs_of(stretch, sigma=sigma, alpha=alpha, beta=beta).astype(np.float64)
    return Surfaces(values, costs.reshape(STEPS, STEPS, 3))


def draw() -> Drawing:
    """Draw the three costs and the cheapest label."""
    surfaces = measure()
    figure = canvas(11.0, 3.1)
    grid = panels(figure, 1, 4, sharey=True)[0]
    extent = (LOW, HIGH, LOW, HIGH)
    levels = np.linspace(0.0, 1.2, 13)
    for label, (axes, name) in enumerate(zip(grid, LABELS, strict=False)):
        shown = axes.contourf(
            surfaces.values, surfaces.values, surfaces.costs[..., label], levels=levels, cmap="magma_r", extend="both"
        )
        axes.contour(
            surfaces.values, surfaces.values, surfaces.costs[..., label], levels=levels[::2], colors=INK, linewidths=0.3
        )
        axes.set_title(f"cost of {name}")
    figure.colorbar(shown, ax=list(grid[:3]), shrink=0.9, pad=0.01).ax.tick_params(labelsize=7)
    cheapest = surfaces.costs.argmin(axis=2)
    grid[3].contourf(
        surfaces.values, surfaces.values, cheapest, levels=[-0.5, 0.5, 1.5, 2.5], colors=list(LABELS.values())
    )
    grid[3].set_title("cheapest label")
    for axes in grid:
        axes.set(aspect="equal", xlim=extent[:2], ylim=extent[2:])
        axes.set_xlabel("stretch λ_max", fontsize=8)
        axes.plot([1, 1, HIGH], [HIGH, 1, 1], color=INK, lw=0.4, ls=":")
    grid[0].set_ylabel("compression 1 / λ_min", fontsize=8)
    return Drawing(
        figure,
        seen="The cost of the label compression is 1 without compression; it decreases with compression (upward), and "
        "with the degree to which compression dominates stretch. The cost of the label stretch is its mirror image. "
        "Rest is the cheapest label only near (1, 1).",
        parameters="σ = 0.05, α = 9, β = 90; stretches per 1/30 s",
    )
