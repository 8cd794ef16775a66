"""From fine shapes in sampled poses to a database."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance
from ruckle.arrays import first_true, int32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import topology_of
from ruckle.pose_space.binding import bind, details
from ruckle.pose_space.database import PoseDatabase, PoseJoint, quantized
from ruckle.pose_space.plan import PosePlan, TrainingClip
from ruckle.pose_space.skin import fit_skin
from ruckle.pose_space.weights import SMOOTHING, bone_regions, nearest_bones, region_weights

__all__ = ["build_poses", "collect", "neighbor_differences", "sample_rows"]

# Weights below this are left out: at folds of 20 mm they leave 0.02 mm.
LEAST_WEIGHT = 1e-3

# Ratio of the extents of fine and coarse mesh from which they are taken to be in different units.
LARGEST_UNIT_RATIO = 2.0

Float64 = NDArray[np.float64]


def collect(plan: PosePlan, clip: TrainingClip, cache: Animation) -> Animation:
    """Return the frames of a simulated training clip in which samples are held: the rest pose, then all of them.

    Raises
    ------
    ValueError
        A cache of another length.
    """
    instance("plan", plan, PosePlan)
    frames = require_animation(cache).frame_count
    if frames != len(clip.bones):
        raise ValueError(f"cache: expected the {len(clip.bones)} frames of the training clip, got {frames}")
    return Animation(
        cache.positions[clip.sample_frames],
        cache.faces,
        fps=cache.fps,
        name=cache.name,
        height=cache.height,
        up=cache.up,
    )


def sample_rows(plan: PosePlan) -> dict[str, slice]:
    """Return which frames of collected shapes are those of each joint."""
    ends = np.cumsum([1, *(joint.sample_count for joint in plan.joints)]).tolist()
    return {joint.name: slice(first, last) for joint, first, last in zip(plan.joints, ends, ends[1:], strict=False)}


def build_poses(
    plan: PosePlan,
    fine: Animation,
    coarse: Animation,
    *,
    regions: ArrayLike | None = None,
    smoothing: int = SMOOTHING,
    unit: str = "metre",
    notes: Mapping[str, float | str] | None = None,
) -> PoseDatabase:
    """Build a database from fine and coarse shapes in the poses of a plan.

    Parameters
    ----------
    plan : PosePlan
    fine : Animation
        1 + S frames: the rest pose, then the samples of all joints in the order of the plan, such as `collect` returns
        and `settle_poses` simulates.
    coarse : Animation
        The coarse garment in the same poses, as the game will have it.
    regions : (V,) int, optional
        The bone of the plan's skeleton that each fine vertex belongs to; the nearest when not given.
    smoothing : int
        Passes of averaging that make weights continuous.
    unit : str
        What a mesh unit is.
    notes : mapping, optional
        Numbers and texts to keep with the database.

    Returns
    -------
    PoseDatabase

    Raises
    ------
    ValueError
        Other numbers of frames than the plan has samples, meshes of different units, or regions that do not fit.
    """
    fine_shapes, coarse_shapes = _shapes("fine", plan, fine), _shapes("coarse", plan, coarse)
    extents = [float(np.ptp(shapes[0], axis=0).max()) for shapes in (fine_shapes, coarse_shapes)]
    if not 1 / LARGEST_UNIT_RATIO < extents[0] / extents[1] < LARGEST_UNIT_RATIO:
        raise ValueError(
            f"fine, coarse: extend over {extents[0]:.4g} and {extents[1]:.4g} mesh units; are they in different units?"
        )
    topology = topology_of(coarse)
    binding = bind(fine_shapes[0], coarse_shapes[0], topology.faces)
    owners = nearest_bones(fine_shapes[0], plan.skeleton) if regions is None else int32("regions", regions)
    if owners.shape != (fine.vertex_count,) or not 0 <= owners.min() <= owners.max() < plan.skeleton.joint_count:
        raise ValueError(f"regions: expected a bone below {plan.skeleton.joint_count} for each of {fine.vertex_count}")
    weights = joint_weights(plan, fine, owners, smoothing)
    rest = details(fine_shapes[0], coarse_shapes[0], binding).astype(np.float32)
    joints, differences = [], dict[str, float | str](notes or {})
    for number, (joint, rows) in enumerate(zip(plan.joints, sample_rows(plan).values(), strict=True)):
        vertices = np.flatnonzero(weights[:, number] > LEAST_WEIGHT).astype(np.int32)
        found = [details(f, c, binding) for f, c in zip(fine_shapes[rows], coarse_shapes[rows], strict=True)]
        moved = (np.array(found) - rest)[:, vertices]
        steps, step = quantized(moved)
        joints.append(
            PoseJoint(
                joint.name, joint.parent_bone, joint.child_bone, joint.kind, joint.axes, joint.angles, vertices,
                weights[vertices, number].astype(np.float32), steps, step,
            )
        )  # fmt: skip
        between = neighbor_differences(moved, joint.angles)
        differences[f"{joint.name}: largest difference of neighbours over the median"] = float(
            round(between.max() / max(float(np.median(between)), 1e-300), 3)
        )
    used = [bone for joint in plan.joints for bone in (joint.parent_bone, joint.child_bone)]
    skin = fit_skin(coarse_shapes[0], coarse_shapes, plan.sample_bones, sorted(set(used)))
    return PoseDatabase(plan.skeleton, binding, fine.faces, rest, tuple(joints), unit, differences, skin)


def joint_weights(plan: PosePlan, fine: Animation, owners: ArrayLike, smoothing: int) -> Float64:
    """Return the weight of each planned joint at each fine vertex, (V, J) float64."""
    regions = bone_regions(plan.skeleton, [joint.child_bone for joint in plan.joints])
    pairs = [[regions[joint.parent_bone], regions[joint.child_bone]] for joint in plan.joints]
    return region_weights(
        fine.positions[0], fine.faces, regions[int32("regions", owners)], np.array(pairs), smoothing=smoothing
    )


def neighbor_differences(details: ArrayLike, angles: tuple[Float64, ...]) -> Float64:
    """Return the rms difference per radian of samples that are neighbours in the grid: (E,) float64, mesh units.

    An edge that stands out joins samples whose folds are not of one family: what lies between them is mush.

    Parameters
    ----------
    details : (S, n, 3) float, mesh units
    angles : D sequences of float, radians
    """
    values = np.asarray(details, np.float64)
    grid = values.reshape(*(len(axis) for axis in angles), *values.shape[1:])
    found = []
    for number, axis in enumerate(angles):
        squares = (np.diff(grid, axis=number) ** 2).sum(axis=-1).mean(axis=-1)
        steps = np.diff(axis).reshape([-1 if other == number else 1 for other in range(len(angles))])
        found.append((np.sqrt(squares) / steps).ravel())
    every = np.concatenate(found)
    return every if len(every) else np.zeros(1)


def _shapes(name: str, plan: PosePlan, animation: Animation) -> NDArray[np.float32]:
    positions = require_animation(animation).positions
    if len(positions) != 1 + plan.sample_count:
        raise ValueError(
            f"{name}: expected {1 + plan.sample_count} frames, the rest pose and the samples of the plan, "
            f"got {len(positions)}"
        )
    if not np.isfinite(positions).all():
        frame, vertex, _ = first_true(~np.isfinite(positions))
        raise ValueError(f"{name}: sample {frame}, vertex {vertex} is not finite")
    return positions
