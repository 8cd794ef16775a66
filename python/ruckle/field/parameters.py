"""The parameters of the field's stages: labels and reference triangles."""

from __future__ import annotations

from ruckle import _core
from ruckle.parameters import parameter_table

__all__ = ["PARAMETERS"]

PARAMETERS = parameter_table(_core.field_parameters())
"""By their names."""
