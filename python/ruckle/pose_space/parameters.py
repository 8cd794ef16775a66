"""The parameters of wrinkles from examples, those of `PoseSynthesizer`."""

from __future__ import annotations

from typing import TypedDict

from ruckle import _core
from ruckle.parameters import default_values, parameter_table
from ruckle.pose_space.weights import MergeRule

__all__ = ["DEFAULTS", "PARAMETERS", "PoseParameters"]

PARAMETERS = parameter_table(_core.pose_parameters())
"""By their names, in the order in which they are shown."""

DEFAULTS = default_values(PARAMETERS)
"""The values that `PoseSynthesizer` takes by itself."""


class PoseParameters(TypedDict, total=False):
    """Types of the parameters of `PoseSynthesizer`."""

    merge: MergeRule
    strength: float
    trust: float | str
