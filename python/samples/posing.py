"""From key poses to bone matrices: hands and feet have targets, and two-bone inverse kinematics bends the limbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .rotation import IDENTITY, between, interpolate, matrices, turn
from .skeleton import bone_matrices, rest
from .spline import MonotoneSpline

__all__ = ["FRAME_RATE", "Pose", "animate"]

FloatArray = NDArray[np.float64]
Vector = tuple[float, float, float]

FRAME_RATE = 60.0
"""Frames per second of every sample."""

REACH = 0.995
"""Largest extension of a limb, relative to its length; a straight limb would not have a bending plane."""

SHRUG = 0.35
"""Fraction of the arm's rotation above its rest direction that the clavicle takes over."""

ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Pose:
    """A key pose; omitted values are those of the rest pose.

    Parameters
    ----------
    time : seconds
    hips : displacement of the hips, metres
    pelvis, trunk : (pitch, yaw, lean) of the pelvis, and of the upper body relative to it, degrees
    left_hand, right_hand : target of the wrist in the rest space of the chest, metres
    left_foot, right_foot : displacement of the ankle from its rest position, metres
    left_sole, right_sole : (pitch, yaw, lean) of the foot, degrees
    """

    time: float
    hips: Vector = ZERO
    pelvis: Vector = ZERO
    trunk: Vector = ZERO
    left_hand: Vector | None = None
    right_hand: Vector | None = None
    left_foot: Vector = ZERO
    right_foot: Vector = ZERO
    left_sole: Vector = ZERO
    right_sole: Vector = ZERO


def animate(poses: Sequence[Pose]) -> FloatArray:
    """Return the bone matrices (F, J, 3, 4) of a motion through key poses, at FRAME_RATE frames per second."""
    keys = [pose.time for pose in poses]
    times = np.arange(round(keys[-1] * FRAME_RATE)) / FRAME_RATE
    turns: dict[str, list[FloatArray]] = {}
    for pose in poses:
        for joint, quaternion in upper_body(pose).items():
            turns.setdefault(joint, []).append(quaternion)
    rotations = {
        joint: matrices(interpolate(keys, np.array(quaternions), times)) for joint, quaternions in turns.items()
    }
    hips = MonotoneSpline(keys, [pose.hips for pose in poses])(times)
    for side in ("left", "right"):
        feet = [pose.left_foot if side == "left" else pose.right_foot for pose in poses]
        ankles = rest(f"{side}_ankle") + MonotoneSpline(keys, feet)(times)
        legs = [
            leg(side, pelvis, displacement, ankle)
            for pelvis, displacement, ankle in zip(rotations["hips"], hips, ankles, strict=True)
        ]
        rotations[f"{side}_hip"] = matrices(np.array([thigh for thigh, _ in legs]))
        rotations[f"{side}_knee"] = matrices(np.array([shin for _, shin in legs]))
        above = rotations["hips"] @ rotations[f"{side}_hip"] @ rotations[f"{side}_knee"]
        soles = np.array([turn(*(pose.left_sole if side == "left" else pose.right_sole)) for pose in poses])
        # the orientation of a foot is given in world space, so the rotation of the shin is removed
        rotations[f"{side}_ankle"] = np.swapaxes(above, 1, 2) @ matrices(interpolate(keys, soles, times))
    return bone_matrices(rotations, hips)


def upper_body(pose: Pose) -> dict[str, FloatArray]:
    """Return the quaternions (4,) of the hips and of all joints above them, by joint name."""
    half_bend = turn(*(0.5 * angle for angle in pose.trunk))
    turns = {"hips": turn(*pose.pelvis), "spine": half_bend, "chest": half_bend}
    for side, hand in (("left", pose.left_hand), ("right", pose.right_hand)):
        names = [f"{side}_{joint}" for joint in ("clavicle", "shoulder", "elbow")]
        quaternions = (IDENTITY, IDENTITY, IDENTITY) if hand is None else arm(side, np.array(hand))
        turns.update(zip(names, quaternions, strict=True))
    return turns


def arm(side: str, target: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the quaternions of clavicle, shoulder and elbow that move the wrist to `target` (3,)."""
    sign = 1.0 if side == "left" else -1.0
    chain = [rest(f"{side}_{joint}") for joint in ("shoulder", "elbow", "wrist")]
    outward_and_back = np.array([0.6 * sign, -0.35, -0.7])
    # the clavicle rises with the angle of the arm above its direction at rest
    rise = np.arcsin((target - chain[0])[1] / np.linalg.norm(target - chain[0])) + np.pi / 4.0
    clavicle = turn(0.0, 0.0, -sign * float(np.degrees(SHRUG * max(rise, 0.0))))
    frame = matrices(clavicle)
    pivot = rest(f"{side}_clavicle")
    local_target = pivot + frame.T @ (target - pivot)
    shoulder, elbow = two_bones(chain, local_target, frame.T @ outward_and_back)
    return clavicle, shoulder, elbow


def leg(side: str, pelvis: FloatArray, displacement: FloatArray, ankle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the quaternions of hip and knee that move the ankle to `ankle` (3,)."""
    hip, knee, ankle_at_rest = (rest(f"{side}_{joint}") for joint in ("hip", "knee", "ankle"))
    pivot = rest("hips")
    local_target = pivot + pelvis.T @ (ankle - pivot - displacement)
    # the knee bends in the same direction as at rest, so that the rest pose is reproduced exactly
    forward = knee - 0.5 * (hip + ankle_at_rest)
    return two_bones((hip, knee, ankle_at_rest), local_target, pelvis.T @ forward)


def two_bones(chain: Sequence[FloatArray], target: FloatArray, pole: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute rotations of a two-bone limb so that its end reaches `target`, in the rest space of the limb's parent.

    Parameters
    ----------
    chain : rest positions of root, middle joint and end, metres
    target : (3,) target of the end; a target that is too far is moved closer
    pole : (3,) direction in which the middle joint points

    Returns
    -------
    quaternions of root and middle joint; rotations are minimal, without twist, so that sleeves are not twisted
    """
    root, middle, end = chain
    upper, lower = middle - root, end - middle
    upper_length, lower_length = float(np.linalg.norm(upper)), float(np.linalg.norm(lower))
    reach = min(float(np.linalg.norm(target - root)), REACH * (upper_length + lower_length))
    straight = (target - root) / np.linalg.norm(target - root)
    along = (upper_length**2 - lower_length**2 + reach**2) / (2.0 * reach)
    aside = np.sqrt(max(upper_length**2 - along**2, 0.0))
    bend = pole - (pole @ straight) * straight
    bend /= np.linalg.norm(bend)
    upper_direction = (along * straight + aside * bend) / upper_length
    lower_direction = ((reach - along) * straight - aside * bend) / lower_length
    first = between(upper / upper_length, upper_direction)
    local = matrices(first).T @ lower_direction
    return first, between(lower / lower_length, local)
