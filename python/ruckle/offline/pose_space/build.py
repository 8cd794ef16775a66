"""Construction of a pose database from fine and coarse shapes in sampled poses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import found as found_in, instance, mapping, number as number_of
from ruckle.arrays import int32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import topology_of
from ruckle.offline.pose_space.holes import filled, known_grid
from ruckle.offline.pose_space.plan import PlannedJoint, PosePlan, TrainingClip
from ruckle.pose_space.binding import bind, details, mean_of_neighbors
from ruckle.pose_space.database import PoseDatabase, PoseJoint, quantized
from ruckle.pose_space.joint import joint_angles
from ruckle.pose_space.skin import fit_skin, known_skin
from ruckle.pose_space.weights import SMOOTHING, bone_regions, nearest_bones, region_weights

__all__ = ["build_poses", "collect", "collect_poses", "neighbor_differences", "sample_rows"]

# Vertices with a smaller weight of a joint are dropped. With folds of 20 mm, the resulting error is 0.02 mm.
LEAST_WEIGHT = 1e-3

# Vertices are dropped if their detail in all samples is below this fraction of the joint's largest detail.
LEAST_MOVE = 0.01

# In a clip of another program, a joint counts as at rest if its angle is at most 3 degrees.
REST_TOLERANCE = np.radians(3.0)

# Largest allowed ratio of the difference between two neighbouring samples to the median difference. Above this ratio,
# the samples have different folds, and interpolation blurs them.
LARGEST_LEAP = 3.0

# Largest number of missing samples that an error message lists.
MOST_NAMED = 8

# A warning is issued if a fine vertex is further from the coarse mesh than this fraction of the mesh extent.
FAR = 0.05

# If the extents of fine and coarse mesh differ by a larger factor, an error suggests that their units differ.
LARGEST_UNIT_RATIO = 2.0

Float64 = NDArray[np.float64]


def collect(plan: PosePlan, clip: TrainingClip, cache: Animation) -> Animation:
    """Return the frames of a simulated training clip that show the poses: the rest pose, then all samples.

    Raises
    ------
    ValueError
        The number of frames differs from that of the training clip.
    """
    instance("plan", plan, PosePlan), instance("clip", clip, TrainingClip, "PosePlan.clip makes one")
    frames = require_animation(cache).frame_count
    if frames != len(clip.bones):
        raise ValueError(f"cache: expected the {len(clip.bones)} frames of the training clip, got {frames}")
    return _at_frames(cache, clip.sample_frames)


def collect_poses(plan: PosePlan, fine: Animation, coarse: Animation) -> tuple[Animation, Animation]:
    """Return the frames of any clip in which a single joint is at a sample: the rest pose, then all samples.

    A frame is used for a joint if all other planned joints are within 3 degrees of rest. It shows a sample if each
    angle is within a quarter of the grid spacing. If several frames show one sample, the last one is used, because its
    cloth has settled longest.

    Parameters
    ----------
    plan : PosePlan
    fine : Animation
        The simulated garment.
    coarse : Animation
        The game's garment in the same frames, with bones.

    Returns
    -------
    fine, coarse : Animation
        1 + S frames each, as input of `build_poses`.

    Raises
    ------
    ValueError
        Clips have different lengths, bones are missing, or a sample is missing in all frames. Such a hole in the grid
        would be visible as a sudden change.
    """
    instance("plan", plan, PosePlan)
    skeleton, frames = require_animation(coarse).skeleton, require_animation(fine).frame_count
    if skeleton is None or coarse.bones is None:
        raise ValueError(f"coarse: '{coarse.name}' has no skeleton, which joint angles need")
    if coarse.frame_count != frames:
        raise ValueError(f"coarse: expected {frames} frames, as the fine garment has, got {coarse.frame_count}")
    angles = []
    for joint in plan.joints:
        child, parent = (skeleton.index(plan.skeleton.names[bone]) for bone in (joint.child_bone, joint.parent_bone))
        turns = skeleton.turns(coarse.bones, parent, child)
        angles.append(np.array([joint_angles(turn, joint.axes, joint.kind) for turn in turns]))
    resting = np.stack([(np.abs(own) < REST_TOLERANCE).all(axis=1) for own in angles], axis=1)
    shown = {"the rest pose": resting.all(axis=1)}
    for number, (joint, own) in enumerate(zip(plan.joints, angles, strict=True)):
        alone = np.delete(resting, number, axis=1).all(axis=1)
        for sample in joint.samples:
            near = (np.abs(own - sample) <= _snapping(joint, sample)).all(axis=1)
            shown[f"{joint.name} {np.degrees(sample).round(3).tolist()}"] = alone & near
    holes = [name for name, frames_of in shown.items() if not frames_of.any()]
    if holes:
        raise ValueError(f"coarse: no frame shows {len(holes)} samples of the plan: {'; '.join(holes[:MOST_NAMED])}")
    last = np.array([np.flatnonzero(frames_of)[-1] for frames_of in shown.values()])
    return _at_frames(fine, last), _at_frames(coarse, last)


def _snapping(joint: PlannedJoint, sample: Float64) -> Float64:
    """Return the tolerance (D,), radians, of a sample's angles: a quarter of the distance to the nearest sample.

    An axis with a single sample has a tolerance of 3 degrees.
    """
    ways = [np.abs(axis - angle) for axis, angle in zip(joint.angles, sample, strict=True)]
    return np.array([0.25 * way[way > 0].min() if len(way) > 1 else REST_TOLERANCE for way in ways])


def _at_frames(animation: Animation, frames: NDArray[np.integer]) -> Animation:
    return Animation(
        animation.positions[frames], animation.faces, fps=animation.fps, name=animation.name, height=animation.height,
        up=animation.up,
    )  # fmt: skip


def sample_rows(plan: PosePlan) -> dict[str, slice]:
    """Return for each joint the range of its samples in the frames 0 (rest pose) to S of the collected shapes."""
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
    is_known: ArrayLike | None = None,
    skin_weights: ArrayLike | None = None,
    spread: float = 0.0,
) -> PoseDatabase:
    """Build a database from fine and coarse shapes in the poses of a plan.

    Parameters
    ----------
    plan : PosePlan
    fine : Animation
        1 + S frames: the rest pose, then the samples of all joints in the order of the plan, as returned by `collect`
        and `settle_poses`.
    coarse : Animation
        The coarse garment of the game in the same poses.
    regions : (V,) int, optional
        Bone in the plan's skeleton for each fine vertex; default: the nearest bone.
    smoothing : int
        Number of averaging passes that make weights continuous.
    unit : str
        Name of the mesh unit.
    notes : mapping, optional
        Numbers and texts that are stored with the database, together with measurements of the samples.
    is_known : (1 + S,) bool, optional
        False for missing samples, such as poses in which the cloth did not come to rest. Their frames are ignored.
        Missing samples at the ends shorten the grid; missing inner samples are interpolated.
    skin_weights : (C, B) float, optional
        Skin weights of the coarse garment; default: weights fitted to the samples.
    spread : float, mesh units, >= 0
        If above 0, details wider than this length are added for all joints over the whole garment, and only narrower
        details are merged by weights. Reason: a lowered arm pulls the whole sleeve and half of the shirt. Joints then
        have fitted shares for the rule "fitted". This requires scipy. **Departs from the paper**, in which a joint
        affects only two regions.

    Returns
    -------
    PoseDatabase

    Raises
    ------
    ValueError
        The numbers of frames and samples differ, the meshes' units differ, the rest pose is missing, or regions are
        invalid.
    MeshError
        The coarse garment is not a manifold mesh.

    Warns
    -----
    UserWarning
        Fine vertices are far from the coarse mesh, or two neighbouring samples differ by over three times the median.
    """
    instance("plan", plan, PosePlan, "ruckle.plan_poses makes one")
    fine_shapes, coarse_shapes = _shapes("fine", plan, fine), _shapes("coarse", plan, coarse)
    extents = [float(np.ptp(shapes[0], axis=0).max()) for shapes in (fine_shapes, coarse_shapes)]
    if not 1 / LARGEST_UNIT_RATIO < extents[0] / extents[1] < LARGEST_UNIT_RATIO:
        raise ValueError(
            f"fine, coarse: extend over {extents[0]:.4g} and {extents[1]:.4g} mesh units; are they in different units?"
        )
    topology = topology_of(coarse)
    binding = bind(fine_shapes[0], coarse_shapes[0], topology.faces)
    _warn_of_distance(binding.up(coarse_shapes[0]) - fine_shapes[0], max(extents))
    owners = nearest_bones(fine_shapes[0], plan.skeleton) if regions is None else int32("regions", regions)
    if owners.shape != (fine.vertex_count,) or not 0 <= owners.min() <= owners.max() < plan.skeleton.joint_count:
        raise ValueError(f"regions: expected a bone below {plan.skeleton.joint_count} for each of {fine.vertex_count}")
    weights = joint_weights(plan, fine, owners, smoothing)
    rest = details(fine_shapes[0], coarse_shapes[0], binding).astype(np.float32)
    shares = _core.merge_shares(weights.astype(np.float32), "energy").astype(np.float64)
    passes = _passes(number_of("spread", spread), fine_shapes[0], fine.faces)
    joints, facts, known = [], dict(mapping("notes", {} if notes is None else notes)), _known(plan, is_known)
    for number, (joint, rows) in enumerate(zip(plan.joints, sample_rows(plan).values(), strict=True)):
        found = [details(f, c, binding) - rest for f, c in zip(fine_shapes[rows], coarse_shapes[rows], strict=True)]
        angles, stays = known_grid(joint.angles, known[rows])
        shapes = filled(np.array(found)[stays], angles, known[rows][stays])
        if passes:
            shapes = _with_spread(shapes, shares[:, number], fine.faces, passes)
        made, leap = _sampled(replace(joint, angles=angles), shapes, weights[:, number], bool(passes))
        joints.append(made)
        if not known[rows].all():
            holes = int((~known[rows][stays]).sum())
            facts[f"{joint.name}: samples that are not known"] = (
                f"{int((~known[rows]).sum())} of {joint.sample_count}, {holes} of them inside of the grid"
            )
        facts[f"{joint.name}: largest difference of neighbours over the median"] = leap
    posed = plan.sample_bones
    if skin_weights is None:
        used = [bone for joint in plan.joints for bone in (joint.parent_bone, joint.child_bone)]
        skin = fit_skin(coarse_shapes[0], coarse_shapes, posed, sorted(set(used)))
    else:
        skin = known_skin(coarse_shapes[0], coarse_shapes, posed, skin_weights)
    return PoseDatabase(plan.skeleton, binding, fine.faces, rest, tuple(joints), unit, facts, skin)


def _known(plan: PosePlan, is_known: ArrayLike | None) -> NDArray[np.bool_]:
    count = 1 + plan.sample_count
    known = np.ones(count, bool) if is_known is None else np.asarray(is_known)
    if known.dtype != bool or known.shape != (count,):
        raise ValueError(
            f"is_known: expected {count} flags, one for the rest pose and one for each sample, got {found_in(known)}"
        )
    first = 1
    for joint in plan.joints:
        if not known[first + joint.rest_sample]:
            raise ValueError(f"is_known: the rest pose of {joint.name} must be known")
        first += joint.sample_count
    return known


def _passes(spread: float, rest: NDArray[np.float32], faces: NDArray[np.int32]) -> int:
    """Return the number of averaging passes that remove details narrower than `spread`; 0 if `spread` is 0."""
    if not 0 <= spread < np.inf:
        raise ValueError(f"spread: expected a finite length of at least 0, got {spread:g}")
    corners = rest[faces].astype(np.float64)
    edge = float(np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2).mean())
    return int(np.ceil(2.0 * (spread / max(edge, 1e-300)) ** 2))


def _with_spread(found: Float64, shares: Float64, faces: NDArray[np.int32], passes: int) -> Float64:
    """Return the details of a joint (S, V, 3): all wide details plus the share (V,) of the narrow details."""
    count = found.shape[1]
    rows, means = found.transpose(1, 0, 2).reshape(count, -1), mean_of_neighbors(faces, count)
    for _ in range(passes):
        rows = means @ rows
    wide = rows.reshape(count, -1, 3).transpose(1, 0, 2)
    return np.asarray(wide + shares[:, None] * (found - wide))


def _sampled(joint: PlannedJoint, found: Float64, weights: Float64, is_own: bool) -> tuple[PoseJoint, float]:
    """Return a joint with its quantized samples, and the largest difference of neighbouring samples / their median.

    If `is_own`, the samples already contain the joint's share, so every vertex that moves gets weight 1.
    """
    if is_own:
        lengths = np.linalg.norm(found, axis=2).max(axis=0)
        vertices = np.flatnonzero(lengths > LEAST_MOVE * max(float(lengths.max(initial=0.0)), 1e-300)).astype(np.int32)
    else:
        vertices = np.flatnonzero(weights > LEAST_WEIGHT).astype(np.int32)
    moved = found[:, vertices]
    steps, step = quantized(moved)
    between = neighbor_differences(moved, joint.angles)
    leap = float(round(between.max() / max(float(np.median(between)), 1e-300), 3))
    if leap > LARGEST_LEAP:
        warnings.warn(
            f"{joint.name}: two neighbouring samples differ {leap:.3g} times as much as the median pair, so the shapes "
            "between them are poor; simulate each sample directly from the rest pose",
            stacklevel=3,
        )
    made = PoseJoint(
        joint.name, joint.parent_bone, joint.child_bone, joint.kind, joint.axes, joint.angles, vertices,
        weights[vertices].astype(np.float32), steps, step, np.ones(len(vertices), np.float32) if is_own else None,
    )  # fmt: skip
    return made, leap


def _warn_of_distance(gaps: Float64, extent: float) -> None:
    lengths = np.linalg.norm(gaps, axis=1)
    far = int((lengths > FAR * extent).sum())
    if far:
        warnings.warn(
            f"fine: {far} vertices are farther from the coarse mesh than 5 % of its extent, the farthest by "
            f"{lengths.max():.3g} mesh units; are both garments in the same pose?",
            stacklevel=3,
        )


def joint_weights(plan: PosePlan, fine: Animation, owners: ArrayLike, smoothing: int) -> Float64:
    """Return the weight of each planned joint at each fine vertex, (V, J) float64."""
    regions = bone_regions(plan.skeleton, [joint.child_bone for joint in plan.joints])
    pairs = [[regions[joint.parent_bone], regions[joint.child_bone]] for joint in plan.joints]
    return region_weights(
        fine.positions[0], fine.faces, regions[int32("regions", owners)], np.array(pairs), smoothing=smoothing
    )


def neighbor_differences(details: ArrayLike, angles: tuple[Float64, ...]) -> Float64:
    """Return the rms difference per radian between neighbouring samples of the grid: (E,) float64, mesh units.

    An unusually large value means that two samples have different folds, which interpolation blurs. A grid with a
    single sample has the one value 0.

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
    return positions
