"""Makes the sample files: `python -m samples [NAME ...] [--output FOLDER]`.

To be run in this package's parent folder. Needs NumPy alone and takes about a minute. The same machine
writes the same bytes every time.
The arrays are described in `ruckle.io.samples`, which reads them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh
from .motions import MOTIONS
from .posing import FRAME_RATE, animate
from .simulation import simulate_skirt
from .skeleton import HEIGHT, JOINTS, PARENTS, rest
from .wardrobe import GARMENTS
from .wearer import uncovered, wearer
from .weights import heat_weights

SHIPPED = Path(__file__).resolve().parent.parent / "ruckle" / "garments"

SIMULATED = "jumping_jack"
"""The one garment that is simulated rather than skinned."""

SHIRTS = ("sawing", "chopping", "fist_pumping", "stretching")
"""Samples of a figure without legs."""

WEARER = "wearer"
"""The file of the figures and of how they move in each sample."""

TURN_LEVELS = 32767
"""Steps from 0 to 1 in a matrix of rotation: 0.02 mm at the end of a limb."""

QUANTUM_LEVELS = 65535
"""Steps along the largest extent of the simulated positions, 0.02 mm for the skirt, and from 0 to 1 in weights."""

Arrays = dict[str, NDArray[Any]]


def sample_arrays(name: str) -> Arrays:
    """Return the stored arrays of the sample called `name`."""
    garment = GARMENTS[name]()
    bones = animate(MOTIONS[name]())
    moving = simulated_arrays(garment, bones) if name == SIMULATED else skinned_arrays(garment, bones)
    # one scale for both directions, so that the pattern is not distorted
    corner = garment.uv.min(axis=0)
    return {
        "faces": garment.faces.astype(np.uint16),
        "uv": ((garment.uv - corner) / np.ptp(garment.uv, axis=0).max()).astype(np.float32),
        "uv_faces": garment.uv_faces.astype(np.uint16),
        "fps": np.array(FRAME_RATE, dtype=np.float32),
        "height": np.array(HEIGHT, dtype=np.float32),
        **moving,
    }


def skinned_arrays(garment: Mesh, bones: NDArray[np.float64]) -> Arrays:
    """Return rest positions, weights, and the matrices of the bones that some vertex follows."""
    joints, weights = heat_weights(garment)
    used, compact = np.unique(joints, return_inverse=True)
    return {
        "rest_positions": garment.positions.astype(np.float32),
        "joint_indices": compact.reshape(joints.shape).astype(np.uint8),
        "joint_weights": weights.astype(np.float32),
        "bone_matrices": bones[:, used].astype(np.float32),
    }


def simulated_arrays(garment: Mesh, bones: NDArray[np.float64]) -> Arrays:
    """Return the simulated positions, quantised."""
    positions = simulate_skirt(garment, bones)
    origin = positions.min(axis=(0, 1))
    step = np.ptp(positions, axis=(0, 1)).max() / QUANTUM_LEVELS
    return {
        "origin": origin.astype(np.float32),
        "step": np.array(step, dtype=np.float32),
        "steps": np.round((positions - origin) / step).astype(np.uint16),
    }


def wearer_arrays() -> Arrays:
    """Return two figures, the visible part of each with every garment, and the turns of the joints in each sample."""
    figures = {"whole": wearer(legs=True), "bust": wearer(legs=False)}
    arrays: Arrays = {
        "joints": np.array([rest(joint) for joint in JOINTS], dtype=np.float32),
        "parents": np.array(PARENTS, np.int8),
    }
    for kind, figure in figures.items():
        arrays[f"{kind}_positions"] = figure.positions.astype(np.float32)
        arrays[f"{kind}_joint_indices"] = figure.joints.astype(np.uint8)
        arrays[f"{kind}_joint_weights"] = np.round(QUANTUM_LEVELS * figure.weights).astype(np.uint16)
    for name, garment in GARMENTS.items():
        kind = "bust" if name in SHIRTS else "whole"
        figure, bones = figures[kind], animate(MOTIONS[name]())
        arrays[f"{name}_figure"] = np.array(kind)
        arrays[f"{name}_faces"] = figure.faces[uncovered(figure, garment())].astype(np.uint16)
        # the third row follows from the other two
        arrays[f"{name}_turns"] = np.round(TURN_LEVELS * bones[:, :, :2, :3]).astype(np.int16)
        arrays[f"{name}_hips"] = (bones[:, 0, :, :3] @ rest("hips") + bones[:, 0, :, 3]).astype(np.float32)
    return arrays


def main() -> None:
    """Write the samples named on the command line, or all."""
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
