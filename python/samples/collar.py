"""Collars and neckbands: strips of thick cloth around the neckline of a garment."""

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
"""Number of columns of quads around the neck."""

SMOOTH = 4
"""Rounds of smoothing that round the corners of the coarse neckline after resampling."""

NEAREST = 4
"""Number of garment vertices from which a collar point gets its skin weights."""

CLEARANCE = 0.0045
"""Minimum distance of a turned-down collar from the garment, metres.

The curved base surface is outside the coarse triangles.
"""


@dataclass(frozen=True)
class Collar:
    """A strip of cloth around a neckline.

    Parameters
    ----------
    profile : rows (out, up) of the middle of the cloth, starting at the seam, metres: outward from the neckline, and up
    thickness : thickness of the cloth, metres
    gap : half of the opening at the front, metres; 0 for a closed band
    fall : number of rows at the end of `profile` that rest on the garment
    point : distance by which the last row is lower at the ends of an open collar, metres
    """

    profile: Sequence[tuple[float, float]]
    thickness: float = 0.003
    gap: float = 0.0
    fall: int = 0
    point: float = 0.0

    def trim(self, garment: Mesh, form: Solid) -> Trim:
        """Return the collar mesh for a garment whose surface is `form`."""
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
        """Return weights (N,) that are 1 at the front of the neckline and decrease to 0 at its sides and back."""
        aside = np.abs(ring[:, 0]) / np.abs(ring[:, 0]).max()
        return np.where(ring[:, 2] > ring[:, 2].mean(), np.clip(1.0 - aside, 0.0, 1.0), 0.0)


def neck_loop(garment: Mesh) -> FloatArray:
    """Return the points (N, 3) around the neck, counterclockwise if seen from above, starting at the front centre."""
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
    """Return a loop (N, 3) resampled with `COLUMNS` evenly spaced points and rounded corners."""
    closed = np.concatenate([loop, loop[:1]])
    lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))]
    at = np.linspace(0.0, lengths[-1], COLUMNS, endpoint=False)
    points = np.stack([np.interp(at, lengths, closed[:, axis]) for axis in range(3)], axis=1)
    for _ in range(SMOOTH):
        points = 0.25 * np.roll(points, 1, axis=0) + 0.5 * points + 0.25 * np.roll(points, -1, axis=0)
    return points


def opened(ring: FloatArray, outward: FloatArray, gap: float) -> tuple[FloatArray, FloatArray]:
    """Return a ring with an opening at the front. Its ends are at a distance `gap` from the front centre."""
    ring, outward = (np.concatenate([part, part[:1]]) for part in (ring, outward))
    lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))]
    at = np.linspace(gap, lengths[-1] - gap, COLUMNS)
    ring, outward = (
        np.stack([np.interp(at, lengths, part[:, axis]) for axis in range(3)], axis=1) for part in (ring, outward)
    )
    return ring, outward / np.linalg.norm(outward, axis=1, keepdims=True)


def lifted(points: FloatArray, form: Solid, clearance: float) -> FloatArray:
    """Return points (N, 3) moved onto the offset surface at distance `clearance` from the form."""
    for _ in range(4):
        gradient = form.gradient(points)
        gradient /= np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-9)
        points = points + (clearance - form.distance(points))[:, None] * gradient
    return points


def thick(rows: FloatArray, thickness: float, *, is_closed: bool) -> Trim:
    """Return a closed surface of thick cloth around rows (R, C, 3) of points in the middle of the cloth."""
    up = np.gradient(rows, axis=0)
    across = np.roll(rows, -1, axis=1) - np.roll(rows, 1, axis=1) if is_closed else np.gradient(rows, axis=1)
    normals = np.cross(across, up)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
    half = 0.5 * thickness * normals
    # order of the cross-section: up one side, a rounded edge, down the other side
    section = np.concatenate([rows + half, (rows[-1] + 0.5 * thickness * unit(up[-1]))[None], (rows - half)[::-1]])
    section = np.concatenate([section, (rows[0] - 0.5 * thickness * unit(up[0]))[None]])
    if not is_closed:
        # at both ends, the cross-sections shrink to their middle line, so that the surface is closed
        for end in (0, -1):
            section[:, end] = section[:, end] + 0.999 * (closest_middle(section[:, end]) - section[:, end])
    count, columns = section.shape[:2]
    row, column = np.meshgrid(np.arange(count), np.arange(columns if is_closed else columns - 1), indexing="ij")
    below, beside = (row + 1) % count, (column + 1) % columns
    a, b, c, d = (r * columns + k for r, k in ((row, column), (row, beside), (below, beside), (below, column)))
    quads = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return Trim(section.reshape(-1, 3), quads)


def closest_middle(section: FloatArray) -> FloatArray:
    """Return for each point (N, 3) of a cross-section the point in the middle between both sides of the cloth."""
    count = (len(section) - 2) // 2
    middle = section.copy()
    inner, outer = section[:count], section[count + 1 : 2 * count + 1][::-1]
    middle[:count] = 0.5 * (inner + outer)
    middle[count + 1 : 2 * count + 1] = (0.5 * (inner + outer))[::-1]
    return middle


def unit(vectors: FloatArray) -> FloatArray:
    """Return vectors (N, 3) scaled to length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def followed(trim: Trim, garment: Mesh, influences: int) -> tuple[IndexArray, FloatArray]:
    """Return joints and weights (V, influences) of a trim, interpolated from nearby vertices of the garment."""
    joints, weights = heat_weights(garment)
    dense = np.zeros((len(garment.positions), int(joints.max()) + 1))
    np.put_along_axis(dense, joints, weights, axis=1)
    apart = np.linalg.norm(trim.positions[:, None] - garment.positions[None], axis=2)
    near = np.argsort(apart, axis=1)[:, : NEAREST + 1]
    distance = np.take_along_axis(apart, near, axis=1)
    # the weight of the last neighbour is 0, so that weights do not jump if another vertex becomes nearer
    share = 1.0 / np.maximum(distance[:, :-1], 1e-4) - 1.0 / distance[:, -1:]
    share = (share + 1e-6) / (share + 1e-6).sum(axis=1, keepdims=True)
    mixed = np.einsum("vk,vkj->vj", share, dense[near[:, :-1]])
    strongest = np.argsort(-mixed, axis=1, kind="stable")[:, :influences]
    found = np.take_along_axis(mixed, strongest, axis=1)
    return strongest, found / found.sum(axis=1, keepdims=True)
