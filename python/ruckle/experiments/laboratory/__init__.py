"""Laboratories: change the inputs of a result and see the effect immediately, as a picture or with sliders.

    laboratory = ruckle.experiments.laboratory.LabelLaboratory(ruckle.sample("chopping"))
    laboratory.draw(LabelSettings(sigma=0.1))       a still picture
    laboratory.widget()                             sliders, in a notebook

Drawing needs matplotlib, sliders need ipywidgets.
"""

from __future__ import annotations

from ruckle.experiments.laboratory.detail import DetailLaboratory
from ruckle.experiments.laboratory.labels import LabelLaboratory, LabelOutcome, LabelSettings

__all__ = ["DetailLaboratory", "LabelLaboratory", "LabelOutcome", "LabelSettings"]
