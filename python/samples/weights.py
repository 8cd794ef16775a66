"""Skin weights of a garment or a body by heat diffusion from the nearest bones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh
from .skeleton import joint_index, rest

__all__ = ["BODY_BONES", "BODY_INFLUENCES", "heat_weights"]

FloatArray = NDArray[np.float64]

GARMENT_INFLUENCES = 4
"""Bones per vertex of a garment, the common limit of game engines."""

BODY_INFLUENCES = 7
"""Bones per vertex of a body. Five bones affect the waist; with only four, a crease would be visible."""

DIFFUSION = 1.3
"""Length scale of the diffusion, relative to the vertex's distance from its bone; larger values smooth weights more."""

DENSE = 2000
"""Maximum number of vertices for which the heat equation is solved directly."""

TOLERANCE = 1e-7
"""Relative residual of the iterative solver; it is smaller than the quantisation steps of stored weights."""

TORSO_DEPTH = 1.4
"""Width of the torso divided by its depth. Distances in depth are scaled by this factor when bones are compared."""

# joint that moves the bone, joint at the end of the bone, radius of the body around the bone in metres
Bone = tuple[str, str, float]
Edges = tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]
_CENTRE_BONES = (("hips", "spine", 0.15), ("spine", "chest", 0.14), ("chest", "neck", 0.15))
GARMENT_BONES: tuple[Bone, ...] = (
    ("clavicle", "shoulder", 0.05),
    ("shoulder", "elbow", 0.05),
    ("elbow", "wrist", 0.04),
    ("hip", "knee", 0.08),
    ("knee", "ankle", 0.055),
)
"""Bones that move garments on each side, in addition to the torso."""

BODY_BONES = (*GARMENT_BONES, ("ankle", "toe", 0.03))
"""Bones that move a body on each side; unlike garments, a body has feet."""


def heat_weights(
    garment: Mesh, side_bones: Sequence[Bone] = GARMENT_BONES, influences: int = GARMENT_INFLUENCES
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return joint indices and weights (V, influences) that sum to 1, largest weight first.

    Each vertex receives heat from the bone whose body surface is nearest, more if the bone is close. Heat diffuses over
    the cloth with the cotangent Laplacian. The method is from Baran and Popovic, "Automatic Rigging and Animation of 3D
    Characters", 2007, section 4, with body radii in place of the visibility test.
    """
    joints, depths, distances = bone_distances(garment.positions, side_bones)
    # rounded distances, so that equal distances are decided by the order of joints and not by rounding errors
    nearest = np.argmin(depths.round(9), axis=1)
    vertex = np.arange(len(garment.positions))
    area, edges = cotangent_edges(garment)
    source = area / (DIFFUSION * distances[vertex, nearest]) ** 2
    heat = np.zeros_like(depths)
    heat[vertex, nearest] = source
    per_bone = solution(edges, source, heat)
    order = np.argsort(per_bone.round(12), axis=1, kind="stable")[:, : -influences - 1 : -1]
    weights = np.maximum(np.take_along_axis(per_bone, order, axis=1), 0.0)
    return np.asarray(joints)[order], weights / weights.sum(axis=1, keepdims=True)


def bone_distances(positions: FloatArray, side_bones: Sequence[Bone]) -> tuple[list[int], FloatArray, FloatArray]:
    """Return the joints of the bones, and distances (V, B) to the body surface and to the axis of each bone, metres."""
    bones: list[tuple[str, str, float, Sequence[float]]] = [
        (joint, end, radius, (1.0, 1.0, TORSO_DEPTH)) for joint, end, radius in _CENTRE_BONES
    ]
    for side in ("left", "right"):
        bones += [(f"{side}_{joint}", f"{side}_{end}", radius, (1.0, 1.0, 1.0)) for joint, end, radius in side_bones]
    to_surface, to_axis = [], []
    for joint, end, radius, metric in bones:
        start, along = rest(joint), rest(end) - rest(joint)
        s = np.clip((positions - start) @ along / (along @ along), 0.0, 1.0)
        offset = positions - start - s[:, None] * along
        to_axis.append(np.linalg.norm(offset, axis=1))
        to_surface.append(np.linalg.norm(offset * metric, axis=1) - radius)
    return (
        [joint_index(joint) for joint, *_ in bones],
        np.stack(to_surface, axis=1),
        np.stack(to_axis, axis=1),
    )


def cotangent_edges(garment: Mesh) -> tuple[FloatArray, list[Edges]]:
    """Return the vertex areas (V,) in m², and edges with the cotangent weights of one adjacent corner."""
    area, edges = np.zeros(len(garment.positions)), []
    corners = garment.positions[garment.faces]
    for corner in range(3):
        a, b = garment.faces[:, (corner + 1) % 3], garment.faces[:, (corner + 2) % 3]
        u = corners[:, (corner + 1) % 3] - corners[:, corner]
        v = corners[:, (corner + 2) % 3] - corners[:, corner]
        twice_area = np.linalg.norm(np.cross(u, v), axis=1)
        # the cotangent of an obtuse angle is negative and could cause weights outside [0, 1], so it is replaced by 0
        edges.append((a, b, np.maximum(np.sum(u * v, axis=1) / twice_area, 0.0) / 2.0))
        np.add.at(area, garment.faces[:, corner], twice_area / 6.0)
    return area, edges


def solution(edges: Sequence[Edges], source: FloatArray, heat: FloatArray) -> FloatArray:
    """Return the temperatures (V, B) in equilibrium with heat sources `heat` (V, B) and loss rates `source` (V,)."""
    count = len(source)
    if count > DENSE:
        return conjugate_gradients(edges, source, heat)
    stiffness = np.zeros((count, count))
    for a, b, cotangent in edges:
        np.add.at(stiffness, (a, b), -cotangent)
        np.add.at(stiffness, (b, a), -cotangent)
        np.add.at(stiffness, (a, a), cotangent)
        np.add.at(stiffness, (b, b), cotangent)
    return np.asarray(np.linalg.solve(stiffness + np.diag(source), heat))


def conjugate_gradients(edges: Sequence[Edges], source: FloatArray, heat: FloatArray) -> FloatArray:
    """Return the same temperatures by conjugate gradients. The residual of each column is below `TOLERANCE`."""
    starts, ends, values = (np.concatenate(part) for part in zip(*edges, strict=True))
    rows, columns, values = np.r_[starts, ends], np.r_[ends, starts], np.r_[values, values]
    order = np.argsort(rows, kind="stable")
    rows, columns, values = rows[order], columns[order], values[order, None]
    firsts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    diagonal = (source + np.add.reduceat(values[:, 0], firsts))[:, None]

    def product(x: FloatArray) -> FloatArray:
        return np.asarray(diagonal * x - np.add.reduceat(values * x[columns], firsts))

    result = np.zeros_like(heat)
    residual = heat.copy()
    scaled = residual / diagonal
    direction, strength = scaled.copy(), np.sum(residual * scaled, axis=0)
    limit = TOLERANCE * np.maximum(np.linalg.norm(heat, axis=0), 1e-30)
    while (np.linalg.norm(residual, axis=0) > limit).any():
        image = product(direction)
        # a bone that is not nearest to any vertex does not have heat
        step = strength / np.maximum(np.sum(direction * image, axis=0), 1e-300)
        result += step * direction
        residual -= step * image
        scaled = residual / diagonal
        following = np.sum(residual * scaled, axis=0)
        direction = scaled + following / np.maximum(strength, 1e-300) * direction
        strength = following
    return result
