"""Fitting of half a garment to its form: regular triangles on the smooth surface, and openings in their planes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh
from .solid import Solid

__all__ = ["Opening", "fit", "mirrored"]

FloatArray = NDArray[np.float64]

ROUNDS = 10
"""Rounds of relaxation, each followed by edge flips. After five to eight rounds, no more edges flip."""

RELAXATIONS = 15
"""Relaxation steps per round; vertices move by less than a millimetre in the last round."""

STEP = 0.5
"""Fraction of the way to the neighbours' mean per relaxation step; above 1, the relaxation would oscillate."""

SPRING_LENGTH = 0.8
"""Rest length of edges relative to their mean.

Shorter edges push their ends apart, so that triangles at irregular valence remain even. From 0.95 on, this would fold
the cloth into the armpits.
"""

TIE = 0.05
"""Radians by which opposite angles must exceed 180 degrees for a flip, so that squares do not flip back and forth."""

LEAST_PATTERN_AREA = 2e-5
"""Smallest triangle that a flip may create in the sewing pattern, m².

It prevents triangles with all corners on a hem.
"""

SYMMETRY_TOLERANCE = 1e-9
"""Vertices of the rough shape with |x| below this, in metres, are on the mirror plane."""


@dataclass(frozen=True)
class Opening:
    """A boundary loop and its plane, given by any point of the plane and a normal of any length."""

    vertices: tuple[int, ...]
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


def fit(half: Mesh, form: Solid, openings: Sequence[Opening]) -> Mesh:
    """Move the vertices of half a garment onto its form and relax them. Return the result.

    Parameters
    ----------
    half : sewn half garment with approximate positions
    form : surface on which the garment is placed
    openings : all boundary loops that are not on the mirror plane

    Returns
    -------
    mesh with the same counts of vertices and faces; some edges are flipped to the shorter diagonal
    """
    positions = half.positions.copy()
    faces, uv_faces = half.faces.copy(), half.uv_faces.copy()
    on_plane = np.abs(positions[:, 0]) < SYMMETRY_TOLERANCE
    held = constraint(form, openings, on_plane)
    on_rim = np.zeros(len(positions), dtype=bool)
    for opening in openings:
        on_rim[list(opening.vertices)] = True
    positions = held(positions)
    for _ in range(ROUNDS):
        adjacent = umbrella(faces, len(positions), on_plane, openings)
        for _ in range(RELAXATIONS):
            lengths = np.linalg.norm(positions[:, None] - positions[None], axis=2)
            mean_length = lengths[faces, np.roll(faces, 1, axis=1)].mean()
            slack = np.where(on_rim, 0.0, SPRING_LENGTH * mean_length)[:, None]
            pull = adjacent * (1.0 - slack / np.maximum(lengths, 0.25 * mean_length))
            change = pull @ positions - pull.sum(axis=1, keepdims=True) * positions
            positions = held(positions + STEP * change / adjacent.sum(axis=1, keepdims=True))
        flip_edges(positions, faces, half.uv, uv_faces)
    return Mesh(positions, faces, half.uv, uv_faces)


def constraint(
    form: Solid, openings: Sequence[Opening], on_plane: NDArray[np.bool_]
) -> Callable[[FloatArray], FloatArray]:
    """Return a function that moves positions onto the planes of openings, onto the mirror plane and onto the form."""
    allowed = np.tile(np.eye(3), (len(on_plane), 1, 1))
    offsets = np.zeros((len(on_plane), 3))
    for opening in openings:
        rim = list(opening.vertices)
        normal = np.asarray(opening.normal) / np.linalg.norm(opening.normal)
        allowed[rim] -= np.outer(normal, normal)
        offsets[rim] = (normal @ opening.point) * normal
    # openings across the mirror plane are symmetric, so both projections can be applied in any order
    allowed[on_plane, 0, :] = 0.0
    allowed[on_plane, :, 0] = 0.0

    def hold(positions: FloatArray) -> FloatArray:
        return form.project(np.einsum("nij,nj->ni", allowed, positions) + offsets, allowed)

    return hold


def umbrella(
    faces: NDArray[np.int32], vertex_count: int, on_plane: NDArray[np.bool_], openings: Sequence[Opening]
) -> FloatArray:
    """Return a matrix (V, V) with the weight of each vertex as a neighbour of each other vertex.

    Neighbours of boundary vertices are only those along the boundary. For a vertex on the mirror plane, neighbours off
    the plane count twice, once for the mirror image. The x of this vertex is set to 0 afterwards.
    """
    adjacent = np.zeros((vertex_count, vertex_count))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        adjacent[faces[:, a], faces[:, b]] = 1.0
        adjacent[faces[:, b], faces[:, a]] = 1.0
    for opening in openings:
        rim = np.zeros(vertex_count, dtype=bool)
        rim[list(opening.vertices)] = True
        adjacent[np.ix_(rim, ~rim)] = 0.0
    adjacent[np.ix_(on_plane, ~on_plane)] *= 2.0
    return adjacent


def flip_edges(positions: FloatArray, faces: NDArray[np.int32], uv: FloatArray, uv_faces: NDArray[np.int32]) -> None:
    """Flip, in place, each inner edge whose two opposite angles sum to more than 180 degrees (Delaunay).

    Edges on a seam of the sewing pattern are not flipped. Edges are also not flipped if their other diagonal already
    exists, is in the mirror plane, or would fold the pattern.
    """
    sides: dict[tuple[int, int], tuple[int, int]] = {}
    for face, corners in enumerate(faces.tolist()):
        for corner in range(3):
            sides[corners[corner], corners[(corner + 1) % 3]] = (face, corner)
    touched: set[int] = set()
    for (a, b), (face, corner) in sorted(sides.items()):
        if a > b or (b, a) not in sides:
            continue
        other_face, other_corner = sides[b, a]
        if face in touched or other_face in touched:
            continue
        c, d = int(faces[face, (corner + 2) % 3]), int(faces[other_face, (other_corner + 2) % 3])
        uv_a, uv_b, uv_c = np.roll(uv_faces[face], -corner).tolist()
        other_uv_b, other_uv_a, uv_d = np.roll(uv_faces[other_face], -other_corner).tolist()
        if (uv_a, uv_b) != (other_uv_a, other_uv_b) or (c, d) in sides or (d, c) in sides:
            continue
        # an edge with both ends in the mirror plane would be equal to its mirror image
        if positions[c, 0] == 0.0 and positions[d, 0] == 0.0:
            continue
        if min(pattern_area(uv, uv_a, uv_d, uv_c), pattern_area(uv, uv_d, uv_b, uv_c)) < LEAST_PATTERN_AREA:
            continue
        # the tolerance TIE keeps the diagonals of squares as they were sewn, because both diagonals are equal
        if angle(positions, c, a, b) + angle(positions, d, a, b) > np.pi + TIE:
            faces[face], uv_faces[face] = (a, d, c), (uv_a, uv_d, uv_c)
            faces[other_face], uv_faces[other_face] = (d, b, c), (uv_d, uv_b, uv_c)
            touched |= {face, other_face}


def pattern_area(uv: FloatArray, a: int, b: int, c: int) -> float:
    """Return the signed area of a triangle in the sewing pattern, m²."""
    u, v = uv[b] - uv[a], uv[c] - uv[a]
    return float(u[0] * v[1] - u[1] * v[0]) / 2.0


def angle(positions: FloatArray, apex: int, a: int, b: int) -> float:
    """Return the angle at `apex` between the directions to `a` and `b`, radians."""
    u, v = positions[a] - positions[apex], positions[b] - positions[apex]
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def mirrored(half: Mesh) -> Mesh:
    """Return the whole garment: half a garment and its mirror image, which share the vertices in the plane x = 0."""
    shared = half.positions[:, 0] == 0.0
    image = np.arange(len(half.positions), dtype=np.int32)
    image[~shared] = len(half.positions) + np.arange(np.count_nonzero(~shared), dtype=np.int32)
    positions = np.concatenate([half.positions, half.positions[~shared] * (-1.0, 1.0, 1.0)])
    faces = np.concatenate([half.faces, image[half.faces][:, ::-1]])
    middle = half.uv[:, 0] == 0.0
    uv_image = np.arange(len(half.uv), dtype=np.int32)
    uv_image[~middle] = len(half.uv) + np.arange(np.count_nonzero(~middle), dtype=np.int32)
    uv = np.concatenate([half.uv, half.uv[~middle] * (-1.0, 1.0)])
    uv_faces = np.concatenate([half.uv_faces, uv_image[half.uv_faces][:, ::-1]])
    return Mesh(positions, faces, uv, uv_faces)
