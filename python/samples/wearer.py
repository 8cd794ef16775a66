"""The wearer of the garments: a mannequin in boots, and in trousers if the garment is a shirt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .collar import followed
from .form import Form
from .hand import hand
from .head import head
from .lattice import Mesh
from .shoe import boot, sole
from .skeleton import rest
from .solid import Below, Blend, Bounded, Ellipsoid, Limb, Part, Solid
from .surface_net import Finer, surface_net
from .wardrobe import arm, shoulder, torso
from .weights import BODY_BONES, BODY_INFLUENCES, heat_weights

__all__ = ["PARTS", "Wearer", "uncovered", "wearer"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

UNDER = -0.010
"""Offset of the body's surface from the body on which `wardrobe` measures ease, metres; negative is inward."""

TRUNK_END, LEGS_TOP = 0.85, 0.93
"""Lower end of the trunk and upper end of the legs, metres. Every garment covers the overlap."""

HEM = 0.085
"""Height of the hem of the trousers, metres."""

WAISTBAND = 1.0
"""Upper end of the trousers, metres; it is above the hem of every shirt."""

CELL, BOOT_CELL = 0.020, 0.009
"""Grid cell sizes for the body and for the boots, metres."""

HEAD_BOX = Finer((-0.11, 1.50, -0.15), (0.11, 1.78, 0.15), 4)
HANDS = [
    Finer((0.52, 0.83, -0.09), (0.71, 1.03, 0.11), 4),
    Finer((-0.71, 0.83, -0.09), (-0.52, 1.03, 0.11), 4),
]
HEMS = Finer((-0.26, 0.04, -0.16), (0.26, 0.16, 0.10), 3)
"""Boxes with finer cells around the face, the fingers, and the hems of the trousers, metres."""

PARTS = ("trunk", "legs", "trousers", "boots", "soles", "collars")
"""Parts of the figure: a closed mesh or a pair of closed meshes each. Collars are in the order of the garments."""

HIDDEN = {"trunk": (0.0, 0.94), "legs": (0.80, 2.0), "trousers": (0.95, 2.0)}
"""Ranges of height in which every garment covers a part, metres."""

HANDS_FROM = 0.35
"""Hands are further than this from the plane x = 0, metres."""

TROUSERED = {**HIDDEN, "legs": (0.20, 2.0)}
"""Ranges of height in which garments with legs cover a part, metres."""

REACH = (-0.03, 0.06)
"""Cloth covers a skin point if its distance along the normal is in this range, metres; negative is below the skin."""

KEPT = 0.054
"""Width of the margin of covered skin that is kept around visible skin, because motion uncovers it, metres."""

ROUNDS = 16
"""Rounds that measure the width KEPT along edges, one edge per round; enough for the smallest triangles."""


@dataclass(frozen=True)
class Wearer:
    """A body at rest: positions (V, 3) in metres, outward faces (T, 3), joints and weights (V, K), parts (T,)."""

    positions: FloatArray
    faces: IndexArray
    joints: IndexArray
    weights: FloatArray
    parts: IndexArray

    def sorted(self) -> Wearer:
        """Return the same body with sorted faces. The corner with the smallest index comes first in each face."""
        rows, least = np.arange(len(self.faces)), self.faces.argmin(axis=1)
        turned = np.stack([self.faces[rows, (least + corner) % 3] for corner in range(3)], axis=1)
        order = np.lexsort(turned.T[::-1])
        return replace(self, faces=turned[order], parts=self.parts[order])


def wearer(garments: Sequence[Mesh] = ()) -> Wearer:
    """Return trunk, legs, trousers, boots, and the collars of garments; either bare legs or trousers will be shown."""
    low, high = (-0.75, 0.0, -0.3), (0.75, 1.8, 0.3)
    feet = (0.05, -0.05, -0.15), (0.25, 0.20, 0.25)
    left = [(surface_net(solid, *feet, BOOT_CELL), name) for solid, name in ((boot(), "boots"), (sole(), "soles"))]
    return joined(
        [
            bound(*surface_net(trunk(), low, high, CELL, [HEAD_BOX, *HANDS]), "trunk"),
            bound(*surface_net(legs(), low, high, CELL), "legs"),
            bound(*surface_net(trousers(), low, high, CELL, [HEMS]), "trousers"),
            *(bound(*net, name) for net, name in left),
            *(bound(net[0] * (-1.0, 1.0, 1.0), net[1][:, ::-1], name) for net, name in left),
            *collars(garments),
        ]
    )


def collars(garments: Sequence[Mesh]) -> list[Wearer]:
    """Return the collars of garments, with skin weights from nearby garment vertices."""
    part = PARTS.index("collars")
    return [
        Wearer(
            garment.collar.positions,
            garment.collar.faces,
            *followed(garment.collar, garment, BODY_INFLUENCES),
            np.full(len(garment.collar.faces), part),
        )
        for garment in garments
        if garment.collar is not None
    ]


def trunk() -> Solid:
    """Return the body above the hips, with arms, hands and head."""
    rows = [*(row for row in torso(UNDER) if row[0] < 1.45), (1.48, 0.036, 0.040, -0.030)]
    return Blend(
        [
            Part(Form(rows, [shoulder(UNDER), arm(UNDER, 0.027)], floor=TRUNK_END, ceiling=1.47), 0.0),
            *chest(),
            Part(Bounded(head(), (-0.2, 1.38, -0.25), (0.2, 1.85, 0.25)), 0.045),
            Part(Bounded(hand(), (0.42, 0.75, -0.18), (0.80, 1.12, 0.20)), 0.010),
        ]
    )


def chest() -> list[Part]:
    """Return breast, collarbone and shoulder blade of one side; the blend mirrors them."""
    collarbone = [(0.016, 1.437, 0.040), (0.075, 1.441, 0.034), (0.150, 1.432, -0.006)]
    return [
        Part(Ellipsoid((0.066, 1.318, 0.070), (0.062, 0.050, 0.030), yaw=20.0), 0.045),
        Part(Limb(collarbone, [0.0075, 0.007, 0.008]), 0.022),
        Part(Ellipsoid((0.075, 1.345, -0.085), (0.050, 0.070, 0.026), yaw=14.0), 0.050),
    ]


def legs() -> Solid:
    """Return both legs, from the hips into the boots."""
    hip, knee, ankle = (rest(f"left_{name}") for name in ("hip", "knee", "ankle"))
    calf = 0.30 * ankle + 0.70 * knee - (-0.004, 0.0, 0.022)
    leg = Limb([hip.tolist(), knee.tolist(), ankle.tolist()], [0.080, 0.052, 0.033], 0.12)
    return Blend(
        [
            Part(Form(torso(UNDER), [leg], floor=0.83, ceiling=LEGS_TOP), 0.0),
            Part(Ellipsoid(tuple(calf.tolist()), (0.043, 0.115, 0.040)), 0.030),
            Part(Ellipsoid((0.125, 0.492, 0.052), (0.030, 0.038, 0.030)), 0.030),
        ]
    )


def trousers() -> Solid:
    """Return straight trousers that end above the boots. They are narrower at the hips than the hems of shirts."""
    leg = Limb([rest(f"left_{name}").tolist() for name in ("hip", "knee", "ankle")], [0.078, 0.060, 0.054], 0.05)
    form = Form(torso(-0.022), [leg], floor=0.84, ceiling=WAISTBAND)
    return Blend([Part(form, 0.0), Part(Below((0.0, HEM, 0.0)), 0.004, carved=True)])


def bound(positions: FloatArray, faces: IndexArray, name: str) -> Wearer:
    """Return a part of the figure with skin weights. `name` is the name of the part."""
    mesh = Mesh(positions, faces.astype(np.int32), np.empty((0, 2)), np.empty((0, 3), np.int32))
    joints, weights = heat_weights(mesh, BODY_BONES, BODY_INFLUENCES)
    return Wearer(positions, faces, joints, weights, np.full(len(faces), PARTS.index(name)))


def joined(parts: Sequence[Wearer]) -> Wearer:
    """Return several parts of the figure as one mesh."""
    starts = np.cumsum([0, *(len(part.positions) for part in parts[:-1])])
    return Wearer(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.joints for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.parts for part in parts]),
    )


def uncovered(body: Wearer, garment: Mesh) -> NDArray[np.bool_]:
    """Return a mask (T,) of the faces that a garment does not cover, and of a margin of covered faces around them."""
    covered = np.isfinite(cloth_ahead(body, garment))
    apart = np.where(covered, np.inf, 0.0)
    starts, ends = body.faces.ravel(), np.roll(body.faces, -1, axis=1).ravel()
    lengths = np.linalg.norm(body.positions[starts] - body.positions[ends], axis=1)
    for _ in range(ROUNDS):
        np.minimum.at(apart, starts, apart[ends] + lengths)
    result = np.asarray((apart[body.faces] < KEPT).any(axis=1))
    heights, asides = body.positions[body.faces, 1], abs(body.positions[body.faces, 0])
    lowest = garment.positions[:, 1].min()
    for name, (low, high) in (TROUSERED if lowest < TROUSERED["legs"][0] else HIDDEN).items():
        inside = ((heights > low) & (heights < high) & (asides < HANDS_FROM)).all(axis=1)
        result[inside & (body.parts == PARTS.index(name))] = False
    return np.asarray(result)


def cloth_ahead(body: Wearer, garment: Mesh) -> FloatArray:
    """Return the distance (V,) to the cloth along each vertex normal, metres; inf if there is none within `REACH`.

    The intersection test is from Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
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
    """Return the unit vertex normals (V, 3), weighted by area."""
    a, b, c = np.moveaxis(body.positions[body.faces], 1, 0)
    normals = np.zeros_like(body.positions)
    np.add.at(normals, body.faces, np.cross(b - a, c - a)[:, None])
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))
