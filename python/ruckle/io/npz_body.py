"""Reads the body under a garment. Its NPZ file contains the rest pose, and bones in the garment's file move it.

Arrays of the body's file are rest_positions (V, 3), faces (T, 3), skin_weights (V, J), and optionally joint_names (J,).
Arrays of the garment's file are bone_matrices (F, J, 3, 4), which are rigid transforms from rest to frame, and
optionally joint_names.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.mesh.animation import Animation
from ruckle.mesh.skinning import linear_blend_skinning

__all__ = ["is_body_at_rest", "read_body"]

# For the time limit: estimated nanoseconds per vertex, joint of this vertex, and frame.
INFLUENCE_TIME = 120.0


def is_body_at_rest(path: Path) -> bool:
    """Return True if an NPZ file contains a body at rest instead of an animation."""
    names = Archive(path, Budget()).names
    return "positions" not in names and "rest_positions" in names


def read_body(path: Path, garment: Path, *, fps: float) -> Animation:
    """Read a body at rest, and move it with the garment's bones by linear blend skinning.

    Parameters
    ----------
    path : the body's file
    garment : the garment's NPZ file, which contains the bones
    fps : float, frames per second

    Raises
    ------
    FormatError
        An array is missing or has a wrong shape, the garment's file does not have bones, or its joint names differ.
    """
    costs = Budget()
    body = Archive(path, costs)
    moving = Archive(garment, costs) if garment.suffix.lower() == ".npz" else None
    if moving is None or "bone_matrices" not in moving.names:
        raise FormatError(f"{path}: holds a body at rest, and {garment} has no array 'bone_matrices' to move it")
    rest, weights = body.array("rest_positions", "f"), body.array("skin_weights", "f")
    bones = moving.array("bone_matrices", "f")
    if rest.ndim != 2:
        raise FormatError(f"{path}: array 'rest_positions' has shape {rest.shape}, expected (V, 3)")
    if weights.ndim != 2 or bones.ndim != 4 or weights.shape[1] != bones.shape[1]:
        raise FormatError(
            f"{path}: array 'skin_weights' {weights.shape} does not fit 'bone_matrices' {bones.shape} of {garment}"
        )
    names = [archive.array("joint_names", "U") for archive in (body, moving) if "joint_names" in archive.names]
    if len(names) == 2 and not np.array_equal(names[0], names[1]):
        raise FormatError(f"{path}: array 'joint_names' differs from the one of {garment}")
    # most weights are zero: keep the heaviest joints of each vertex, as many as any vertex has nonzero weights
    count = max(1, int(np.count_nonzero(weights, axis=1).max(initial=0)))
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    location = f"{path}: {len(rest)} vertices that follow {count} joints in {len(bones)} frames"
    costs.hold_positions(len(bones), len(rest), location)
    costs.spend(INFLUENCE_TIME * len(bones) * len(rest) * count, location)
    try:
        positions = linear_blend_skinning(rest, joints, np.take_along_axis(weights, joints, axis=1), bones)
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    return Animation(positions, body.array("faces", "iu"), fps=fps, name=path.stem, rest_positions=rest)
