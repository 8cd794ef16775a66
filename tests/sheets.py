"""Sheets of cloth, a moving arm, and test code in other processes, for tests of the simulation."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.rotation import rotation_matrices
from ruckle.simulation import Motion
from ruckle.simulation.sheet import grid_faces


def by_baseline(test_file: str, expression: str) -> bytes:
    """Return the bytes of an array from a process whose core uses no newer CPU instructions than the baseline.

    `expression` computes the array from the names of the module `test_file`.
    """
    here = Path(test_file)
    program = (
        f"import sys; sys.path[:0] = sys.argv[1:]\nfrom {here.stem} import *\n"
        f"sys.stdout.buffer.write({expression}.tobytes())"
    )
    command = [sys.executable, "-c", program, str(here.parent), str(Path(__file__).parent)]
    return subprocess.check_output(command, env={**os.environ, "RUCKLE_INSTRUCTION_SET": "baseline"})


def sheet(columns: int, rows: int, width: float = 1.0, height: float = 1.0) -> tuple[NDArray, NDArray]:
    """Return positions and faces of a rectangular sheet in the xz plane. Its rows have different z."""
    x, z = np.meshgrid(np.linspace(0.0, width, columns), np.linspace(0.0, height, rows))
    return np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1), grid_faces(columns, rows)


def motion_of_arm() -> Motion:
    """Return a motion of three joints in a row along x. The joints turn and the root moves."""
    bones, joints = np.zeros((5, 3, 3, 4)), np.array([[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0.0]])
    motion = Motion(bones, joints, np.array([-1, 0, 1], np.int32), ("a", "b", "c"), 30.0)
    for frame in range(5):
        turn = rotation_matrices(np.array([[0, 0, 0.1 * frame], [0, 0.2 * frame, 0], [0.1, 0, 0.0]]))
        bones[frame] = motion.pose(turn, (0.01 * frame, 1.0, 0.0))
    return motion
