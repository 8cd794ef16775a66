"""Generate the sample files: `python -m samples [NAME ...] [--output FOLDER]`.

Run this command in the parent folder of this package. It requires only NumPy and takes about a minute. One machine
writes the same bytes every time. `ruckle.io.samples`, which reads the files, documents their arrays.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh
from .motions import motion
from .posing import FRAME_RATE
from .simulation import simulate
from .skeleton import HEIGHT, JOINTS, PARENTS, rest
from .wardrobe import GARMENTS
from .wearer import PARTS, Wearer, uncovered, wearer
from .weights import heat_weights

SHIPPED = Path(__file__).resolve().parent.parent / "ruckle" / "garments"

SIMULATED = {"jumping_jack": (1.05, 4.0), "dancing": (0.93, 1.5)}
"""Garments that are simulated instead of skinned, each with two values: the height above which vertices follow bones,
in metres, and the rate of air damping, in 1/s.
"""

SHIRTS = ("sawing", "chopping", "fist_pumping", "stretching")
"""Samples whose wearer also wears trousers, which are not part of the garment."""

WEARER = "wearer"
"""Name of the file with the figure that wears the garments, and its motion in each sample."""

TURN_LEVELS = 32767
"""Quantisation steps from 0 to 1 for entries of rotation matrices; errors are 0.02 mm at the end of a limb."""

QUANTUM_LEVELS = 65535
"""Quantisation steps over the largest extent of simulated positions and of the figure; 0.02 mm for the skirt."""

WEIGHT_LEVELS = 4095
"""Quantisation steps from 0 to 1 for the figure's skin weights; errors are 0.1 mm on a limb."""

Arrays = dict[str, NDArray[Any]]


def sample_arrays(name: str) -> Arrays:
    """Return the arrays of a sample's file."""
    garment = GARMENTS[name]()
    bones = motion(name)
    settings = SIMULATED.get(name)
    moving = skinned_arrays(garment, bones) if settings is None else simulated_arrays(garment, bones, *settings)
    return {
        "faces": garment.faces.astype(np.uint16),
        "uv": normalized(garment.uv, garment),
        "uv_faces": garment.uv_faces.astype(np.uint16),
        **sewn_arrays(garment),
        "fps": np.array(FRAME_RATE, dtype=np.float32),
        "height": np.array(HEIGHT, dtype=np.float32),
        **moving,
    }


def normalized(points: NDArray[np.float64], garment: Mesh) -> NDArray[np.float32]:
    """Return points (N, 2) of the sewing pattern as texture coordinates. Both axes are divided by the same length."""
    corner, size = garment.uv.min(axis=0), np.ptp(garment.uv, axis=0).max()
    result: NDArray[np.float32] = ((points - corner) / size).astype(np.float32)
    return result


def sewn_arrays(garment: Mesh) -> Arrays:
    """Return the arrays of patches and buttons that are sewn onto a garment."""
    return {
        "patch_points": normalized(np.concatenate([np.empty((0, 2)), *garment.patches]), garment),
        "patch_counts": np.array([len(patch) for patch in garment.patches], np.uint8),
        "buttons": normalized(np.array(garment.buttons).reshape(-1, 2), garment),
    }


def skinned_arrays(garment: Mesh, bones: NDArray[np.float64]) -> Arrays:
    """Return the arrays of a skinned garment: rest positions, skin weights, matrices of the bones that it uses."""
    joints, weights = heat_weights(garment)
    used, compact = np.unique(joints, return_inverse=True)
    return {
        "rest_positions": garment.positions.astype(np.float32),
        "joint_indices": compact.reshape(joints.shape).astype(np.uint8),
        "joint_weights": weights.astype(np.float32),
        "bone_matrices": bones[:, used].astype(np.float32),
    }


def simulated_arrays(garment: Mesh, bones: NDArray[np.float64], waist: float, damping: float) -> Arrays:
    """Return the arrays of a simulated garment. Positions are quantized and stored as second differences over time.

    Second differences compress to a third of the size.
    """
    positions = simulate(garment, bones, waist, damping)
    origin = positions.min(axis=(0, 1))
    step = np.ptp(positions, axis=(0, 1)).max() / QUANTUM_LEVELS
    return {
        "origin": origin.astype(np.float32),
        "step": np.array(step, dtype=np.float32),
        "steps": twice_differenced(np.round((positions - origin) / step).astype(np.uint16)),
    }


def twice_differenced(steps: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the second differences (F, ...) over frames, modulo 65536. The first two rows contain the first frames."""
    for _ in range(2):
        steps = np.concatenate([steps[:1], np.diff(steps, axis=0)])
    return steps


def wearer_arrays() -> Arrays:
    """Return the arrays of the figure: its mesh, its visible faces under every garment, and its joint rotations."""
    garments = {name: make() for name, make in GARMENTS.items()}
    figure = wearer(list(garments.values())).sorted()
    is_collar = figure.parts == PARTS.index("collars")
    low = figure.positions.min(axis=0)
    step = np.ptp(figure.positions, axis=0).max() / QUANTUM_LEVELS
    arrays: Arrays = {
        "joints": np.array([rest(joint) for joint in JOINTS], dtype=np.float32),
        "parents": np.array(PARENTS, np.int8),
        "origin": low.astype(np.float32),
        "step": np.array(step, np.float32),
        "steps": np.round((figure.positions - low) / step).astype(np.uint16),
        "face_steps": face_steps(figure.faces).astype(np.uint16),
        "parts": figure.parts.astype(np.uint8),
        "joint_indices": figure.joints.astype(np.uint8),
        "joint_weights": np.round(WEIGHT_LEVELS * figure.weights.T).astype(np.uint16),
    }
    for name, garment in garments.items():
        bones = motion(name)
        hidden = PARTS.index("legs" if name in SHIRTS else "trousers")
        body = (figure.parts != hidden) & ~is_collar & uncovered(figure, garment)
        arrays[f"{name}_visible"] = np.packbits(body | (is_collar & worn_with(figure, garment)))
        # the third row of a rotation matrix is the cross product of the first two rows, so it is not stored
        arrays[f"{name}_turns"] = np.round(TURN_LEVELS * bones[:, :, :2, :3]).astype(np.int16)
        arrays[f"{name}_hips"] = (bones[:, 0, :, :3] @ rest("hips") + bones[:, 0, :, 3]).astype(np.float32)
    return arrays


def worn_with(figure: Wearer, garment: Mesh) -> NDArray[np.bool_]:
    """Return a mask (T,) of the faces of the figure that belong to the collar of a garment."""
    if garment.collar is None:
        return np.zeros(len(figure.faces), bool)
    own = {tuple(point) for point in garment.collar.positions.tolist()}
    is_own = np.array([tuple(point) in own for point in figure.positions.tolist()])
    return np.asarray(is_own[figure.faces].all(axis=1))


def face_steps(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the differences (T, 3) of first corners between sorted faces, and of other corners from the first.

    The differences compress to a third of the size of the faces.
    """
    return np.column_stack([np.diff(faces[:, 0], prepend=0), faces[:, 1:] - faces[:, :1]])


def main() -> None:
    """Write the samples whose names are on the command line; by default, all samples."""
    parser = argparse.ArgumentParser(prog="python -m samples", description="Make the sample garments.")
    names = (*GARMENTS, WEARER)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(names)}; default all")
    parser.add_argument("--output", type=Path, default=SHIPPED, metavar="FOLDER")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in names:
            parser.error(f"no sample is called {name!r}; choose among {', '.join(names)}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or names:
        path = arguments.output / f"{name}.npz"
        np.savez_compressed(path, allow_pickle=False, **(wearer_arrays() if name == WEARER else sample_arrays(name)))
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
