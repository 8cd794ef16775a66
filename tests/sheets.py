"""Sheets of cloth, and an arm that moves, for the simulator's tests."""

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.rotation import rotation_matrices
from ruckle.simulation import Motion
from ruckle.simulation.sheet import grid_faces


def sheet(columns: int, rows: int, width: float = 1.0, height: float = 1.0) -> tuple[NDArray, NDArray]:
    """Return the positions and faces of a rectangle in the xz plane, rows along z."""
    x, z = np.meshgrid(np.linspace(0.0, width, columns), np.linspace(0.0, height, rows))
    return np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1), grid_faces(columns, rows)


def motion_of_arm() -> Motion:
    """Return three joints along x that turn about z, the root moved."""
    bones, joints = np.zeros((5, 3, 3, 4)), np.array([[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0.0]])
    motion = Motion(bones, joints, np.array([-1, 0, 1], np.int32), ("a", "b", "c"), 30.0)
    for frame in range(5):
        turn = rotation_matrices(np.array([[0, 0, 0.1 * frame], [0, 0.2 * frame, 0], [0.1, 0, 0.0]]))
        bones[frame] = motion.pose(turn, (0.01 * frame, 1.0, 0.0))
    return motion
