"""A shirt and trousers for pose databases, cut from the skin of their wearer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import choice
from ruckle.mesh.closest import closest_points
from ruckle.mesh.skeleton import Skeleton
from ruckle.offline.pose_space.plan import PosePlan, plan_poses
from ruckle.offline.pose_space.posed_garments import PosedGarment
from ruckle.offline.simulation.scenes import scene_named
from ruckle.offline.simulation.tracking import map_of
from ruckle.pose_space.binding import vertex_means
from ruckle.simulation.body import Body, Motion
from ruckle.simulation.sheet import Sheet

__all__ = ["GRIDS", "WORN", "plan_worn", "worn_garment"]

Grid = Sequence[float] | Sequence[Sequence[float]]

# Number of averaging passes over skin weights, for places at which the nearest skin changes from one limb to another.
EVENING = 3

# Degrees. Legs and arms are given for the left side; the right side is mirrored. Positive angles bend elbows forward
# and knees backward. Ball joints swing about an axis across the body, swing about an axis along the view, and twist.
GRIDS: dict[str, dict[str, dict[str, Grid]]] = {
    "shirt": {
        "moderate": {
            "Spine1": [[0, 15, 30], [-12, 0, 12], [-12, 0, 12]],
            "LeftArm": [[-30, 0, 25, 45], [-36, -18, 0], [-30, 0, 30]],
            "LeftForeArm": [-36, -24, -12, 0, 15, 30, 45, 60, 75],
        },
        "paper": {
            "Spine1": [[0, 15, 30], [-15, 0, 15], [-30, -15, 0, 15, 30]],
            "LeftArm": [[-30, 0, 30], [-36, -18, 0, 18, 36, 54], [-45, -30, -15, 0, 15, 30, 45]],
            "LeftForeArm": list(range(-36, 121, 12)),
        },
    },
    "trousers": {
        "moderate": {
            "LeftUpLeg": [[-45, -22, 0, 30], [-20, 0, 10], [-15, 0, 10]],
            "LeftLeg": [0, 15, 30, 45, 60, 75, 90, 105],
        },
        "paper": {
            "LeftUpLeg": [[-30, 0, 30], [-20, 0, 20], [-90, -75, -60, -45, -30, -15, 0, 15, 30, 45]],
            "LeftLeg": list(range(0, 121, 12)),
        },
    },
}
"""Grids by garment and by number of samples, for the left side. "paper" has as many samples as the paper's slides."""

# Joints that turn relative to an ancestor instead of their parent. The joints between both share the rotation.
ABOVE = {"Spine1": "Hips"}

# Parameter `spread` of `build_poses`, metres. A lowered arm pulls the sleeve 35 mm along the forearm, and a raised knee
# pulls the waist sideways. Over 80 frames of a walk, the error of trousers is 28 mm with 30, 60 or 120 mm, and 35 mm
# with 0.
SPREAD = 0.06

# Joints whose repeatability is measured by two paths to the same pose.
REPEATED = ("Spine1", "LeftArm", "LeftForeArm", "LeftUpLeg", "LeftLeg")


def both_sides(grids: Mapping[str, Grid]) -> dict[str, Grid]:
    """Return grids with added grids of the right side. Sideways swing and twist change their sign on the right side."""
    found: dict[str, Grid] = {}
    for name, grid in grids.items():
        found[name] = grid
        if name.startswith("Left"):
            rows: Any = grid
            mirrored = [rows[0], *([-a for a in row][::-1] for row in rows[1:])] if len(np.shape(rows[0])) else rows
            found[name.replace("Left", "Right", 1)] = mirrored
    return found


def plan_worn(skeleton: Skeleton, joints: Mapping[str, Grid]) -> PosePlan:
    """Return the plan of a garment on a skeleton whose rest pose faces along z, with y upward.

    Parameters
    ----------
    skeleton : Skeleton
    joints : mapping of str to degrees
        See `plan_poses`. Ball joints swing about x first. Elbows bend forward, knees backward.
    """
    axes: dict[str, NDArray[np.float64]] = {}
    for name, grid in joints.items():
        axes[name] = np.array([1.0, 0.0, 0.0])
        if not len(np.shape(grid[0])):
            child = skeleton.index(name)
            along = skeleton.rest_joints[child] - skeleton.rest_joints[skeleton.parents[child]]
            axes[name] = np.cross(along, [0.0, 0.0, -1.0 if name.endswith("Leg") else 1.0])
    return plan_poses(
        skeleton, joints, axes=axes, above={name: above for name, above in ABOVE.items() if name in joints}
    )


def worn_garment(
    name: str,
    motion: Motion,
    body: Body,
    *,
    grid: str = "moderate",
    joints: Mapping[str, Grid] | None = None,
    plan: PosePlan | None = None,
) -> PosedGarment:
    """Return a garment whose cloth can be simulated in sampled poses of its wearer.

    Parameters
    ----------
    name : {"shirt", "trousers"}
    motion : Motion
        Motion of which only the joints are read.
    body : Body
        Body at rest, whose skin follows the joints.
    grid : {"moderate", "paper"}
    joints : mapping of str to degrees, optional
        See `plan_poses`; replaces the joints of `grid`.
    plan : PosePlan, optional
        Plan that replaces `grid` and `joints`.

    Raises
    ------
    ValueError
        The garment or a joint does not exist, or a grid does not include 0.
    """
    grids = GRIDS[choice("garment", name, tuple(GRIDS))]
    chosen = both_sides(grids[choice("grid", grid, tuple(grids))]) if joints is None else joints
    planned = plan_worn(motion.skeleton, chosen) if plan is None else plan
    scene = scene_named(name, motion, body)
    skin = scene.body or body
    return PosedGarment(
        planned, scene.fine, np.arange(len(scene.fine.rest), dtype=np.int32), scene.fine.faces, scene.coarse.rest,
        coarse_shares(scene.coarse, skin, planned), scene.coarse.faces, scene.cones,
        tuple(scene.cone_bones.tolist()), [], skin, REPEATED, True, False,
        SPREAD,
    )  # fmt: skip


def coarse_shares(coarse: Sheet, body: Body, plan: PosePlan) -> NDArray[np.float64]:
    """Return skin weights (C, B) of a game's garment from the nearest skin, averaged over the mesh.

    Only bones from `parent_bone` to `child_bone` of a planned joint have weights; weights of other bones are added to
    their parents. For example, a shirt's hem does not follow thighs if the plan does not contain hip joints. Toward
    the pins, weights are blended into those of the pins by `attachment`. The sum of each row is 1.
    """
    nearest = map_of(*closest_points(body.positions, body.faces, coarse.rest), body.faces, len(body.positions))
    shares = np.asarray(nearest @ body.weights, np.float64)
    for _ in range(EVENING):
        shares = vertex_means(shares, coarse.faces)
    skeleton = plan.skeleton
    ways = (skeleton.way(joint.parent_bone, joint.child_bone) for joint in plan.joints)
    followed = {bone for way in ways for bone in way} | {joint.parent_bone for joint in plan.joints}
    for bone in reversed(skeleton.order):
        above = int(skeleton.parents[bone])
        if bone not in followed and above >= 0:
            shares[:, above] += shares[:, bone]
            shares[:, bone] = 0.0
    held = coarse.attachment.astype(np.float64)[:, None]
    shares = held * coarse.weights + (1.0 - held) * shares
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


WORN = tuple(GRIDS)
"""Names of garments that require a body and a motion."""
