"""Figures and tables of the thesis and of the other papers on our data: each is measured and drawn by one module.

    for entry in ruckle.experiments.figures.CATALOGUE:
        ruckle.experiments.figures.draw(entry).figure.savefig(f"{entry.number}.png")

A module's `measure` computes the values that a figure claims, and its `draw` shows them. Tests assert the claims on the
result of `measure`, so that picture and assertion cannot differ. Drawing needs matplotlib, this import does not.
"""

from ruckle.experiments.figures.catalogue import CATALOGUE, choose, draw
from ruckle.experiments.figures.entry import Entry
from ruckle.experiments.figures.page import write_figures

__all__ = ["CATALOGUE", "Entry", "choose", "draw", "write_figures"]
