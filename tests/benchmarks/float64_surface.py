"""Stage 8 (displaced surface) in NumPy float64, directly from the formula.

Tests and benchmarks compare the core with this code. Samples are points of the drawn lines of wrinkles. The opening of
a sample at a face limits its weight there (path_heights.h).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pair = tuple[Array, Array]
Pairs = tuple[Array, Array, Array]
Float64 = NDArray[np.float64]


def normal_sums(positions: Array, faces: Array) -> tuple[Float64, Float64]:
    """Return for each vertex the sum (V, 3) of face normals weighted by angle, and the sum (V,) of the angles."""
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
    """Return unit vertex normals (V, 3). Each face normal is weighted by the angle of the face at the vertex."""
    return unit(normal_sums(positions, faces)[0])


def vertex_roundness(positions: Array, faces: Array) -> Float64:
    """Return the smoothness (V,) of the surface at each vertex: 1 for folds up to 46°, 0 from 91° on."""
    sums, angles = normal_sums(positions, faces)
    agreement = np.linalg.norm(sums, axis=1) / np.maximum(angles, 1e-300)
    x = np.clip((agreement - 0.7) / (0.92 - 0.7), 0, 1)
    return x * x * (3 - 2 * x)


def unit(vectors: Float64) -> Float64:
    """Return vectors (..., 3) scaled to length 1; zero vectors remain zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


# constants for the weights of wrinkle samples; they are equal to the constants of the C++ core
REACH_SHARE, LEAST_WEIGHT_SUM = 1.6, 1e-30


VALLEY_DEPTH, VALLEY_LEAN = 0.57, 0.6


class Flanks(NamedTuple):
    """Values at G pairs of a point and a wrinkle near it."""

    heights: Float64  # (G,)
    gradients: Float64  # (G, 3)
    sides: Float64  # (G, 3) vectors away from the crest
    leans: Float64  # (G,) heights, faded to 0 at the crest
    steepenings: Float64  # (G, 3) gradients of `leans`


def wrinkle_heights(
    samples: Array, groups: Array, members: Array, openings: Array, points: Array, normals: Array
) -> Flanks:
    """Return the values of G groups at their points. A group consists of the samples of one wrinkle near one point.

    Entry i adds sample `members[i]` to group `groups[i]`; `openings[i]` limits the weight of this sample.
    """
    own = np.asarray(samples, np.float64)[members]
    away = points[groups] - own[:, 0, :3]
    near = np.maximum(1.0 - (away**2).sum(axis=1) * own[:, 0, 3], 0.0)
    x = np.clip(1 + 2 * (normals[groups] * own[:, 3, :3]).sum(axis=1), 0, 1)
    share = x * x * (3 - 2 * x)
    most = np.minimum(near, share)
    near = near * np.where(openings < most, openings / np.where(most > 0, most, 1.0), 1.0)
    weight = share * near**3 * own[:, 1, 3]
    columns = np.column_stack(
        [weight[:, None], weight[:, None] * np.column_stack([away, own[:, 1, :3], own[:, 2, :3], near, share])]
    )
    sums = np.stack([np.bincount(groups, column, len(points)) for column in columns.T], axis=1)
    some = sums[:, 0] > LEAST_WEIGHT_SUM
    mean = sums[:, 1:] / np.where(some, sums[:, 0], 1.0)[:, None]
    off, direction, (width, height, slope, nearness, shown) = mean[:, :3], mean[:, 3:6], mean[:, 6:].T
    width = np.where(some, width, 1.0)
    along = np.clip((off * direction).sum(axis=1), -0.3 * width, 0.3 * width)
    crest = np.clip(height + along * slope, 0.8 * height, 1.25 * height)
    aside = off - along[:, None] * direction
    least = 0.81 * (REACH_SHARE**2 * (1 - 1.125 * nearness) - 0.25)
    u = np.sqrt(np.maximum((aside**2).sum(axis=1) / width**2, least))
    rest = np.maximum(1.0 - u, 0.0)
    profile = np.where(u <= 1 / 3, 1 - 3 * u * u, 1.5 * rest**2)
    fall = np.where(u <= 1 / 3, -6.0, -3.0 * rest / np.maximum(u, 1 / 3))
    gradient = aside * (crest * fall / width**2)[:, None] + direction * (slope * profile)[:, None]
    heights = np.where(some, shown * crest * profile, 0.0)
    gradients = np.where(some[:, None], shown[:, None] * gradient, 0.0)
    sides = aside / (width * np.maximum(u, 1e-6))[:, None]
    y = np.minimum(u / VALLEY_LEAN, 1.0)
    share = y * y * (3.0 - 2.0 * y)
    steepenings = gradients * share[:, None] + sides * (heights * 6.0 / VALLEY_LEAN * y * (1.0 - y) / width)[:, None]
    return Flanks(heights, gradients, sides, heights * share, steepenings)


def blended(
    samples: Array, owners: Array, members: Array, openings: Array, points: Array, normals: Array
) -> tuple[Float64, Float64]:
    """Return blended heights (P,) and gradients (P, 3) at rest points (P, 3).

    Entry i of the lists adds sample `members[i]` to point `owners[i]`; `openings[i]` limits its weight.
    """
    wrinkles = np.asarray(samples)[members, 2, 3].astype(np.int64)
    keys, groups = np.unique(owners * (1 + wrinkles.max(initial=0)) + wrinkles, return_inverse=True)
    owner = keys // (1 + wrinkles.max(initial=0))
    flanks = wrinkle_heights(samples, groups, members, openings, points[owner], normals[owner])
    heights, gradients = flanks.heights, flanks.gradients

    def total(values: Float64) -> Float64:
        sums = np.zeros((len(points), *values.shape[1:]))
        np.add.at(sums, owner, values)
        return sums

    height = total(heights**4) ** 0.25
    slopes = total(heights[:, None] ** 3 * gradients)
    gradient = np.divide(slopes, height[:, None] ** 3, out=np.zeros_like(slopes), where=height[:, None] > 0)
    # between two wrinkles whose flanks face each other, add a valley
    leans = flanks.leans[:, None] * flanks.sides
    others = total(leans)[owner] - leans
    opposed = -0.5 * total((leans * others).sum(axis=1))
    facing = -total(flanks.steepenings * (flanks.sides * others).sum(axis=1, keepdims=True))
    dug = opposed > 1e-12 * height**2
    scale = np.where(dug, 2.0 * VALLEY_DEPTH / np.where(dug, total(heights), 1.0), 0.0)
    depth = scale * opposed
    falls = (depth / np.where(dug, total(heights), 1.0))[:, None] * total(gradients)
    return height - depth, gradient - (facing * scale[:, None] - falls)


def carriers(rest: Array, positions: Array, faces: Array) -> Float64:
    """Return matrices (V, 3, 3) that map gradients at rest to current gradients.

    Each matrix is the mean over the triangles of a vertex, weighted by their current area.
    """
    sides, sides_rest = (
        np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        for corners in (np.asarray(points, np.float64)[faces] for points in (positions, rest))
    )
    across, across_rest = np.cross(sides[..., 0], sides[..., 1]), np.cross(sides_rest[..., 0], sides_rest[..., 1])
    area = np.linalg.norm(across, axis=1)
    # F^-T maps gradients in the plane of the face; the normal at rest is mapped to the current normal
    frame = np.concatenate([sides, unit(across)[..., None]], axis=2)
    frame_rest = np.concatenate([sides_rest, unit(across_rest)[..., None]], axis=2)
    whole = (area > 0) & (np.linalg.norm(across_rest, axis=1) > 0)
    own = np.zeros((len(faces), 3, 3))
    own[whole] = np.linalg.inv(frame[whole]).transpose(0, 2, 1) @ frame_rest[whole].transpose(0, 2, 1)
    sums, areas = np.zeros((len(positions), 3, 3)), np.zeros(len(positions))
    for k in range(3):
        np.add.at(sums, faces[:, k], (whole * area)[:, None, None] * own)
        np.add.at(areas, faces[:, k], whole * area)
    return sums / np.where(areas > 0, areas, 1.0)[:, None, None]


def rest_normals(rest: Array, faces: Array, where: Pair) -> Float64:
    """Return the interpolated rest normals at the given points; vertex normals are weighted by area."""
    corners, sums = np.asarray(rest, np.float64)[faces], np.zeros((len(rest), 3))
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for k in range(3):
        np.add.at(sums, faces[:, k], across)
    return (np.asarray(where[1], np.float64)[:, :, None] * unit(sums)[faces[where[0]]]).sum(axis=1)


def listed_pairs(faces: Array, offsets: Array, listed: Array, openings: Array) -> Pairs:
    """Return point index, sample index and opening of all samples that are listed for the faces (P,) of points."""
    counts = np.diff(offsets)[faces]
    owners = np.repeat(np.arange(len(faces)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    entries = offsets[faces][owners] + within
    return owners, np.asarray(listed, np.int64)[entries], np.asarray(openings, np.float64)[entries]


def maps_from_rest(rest: Array, positions: Array, faces: Array) -> Float64:
    """Return matrices (V, 3, 3) that map the rest shape to the current shape.

    Each matrix is the mean over the triangles of a vertex, weighted by their area at rest.
    """
    frames = []
    for points in (positions, rest):
        corners = np.asarray(points, np.float64)[faces]
        sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        across = np.cross(sides[..., 0], sides[..., 1])
        frames.append(np.concatenate([sides, unit(across)[..., None]], axis=2))
    area = np.linalg.norm(across, axis=1)
    whole = (area > 0) & (np.linalg.det(frames[0]) != 0)
    own = np.zeros((len(faces), 3, 3))
    own[whole] = frames[0][whole] @ np.linalg.inv(frames[1][whole])
    sums, areas = np.zeros((len(positions), 3, 3)), np.zeros(len(positions))
    for k in range(3):
        np.add.at(sums, faces[:, k], (whole * area)[:, None, None] * own)
        np.add.at(areas, faces[:, k], whole * area)
    return sums / np.where(areas > 0, areas, 1.0)[:, None, None]


def base_offsets(positions: Array, rest: Array, faces: Array, where: Pair, smoothing: Array) -> Float64:
    """Return the offsets (P, 3) from points of the flat triangles to the curved base surface."""
    points, at_rest = np.asarray(positions, np.float64), np.asarray(rest, np.float64)
    normals, roundness = vertex_normals(positions, faces), vertex_roundness(positions, faces)
    maps, share = maps_from_rest(rest, positions, faces), np.asarray(smoothing, np.float64)
    corners, weights = faces[where[0]], np.asarray(where[1], np.float64)
    offsets = np.zeros((len(corners), 3))
    for k in range(3):
        ends = corners[:, k], corners[:, (k + 1) % 3]
        edge, edge_rest = (x[ends[1]] - x[ends[0]] for x in (points, at_rest))
        bends = []
        for end in ends:
            normal = normals[end]
            round_bend = -0.75 * (edge * normal).sum(axis=1, keepdims=True) * normal
            carried = np.einsum("pij,pj->pi", maps[end], edge_rest)
            turned = carried - (carried * normal).sum(axis=1, keepdims=True) * normal - edge
            size = np.linalg.norm(turned, axis=1) / np.linalg.norm(edge, axis=1)
            turned *= (0.5 / np.maximum(size, 0.5))[:, None]
            own = share[end][:, None]
            bends.append(roundness[end][:, None] * ((1 - own) * round_bend + 0.5 * own * turned))
        offsets += (weights[:, k] * weights[:, (k + 1) % 3])[:, None] * (bends[0] - bends[1])
    return offsets


def surface_points(
    positions: Array, rest: Array, faces: Array, samples: Array, where: Pair, pairs: Pairs, *,
    curved: bool, smoothing: Array,
) -> tuple[Float64, Float64, Float64]:  # fmt: skip
    """Return positions (P, 3), normals (P, 3) and heights (P,) of the displaced surface at points.

    `where` contains the coarse faces (P,) and the barycentric coordinates (P, 3) of the points.
    """
    corners = np.asarray(positions, np.float64)[faces[where[0]]]
    corner_normals = vertex_normals(positions, faces)[faces[where[0]]]
    weights = np.asarray(where[1], np.float64)[:, :, None]
    flat = (weights * corners).sum(axis=1)
    normal = unit((weights * corner_normals).sum(axis=1))
    at_rest = (weights * np.asarray(rest, np.float64)[faces[where[0]]]).sum(axis=1)
    height, gradient = blended(samples, *pairs, at_rest, rest_normals(rest, faces, where))
    carrier = (weights[..., None] * carriers(rest, positions, faces)[faces[where[0]]]).sum(axis=1)
    gradient = np.einsum("pij,pj->pi", carrier, gradient)
    base = flat + base_offsets(positions, rest, faces, where, smoothing) if curved else flat
    along = (gradient * normal).sum(axis=1, keepdims=True)
    shading = unit(normal - (gradient - along * normal))
    return base + height[:, None] * normal, shading, height
