"""The shapes of garments and of who wears them: signed distances to bodies in rest pose, dressed or bare.

A torso with elliptic cross-sections and limbs with round ones, joined by a smooth minimum, so that
shoulders, armpits and the crotch come out rounded without being modelled one by one.
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
"""Rounding of the torso's lower end, metres."""


@dataclass(frozen=True)
class Form(Solid):
    """A body that is mirror symmetric about x = 0, in rest pose, Y up, facing +Z, metres.

    Parameters
    ----------
    torso : rows (height, half width, half depth, centre z) of the torso's cross-sections; None for limbs alone
    limbs : limbs of the +X side; the other side is their mirror image
    floor, ceiling : heights of the torso's ends, metres; the lower end is rounded by TORSO_END
    """

    torso: Sequence[tuple[float, float, float, float]] | None
    limbs: Sequence[Limb]
    floor: float = 0.0
    ceiling: float = np.inf

    def section(self, heights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return half width, half depth and centre z of the torso at `heights` (N,), metres."""
        rows = np.asarray(self.torso)
        widths, depths, centres = MonotoneSpline(rows[:, 0], rows[:, 1:])(heights).T
        return widths, depths, centres

    def distance(self, positions: FloatArray) -> FloatArray:
        """Return the signed distance (N,) of `positions` (N, 3) to the form, to first order, metres."""
        folded = positions.copy()
        folded[:, 0] = np.abs(folded[:, 0])
        result = np.full(len(folded), np.inf) if self.torso is None else self.torso_distance(folded)
        for limb in self.limbs:
            result = smooth_minimum(result, limb.distance(folded), limb.blend)
        return result

    def torso_distance(self, folded: FloatArray) -> FloatArray:
        """Return the distance (N,) of points with x >= 0 (N, 3) to the torso."""
        width, depth, centre = self.section(folded[:, 1])
        x, z = folded[:, 0], folded[:, 2] - centre
        radial = np.sqrt((x / width) ** 2 + (z / depth) ** 2)
        gradient = np.sqrt((x / width**2) ** 2 + (z / depth**2) ** 2) + 1e-12
        # the negated smooth minimum of negated values is a smooth maximum
        result = -smooth_minimum(-radial * (radial - 1.0) / gradient, folded[:, 1] - self.floor, TORSO_END)
        return np.maximum(result, folded[:, 1] - self.ceiling)
