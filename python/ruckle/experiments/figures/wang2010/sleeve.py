"""The sleeve of the figures: its database, simulated shapes outside the database, and shading of cloth."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.geometry import face_crosses, unit
from ruckle.offline.pose_space.plan import PlannedJoint, PosePlan
from ruckle.offline.pose_space.posed_garments import HeldOut, load_held_out
from ruckle.pose_space.binding import apply, vertex_means
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.files import load_poses
from ruckle.pose_space.synthesizer import PoseFrame, PoseSynthesizer
from ruckle.pose_space.weights import MergeRule
from ruckle.simulation.body import skin

__all__ = ["bends", "bent_shapes", "coarse_at", "database", "held_out", "inner", "light", "plan", "synthesized"]

Float64 = NDArray[np.float64]

# Direction to the light; colours of cloth that faces the light and of cloth that faces away.
LIGHT = unit(np.array([-0.45, 0.55, 0.7]))
BRIGHT, DARK = np.array([0.97, 0.955, 0.92]), np.array([0.22, 0.25, 0.33])


@cache
def database() -> PoseDatabase:
    """Return the sleeve's database of example details, which `ruckle poses simulate sleeve` creates."""
    with resources.as_file(resources.files("ruckle") / "garments" / "sleeve.poses.npz") as path:
        return load_poses(path)


@cache
def held_out() -> HeldOut:
    """Return simulated shapes of the sleeve in poses between the samples: of the elbow alone, then of both joints."""
    with resources.as_file(resources.files("ruckle") / "garments" / "sleeve_truth.npz") as path:
        return load_held_out(path)


@cache
def plan() -> PosePlan:
    """Return the plan of sampled joint angles from which the database was built."""
    found = database()
    joints = [
        PlannedJoint(joint.name, joint.parent_bone, joint.child_bone, joint.kind, joint.axes, joint.angles)
        for joint in found.joints
    ]
    return PosePlan(found.skeleton, tuple(joints))


def coarse_at(bones: ArrayLike) -> Float64:
    """Return the coarse sleeve in a pose, (C, 3), metres."""
    return skin(database().binding.rest, held_out().coarse_weights, bones).astype(np.float64)


def synthesized(bones: ArrayLike, merge: MergeRule = "energy") -> PoseFrame:
    """Return the sleeve in a pose, synthesized from examples."""
    return PoseSynthesizer(database(), merge=merge).step(coarse_at(bones), bones=bones)


@cache
def bent_shapes() -> tuple[Float64, Float64, Float64]:
    """Return the sleeve while the elbow bends in steps of 6 degrees.

    Returns angles in degrees, bones, and simulated shapes (17, V, 3). The shapes cover the whole sleeve, although the
    database stores only two regions for each joint.
    """
    found, truth = database(), held_out()
    bent = truth.ways == 0
    degrees = np.linspace(0, 96, 1 + int(bent.sum()))
    bones = np.concatenate([found.skeleton.pose(np.eye(3)[None].repeat(3, 0))[None], truth.bones[bent]])
    rest = apply(coarse_at(bones[0]), found.binding, found.rest_details)
    return degrees, bones, np.concatenate([rest[None], truth.fine[bent]])


def bends(positions: ArrayLike) -> Float64:
    """Return the distance of each vertex from the mean of its neighbours, (V,) metres; 0 at the border."""
    points = np.asarray(positions, np.float64)
    faces = database().faces
    found: Float64 = np.linalg.norm(vertex_means(points, faces) - points, axis=1) * inner(faces, len(points))
    return found


def inner(faces: ArrayLike, count: int) -> NDArray[np.bool_]:
    """Return a mask of vertices that triangles (T, 3) surround completely; `count` is the number of vertices."""
    corners = np.asarray(faces)
    edges = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    around = np.bincount(corners.ravel(), minlength=count)
    # an inner vertex has equally many edges and triangles; a border vertex has one edge more
    surrounded: NDArray[np.bool_] = (around > 0) & (np.bincount(edges.ravel(), minlength=count) == around)
    return surrounded


def light(positions: ArrayLike, faces: ArrayLike) -> Float64:
    """Return colours (T, 3) of a mesh, shaded by the normals of its triangles."""
    normals = unit(face_crosses(np.asarray(positions), np.asarray(faces)))
    share = np.clip(0.25 + 0.75 * normals @ LIGHT, 0.0, 1.0)[:, None]
    colors: Float64 = DARK + share * (BRIGHT - DARK)
    return colors
