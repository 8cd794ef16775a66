"""A coarse cloth simulation for skirts and dresses: extended position-based dynamics with few, soft constraints.

The method is from Macklin, Müller and Chentanez, "XPBD: Position-Based Simulation of Compliant Constrained Dynamics",
2016, with one iteration per small substep. The cloth is intentionally coarse, as in games. Edges resist stretching but
yield under compression, because folds that take up the length are finer than the mesh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh
from .posing import FRAME_RATE
from .skeleton import joint_index, rest
from .weights import heat_weights

__all__ = ["simulate"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

SUB_STEPS = 8
"""Substeps per frame. The longest edges are as long as with 24 substeps; with 4 they are 5 % longer."""

SETTLING_FRAMES = 150
"""Frames in rest pose before the motion begins; then the skirt moves by less than 4 mm per second."""

GRAVITY = np.array([0.0, -9.81, 0.0])
"""Acceleration of gravity, m/s²."""

SURFACE_MASS = 0.25
"""Mass of the cloth in kg/m², that of a cotton twill."""


PULL_COMPLIANCE = 0.05
"""Compliance of an edge that is longer than at rest, m/N. Landings stretch the skirt by a fifth."""

PUSH_COMPLIANCE = 1.0
"""Compliance of an edge that is shorter than at rest, m/N; 20 times softer, as explained in the module docstring."""

SHEAR_COMPLIANCE = 1.2
"""Compliance of the distance between the corners opposite each inner edge, m/N.

It keeps triangles from folding over.
"""

BENDING_STIFFNESS = 10.0
"""Force on a vertex per out-of-plane distance from the mean of its neighbours, N/m.

The force acts only along the normal, so the cloth shortens in its plane instead of buckling in coarse facets.
"""

FRICTION = 0.1
"""Fraction of the sliding motion on the body that a contact removes per substep."""

MARGIN = 0.012
"""Distance between vertices and body, metres; the sagging triangles between vertices then remain outside."""

# parts of the body with which a skirt collides: joint that moves the part, start and end at rest, radii, in metres
_HIPS = rest("hips") - np.array([0.0, 0.03, 0.005])
_HALF_WIDTH = np.array([0.065, 0.0, 0.0])
_BODY = [
    ("hips", _HIPS - _HALF_WIDTH, _HIPS + _HALF_WIDTH, 0.100, 0.100),
    *(
        (f"{side}_{joint}", rest(f"{side}_{joint}"), rest(f"{side}_{end}"), start_radius, end_radius)
        for side in ("left", "right")
        for joint, end, start_radius, end_radius in (
            ("hip", "knee", 0.085, 0.060),
            ("knee", "ankle", 0.060, 0.045),
        )
    ),
]


@dataclass(frozen=True)
class Springs:
    """Distance constraints: pairs (N, 2) and rest lengths (N,) in groups. Pairs of a group do not share vertices."""

    groups: list[tuple[IndexArray, FloatArray]]
    pull_compliance: float
    push_compliance: float

    def solve(self, positions: FloatArray, inverse_mass: FloatArray, step: float) -> None:
        """Move positions (V, 3), in place, toward the rest lengths; `step` is in seconds."""
        for pairs, lengths in self.groups:
            a, b = pairs[:, 0], pairs[:, 1]
            offset = positions[a] - positions[b]
            distance = np.sqrt(np.einsum("ij,ij->i", offset, offset))
            error = distance - lengths
            compliance = np.where(error > 0.0, self.pull_compliance, self.push_compliance) / step**2
            impulse = error / (inverse_mass[a] + inverse_mass[b] + compliance) / distance
            positions[a] -= (impulse * inverse_mass[a])[:, None] * offset
            positions[b] += (impulse * inverse_mass[b])[:, None] * offset


@dataclass(frozen=True)
class Bending:
    """Forces toward the curvature of the rest shape.

    Parameters
    ----------
    faces : (T, 3)
    means : (V, V) matrix from positions to the offset of each vertex's neighbour mean
    bulge : (V,) this offset along the normal at rest, metres
    """

    faces: NDArray[np.int32]
    means: FloatArray
    bulge: FloatArray

    @classmethod
    def at_rest(cls, positions: FloatArray, faces: NDArray[np.int32], edges: list[tuple[int, int]]) -> Bending:
        """Create the bending forces of a cloth whose rest shape is `positions` (V, 3)."""
        adjacent = np.zeros((len(positions), len(positions)))
        for a, b in edges:
            adjacent[a, b] = adjacent[b, a] = 1.0
        means = adjacent / adjacent.sum(axis=1, keepdims=True) - np.eye(len(positions))
        bulge = np.sum(means @ positions * vertex_normals(positions, faces), axis=1)
        return cls(faces, means, bulge)

    def forces(self, positions: FloatArray) -> FloatArray:
        """Return the forces (V, 3), newtons; their sum is zero."""
        normals = vertex_normals(positions, self.faces)
        bulge = np.sum(self.means @ positions * normals, axis=1)
        result: FloatArray = self.means.T @ (BENDING_STIFFNESS * (self.bulge - bulge)[:, None] * normals)
        return result


def simulate(garment: Mesh, bone_matrices: FloatArray, waist: float, damping: float) -> FloatArray:
    """Simulate a garment under a motion (F, J, 3, 4); return its positions (F, V, 3), metres.

    Vertices at or above the height `waist` follow the bones; all others fall, swing and collide with hips and legs.
    Frame 0 is the garment at rest in the first pose of the motion. `damping` is the rate of damping by air and inner
    friction, 1/s.
    """
    held = garment.positions[:, 1] > waist - 1e-6
    carried = skin(garment, held)
    mass = vertex_masses(garment)
    inverse_mass = np.where(held, 0.0, 1.0 / mass)
    edges, across = edges_and_diagonals(garment.faces)
    springs = [
        Springs(grouped(across, garment.positions, inverse_mass), SHEAR_COMPLIANCE, SHEAR_COMPLIANCE),
        Springs(grouped(edges, garment.positions, inverse_mass), PULL_COMPLIANCE, PUSH_COMPLIANCE),
    ]
    bending = Bending.at_rest(garment.positions, garment.faces, edges)
    step = 1.0 / (FRAME_RATE * SUB_STEPS)
    schedule = np.concatenate([np.repeat(bone_matrices[:1], SETTLING_FRAMES, axis=0), bone_matrices])
    positions, velocities = garment.positions.copy(), np.zeros_like(garment.positions)
    frames = [positions.copy()]
    for before, after in pairwise(schedule):
        for sub_step in range(1, SUB_STEPS + 1):
            share = sub_step / SUB_STEPS
            # bone matrices are interpolated linearly, because the rotation within a frame is small
            bones = (1.0 - share) * before + share * after
            previous = positions.copy()
            acceleration = GRAVITY + bending.forces(positions) / mass[:, None]
            velocities = (velocities + step * acceleration) * np.exp(-damping * step)
            positions = positions + step * velocities
            positions[held] = carried(bones)
            for constraint in springs:
                constraint.solve(positions, inverse_mass, step)
            keep_outside(positions, previous, bones, ~held)
            velocities = (positions - previous) / step
        frames.append(positions.copy())
    return np.array(frames[SETTLING_FRAMES:])


def skin(garment: Mesh, held: NDArray[np.bool_]) -> Callable[[FloatArray], FloatArray]:
    """Return a function from bones (J, 3, 4) to the positions of the vertices that follow the bones.

    If these vertices are a single row at the waist, they follow only the hips.
    """
    joints, weights = heat_weights(garment)
    if np.ptp(garment.positions[held, 1]) < 1e-6:
        joints, weights = np.full((len(held), 1), joint_index("hips")), np.ones((len(held), 1))
    rest_positions, joints, weights = garment.positions[held], joints[held], weights[held]

    def carried(bones: FloatArray) -> FloatArray:
        matrices = np.einsum("vk,vkij->vij", weights, bones[joints])
        return np.asarray(np.einsum("vij,vj->vi", matrices[:, :, :3], rest_positions) + matrices[:, :, 3])

    return carried


def keep_outside(positions: FloatArray, previous: FloatArray, bones: FloatArray, free: NDArray[np.bool_]) -> None:
    """Push vertices (V, 3) out of hips and legs, in place, and slow them down by friction."""
    for joint, start, end, start_radius, end_radius in _BODY:
        matrix = bones[joint_index(joint)]
        a, b = matrix[:, :3] @ start + matrix[:, 3], matrix[:, :3] @ end + matrix[:, 3]
        along = b - a
        s = np.clip((positions - a) @ along / (along @ along), 0.0, 1.0)
        offset = positions - a - s[:, None] * along
        distance = np.maximum(np.linalg.norm(offset, axis=1), 1e-9)
        depth = start_radius + s * (end_radius - start_radius) + MARGIN - distance
        hit = free & (depth > 0.0)
        normal = offset[hit] / distance[hit, None]
        positions[hit] += depth[hit, None] * normal
        slide = positions[hit] - previous[hit]
        slide -= np.sum(slide * normal, axis=1, keepdims=True) * normal
        positions[hit] -= FRICTION * slide


def vertex_normals(positions: FloatArray, faces: NDArray[np.int32]) -> FloatArray:
    """Return the unit vertex normals (V, 3), weighted by area."""
    corners = positions[faces]
    face_normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    np.add.at(normals, faces, face_normals[:, None])
    result: FloatArray = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return result


def vertex_masses(garment: Mesh) -> FloatArray:
    """Return the mass (V,) of each vertex in kg: a third of the mass of its faces."""
    corners = garment.positions[garment.faces]
    twice_area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    masses = np.zeros(len(garment.positions))
    np.add.at(masses, garment.faces, (SURFACE_MASS * twice_area / 6.0)[:, None])
    return masses


def edges_and_diagonals(faces: NDArray[np.int32]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return all edges, and for each inner edge the two vertices that are opposite to it."""
    opposite: dict[tuple[int, int], list[int]] = {}
    for face in faces.tolist():
        for corner in range(3):
            a, b, c = face[corner], face[(corner + 1) % 3], face[(corner + 2) % 3]
            opposite.setdefault((min(a, b), max(a, b)), []).append(c)
    across = [(pair[0], pair[1]) for pair in opposite.values() if len(pair) == 2]
    return list(opposite), across


def grouped(
    pairs: list[tuple[int, int]], positions: FloatArray, inverse_mass: FloatArray
) -> list[tuple[IndexArray, FloatArray]]:
    """Return pairs with their lengths, in groups without common vertices. Pairs of two fixed vertices are omitted."""
    groups: list[list[tuple[int, int]]] = []
    used: list[set[int]] = []
    for pair in pairs:
        if inverse_mass[pair[0]] == 0.0 and inverse_mass[pair[1]] == 0.0:
            continue
        home = next((index for index, vertices in enumerate(used) if not vertices & set(pair)), len(groups))
        if home == len(groups):
            groups.append([])
            used.append(set())
        groups[home].append(pair)
        used[home] |= set(pair)
    result = []
    for group in groups:
        ends = np.array(group)
        result.append((ends, np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)))
    return result
