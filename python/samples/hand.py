"""The left hand of a mannequin: relaxed, with slightly bent fingers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .skeleton import rest
from .solid import Blend, Limb, Part, Solid

__all__ = ["hand"]

FloatArray = NDArray[np.float64]

FINGERS = (
    # for each finger: position across the hand (m), length (m), bend of its first joint and of the others (degrees),
    # radius at its root (m), spread (degrees)
    (0.0300, 0.074, 14.0, 20.0, 0.0088, 7.0),
    (0.0105, 0.082, 18.0, 22.0, 0.0090, 1.5),
    (-0.0095, 0.076, 22.0, 24.0, 0.0086, -4.0),
    (-0.0285, 0.060, 26.0, 26.0, 0.0076, -10.0),
)
"""Measures of the fingers, from index to little finger."""

PHALANGES = (0.44, 0.31, 0.25)
"""Lengths of a finger's three bones, relative to the finger."""


def hand() -> Solid:
    """Return the hand in rest pose, metres. The thumb points forward, and the palm faces the body."""
    elbow, wrist = rest("left_elbow"), rest("left_wrist")
    along = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    front = np.array([0.0, 0.0, 1.0]) - along[2] * along
    front /= np.linalg.norm(front)
    palm = np.cross(along, front)

    def at(distance: float, across: float, inward: float) -> list[float]:
        return list(wrist + distance * along + across * front + inward * palm)

    parts = [
        Part(Limb([at(-0.04, 0.0, 0.0), at(0.0, 0.003, 0.001), at(0.018, 0.003, 0.0)], [0.027, 0.0245, 0.020]), 0.0),
        # the palm consists of rods from the wrist to the root of each finger
        *(
            Part(Limb([at(0.006, 0.35 * across, 0.0), at(0.088, across, -0.002)], [0.0160, 1.25 * radius]), 0.018)
            for across, _, _, _, radius, _ in FINGERS
        ),
        Part(Limb([at(0.020, 0.016, 0.010), at(0.058, 0.024, 0.012)], [0.014, 0.010]), 0.02),
    ]
    for across, length, first, other, radius, spread in FINGERS:
        points = [at(0.086, across, -0.002)]
        angle = 0.0
        for share, bend in zip(PHALANGES, (first, other, other), strict=True):
            angle += bend
            a, s = np.radians([angle, spread])
            step = share * length * np.array([np.cos(a) * np.cos(s), np.cos(a) * np.sin(s), np.sin(a)])
            points.append(list(points[-1] + step @ np.stack([along, front, palm])))
        radii = [radius, 0.92 * radius, 0.84 * radius, 0.70 * radius]
        parts.append(Part(Limb(points, radii), 0.006))
    thumb = [at(0.022, 0.020, 0.010), at(0.052, 0.043, 0.018), at(0.078, 0.052, 0.026), at(0.101, 0.055, 0.034)]
    parts.append(Part(Limb(thumb, [0.0150, 0.0115, 0.0098, 0.0080]), 0.012))
    return Blend(parts, mirrored=False)
