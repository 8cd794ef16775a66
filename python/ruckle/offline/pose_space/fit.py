"""Fitted shares: weights with which the details of several bent joints are added, fitted to simulated poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arguments import instance, positive_number, whole_number
from ruckle.arrays import float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.pose_space.binding import MOST_PASSES, details, vertex_means
from ruckle.pose_space.database import PoseDatabase, vertex_weights
from ruckle.pose_space.interpolation import interpolate
from ruckle.pose_space.joint import cell, joint_angles

__all__ = ["fit_windows"]

# Default of `ridge` in `fit_windows`.
RIDGE = 0.3

# Number of averaging passes over neighbours. Without averaging, the share of a vertex would depend on single folds.
SMOOTHING = 6

Float64 = NDArray[np.float64]


def fit_windows(
    database: PoseDatabase, fine: Animation, coarse: Animation, *, ridge: float = RIDGE, smoothing: int = SMOOTHING
) -> PoseDatabase:
    """Fit the share of each joint at each vertex to simulated poses of several joints, for the rule "fitted".

    For each vertex, the shares s minimise Σ ‖D - D_0 - Σ_j s_j E_j‖² + ridge ‖s - s_0‖² over the poses. D are the
    simulated details, D_0 the details at rest, E_j the interpolated details of joint j, and s_0 the shares of the rule
    "energy". Before the solution, the normal equations of each vertex are averaged with those of its neighbours. The
    resulting shares are limited to [0, 1].

    Parameters
    ----------
    database : PoseDatabase
    fine : Animation
        The simulated cloth on the database's fine mesh, in a few poses that are each reached along several paths.
    coarse : Animation
        The coarse cloth in the same frames, with bones.
    ridge : float, > 0
        Weight of the regularisation toward s_0, in units of Σ ‖E_j‖² over the poses (mean over vertices and joints).
    smoothing : int
        Number of averaging passes over neighbours.

    Returns
    -------
    PoseDatabase

    Raises
    ------
    ValueError
        Numbers of vertices differ from the database, the numbers of frames differ, or `coarse` lacks bones.
    """
    instance("database", database, PoseDatabase, "ruckle.load_poses reads one")
    count, truth = database.binding.vertex_count, require_animation(fine).positions
    if truth.shape != (coarse.frame_count, count, 3):
        raise ValueError(
            f"fine: expected {coarse.frame_count} frames of {count} vertices, got {truth.shape[0]} of {truth.shape[1]}"
        )
    if coarse.skeleton is None or coarse.bones is None:
        raise ValueError(f"coarse: '{coarse.name}' has no skeleton, which joint angles need")
    names, skeleton, posed = database.skeleton.names, coarse.skeleton, coarse.bones
    pairs = [(skeleton.index(names[j.parent_bone]), skeleton.index(names[j.child_bone])) for j in database.joints]
    turned = np.stack([skeleton.turns(posed, parent, child) for parent, child in pairs], axis=1)
    before = _core.merge_shares(float32("weights", vertex_weights(database.joints, count)), "energy").astype(np.float64)
    gram, right = np.zeros((count, len(pairs), len(pairs))), np.zeros((count, len(pairs)))
    for shape, positions, turns in zip(truth, coarse.positions, turned, strict=True):
        moved = _moved(database, turns)
        missing = details(shape, positions, database.binding) - database.rest_details
        missing -= np.einsum("vj,jvc->vc", before, moved)
        gram += np.einsum("jvc,kvc->vjk", moved, moved)
        right += np.einsum("jvc,vc->vj", moved, missing)
    for _ in range(whole_number("smoothing", smoothing, 0, MOST_PASSES)):
        gram = vertex_means(gram.reshape(count, -1), database.faces).reshape(gram.shape)
        right = vertex_means(right, database.faces)
    strength = positive_number("ridge", ridge) * max(float(np.trace(gram, axis1=1, axis2=2).mean()), 1e-300)
    change = np.linalg.solve(gram + strength / len(pairs) * np.eye(len(pairs)), right[..., None])[..., 0]
    shares = np.clip(before + change, 0.0, 1.0)
    joints = [
        replace(joint, fitted=shares[joint.vertices, number].astype(np.float32))
        for number, joint in enumerate(database.joints)
    ]
    return replace(database, joints=tuple(joints))


def _moved(database: PoseDatabase, turns: Float64) -> Float64:
    """Return the contribution (J, V, 3) of each joint to the details, with share 1, in mesh units.

    `turns` are (J, 3, 3).
    """
    moved = np.zeros((len(database.joints), database.binding.vertex_count, 3))
    for own, joint, turn in zip(moved, database.joints, turns, strict=True):
        around = cell(joint.angles, joint_angles(turn, joint.axes, joint.kind))
        own[joint.vertices] = interpolate(joint.details, around) * joint.step
    return moved
