"""The options of the field's stages: labels and reference triangles.

Generated from cpp/options/field.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ruckle.parameters import parameter_table

__all__ = ["PARAMETERS", "SLIDERS", "LabelCostParameters", "Method"]

Method = Literal["exact", "expansion", "swap", "independent"]

PARAMETERS = parameter_table("label_cost_parameters", "label_parameters", "reference_parameters")
"""The parameters by name, in display order."""

SLIDERS: dict[str, tuple[float, float, bool]] = {
    "sigma": (0.005, 0.5, True),
    "alpha": (1.0, 50.0, True),
    "beta": (5.0, 500.0, True),
    "method": (0.0, 1.0, False),
    "relaxation": (0.0, 1.0, False),
}
"""Low and high end of the slider of each option, and True for a logarithmic scale."""


class LabelCostParameters(TypedDict, total=False):
    """Types of the parameters of `label_costs`."""

    sigma: float
    alpha: float
    beta: float
    dt: float
