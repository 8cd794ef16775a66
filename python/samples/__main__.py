"""Makes the sample files: `python -m samples [NAME ...] [--output FOLDER]`.

To be run in this package's parent folder. Needs NumPy alone and takes about 20 seconds. The same machine
writes the same bytes every time.
The arrays are described in `ruckle.samples`, which reads them.
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
from .skeleton import HEIGHT
from .wardrobe import GARMENTS
from .weights import heat_weights

SHIPPED = Path(__file__).resolve().parent.parent / "ruckle" / "garments"

SIMULATED = "jumping_jack"
"""The one garment that is simulated rather than skinned."""

QUANTUM_LEVELS = 65535
"""Steps along the largest extent of the simulated positions: 0.02 mm for the skirt."""

Arrays = dict[str, NDArray[Any]]


def sample_arrays(name: str) -> Arrays:
    """Return the arrays of the sample called `name`, as they are stored."""
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


def main() -> None:
    """Write the samples named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m samples", description="Make the sample garments.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(GARMENTS)}; default all")
    parser.add_argument("--output", type=Path, default=SHIPPED, metavar="FOLDER")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in GARMENTS:
            parser.error(f"no sample is called {name!r}; choose among {', '.join(GARMENTS)}")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or GARMENTS:
        path = arguments.output / f"{name}.npz"
        np.savez_compressed(path, allow_pickle=False, **sample_arrays(name))
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
