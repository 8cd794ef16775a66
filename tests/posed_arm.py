"""An arm with two joints in a sleeve whose folds are given by formulas, for tests of pose space."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.offline.pose_space.plan import PosePlan
from ruckle.simulation.body import skin
from ruckle.simulation.sheet import grid_faces

Array = NDArray[Any]

LENGTH, RADIUS, ELBOW = 0.6, 0.07, 0.3
SKELETON = ruckle.Skeleton(["chest", "arm", "elbow"], [-1, 0, 1], [[-0.2, 0, 0], [0, 0, 0], [ELBOW, 0, 0]])
GRIDS = {"arm": [[-30, 0, 30], [0], [-40, 0, 40]], "elbow": [0, 30, 60, 90]}


def plan(grids: Any = None) -> PosePlan:
    return ruckle.plan_poses(SKELETON, grids or GRIDS, axes={"elbow": [0, -1, 0]})


def tube(columns: int, rows: int) -> tuple[Array, Array]:
    """Return positions and faces of a straight tube around the arm. Face normals point outward."""
    u, v = (a.ravel() for a in np.meshgrid(np.arange(columns) / columns, np.linspace(-0.15, LENGTH - 0.05, rows)))
    points = np.stack([v, RADIUS * np.cos(2 * np.pi * u), RADIUS * np.sin(2 * np.pi * u)], axis=1)
    return points.astype(np.float32), grid_faces(columns, rows, closed=True)


def bone_weights(points: Array) -> Array:
    """Return smooth skin weights (V, 3) of the three bones."""
    arm, elbow = (np.clip((points[:, 0] - at) / 0.1 + 0.5, 0, 1) for at in (0.0, ELBOW))
    return np.stack([1 - arm, arm * (1 - elbow), arm * elbow], axis=1)


def coarse_mesh() -> tuple[Array, Array]:
    return tube(10, 16)


def fine_mesh() -> tuple[Array, Array]:
    return tube(24, 44)


def coarse_at(bones: Array) -> Array:
    points, _ = coarse_mesh()
    return skin(points, bone_weights(points), bones)


def folds(points: Array, angles: dict[str, Array], size: float = 0.01) -> Array:
    """Return heights (V,) of waves near the joints. The heights are linear functions of the joint angles."""
    heights = np.zeros(len(points))
    for name, at in (("arm", 0.0), ("elbow", ELBOW)):
        for axis, angle in enumerate(np.asarray(angles.get(name, [0.0]))):
            near = np.exp(-(((points[:, 0] - at) / 0.08) ** 2))
            heights += size * angle * near * np.sin(60.0 * points[:, 0] + axis)
    return heights


def fine_at(angles: dict[str, Array], which: PosePlan | None = None) -> Array:
    """Return the fine positions in a pose: the skinned tube, displaced along its normals by the folds of all joints."""
    points, faces = fine_mesh()
    of_plan = which or plan()
    shape = skin(points, bone_weights(points), SKELETON.pose(of_plan.rotations(angles))).astype(np.float64)
    a, b, c = shape[faces].transpose(1, 0, 2)
    normals = np.zeros_like(shape)
    for corner in faces.T:
        np.add.at(normals, corner, np.cross(b - a, c - a))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return shape + (0.004 + folds(points, angles))[:, None] * normals


def sampled_angles(of_plan: PosePlan) -> list[dict[str, Array]]:
    return [{}] + [{joint.name: angles} for joint in of_plan.joints for angles in joint.samples]


def animation(shapes: list[Array], faces: Array, **options: Any) -> ruckle.Animation:
    return ruckle.Animation(np.array(shapes, np.float32), faces, **options)


def shapes_of(of_plan: PosePlan) -> tuple[ruckle.Animation, ruckle.Animation]:
    """Return two animations, of the fine and of the coarse mesh. Frame i is the pose i of the plan."""
    fine = [fine_at(angles, of_plan) for angles in sampled_angles(of_plan)]
    return animation(fine, fine_mesh()[1]), animation([coarse_at(b) for b in of_plan.sample_bones], coarse_mesh()[1])


@cache
def database() -> ruckle.PoseDatabase:
    return ruckle.build_poses(plan(), *shapes_of(plan()))


@cache
def elbow_database() -> ruckle.PoseDatabase:
    """Return a pose database of only one joint, the elbow.

    The weight of the elbow is therefore 1 in its whole region.
    """
    of_plan = plan({"elbow": GRIDS["elbow"]})
    return ruckle.build_poses(of_plan, *shapes_of(of_plan))


@cache
def moving_arm() -> ruckle.Animation:
    """Return an animation of the coarse sleeve in which both joints turn, with its bone matrices."""
    time = np.linspace(0, 1, 20)
    turns = [
        plan().rotations({"arm": [0.4 * np.sin(6 * t), 0.0, 0.5 * np.sin(4 * t)], "elbow": [1.2 * np.sin(np.pi * t)]})
        for t in time
    ]
    bones = SKELETON.pose(np.array(turns))
    return animation(
        [coarse_at(b) for b in bones], coarse_mesh()[1], fps=30, name="arm", height=1.75, skeleton=SKELETON, bones=bones
    )
