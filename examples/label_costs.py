"""Draw the costs of the three labels over compression and stretch (thesis figure 4.2) as a picture.

python examples/label_costs.py label_costs.png
"""

from __future__ import annotations

import argparse

import matplotlib
import numpy as np

import ruckle

matplotlib.use("Agg")
from matplotlib import pyplot

LABELS = ("compression", "rest", "stretch")


def costs_over(compression: np.ndarray, maximum: np.ndarray) -> np.ndarray:
    """Return the costs (rows, columns, 3) of the three labels for a grid of compressions and largest stretches."""
    a, b = compression.ravel(), maximum.ravel()
    sound = np.zeros(len(a), dtype=bool)
    no_axis = np.zeros((len(a), 2), dtype=np.float32)
    stretch = ruckle.Stretch(min=np.reciprocal(a), max=b, compression=a, axis=no_axis, degenerate=sound)
    return ruckle.label_costs(stretch).reshape(*compression.shape, 3)


def main() -> None:
    """Compute the costs and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", help="file to write, for example label_costs.png")
    picture = parser.parse_args().picture

    values = np.linspace(1.0, 1.5, 201, dtype=np.float32)
    compression, maximum = np.meshgrid(values, values, indexing="ij")
    costs = costs_over(compression, maximum)

    figure, panels = pyplot.subplots(1, 4, figsize=(13, 3.2), layout="constrained", sharey=True)
    for panel, label in zip(panels, range(3), strict=False):
        drawn = panel.contourf(values, values, costs[..., label], levels=np.linspace(0, 1, 21), cmap="magma_r")
        panel.set_title(f"cost of {LABELS[label]}")
    figure.colorbar(drawn, ax=panels[:3], label="cost")
    panels[3].imshow(costs.argmin(axis=2), origin="lower", extent=(1, 1.5, 1, 1.5), cmap="coolwarm", vmin=0, vmax=2)
    panels[3].set_title("cheapest label")
    for panel in panels:
        panel.set_xlabel(r"stretch $\lambda_{max}$")
    panels[0].set_ylabel(r"compression $1/\lambda_{min}$")
    figure.savefig(picture, dpi=110)

    for label, name in enumerate(LABELS):
        share = np.mean(costs.argmin(axis=2) == label)
        print(f"{name:12s} is cheapest on {share:6.1%} of the square")
    print(f"wrote {picture}")


if __name__ == "__main__":
    main()
