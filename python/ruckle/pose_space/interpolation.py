"""Interpolation between the samples of one joint: linear in rotating frames, or on arcs and screws as in the paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import found, instance, number
from ruckle.arrays import float64
from ruckle.pose_space.joint import Cell, unit_vector

__all__ = ["interpolate", "interpolate_arc", "interpolate_screw"]

# Directions are parallel if the sine of their angle is below PARALLEL. A point is at the joint (or on the axis) if its
# distance, mesh units, is below TINY.
PARALLEL, TINY = 1e-6, 1e-9

Float64 = NDArray[np.float64]


def interpolate(samples: ArrayLike, cell: Cell) -> Float64:
    """Return the weighted mean of a joint's samples (S, n, 3) with the weights of a cell: (n, 3) float64, mesh units.

    The interpolation is multilinear and does not depend on the order of the axes. The details are in frames that rotate
    with the cloth. Therefore linear interpolation preserves folds as well as the arcs of the paper.
    """
    chosen = np.asarray(samples)[instance("cell", cell, Cell).samples].astype(np.float64)
    return np.asarray(np.tensordot(cell.weights.astype(np.float64), chosen, axes=1))


def interpolate_arc(first: ArrayLike, second: ArrayLike, center: ArrayLike, t: float) -> Float64:
    """Interpolate posed points around a joint: distance and direction change at constant rates (equation 1).

    Parameters
    ----------
    first, second : (V, 3) float, mesh units
    center : (3,) float, mesh units
    t : float, in [0, 1]

    Returns
    -------
    (V, 3) float64, mesh units
        Points on arcs; on a straight line if the two directions are parallel or a point is on the joint.

    Raises
    ------
    ValueError
        An array has a wrong shape or a number that is not finite, or `t` is outside [0, 1].
    """
    start, end, middle, share = *_points(first, second, center), _share(t)
    e0, e1 = start - middle, end - middle
    l0, l1 = np.linalg.norm(e0, axis=1, keepdims=True), np.linalg.norm(e1, axis=1, keepdims=True)
    u0, u1 = e0 / np.maximum(l0, TINY), e1 / np.maximum(l1, TINY)
    angle = np.arctan2(np.linalg.norm(np.cross(u0, u1), axis=1, keepdims=True), (u0 * u1).sum(1, keepdims=True))
    sine = np.sin(angle)
    straight = (sine < PARALLEL) | (l0 < TINY) | (l1 < TINY)
    turned = (np.sin((1 - share) * angle) * u0 + np.sin(share * angle) * u1) / np.where(straight, 1, sine)
    arc = middle + ((1 - share) * l0 + share * l1) * turned
    return np.where(straight, (1 - share) * start + share * end, arc)


def interpolate_screw(first: ArrayLike, second: ArrayLike, center: ArrayLike, axis: ArrayLike, t: float) -> Float64:
    """Interpolate posed points around a bone with constant rates of axial distance, radius and angle (equations 2, 3).

    Parameters
    ----------
    first, second : (V, 3) float, mesh units
    center : (3,) float, mesh units
        Position of the joint.
    axis : (3,) float
        Direction of the bone, not 0; its length is ignored.
    t : float, in [0, 1]

    Returns
    -------
    (V, 3) float64, mesh units
        Points on screws, which turn by less than a half turn; on a straight line if a point is on the axis.

    Raises
    ------
    ValueError
        An array has a wrong shape or a number that is not finite, `t` is outside [0, 1], or the axis is 0.
    """
    start, end, middle, share = *_points(first, second, center), _share(t)
    direction = unit_vector("axis", axis)
    a0, a1 = (start - middle) @ direction, (end - middle) @ direction
    e0 = start - middle - a0[:, None] * direction
    e1 = end - middle - a1[:, None] * direction
    l0, l1 = np.linalg.norm(e0, axis=1), np.linalg.norm(e1, axis=1)
    angle = share * np.arctan2(np.cross(e0, e1) @ direction, (e0 * e1).sum(1))[:, None]
    # a point on the axis moves along a straight line
    from_axis = (l0 <= TINY)[:, None]
    u0 = np.where(from_axis, e1, e0) / np.maximum(np.where(from_axis[:, 0], l1, l0), TINY)[:, None]
    angle = np.where(from_axis | (l1 <= TINY)[:, None], 0.0, angle)
    turned = np.cos(angle) * u0 + np.sin(angle) * np.cross(direction, u0)
    along = middle + ((1 - share) * a0 + share * a1)[:, None] * direction
    return np.asarray(along + ((1 - share) * l0 + share * l1)[:, None] * turned)


def _points(first: ArrayLike, second: ArrayLike, center: ArrayLike) -> tuple[Float64, Float64, Float64]:
    start, end, middle = float64("first", first), float64("second", second), float64("center", center)
    if start.ndim != 2 or start.shape[1:] != (3,) or end.shape != start.shape or middle.shape != (3,):
        raise ValueError(
            f"first, second, center: expected shapes (V, 3), (V, 3) and (3,), got {start.shape}, {end.shape} and "
            f"{middle.shape}"
        )
    for name, array in (("first", start), ("second", end), ("center", middle)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: every number must be finite")
    return start, end, middle


def _share(t: float) -> float:
    share = number("t", t)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"t: expected a number in [0, 1], got {found(t)}")
    return share
