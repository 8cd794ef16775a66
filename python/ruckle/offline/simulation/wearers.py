"""Wearers of the sample garments: a body mesh with a hole at the hips, which cones fill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import choice
from ruckle.arrays import Float32, float32
from ruckle.io.samples import (
    bone_matrices_of,
    figure_faces,
    figure_positions,
    figure_weights,
    sample,
    samples,
    stored_sample,
    visible_faces,
)
from ruckle.offline.simulation.garment_mesh import GarmentMesh
from ruckle.offline.simulation.remeshing import remesh
from ruckle.offline.simulation.scenes import pelvis_cones
from ruckle.offline.simulation.tracking import linear_map
from ruckle.simulation.body import Body, Motion

__all__ = ["JOINT_NAMES", "SKINNED_SAMPLES", "sample_garment", "sample_hips", "sample_motion", "sample_wearer"]

SKINNED_SAMPLES = tuple(name for name in samples() if name not in ("jumping_jack", "walking", "dancing"))
"""Sample garments that follow bones and consist of one piece.

Skirt and dress are excluded, because they are simulated.
"""

BODY_COUNT = 2000
"""Approximate number of vertices of the body. With 8,000, `parted` takes four minutes for arms and body."""

SIDE = ("Shoulder", "Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase")
JOINT_NAMES = (
    "Hips", "LowerBack", "Spine1", "Neck", "Head",
    *(f"Left{name}" for names in SIDE for name in names),
    *(f"Right{name}" for names in SIDE for name in names),
)  # fmt: skip
"""Joint names of the sample figure in the style of the CMU skeleton.

Code that cuts garments from bodies or moves limbs apart refers to these names.
"""


def sample_garment(name: str) -> GarmentMesh:
    """Return a sample garment, with weights for all joints of its wearer.

    Raises
    ------
    ValueError
        The name is not one of `SKINNED_SAMPLES`.
    """
    choice("garment", name, SKINNED_SAMPLES)
    motion = sample_motion(name)
    with stored_sample(name) as arrays:
        rest, own = arrays["rest_positions"], arrays["bone_matrices"].astype(np.float64)
        # the file of a garment contains only the bones that move the garment, without their indices in the wearer's
        # skeleton
        differences = np.abs(own[:, :, None] - motion.bones[:, None]).max(axis=(0, 3, 4))
        joints = differences.argmin(axis=1)[arrays["joint_indices"]]
        weights = np.zeros((len(rest), len(JOINT_NAMES)), np.float32)
        np.add.at(weights, (np.arange(len(rest))[:, None], joints), arrays["joint_weights"])
    return GarmentMesh(name, float32("rest", rest), sample(name).faces, weights, {})


def sample_motion(name: str) -> Motion:
    """Return the motion of the wearer of a sample, at 60 frames per second.

    Raises
    ------
    ValueError
        The name is not one of `ruckle.samples()`.
    """
    choice("name", name, samples())
    with stored_sample("wearer") as arrays:
        joints, parents = arrays["joints"], arrays["parents"]
        bones = bone_matrices_of(joints, parents, arrays[f"{name}_turns"], arrays[f"{name}_hips"])
    return Motion(bones, joints.astype(np.float64), parents.astype(np.int32), JOINT_NAMES, 60.0)


def sample_wearer(vertex_count: int = BODY_COUNT) -> Body:
    """Return the sample figure as a coarser mesh, with a hole at the hips.

    The sample files do not have faces at the hips, because every garment covers them. `sample_hips` fills the hole.
    """
    positions, weights = _figure()
    with stored_sample("wearer") as arrays:
        faces = figure_faces(arrays)[visible_faces(arrays, "jumping_jack")].astype(np.int32)
    used, numbers = np.unique(faces, return_inverse=True)
    faces = numbers.reshape(-1, 3).astype(np.int32)
    coarse, coarse_faces = remesh(positions[used], faces, vertex_count)
    onto = linear_map(positions[used], faces, coarse)
    return Body(coarse, coarse_faces, np.asarray(onto @ weights[used], np.float32))


def sample_hips(motion: Motion) -> tuple[Float32, NDArray[np.int64]]:
    """Return cones (C, 8) at rest in place of the figure's hips, metres, and the bone (C,) that moves each cone."""
    positions, weights = _figure()
    figure = Body(positions, np.empty((0, 3), np.int32), weights)
    waist = float(motion.joints[motion.index("LowerBack"), 1])
    cones = float32("cones", pelvis_cones(figure, motion, waist))
    return cones, np.full(len(cones), motion.index("Hips"))


def _figure() -> tuple[Float32, Float32]:
    with stored_sample("wearer") as arrays:
        positions = figure_positions(arrays)
        weights = np.zeros((len(positions), len(JOINT_NAMES)), np.float32)
        shares = figure_weights(arrays)
        np.add.at(weights, (np.arange(len(positions))[:, None], arrays["joint_indices"]), shares)
    return positions, weights
