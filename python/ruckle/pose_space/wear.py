"""Applies motions of a character to the coarse garment of a pose database."""

from __future__ import annotations

import numpy as np

from ruckle.arguments import instance
from ruckle.mesh.animation import Animation, require_animation
from ruckle.pose_space.database import PoseDatabase
from ruckle.simulation.body import skin

__all__ = ["wear"]

# Largest difference between the rest positions of a joint in database and motion, as a share of the skeleton's extent.
# Clothes fit only a wearer of the same size.
SAME_JOINTS = 0.01


def wear(database: PoseDatabase, motion: Animation) -> Animation:
    """Return the coarse garment of a database, moved by a character's bones.

    Parameters
    ----------
    database : PoseDatabase
    motion : Animation
        Motion of a character that has the bones of the database's character.

    Returns
    -------
    Animation
        Animation for `PoseSynthesizer.for_animation` and for ``--poses`` on the command line.

    Raises
    ------
    ValueError
        The database does not have skin weights, the motion lacks a bone of the skin, or the size of its skeleton
        differs.
    """
    shares = instance("database", database, PoseDatabase).skin
    if shares is None:
        raise ValueError("database: contains no skin weights of its coarse garment, so bones cannot move the garment")
    skeleton, bones = require_animation(motion).skeleton, motion.bones
    if skeleton is None or bones is None:
        raise ValueError(f"motion: '{motion.name}' has no skeleton, which the garment needs")
    own = database.skeleton
    used = np.array(database.used_bones, np.intp)
    theirs = np.array([skeleton.index(own.names[bone]) for bone in used], np.intp)
    gaps = np.linalg.norm(skeleton.rest_joints[theirs] - own.rest_joints[used], axis=1)
    if gaps.max() > SAME_JOINTS * np.ptp(own.rest_joints, axis=0).max():
        raise ValueError(
            f"motion: '{motion.name}' is of another character: joint '{own.names[used[gaps.argmax()]]}' is "
            f"{gaps.max():.3g} mesh units from where the database has it at rest"
        )
    rest, weights = database.binding.rest, shares.weights[:, used]
    positions = np.array([skin(rest, weights, pose) for pose in bones[:, theirs]])
    return Animation(
        positions, database.binding.topology.faces, fps=motion.fps, name=f"{motion.name} dressed", up=motion.up,
        height=motion.height, rest_positions=rest, skeleton=skeleton, bones=bones,
    )  # fmt: skip
