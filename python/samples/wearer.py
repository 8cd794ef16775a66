"""Who wears the garments: a figure without a face, as in a shop window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .form import Form, Limb
from .lattice import Mesh
from .skeleton import rest
from .surface_net import surface_net
from .wardrobe import arm, shoulder, torso
from .weights import BODY_BONES, BODY_INFLUENCES, heat_weights

__all__ = ["Wearer", "uncovered", "wearer"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

UNDER = -0.010
"""How much less the body is than the least cloth around it, metres."""

BUST_END = 0.85
"""Lower end of a figure without legs, metres: near the hem of a shirt."""

HEAD = [
    (1.46, 0.056, 0.058, -0.028),
    (1.52, 0.050, 0.055, -0.020),
    (1.56, 0.052, 0.066, -0.008),
    (1.59, 0.060, 0.085, 0.006),
    (1.64, 0.071, 0.097, 0.010),
    (1.68, 0.075, 0.098, 0.004),
    (1.715, 0.067, 0.086, -0.002),
    (1.738, 0.047, 0.062, -0.004),
    (1.749, 0.024, 0.034, -0.004),
]
"""Rows of cross-sections as of the torso, which they continue: neck, jaw, skull."""

CROWN = 1.751
"""Metres."""

CELL, HAND_CELL = 0.018, 0.012
"""Grids of body and hands, metres."""

REACH = (-0.03, 0.06)
"""Cloth so far in front of the skin, or that deep within it, covers it, metres."""

RINGS = 3
"""Rings of covered triangles that are kept, because motion uncovers some."""


@dataclass(frozen=True)
class Wearer:
    """A body at rest: positions (V, 3) in metres, outward faces (T, 3), joints and weights (V, K)."""

    positions: FloatArray
    faces: IndexArray
    joints: IndexArray
    weights: FloatArray


def wearer(*, legs: bool) -> Wearer:
    """Return the whole figure, or one that ends at the hips, so that a shirt fills the picture."""
    body = surface_net(body_form(legs=legs), (-0.65, 0.0 if legs else 0.5, -0.3), (0.65, 1.8, 0.3), CELL)
    left = surface_net(hand_form(), (0.45, 0.8, -0.15), (0.72, 1.1, 0.15), HAND_CELL)
    right = left[0] * (-1.0, 1.0, 1.0), left[1][:, ::-1]
    parts = [bound(positions, faces) for positions, faces in (body, left, right)]
    starts = np.cumsum([0, *(len(part.positions) for part in parts[:-1])])
    return Wearer(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.joints for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def body_form(*, legs: bool) -> Form:
    """Return the body without its hands."""
    hip, knee, ankle = (rest(f"left_{name}") for name in ("hip", "knee", "ankle"))
    limbs = [shoulder(UNDER), arm(UNDER, 0.028)]
    if legs:
        sole = Limb([(0.155, 0.045, -0.055), (0.172, 0.032, 0.13)], [0.040, 0.030], 0.04)
        limbs += [Limb([hip.tolist(), knee.tolist(), ankle.tolist()], [0.080, 0.054, 0.038], 0.12), sole]
    trunk = [row for row in torso(UNDER) if row[0] < HEAD[0][0]]
    return Form([*trunk, *HEAD], limbs, floor=0.83 if legs else BUST_END, ceiling=CROWN)


def hand_form() -> Form:
    """Return the two fists."""
    elbow, wrist = rest("left_elbow"), rest("left_wrist")
    along = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    front = np.array([0.0, 0.0, 1.0])

    def chain(points: list[tuple[float, float]], radii: list[float], blend: float) -> Limb:
        return Limb([(wrist + a * along + f * front).tolist() for a, f in points], radii, blend)

    palm = chain([(-0.03, 0.0), (0.03, 0.0), (0.075, -0.010)], [0.026, 0.028, 0.034], 0.0)
    knuckles = chain([(0.075, -0.012), (0.080, 0.014)], [0.034, 0.030], 0.02)
    thumb = chain([(0.025, 0.016), (0.060, 0.034), (0.088, 0.026)], [0.016, 0.015, 0.013], 0.02)
    return Form(None, [palm, knuckles, thumb])


def bound(positions: FloatArray, faces: IndexArray) -> Wearer:
    """Return a part of the body with the weights of its skin."""
    mesh = Mesh(positions, faces.astype(np.int32), np.empty((0, 2)), np.empty((0, 3), np.int32))
    return Wearer(positions, faces, *heat_weights(mesh, BODY_BONES, BODY_INFLUENCES))


def uncovered(body: Wearer, garment: Mesh) -> NDArray[np.bool_]:
    """Return the faces (T,) that a garment leaves visible, and those around them: no skin shows through tight cloth."""
    covered = np.isfinite(cloth_ahead(body, garment))
    for _ in range(RINGS):
        bare = ~covered[body.faces].all(axis=1)
        covered[body.faces[bare]] = False
    return np.asarray(~covered[body.faces].all(axis=1))


def cloth_ahead(body: Wearer, garment: Mesh) -> FloatArray:
    """Return how far cloth is along each vertex normal (V,), metres: inf for none within `REACH`.

    Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
    """
    normals = vertex_normals(body)
    corner, first, second = np.moveaxis(garment.positions[garment.faces], 1, 0)
    first, second = first - corner, second - corner
    nearest = np.full(len(normals), np.inf)
    for vertex, (point, ahead) in enumerate(zip(body.positions, normals, strict=True)):
        side = np.cross(ahead, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1.0 / np.sum(first * side, axis=1)
            off = point - corner
            u = scale * np.sum(off * side, axis=1)
            across = np.cross(off, first)
            v, distance = scale * (across @ ahead), scale * np.sum(second * across, axis=1)
            hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > REACH[0]) & (distance < REACH[1])
        nearest[vertex] = distance[hit].min(initial=np.inf)
    return nearest


def vertex_normals(body: Wearer) -> FloatArray:
    """Return the unit normals (V, 3), by area."""
    a, b, c = np.moveaxis(body.positions[body.faces], 1, 0)
    normals = np.zeros_like(body.positions)
    np.add.at(normals, body.faces, np.cross(b - a, c - a)[:, None])
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))
