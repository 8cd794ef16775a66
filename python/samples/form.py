"""The shapes of garments and of their wearer as signed distances to bodies in rest pose.

A form has a torso with elliptic cross-sections and limbs with round ones, joined by a smooth minimum. Shoulders,
armpits and the crotch are therefore rounded without extra modelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .solid import Limb, Solid, smooth_minimum
from .spline import MonotoneSpline

__all__ = ["Form"]

FloatArray = NDArray[np.float64]

TORSO_END = 0.10
"""Rounding radius of the torso's lower end, metres."""


@dataclass(frozen=True)
class Form(Solid):
    """A body in rest pose that is symmetric about x = 0, with y up and facing along +z; lengths in metres.

    Parameters
    ----------
    torso : rows (height, half width, half depth, centre z) of the torso's cross-sections; None for limbs only
    limbs : limbs with x > 0; the other limbs are their mirror images
    floor, ceiling : heights of the torso's ends, metres; the lower end is rounded by TORSO_END
    """

    torso: Sequence[tuple[float, float, float, float]] | None
    limbs: Sequence[Limb]
    floor: float = 0.0
    ceiling: float = np.inf

    def section(self, heights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return half width, half depth and centre z of the torso's cross-sections at `heights` (N,), metres."""
        rows = np.asarray(self.torso)
        widths, depths, centres = MonotoneSpline(rows[:, 0], rows[:, 1:])(heights).T
        return widths, depths, centres

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3) from the form, exact to first order, metres."""
        folded = positions.copy()
        folded[:, 0] = np.abs(folded[:, 0])
        result = np.full(len(folded), np.inf) if self.torso is None else self.torso_distance(folded)
        for limb in self.limbs:
            result = smooth_minimum(result, limb.distance(folded), limb.blend)
        return result

    def torso_distance(self, folded: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of points with x >= 0 (N, 3) from the torso, metres."""
        width, depth, centre = self.section(folded[:, 1])
        x, z = folded[:, 0], folded[:, 2] - centre
        radial = np.sqrt((x / width) ** 2 + (z / depth) ** 2)
        gradient = np.sqrt((x / width**2) ** 2 + (z / depth**2) ** 2) + 1e-12
        # a smooth maximum is the negative of the smooth minimum of the negative values
        result = -smooth_minimum(-radial * (radial - 1.0) / gradient, folded[:, 1] - self.floor, TORSO_END)
        return np.maximum(result, folded[:, 1] - self.ceiling)
