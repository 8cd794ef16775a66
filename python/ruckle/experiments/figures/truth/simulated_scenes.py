"""Garments that are generated and simulated, coarse and fine: a bending sleeve, a skirt on two legs, and a flag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import float32
from ruckle.mesh.rotation import rotation_matrices
from ruckle.offline.simulation import Scene, scene_named
from ruckle.simulation import Motion, Sheet, grid_sheet, smooth_attachment

__all__ = ["scenes"]

RATE = 60.0

# Number of kept frames, and number of warm-up frames before these.
KEPT, WARM = 80, 20

# In metres: distance from the attachment at which the cloth is completely free
BLEND = 0.03


def scenes() -> list[Scene]:
    """Return the three scenes."""
    return [sleeve(), skirt(), flag()]


def flag() -> Scene:
    """Return the first frames of the flag scene that is used for training, with fewer fine vertices."""
    blown = scene_named("flag")
    rest, faces = grid_sheet(57, 38, lambda u, v: np.stack([1.5 * u, 2 + v, 0 * u], 1))
    fine = Sheet(rest, faces, (rest[:, 0] < 1e-6).astype(np.float32), np.ones((len(rest), 1), np.float32))
    motion = replace(blown.motion, bones=blown.motion.bones[: WARM + KEPT])
    return replace(blown, warm=WARM, motion=motion, fine=fine)


def sleeve() -> Scene:
    """Return a fitted sleeve whose elbow bends to 100 degrees and back."""
    joints = np.array([[0.0, 1.3, 0.0], [0.28, 1.3, 0.0], [0.54, 1.3, 0.0]])
    still = Motion(np.zeros((1, 3, 3, 4)), joints, np.array([-1, 0, 1], np.int32), ("arm", "elbow", "hand"), RATE)
    bend = np.radians(100) * 0.5 * (1 - np.cos(np.linspace(0, 2 * np.pi, KEPT + WARM)))
    turns = [rotation_matrices(np.array([[0, 0, 0], [0, 0, angle], [0, 0, 0]])) for angle in bend]
    motion = replace(still, bones=np.array([still.pose(turn) for turn in turns]))
    cones = float32("cones", [[0, 1.3, 0, 0.06, 0.28, 1.3, 0, 0.05], [0.28, 1.3, 0, 0.05, 0.54, 1.3, 0, 0.035]])

    def sheet(columns: int, rows: int) -> Sheet:
        def around(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
            angle, radius = 2 * np.pi * u, np.interp(v, [0, 0.5, 1], [0.08, 0.07, 0.055])
            return np.stack([0.03 + 0.48 * v, 1.3 + radius * np.cos(angle), radius * np.sin(angle)], 1)

        rest, faces = grid_sheet(columns, rows, around, closed=True, inside_out=True)
        weights = np.tile(np.array([1, 0, 0], np.float32), (len(rest), 1))
        return Sheet(rest, faces, smooth_attachment(rest[:, 0] - 0.03, BLEND), weights)

    return Scene("sleeve", motion, WARM, sheet(12, 18), sheet(40, 52), cones, np.array([0, 1]))


def skirt() -> Scene:
    """Return a loose skirt on two legs that walk on the spot."""
    joints = np.array([[0.0, 0.95, 0.0], [-0.09, 0.92, 0.0], [0.09, 0.92, 0.0]])
    still = Motion(np.zeros((1, 3, 3, 4)), joints, np.array([-1, 0, 0], np.int32), ("hips", "left", "right"), RATE)
    time = np.arange(KEPT + WARM) / RATE
    swing = 0.5 * np.minimum(2 * time, 1) * np.sin(6 * time)
    turns = [rotation_matrices(np.array([[0, 0.3 * s, 0], [s, 0, 0], [-s, 0, 0]])) for s in swing]
    motion = replace(still, bones=np.array([still.pose(turn) for turn in turns]))
    cones = float32(
        "cones",
        [
            [-0.05, 0.95, 0, 0.13, 0.05, 0.95, 0, 0.13],
            [-0.09, 0.92, 0, 0.085, -0.09, 0.5, 0, 0.06],
            [0.09, 0.92, 0, 0.085, 0.09, 0.5, 0, 0.06],
        ],
    )

    def sheet(columns: int, rows: int) -> Sheet:
        def flared(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
            angle, radius = 2 * np.pi * u, 0.2 + 0.2 * v
            return np.stack([radius * np.cos(angle), 1.02 - 0.5 * v, radius * np.sin(angle)], 1)

        rest, faces = grid_sheet(columns, rows, flared, closed=True, inside_out=True)
        weights = np.tile(np.array([1, 0, 0], np.float32), (len(rest), 1))
        return Sheet(rest, faces, smooth_attachment(1.02 - rest[:, 1], BLEND), weights)

    return Scene("skirt", motion, WARM, sheet(24, 8), sheet(84, 28), cones, np.array([0, 1, 2]))
