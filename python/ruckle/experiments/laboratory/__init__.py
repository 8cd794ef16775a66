"""Laboratories: change what decides a result, and see it at once, as a still picture or under sliders in a notebook.

    laboratory = ruckle.laboratory.LabelLaboratory(ruckle.sample("chopping"))
    laboratory.draw(LabelSettings(sigma=0.1))       a still picture
    laboratory.widget()                             sliders, in a notebook

Drawing needs matplotlib, sliders need ipywidgets.
"""

from __future__ import annotations

from ruckle.experiments.laboratory.detail import DetailLaboratory
from ruckle.experiments.laboratory.labels import LabelLaboratory, LabelOutcome, LabelSettings

__all__ = ["DetailLaboratory", "LabelLaboratory", "LabelOutcome", "LabelSettings"]
