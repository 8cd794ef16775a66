"""The options of wrinkles from examples, and the meaning of each.

Generated from cpp/options/pose_space.toml by `make options`: edit that file.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ruckle.parameters import default_values, parameter_table

__all__ = ["DEFAULTS", "LENGTHS", "PARAMETERS", "MergeRule", "PoseParameters", "PoseStats", "PoseTimings"]

MergeRule = Literal["energy", "paper", "window", "fitted"]

PARAMETERS = parameter_table("pose_parameters")
"""The parameters by name, in display order."""

DEFAULTS = default_values(PARAMETERS)
"""Default values by name; None if the default depends on other values."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Names of the parameters that are lengths, which may also be percentages of the height."""


class PoseParameters(TypedDict, total=False):
    """Types of the parameters of `PoseSynthesizer`, whose lengths may be percentages."""

    merge: MergeRule
    strength: float
    trust: float | str


class PoseTimings(TypedDict):
    """Milliseconds that each stage of the last step took, in order."""

    angles: float
    details: float
    frames: float
    place: float
    normals: float
    total: float


class PoseStats(TypedDict):
    """Counts of one step.

    Attributes
    ----------
    moved : int
        Joints whose details were read, because they have moved.
    clamped : int
        Joints with an angle outside the grid of samples.
    undefined_twists : int
        Joints that swing by a half turn, which leaves their twist undefined.
    collapsed : int
        Coarse vertices without a frame, because their triangles have collapsed.
    unturned : int
        Fine vertices that are not rotated, because no coarse vertex around has a frame.
    faded : int
        Coarse vertices whose details fade: they are farther from their skinned position than in the examples.
    """

    moved: int
    clamped: int
    undefined_twists: int
    collapsed: int
    unturned: int
    faded: int
