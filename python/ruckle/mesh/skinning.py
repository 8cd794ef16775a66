"""Linear blend skinning: each vertex is moved by a weighted mean of bone matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import mistyped
from ruckle.arrays import first_true

__all__ = ["blend", "linear_blend_skinning"]

# Positions are computed in blocks of at most BLOCK_ELEMENTS / 12 vertices times frames, to limit the memory: one
# temporary array then has 1 MiB. For 250 to 1,300 vertices, blocks of 1/4 to 2 times this size are equally fast;
# blocks of 16 times this size take twice as long.
BLOCK_ELEMENTS = 2**19

# If at most this share of the vertices have a weight, only these vertices are computed. Copying them takes a seventh
# of the time.
SUBSET = 0.85


def linear_blend_skinning(
    rest_positions: NDArray[np.floating],
    joint_indices: NDArray[np.integer],
    joint_weights: NDArray[np.floating],
    bone_matrices: NDArray[np.floating],
) -> NDArray[np.float32]:
    """Move every vertex by the weighted sum of its joints' bone matrices.

    `p'[f, v] = sum_k joint_weights[v, k] * bone_matrices[f, joint_indices[v, k]] * (p[v], 1)`, accumulated in float64
    and rounded once. Weights are not normalised. The function uses a few MiB in addition to the result.

    Parameters
    ----------
    rest_positions : (V, 3) float, mesh units
    joint_indices : (V, K) integers, 0 to J - 1
    joint_weights : (V, K) float, usually with rows that sum to 1
    bone_matrices : (F, J, 3, 4) float
        Bone matrices from rest to each frame: rotation and scale left, translation in mesh units right.

    Returns
    -------
    (F, V, 3) float32, mesh units

    Raises
    ------
    ValueError
        An array has a wrong shape or type, or contains a number that is not finite. A joint index is out of range. A
        position overflows float32. The message contains the vertex and the frame.
    TypeError
        An argument is not a NumPy array.

    Notes
    -----
    Magnenat-Thalmann, Laperriere and Thalmann, "Joint-dependent local deformations for hand animation and
    object grasping", Graphics Interface 1988.
    """
    _check(rest_positions, joint_indices, joint_weights, bone_matrices)
    with np.errstate(over="ignore", invalid="ignore"):
        positions = blend(rest_positions, joint_indices, joint_weights, bone_matrices)
    finite = np.isfinite(positions)
    if not finite.all():
        frame, vertex, _ = first_true(~finite)
        raise ValueError(f"bone_matrices: frame {frame} moves vertex {vertex} farther than float32 can represent")
    return positions


def blend(
    rest_positions: NDArray[np.floating],
    joint_indices: NDArray[np.integer],
    joint_weights: NDArray[np.floating],
    bone_matrices: NDArray[np.floating],
) -> NDArray[np.float32]:
    """Return the result of `linear_blend_skinning` without checks. An overflow gives infinity.

    `rest_positions` may also be (F, V, 3), one rest shape per frame, if morph targets move the mesh.
    """
    shapes = rest_positions if rest_positions.ndim == 3 else rest_positions[None]
    frame_count, vertex_count = bone_matrices.shape[0], shapes.shape[1]
    positions = np.empty((frame_count, vertex_count, 3), np.float32)
    vertex_step = BLOCK_ELEMENTS // 12
    for first in range(0, vertex_count, vertex_step):
        vertices = slice(first, min(first + vertex_step, vertex_count))
        joints = joint_indices[vertices].T
        weights = joint_weights[vertices].T
        # (4, 1, 1, V), or (4, F, 1, V) for a rest shape per frame
        homogeneous = np.ones((4, len(shapes), 1, joints.shape[1]))
        homogeneous[:3, :, 0] = shapes[:, vertices].transpose(2, 0, 1)
        used = [np.flatnonzero(own) for own in weights]
        frame_step = max(1, vertex_step // joints.shape[1])
        for start in range(0, frame_count, frame_step):
            frames = slice(start, start + frame_step)
            # The four matrix columns, (4, F, 3, J), are added in this fixed order. The order of NumPy's own sums
            # differs between machines.
            columns = bone_matrices[frames].transpose(3, 0, 2, 1).astype(np.float64)
            coordinates = homogeneous if len(shapes) == 1 else homogeneous[:, frames]
            blended = np.zeros((*columns.shape[1:3], joints.shape[1]))
            for joint, weight, own in zip(joints, weights, used, strict=True):
                if own.size > SUBSET * joint.size:
                    _add_influence(blended, columns, joint, coordinates * weight)
                elif own.size:
                    # vertices with weight 0 do not change, and often they are the majority
                    part = blended[..., own]
                    _add_influence(part, columns, joint[own], coordinates[..., own] * weight[own])
                    blended[..., own] = part
            positions[frames, vertices] = blended.transpose(0, 2, 1)
    return positions


def _add_influence(
    blended: NDArray[np.float64], columns: NDArray[np.float64], joint: NDArray[np.integer], scaled: NDArray[np.float64]
) -> None:
    """Add the matrices of one joint per vertex (V,), times homogeneous coordinates (4, F or 1, 1, V), to (F, 3, V)."""
    moved = np.empty_like(blended)
    for column, coordinates in zip(columns, scaled, strict=True):
        if column.shape[2] == 1:
            np.multiply(column, coordinates, out=moved)
        else:
            np.take(column, joint, axis=2, out=moved, mode="clip")
            moved *= coordinates
        blended += moved


def _check(
    rest_positions: NDArray[np.floating],
    joint_indices: NDArray[np.integer],
    joint_weights: NDArray[np.floating],
    bone_matrices: NDArray[np.floating],
) -> None:
    for name, values in {
        "rest_positions": rest_positions, "joint_indices": joint_indices, "joint_weights": joint_weights,
        "bone_matrices": bone_matrices,
    }.items():  # fmt: skip
        if not isinstance(values, np.ndarray):
            raise mistyped(name, "a NumPy array", values)
    vertex_count = rest_positions.shape[0] if rest_positions.ndim else 0
    wanted = {
        "rest_positions": (rest_positions, "fiu", "(V, 3)", rest_positions.shape[1:] == (3,)),
        "joint_indices": (joint_indices, "iu", "(V, K)", joint_indices.shape[:1] == (vertex_count,)
                          and joint_indices.ndim == 2),
        "joint_weights": (joint_weights, "fiu", "(V, K)", joint_weights.shape == joint_indices.shape),
        "bone_matrices": (bone_matrices, "fiu", "(F, J, 3, 4)", bone_matrices.ndim == 4
                          and bone_matrices.shape[2:] == (3, 4)),
    }  # fmt: skip
    for name, (array, kinds, shape, fits) in wanted.items():
        if array.dtype.kind not in kinds or not fits:
            kind = "integers" if kinds == "iu" else "real numbers"
            raise ValueError(f"{name}: expected {kind} of shape {shape}, got {array.dtype} {array.shape}")
        if kinds == "fiu" and not np.isfinite(array).all():
            index = first_true(~np.isfinite(array))
            raise ValueError(f"{name}: expected finite numbers, got {array[index]} at {index}")
    joint_count = bone_matrices.shape[1]
    outside = (joint_indices < 0) | (joint_indices >= joint_count)
    if outside.any():
        vertex, influence = first_true(outside)
        found = joint_indices[vertex, influence]
        raise ValueError(f"joint_indices: vertex {vertex} refers to joint {found}, allowed are 0 to {joint_count - 1}")
