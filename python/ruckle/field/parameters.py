"""The options of the field's stages: labels and reference triangles.

Generated from cpp/options/field.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import Literal

from ruckle.parameters import parameter_table

__all__ = ["PARAMETERS", "Method"]

Method = Literal["exact", "expansion", "swap", "independent"]

PARAMETERS = parameter_table("label_cost_parameters", "label_parameters", "reference_parameters")
"""By their names, in the order in which they are shown."""
