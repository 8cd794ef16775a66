"""Stages 2 to 4 (stretch, labels, references) in NumPy float64, directly from the equations.

Tests and benchmarks compare the core with this code.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Float64 = NDArray[np.float64]


def edge_matrices(positions: Array, faces: Array) -> Float64:
    """Return edge matrices (T, 2, 2): two edges of each triangle as columns. The x axis is along the first edge."""
    corners = np.asarray(positions, dtype=np.float64)[faces]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    x_axis = first / np.linalg.norm(first, axis=1, keepdims=True)
    normal = np.cross(first, second)
    y_axis = np.cross(normal / np.linalg.norm(normal, axis=1, keepdims=True), x_axis)
    axes = np.stack([x_axis, y_axis], axis=1)
    matrices: Float64 = np.einsum("tij,tkj->tik", axes, np.stack([first, second], axis=1))
    return matrices


def stretch(reference: Array, current: Array) -> tuple[Float64, Float64, Float64]:
    """Return the minimal stretch (T,), the maximal stretch (T,) and the axis (T, 2) of the minimum, by an SVD."""
    deformation = np.asarray(current, np.float64) @ np.linalg.inv(np.asarray(reference, np.float64))
    left, values, _ = np.linalg.svd(deformation)
    return values[:, 1], values[:, 0], left[:, :, 1]


def dominance_cost(a: Float64, b: Float64, alpha: float, beta: float, sigma: float) -> Float64:
    """Return the cost c(a, b) of equation (4.5)."""
    slow, fast = np.exp(-alpha * (a - 1)), np.exp(-beta * (a - 1))
    dominating = (slow - fast) * np.exp(-0.5 * (a - b) ** 2 / (2 * sigma**2)) + fast
    return np.where(a > b, dominating, a / b * (slow - 1) + 1)


def label_costs(
    compression: Array, maximum: Array, *, sigma: float = 0.05, alpha: float = 9.0, beta: float = 90.0,
    dt: float = 1 / 30,
) -> Float64:  # fmt: skip
    """Return the label costs (T, 3) of equations (4.4), (4.6) and (4.7)."""
    a = np.asarray(compression, np.float64) ** (1 / 30 / dt)
    b = np.asarray(maximum, np.float64) ** (1 / 30 / dt)
    rest = 1 - np.exp(-((a - 1) ** 2 + (b - 1) ** 2) / (2 * sigma**2))
    costs = [dominance_cost(a, b, alpha, beta, sigma), rest, dominance_cost(b, a, alpha, beta, sigma)]
    return np.stack(costs, axis=1)


def update_reference(reference: Array, current: Array, labels: Array, relaxation: float, dt: float = 1 / 30) -> Float64:
    """Return the new reference matrices by the singular value decomposition of the thesis (section 4.2).

    Compressed triangles (label 0) move toward the current shape, by the share `relaxation` per 1/30 s. Triangles with
    label 2 (stretch) are replaced by the current shape if they are stretched in all directions.
    """
    reference, current = np.asarray(reference, np.float64), np.asarray(current, np.float64)
    left, values, right_t = np.linalg.svd(current @ np.linalg.inv(reference))
    rho = 1 - (1 - relaxation) ** (30 * dt)
    damped = (1 - rho) * values + rho
    relaxed = np.swapaxes(right_t, 1, 2) @ ((np.swapaxes(left, 1, 2) @ current) / damped[:, :, None])
    updated = reference.copy()
    updated[labels == 0] = relaxed[labels == 0]
    unfolded = (labels == 2) & (values[:, 1] > 1)
    updated[unfolded] = current[unfolded]
    return updated


def links(topology: Any, frame_count: int = 1) -> NDArray[np.int64]:
    """Return pairs of neighbours (L, 2) as node indices.

    Neighbours are faces with a common edge, and the same face in two consecutive frames.
    """
    face_count = topology.face_count
    across = topology.edge_faces[topology.edge_faces[:, 1] >= 0].astype(np.int64)
    spatial = [across + frame * face_count for frame in range(frame_count)]
    earlier = np.arange((frame_count - 1) * face_count)
    return np.concatenate([*spatial, np.stack([earlier, earlier + face_count], axis=1)])


def energy(unary: Array, pairs: Array, pairwise: Array, labels: Array) -> float:
    """Return the energy (4.3) of labels (N,): unary costs (N, 3) plus pairwise costs (3, 3) of neighbours (L, 2)."""
    unary = np.asarray(unary, np.float64)
    links_cost = np.asarray(pairwise, np.float64)[labels[pairs[:, 0]], labels[pairs[:, 1]]]
    return float(unary[np.arange(len(labels)), labels].sum() + links_cost.sum())
