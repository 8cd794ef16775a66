"""The skeleton of the 1.75 m figure: joints in rest pose (arms 45 degrees downward), and its kinematics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["HEIGHT", "JOINTS", "PARENTS", "bone_matrices", "joint_index", "rest"]

FloatArray = NDArray[np.float64]

HEIGHT = 1.75
"""Height of the figure in metres."""

_CENTRE: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "hips": (None, (0.0, 0.94, 0.0)),
    "spine": ("hips", (0.0, 1.06, -0.01)),
    "chest": ("spine", (0.0, 1.21, -0.015)),
    "neck": ("chest", (0.0, 1.48, -0.03)),
    "head": ("neck", (0.0, 1.58, -0.01)),
}
_LEFT: dict[str, tuple[str, tuple[float, float, float]]] = {
    "clavicle": ("chest", (0.03, 1.42, -0.01)),
    "shoulder": ("left_clavicle", (0.175, 1.395, -0.02)),
    "elbow": ("left_shoulder", (0.38, 1.19, -0.03)),
    "wrist": ("left_elbow", (0.56, 1.01, -0.015)),
    "hip": ("hips", (0.095, 0.90, 0.0)),
    "knee": ("left_hip", (0.125, 0.49, 0.03)),
    "ankle": ("left_knee", (0.15, 0.09, -0.03)),
    "toe": ("left_ankle", (0.17, 0.03, 0.10)),
}


def _assemble() -> tuple[tuple[str, ...], tuple[int, ...], FloatArray]:
    """Return names, parents (-1 for the root) and rest positions (J, 3) of all joints; parents come first."""
    joints: dict[str, tuple[str | None, tuple[float, float, float]]] = dict(_CENTRE)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, (parent, (x, y, z)) in _LEFT.items():
            joints[f"{side}_{name}"] = (parent.replace("left", side), (sign * x, y, z))
    names = tuple(joints)
    parents = tuple(-1 if parent is None else names.index(parent) for parent, _ in joints.values())
    return names, parents, np.array([position for _, position in joints.values()])


JOINTS, PARENTS, _REST = _assemble()


def joint_index(name: str) -> int:
    """Return the index of a joint by name."""
    return JOINTS.index(name)


def rest(name: str) -> FloatArray:
    """Return the rest position (3,) of a joint by name, metres."""
    position: FloatArray = _REST[joint_index(name)].copy()
    return position


def bone_matrices(rotations: Mapping[str, FloatArray], root: FloatArray) -> FloatArray:
    """Return the matrices from each joint's rest space to its posed space.

    Parameters
    ----------
    rotations : (F, 3, 3) rotations of joints relative to their parents; missing joints are at rest
    root : (F, 3) displacement of the hips, metres

    Returns
    -------
    (F, J, 3, 4) float64, rigid; identity in the rest pose
    """
    frame_count = len(root)
    matrices = np.empty((frame_count, len(JOINTS), 3, 4))
    turned = np.empty((frame_count, len(JOINTS), 3, 3))
    placed = np.empty((frame_count, len(JOINTS), 3))
    for joint, (name, parent) in enumerate(zip(JOINTS, PARENTS, strict=True)):
        local = rotations.get(name, np.broadcast_to(np.eye(3), (frame_count, 3, 3)))
        if parent < 0:
            turned[:, joint], placed[:, joint] = local, _REST[joint] + root
        else:
            turned[:, joint] = turned[:, parent] @ local
            placed[:, joint] = placed[:, parent] + turned[:, parent] @ (_REST[joint] - _REST[parent])
        matrices[:, joint, :, :3] = turned[:, joint]
        matrices[:, joint, :, 3] = placed[:, joint] - turned[:, joint] @ _REST[joint]
    return matrices
