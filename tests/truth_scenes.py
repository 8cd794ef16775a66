"""Scenes with known folds, for tests of comparisons: waves on a compressed sheet, and a sleeve on a bending limb."""

from collections.abc import Callable

import numpy as np

import ruckle
from ruckle.mesh.closest import closest_points
from ruckle.mesh.rotation import rotation_matrices
from ruckle.offline.simulation import GarmentMesh
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.simulation import Body, Motion, grid_sheet
from sheets import sheet

WAVE, HEIGHT, COMPRESSION, FRAMES = 0.06, 0.006, 1.1, 90
WIDTH, LENGTH = 0.8, 0.4


def flat_scene(columns: int = 81, heights: Callable[[np.ndarray, int], np.ndarray] | None = None) -> TruthScene:
    """Return a scene: a sheet in the xz plane that is compressed along x. A fine mesh has waves as its known folds.

    `columns` is the number of columns of the fine mesh. By default, the waves follow x, change slowly, and exist where
    z is less than two thirds of the length.
    """
    coarse_rest, coarse_faces = sheet(13, 7, WIDTH, LENGTH)
    rest, faces = sheet(columns, columns // 2 + 1, WIDTH, LENGTH)
    coarse = np.repeat((coarse_rest / [COMPRESSION, 1, 1])[None], FRAMES, axis=0)
    animation = ruckle.Animation(coarse, coarse_faces, fps=60.0, rest_positions=coarse_rest, name="flat", height=1.75)
    holders, weights = closest_points(coarse_rest, coarse_faces, rest)
    positions = np.repeat((rest / [COMPRESSION, 1, 1])[None], FRAMES, axis=0)
    for frame in range(FRAMES):
        positions[frame, :, 1] += (heights or waves)(rest, frame)
    return TruthScene(
        animation, rest.astype("f4"), faces, holders.astype("i4"), weights.astype("f4"),
        np.zeros(len(rest), "f4"), positions.astype("f4"),
    )  # fmt: skip


def waves(rest: np.ndarray, frame: int, axis: int = 0) -> np.ndarray:
    """Return heights of slowly moving waves along an axis.

    The height is 0 where z is above two thirds of the length.
    """
    share = np.clip((2 / 3 * LENGTH - rest[:, 2]) / 0.05, 0.0, 1.0) * (1.0 + 0.5 * np.sin(frame / 20))
    return HEIGHT * share * np.sin(2 * np.pi * (rest[:, 2 * axis] - 0.0005 * frame) / WAVE)


def limb(frames: int = 30) -> tuple[GarmentMesh, Motion, Body]:
    """Return a sleeve, a motion in which a limb bends by 70 degrees and back, and the body of this limb."""
    joints = np.array([[0.0, 1.5, 0.0], [0.0, 1.25, 0.0], [0.0, 1.0, 0.0]])
    still = Motion(np.zeros((1, 3, 3, 4)), joints, np.array([-1, 0, 1], np.int32), ("upper", "lower", "end"), 60.0)
    bends = np.radians(70) * 0.5 * (1 - np.cos(np.linspace(0, np.pi, frames)))
    turns = [rotation_matrices(np.array([[0, 0, 0], [angle, 0, 0], [0, 0, 0]])) for angle in bends]
    motion = Motion(np.array([still.pose(turn) for turn in turns]), joints, still.parents, still.names, 60.0)

    def tube(columns: int, rows: int, top: float, bottom: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
        def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
            angle = 2 * np.pi * u
            return np.stack([radius * np.cos(angle), top + (bottom - top) * v, radius * np.sin(angle)], 1)

        return grid_sheet(columns, rows, around, closed=True)

    def weights(points: np.ndarray) -> np.ndarray:
        lower = np.clip((1.29 - points[:, 1]) / 0.08, 0.0, 1.0)
        return np.stack([1 - lower, lower, 0 * lower], 1).astype("f4")

    skin, skin_faces = tube(16, 24, 1.52, 0.98, 0.04)
    rest, faces = tube(12, 10, 1.48, 1.04, 0.062)
    body = Body(skin, skin_faces, weights(skin))
    return GarmentMesh("sleeve", rest, faces, weights(rest), {}), motion, body
