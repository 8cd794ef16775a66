"""Named regions of the samples' garments, so that figures can describe positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.animation import Animation

__all__ = ["regions"]

# Boxes in the front view of a sample's first frame, relative to the character's height. A triangle is in a region if
# its centre is inside the box. Left and right are those of the character.
BOXES = {
    "right shoulder": ((-0.20, 0.74), (-0.08, 0.90)),
    "left shoulder": ((0.08, 0.74), (0.20, 0.90)),
    "right elbow": ((-0.27, 0.62), (-0.17, 0.74)),
    "left elbow": ((0.17, 0.62), (0.27, 0.74)),
    "chest": ((-0.08, 0.66), (0.08, 0.82)),
    "waist": ((-0.14, 0.56), (0.14, 0.66)),
    "hips": ((-0.14, 0.48), (0.14, 0.56)),
    "knees": ((-0.14, 0.22), (0.14, 0.34)),
    "hem": ((-0.20, 0.28), (0.20, 0.36)),
}


def regions(animation: Animation) -> dict[str, NDArray[np.bool_]]:
    """Return a mask (T,) of triangles for every region in `BOXES` that contains a triangle in the first frame."""
    centres = animation.positions[0][animation.faces].mean(axis=1)[:, :2] / animation.height
    found = {name: ((centres >= low) & (centres <= high)).all(axis=1) for name, (low, high) in BOXES.items()}
    return {name: inside for name, inside in found.items() if inside.any()}
