"""Refinement of the grids of samples until errors between samples are below a tolerance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance, number, positive_number
from ruckle.mesh.animation import Animation, require_animation
from ruckle.offline.pose_space.plan import PlannedJoint, PosePlan, TrainingClip
from ruckle.pose_space.binding import bind, details

__all__ = ["REPEATED", "Midpoint", "refine_plan", "rest_repeatability", "rms"]

# An interval between samples is not divided if the new spacing would be below this number of degrees.
LEAST_SPACING = 4.0

# Name of the note in a database that contains the rms difference between two paths to the same pose.
REPEATED = "a pose reached in two ways differs by, rms"

# Two poses are equal if their bone matrices differ by at most this number.
SAME_POSE = 1e-6

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Midpoint:
    """Error of a grid midway between two samples.

    Attributes
    ----------
    joint : str
    axis : int
        Index of the varied angle of the joint.
    degrees, spacing : float
        Angle at the midpoint, and distance between the two samples.
    error : float, mesh units
        Root mean square difference between the simulated shape and the interpolation of the two samples.
    is_added : bool
        True if the midpoint became a sample.
    """

    joint: str
    axis: int
    degrees: float
    spacing: float
    error: float
    is_added: bool


def rest_repeatability(clip: TrainingClip, cache: Animation) -> float:
    """Return the root mean square difference between later returns to the rest pose and the first rest, mesh units.

    Parameters
    ----------
    clip : TrainingClip
    cache : Animation
        The simulated garment in the frames of the clip.

    Raises
    ------
    ValueError
        The number of frames differs from that of the clip.
    """
    instance("clip", clip, TrainingClip)
    if require_animation(cache).frame_count != len(clip.bones):
        raise ValueError(f"cache: expected the {len(clip.bones)} frames of the training clip, got {cache.frame_count}")
    resting = np.abs(clip.bones - clip.bones[0]).max(axis=(1, 2, 3)) < SAME_POSE
    # last frame of each pause at rest, when the cloth has had most time to come to rest
    last = np.flatnonzero(resting & ~np.append(resting[1:], False))
    shapes = cache.positions[last].astype(np.float64)
    return rms(shapes[1:] - shapes[0]) if len(shapes) > 1 else 0.0


def rms(differences: ArrayLike) -> float:
    """Return the root mean square length of vectors (..., 3)."""
    return float(np.sqrt((np.asarray(differences, np.float64) ** 2).sum(axis=-1).mean()))


def refine_plan(
    plan: PosePlan,
    shape_at: Callable[[str, Float64], ArrayLike],
    coarse_at: Callable[[Float64], ArrayLike],
    coarse_faces: ArrayLike,
    *,
    tolerance: float,
    repeatability: float = 0.0,
) -> tuple[PosePlan, list[Midpoint]]:
    """Halve the spacing of a plan's samples until the interpolation error at midpoints is within a tolerance.

    The midpoint of each interval is simulated, with the joint's other angles at 0. If the error exceeds the tolerance,
    the midpoint becomes a sample, and both halves are treated in the same way, down to 4 degrees. The error must also
    exceed `repeatability`, the difference of cloth in one pose after two paths, which more samples cannot reduce.

    Parameters
    ----------
    plan : PosePlan
    shape_at : function of a joint's name and its angles (D,), radians, that returns (V, 3) mesh units
        Function that returns the fine garment with this joint turned and all other joints at rest.
    coarse_at : callable
        Function that returns the positions (C, 3) of the game's garment, mesh units, for bone matrices (B, 3, 4).
    coarse_faces : (T, 3) int
    tolerance : float, mesh units, > 0
        Root mean square error over all vertices.
    repeatability : float, mesh units, >= 0
        Smallest error that justifies a sample, for example from `rest_repeatability` or `two_ways`.

    Returns
    -------
    plan : PosePlan
    middles : list of Midpoint
        All simulated midpoints.

    Raises
    ------
    ValueError
        The tolerance is not positive.
    """
    least = max(positive_number("tolerance", tolerance), number("repeatability", repeatability))
    skeleton = instance("plan", plan, PosePlan).skeleton
    rest_coarse = coarse_at(skeleton.pose(plan.rotations({})))
    first = plan.joints[0]
    binding = bind(shape_at(first.name, np.zeros(len(first.angles))), rest_coarse, coarse_faces)

    def details_at(joint: PlannedJoint, axis: int, angle: float) -> Float64:
        angles = np.zeros(len(joint.angles))
        angles[axis] = angle
        bones = skeleton.pose(plan.rotations({joint.name: angles}))
        return details(shape_at(joint.name, angles), coarse_at(bones), binding)

    joints, middles = [], []
    for joint in plan.joints:
        rows = []
        for axis, row in enumerate(joint.angles):
            known = {angle: details_at(joint, axis, angle) for angle in row} if len(row) > 1 else {}
            waiting = list(pairwise(row))
            while waiting:
                low, high = waiting.pop()
                middle, spacing = 0.5 * (low + high), float(np.degrees(high - low))
                truth = details_at(joint, axis, middle)
                error = rms(truth - 0.5 * (known[low] + known[high]))
                added = error > least and spacing >= 2 * LEAST_SPACING - 1e-9
                middles.append(Midpoint(joint.name, axis, float(np.degrees(middle)), spacing, error, added))
                if added:
                    known[middle] = truth
                    waiting += [(low, middle), (middle, high)]
            rows.append(np.array(sorted(known) or row))
        joints.append(replace(joint, angles=tuple(rows)))
    return replace(plan, joints=tuple(joints)), middles
