"""Figures and tables of Peters's thesis and of other papers, drawn from our data; one module measures and draws each.

    for entry in ruckle.experiments.figures.CATALOGUE:
        ruckle.experiments.figures.draw(entry).figure.savefig(f"{entry.number}.png")

A module's `measure` computes the values that a figure claims, and its `draw` shows these values. Tests assert the
claims on the result of `measure`, so picture and assertion cannot differ. Drawing imports matplotlib; importing this
package does not.
"""

from ruckle.experiments.figures.catalogue import CATALOGUE, choose, draw
from ruckle.experiments.figures.entry import Entry
from ruckle.experiments.figures.page import write_figures

__all__ = ["CATALOGUE", "Entry", "choose", "draw", "write_figures"]
