"""Stage 8 in plain NumPy and double precision, straight from the formula: an oracle and a peer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pair = tuple[Array, Array]
Float64 = NDArray[np.float64]


def normal_sums(positions: Array, faces: Array) -> tuple[Float64, Float64]:
    """Return the sum of the unit face normals around each vertex, weighted by angle (V, 3), and of the angles (V,)."""
    corners = np.asarray(positions, np.float64)[faces]
    sums, angles = np.zeros((len(positions), 3)), np.zeros(len(positions))
    normal = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    for k in range(3):
        u, v = (unit(corners[:, (k + j) % 3] - corners[:, k]) for j in (1, 2))
        angle = np.arccos(np.clip((u * v).sum(axis=1), -1.0, 1.0))
        np.add.at(sums, faces[:, k], normal * angle[:, None])
        np.add.at(angles, faces[:, k], angle)
    return sums, angles


def vertex_normals(positions: Array, faces: Array) -> Float64:
    """Return unit vertex normals (V, 3), weighted by angle."""
    return unit(normal_sums(positions, faces)[0])


def vertex_roundness(positions: Array, faces: Array) -> Float64:
    """Return how smooth the surface is at each vertex (V,): 1 up to folds by 46°, 0 from 91° on."""
    sums, angles = normal_sums(positions, faces)
    agreement = np.linalg.norm(sums, axis=1) / np.maximum(angles, 1e-300)
    x = np.clip((agreement - 0.7) / (0.92 - 0.7), 0, 1)
    return x * x * (3 - 2 * x)


def unit(vectors: Float64) -> Float64:
    """Return vectors (..., 3) of length 1; zero stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def segment_heights(vertices: Array, segments: Array, points: Array) -> tuple[Float64, Float64]:
    """Return the height (P,) and its gradient (P, 3) of one segment for each point (P, 3); 0 out of its reach."""
    v0, v1 = (np.asarray(vertices, np.float64)[segments + k] for k in (0, 1))
    origin, step = v0[:, 0, :3], v1[:, 0, :3] - v0[:, 0, :3]
    length = np.linalg.norm(step, axis=1)
    with np.errstate(all="ignore"):
        d = step / length[:, None]
        normals = v0[:, 1, :3], v1[:, 1, :3]
        a = ((points - origin) * normals[0]).sum(1) / (d * normals[0]).sum(1)
        b = ((v1[:, 0, :3] - points) * normals[1]).sum(1) / (d * normals[1]).sum(1)
        x = a / (a + b)
        between = (1.0 - x)[:, None, None] * v0 + x[:, None, None] * v1
        away = points - (origin + x[:, None] * step)
        distance, half_width, crest = np.linalg.norm(away, axis=1), between[:, 0, 3], between[:, 1, 3]
        u = distance / half_width
        inside = (a >= 0) & (b >= 0) & (a + b > 0) & (u < 1)
        profile = np.where(u <= 1 / 3, 1 - 3 * u * u, 1.5 * (1 - u) ** 2)
        slope = np.where(u <= 1 / 3, -6 * u, -3 * (1 - u))
        gradient = unit(away) * (crest * slope / half_width)[:, None] + d * (between[:, 2, 0] * profile)[:, None]
        height = crest * profile
    return np.where(inside, height, 0.0), np.where(inside[:, None], gradient, 0.0)


def blended(vertices: Array, owners: Array, segments: Array, points: Array) -> tuple[Float64, Float64]:
    """Return height (P,) and gradient (P, 3) at points (P, 3) from pairs (owner point, segment)."""
    heights, gradients = segment_heights(vertices, segments, points[owners])
    wrinkles = np.asarray(vertices)[segments, 2, 1].astype(np.int64)
    # the highest of each wrinkle over each point comes last of its group
    order = np.lexsort((heights, wrinkles, owners))
    owners, wrinkles, heights, gradients = owners[order], wrinkles[order], heights[order], gradients[order]
    last = np.ones(len(owners), bool)
    last[:-1] = (owners[1:] != owners[:-1]) | (wrinkles[1:] != wrinkles[:-1])
    powers, slopes = np.zeros(len(points)), np.zeros((len(points), 3))
    np.add.at(powers, owners[last], heights[last] ** 4)
    np.add.at(slopes, owners[last], heights[last, None] ** 3 * gradients[last])
    height = powers**0.25
    return height, np.divide(slopes, height[:, None] ** 3, out=np.zeros_like(slopes), where=height[:, None] > 0)


def listed_pairs(faces: Array, offsets: Array, listed: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each point, given by its face (P,), with the segments listed for that face."""
    counts = np.diff(offsets)[faces]
    owners = np.repeat(np.arange(len(faces)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owners, np.asarray(listed, np.int64)[offsets[faces][owners] + within]


def surface_points(
    positions: Array, faces: Array, vertices: Array, where: Pair, pairs: Pair, *,
    curved: bool,
) -> tuple[Float64, Float64, Float64]:  # fmt: skip
    """Return positions, normals and heights of the points in `where`: coarse faces (P,), weights (P, 3)."""
    corners = np.asarray(positions, np.float64)[faces[where[0]]]
    corner_normals = vertex_normals(positions, faces)[faces[where[0]]]
    weights = np.asarray(where[1], np.float64)[:, :, None]
    flat = (weights * corners).sum(axis=1)
    normal = unit((weights * corner_normals).sum(axis=1))
    height, gradient = blended(vertices, *pairs, flat)
    base = flat
    if curved:
        offset = ((corners - flat[:, None]) * corner_normals).sum(axis=2, keepdims=True)
        roundness = vertex_roundness(positions, faces)[faces[where[0]]][:, :, None]
        base = flat + 0.75 * (weights * roundness * offset * corner_normals).sum(axis=1)
    along = (gradient * normal).sum(axis=1, keepdims=True)
    shading = unit(normal - (gradient - along * normal))
    return base + height[:, None] * normal, shading, height
