"""Collars and neckbands: strips of cloth of some thickness that are sewn around the neck of a garment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .lattice import Mesh, Trim
from .solid import Solid
from .weights import heat_weights

__all__ = ["Collar", "followed", "neck_loop"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

COLUMNS = 44
"""Parts around the neck."""

SMOOTH = 4
"""Rounds in which the corners of the coarse neckline are rounded, after it is divided."""

NEAREST = 4
"""Vertices of the garment that a point of a collar follows."""

CLEARANCE = 0.0045
"""Least distance of a turned-down collar from the garment, metres: the curved base is outside of coarse triangles."""


@dataclass(frozen=True)
class Collar:
    """A strip around a neckline.

    Parameters
    ----------
    profile : rows (out, up) of the middle of the cloth from its seam on, metres: out of the neckline and upward
    thickness : of the cloth, metres
    gap : half of the opening at the front, metres; 0 for a closed band
    fall : number of the last rows that lie on the garment
    point : how much lower the last row is at the ends of an open collar, metres
    """

    profile: Sequence[tuple[float, float]]
    thickness: float = 0.003
    gap: float = 0.0
    fall: int = 0
    point: float = 0.0

    def trim(self, garment: Mesh, form: Solid) -> Trim:
        """Return the collar of a garment whose surface is `form`."""
        ring = rounded(neck_loop(garment))
        along = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
        outward = np.cross(along, np.array([0.0, 1.0, 0.0]))
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        if self.gap:
            ring, outward = opened(ring, outward, self.gap)
        share = self.front_share(ring)
        rows = []
        for number, (out, up) in enumerate(self.profile):
            row = ring + out * outward + up * np.array([0.0, 1.0, 0.0])
            is_fallen = number >= len(self.profile) - self.fall
            if is_fallen:
                rank = (number - len(self.profile) + self.fall + 1) / self.fall
                row = row + self.point * rank * share[:, None] * (0.25 * outward - np.array([0.0, 1.0, 0.0]))
                row = lifted(row, form, CLEARANCE * (1.0 + 1.5 * rank) + 0.5 * self.thickness)
            rows.append(row)
        return thick(np.array(rows), self.thickness, is_closed=not self.gap)

    def front_share(self, ring: FloatArray) -> FloatArray:
        """Return 1 at the front of the neckline, 0 from its sides on."""
        aside = np.abs(ring[:, 0]) / np.abs(ring[:, 0]).max()
        return np.where(ring[:, 2] > ring[:, 2].mean(), np.clip(1.0 - aside, 0.0, 1.0), 0.0)


def neck_loop(garment: Mesh) -> FloatArray:
    """Return the points (N, 3) around the neck, counterclockwise seen from above, from the front centre on."""
    sides = {}
    for a, b, c in garment.faces.tolist():
        sides.update({(a, b): c, (b, c): a, (c, a): b})
    following = {b: a for a, b in sides if (b, a) not in sides}
    high = [vertex for vertex in following if garment.positions[vertex, 1] > 1.40]
    centre = [vertex for vertex in high if abs(garment.positions[vertex, 0]) < 1e-9]
    first = max(centre, key=lambda vertex: garment.positions[vertex, 2])
    loop = [first]
    while following[loop[-1]] != first:
        loop.append(following[loop[-1]])
    points = garment.positions[loop]
    turned = np.cross(points, np.roll(points, -1, axis=0))[:, 1].sum() < 0.0
    return np.asarray(garment.positions[[loop[0], *loop[:0:-1]] if turned else loop])


def rounded(loop: FloatArray) -> FloatArray:
    """Return a loop (N, 3) with `COLUMNS` points at even distances and rounded corners."""
    closed = np.concatenate([loop, loop[:1]])
    lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))]
    at = np.linspace(0.0, lengths[-1], COLUMNS, endpoint=False)
    points = np.stack([np.interp(at, lengths, closed[:, axis]) for axis in range(3)], axis=1)
    for _ in range(SMOOTH):
        points = 0.25 * np.roll(points, 1, axis=0) + 0.5 * points + 0.25 * np.roll(points, -1, axis=0)
    return points


def opened(ring: FloatArray, outward: FloatArray, gap: float) -> tuple[FloatArray, FloatArray]:
    """Return a ring that begins and ends `gap` beside the front centre."""
    ring, outward = (np.concatenate([part, part[:1]]) for part in (ring, outward))
    lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))]
    at = np.linspace(gap, lengths[-1] - gap, COLUMNS)
    ring, outward = (
        np.stack([np.interp(at, lengths, part[:, axis]) for axis in range(3)], axis=1) for part in (ring, outward)
    )
    return ring, outward / np.linalg.norm(outward, axis=1, keepdims=True)


def lifted(points: FloatArray, form: Solid, clearance: float) -> FloatArray:
    """Return points (N, 3) moved onto the surface `clearance` above the form."""
    for _ in range(4):
        gradient = form.gradient(points)
        gradient /= np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-9)
        points = points + (clearance - form.distance(points))[:, None] * gradient
    return points


def thick(rows: FloatArray, thickness: float, *, is_closed: bool) -> Trim:
    """Return a closed surface around rows (R, C, 3) of the middle of the cloth."""
    up = np.gradient(rows, axis=0)
    across = np.roll(rows, -1, axis=1) - np.roll(rows, 1, axis=1) if is_closed else np.gradient(rows, axis=1)
    normals = np.cross(across, up)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
    half = 0.5 * thickness * normals
    # around the section: one side up, a rounded edge, the other side down
    section = np.concatenate([rows + half, (rows[-1] + 0.5 * thickness * unit(up[-1]))[None], (rows - half)[::-1]])
    section = np.concatenate([section, (rows[0] - 0.5 * thickness * unit(up[0]))[None]])
    if not is_closed:
        # ends are drawn together in their middle
        for end in (0, -1):
            section[:, end] = section[:, end] + 0.999 * (closest_middle(section[:, end]) - section[:, end])
    count, columns = section.shape[:2]
    row, column = np.meshgrid(np.arange(count), np.arange(columns if is_closed else columns - 1), indexing="ij")
    below, beside = (row + 1) % count, (column + 1) % columns
    a, b, c, d = (r * columns + k for r, k in ((row, column), (row, beside), (below, beside), (below, column)))
    quads = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return Trim(section.reshape(-1, 3), quads)


def closest_middle(section: FloatArray) -> FloatArray:
    """Return for points around a section (N, 3) the middle between both sides of the cloth."""
    count = (len(section) - 2) // 2
    middle = section.copy()
    inner, outer = section[:count], section[count + 1 : 2 * count + 1][::-1]
    middle[:count] = 0.5 * (inner + outer)
    middle[count + 1 : 2 * count + 1] = (0.5 * (inner + outer))[::-1]
    return middle


def unit(vectors: FloatArray) -> FloatArray:
    """Return vectors (N, 3) of length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def followed(trim: Trim, garment: Mesh, influences: int) -> tuple[IndexArray, FloatArray]:
    """Return joints and weights (V, influences) of a trim: those of the garment's vertices near each point."""
    joints, weights = heat_weights(garment)
    dense = np.zeros((len(garment.positions), int(joints.max()) + 1))
    np.put_along_axis(dense, joints, weights, axis=1)
    apart = np.linalg.norm(trim.positions[:, None] - garment.positions[None], axis=2)
    near = np.argsort(apart, axis=1)[:, : NEAREST + 1]
    distance = np.take_along_axis(apart, near, axis=1)
    # 0 for the last one, so that no point jumps when another vertex becomes nearer
    share = 1.0 / np.maximum(distance[:, :-1], 1e-4) - 1.0 / distance[:, -1:]
    share = (share + 1e-6) / (share + 1e-6).sum(axis=1, keepdims=True)
    mixed = np.einsum("vk,vkj->vj", share, dense[near[:, :-1]])
    strongest = np.argsort(-mixed, axis=1, kind="stable")[:, :influences]
    found = np.take_along_axis(mixed, strongest, axis=1)
    return strongest, found / found.sum(axis=1, keepdims=True)
