"""Patches on garments as outlines in the sewing pattern, metres: plackets with buttons, pockets, cuffs, waistbands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["band", "both_sides", "closure", "outline", "pocket", "rectangle"]

Outline = NDArray[np.float64]

PLACKET = 0.017
"""Half of the width of a placket, metres."""

BUTTON_DISTANCE = 0.085
"""Approximate distance of two buttons, metres."""


def outline(points: Sequence[tuple[float, float]]) -> Outline:
    """Return an outline as an array (N, 2)."""
    return np.array(points, np.float64)


def rectangle(left: float, bottom: float, right: float, top: float) -> Outline:
    """Return the outline of a rectangle, counterclockwise."""
    return outline([(left, bottom), (right, bottom), (right, top), (left, top)])


def both_sides(patch: Outline) -> list[Outline]:
    """Return an outline and its mirror image on the other side of the garment's middle."""
    return [patch, (patch * (-1.0, 1.0))[::-1]]


def closure(bottom: float, top: float) -> tuple[Outline, list[tuple[float, float]]]:
    """Return the outline of the placket at the front centre between two heights, and the positions of its buttons."""
    count = round((top - bottom - 0.05) / BUTTON_DISTANCE)
    return rectangle(-PLACKET, bottom - 0.05, PLACKET, top + 0.05), [
        (0.0, float(height)) for height in np.linspace(bottom + 0.045, top - 0.018, count)
    ]


def pocket(left: float, bottom: float, width: float, height: float, *, flap: float = 0.0) -> list[Outline]:
    """Return outlines of pockets with a pointed bottom on both sides.

    `flap` is the height of their flaps, 0 for none.
    """
    right, middle, top = left + width, left + 0.5 * width, bottom + height
    shape = outline([(left, bottom + 0.018), (middle, bottom), (right, bottom + 0.018), (right, top), (left, top)])
    cover = rectangle(left - 0.004, top - flap, right + 0.004, top + 0.006)
    return [one for part in ([shape, cover] if flap else [shape]) for one in both_sides(part)]


def band(bottom: float, top: float, *, left: float = -0.75, right: float = 0.75) -> Outline:
    """Return the outline of a band around the torso.

    The band is wider than the pattern, so that it covers all of it.
    """
    return rectangle(left, bottom, right, top)
