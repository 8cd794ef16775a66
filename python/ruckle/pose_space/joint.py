"""The rotation angles of a joint, and the samples of its grid around these angles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import choice, found, mistyped
from ruckle.arrays import Float32, Int32, float64
from ruckle.mesh.rotation import rotation_matrices

__all__ = ["Cell", "JointKind", "ball_axes", "cell", "hinge_axes", "joint_angles", "joint_rotation", "sampled_angles"]

JointKind = Literal["hinge", "ball"]

# The angle between neighbouring samples must be below this (a half turn, radians). From a half turn on, the arcs and
# screws of the paper are not unique.
LARGEST_SPACING = np.pi

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The samples around the angles of a joint, and the weights of these samples.

    Attributes
    ----------
    samples : (K,) int32
        Indices of at most 2^D samples; the last axis varies fastest. Samples with weight 0 are omitted.
    weights : (K,) float32
        Weights of multilinear interpolation; their sum is 1.
    outside : (D,) float64, radians
        Each angle minus the nearest sample of its axis; 0 inside the grid. Outside, the nearest samples are used.
    """

    samples: Int32
    weights: Float32
    outside: Float64


def joint_angles(rotation: ArrayLike, axes: ArrayLike, kind: JointKind) -> Float64:
    """Return the rotation angles of a joint.

    A hinge rotates about its first axis. A ball joint first twists about its last axis, along the bone. It then swings
    about one axis in the plane of the other two: R = exp(s1 a1 + s2 a2) exp(t a3). This form does not have gimbal lock.

    Parameters
    ----------
    rotation : (3, 3) float
        Rotation of the joint, from `Skeleton.joint_rotations`.
    axes : (3, 3) float
        Three orthonormal axes, one per row.
    kind : {"hinge", "ball"}

    Returns
    -------
    (1,) or (3,) float64, radians
        Twists and hinge angles are in [-π, π). After a swing by π, the twist is undefined and 0 is returned.

    Raises
    ------
    ValueError
        The rows of `rotation` or `axes` are not orthonormal, or the kind is unknown.
    """
    return _core.joint_angles(
        _matrix("rotation", rotation), _matrix("axes", axes), choice("kind", kind, get_args(JointKind))
    )


def joint_rotation(angles: ArrayLike, axes: ArrayLike) -> Float64:
    """Return rotations (..., 3, 3) from angles (..., 1) or (..., 3), radians. This is the inverse of `joint_angles`.

    Raises
    ------
    ValueError
        The angles have a wrong shape or are not finite, or the rows of `axes` are not orthonormal.
    """
    turns, rows = float64("angles", angles), _matrix("axes", axes)
    if turns.ndim == 0 or turns.shape[-1] not in (1, 3) or not np.isfinite(turns).all():
        raise ValueError(f"angles: expected finite numbers of shape (..., 1) or (..., 3), got {found(turns)}")
    if turns.shape[-1] == 1:
        return rotation_matrices(turns * rows[0])
    swing, twist = turns[..., :2] @ rows[:2], turns[..., 2:] * rows[2]
    return np.asarray(rotation_matrices(swing) @ rotation_matrices(twist))


def cell(axes: Sequence[ArrayLike], angles: ArrayLike) -> Cell:
    """Return the samples of a joint's grid around its angles.

    Parameters
    ----------
    axes : D sequences of float, radians
        Sampled angles of each axis, strictly increasing. An axis with one sample has no effect. The last axis (the
        angle of a hinge, or the twist of a ball joint) is periodic: the last and the first sample are blended in the
        middle half of the gap between them. Outside the samples of another axis, its nearest sample is used.
    angles : (D,) float, radians

    Raises
    ------
    ValueError
        An axis has no samples, does not increase or has a step of at least 180 degrees, or the number of angles is
        wrong.

    Examples
    --------
    >>> found = ruckle.cell([[0.0, 1.0, 2.0]], [1.25])
    >>> found.samples.tolist(), found.weights.tolist()
    ([1, 2], [0.75, 0.25])
    """
    return Cell(*_core.grid_cell(sampled_angles("axes", axes), float64("angles", angles)))


def sampled_angles(name: str, axes: Sequence[ArrayLike]) -> tuple[Float64, ...]:
    """Return checked axes of a grid, radians. ValueError if one is empty, does not increase or has a step >= π."""
    if not isinstance(axes, Sequence | np.ndarray):
        raise mistyped(name, "a sequence of angles for each axis", axes)
    rows = tuple(float64(name, axis) for axis in axes)
    for number, row in enumerate(rows):
        if row.ndim != 1 or not row.size or not np.isfinite(row).all() or (np.diff(row) <= 0).any():
            got = row[:8].tolist() if row.ndim == 1 else found(row)
            raise ValueError(f"{name}: axis {number}: expected finite angles that strictly increase, got {got}")
        if (np.diff(row) >= LARGEST_SPACING).any():
            raise ValueError(f"{name}: axis {number}: expected angles less than 180 degrees apart")
    return rows


def hinge_axes(axis: ArrayLike, along: ArrayLike) -> Float64:
    """Return the axes (3, 3) of a hinge about `axis` (3,). The last row is as parallel to `along` (3,) as possible.

    If `along` is parallel to `axis`, the last row is `_across(axis)`.
    """
    first = unit_vector("axis", axis)
    last = float64("along", along) - (first @ float64("along", along)) * first
    last = last / np.linalg.norm(last) if np.linalg.norm(last) > 1e-6 else _across(first)
    return np.stack([first, np.cross(last, first), last])


def ball_axes(along: ArrayLike, first: ArrayLike | None = None) -> Float64:
    """Return the axes (3, 3) of a ball joint. The last row is the direction of the bone.

    Parameters
    ----------
    along : (3,) float
    first : (3,) float, optional
        Axis of the first swing. Its component along the bone is removed; ValueError if it is parallel to the bone.
        Default: `_across(along)`.
    """
    last = unit_vector("along", along)
    start = _across(last) if first is None else float64("first", first) - (float64("first", first) @ last) * last
    start = unit_vector("first", start)
    return np.stack([start, np.cross(last, start), last])


def _across(direction: Float64) -> Float64:
    """Return a unit vector perpendicular to `direction`: the most perpendicular coordinate axis, projected."""
    axis = np.eye(3)[np.argmin(np.abs(direction))]
    across: Float64 = axis - (axis @ direction) * direction
    return across / np.linalg.norm(across)


def unit_vector(name: str, vector: ArrayLike) -> Float64:
    """Return a vector (3,) with length 1. ValueError for another shape, zero, or a number that is not finite."""
    given = float64(name, vector)
    length = np.linalg.norm(given)
    if given.shape != (3,) or not np.isfinite(length) or length < 1e-9:
        raise ValueError(f"{name}: expected three numbers that have a direction, got {given.tolist()}")
    return np.asarray(given / length)


def _matrix(name: str, values: ArrayLike) -> Float64:
    matrix = float64(name, values)
    if matrix.shape != (3, 3) or not np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-3):
        raise ValueError(f"{name}: expected three orthonormal rows, got {matrix.tolist()}")
    return matrix
