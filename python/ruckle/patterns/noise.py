"""Patterns of aligned waves, made by the library: where an animation compresses the cloth, and across it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import number, positive_number, whole_number
from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.field.stretch import edge_matrices
from ruckle.patterns.cells import Float64
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.pattern import Pattern, pattern_of

__all__ = ["compression_axes", "noise_pattern"]

Pairs = NDArray[np.int64]

# Rounds in which axes spread to neighbouring triangles, that is rings. Fewer: waves turn from triangle to triangle.
SPREADING_ROUNDS = 6

# Rounds in which kernels agree on their phases with their neighbours. More change little.
PHASE_ROUNDS = 4

# Rounds in which wavelengths spread: patches of one wavelength are some three triangles wide.
WAVELENGTH_ROUNDS = 3

# Reach of a kernel, in wavelengths. Larger: longer and straighter waves, as in corduroy. Smaller: blobs.
REACH = 1.8

# Cosine between the normals of two triangles up to which a kernel of one does not reach the other.
LEAST_AGREEMENT = 0.3

# Pairs of kernel and node worked on at once: some 100 MB.
PAIRS_AT_ONCE = 1 << 20


def compression_axes(positions: ArrayLike, faces: ArrayLike, rest: ArrayLike) -> Float32:
    """Return the axis along which an animation compresses each triangle most, on the cloth at rest.

    The main axis of Σ max(0, 1 - λ_min) b bᵀ over the frames, with b the rest's direction of the smaller principal
    stretch λ_min, spread over 6 rings of neighbours.

    Parameters
    ----------
    positions : (F, V, 3) float, mesh units
    faces : (T, 3) int
        Of a welded mesh: what does not share an edge does not share axes.
    rest : (V, 3) float, mesh units

    Returns
    -------
    (T, 3) float32
        Unit vectors in the triangles' planes, whose sign means nothing; waves run across them.

    Raises
    ------
    ValueError
        A position that is not finite, or arrays of another shape.
    """
    corners, shape = triangles("faces", faces), float32("rest", rest).astype(np.float64)
    reference = edge_matrices(shape, corners).astype(np.float64)
    frames = np.asarray(positions)
    if frames.ndim != 3:
        raise ValueError(f"positions: expected shape (F, V, 3), got {frames.shape}")
    basis = _plane_axes(shape, corners)
    tensors = np.zeros((len(corners), 3, 3))
    for frame in frames:
        lost, axis = _compression(reference, edge_matrices(frame, corners).astype(np.float64))
        spatial = np.einsum("tk,tkc->tc", axis, basis)
        tensors += lost[:, None, None] * spatial[:, :, None] * spatial[:, None, :]
    # a little of the first edge's direction decides where nothing is ever compressed
    tensors += 1e-9 * basis[:, 0, :, None] * basis[:, 0, None, :]
    tensors = _spread(tensors, _neighbors(corners), SPREADING_ROUNDS)
    plane = np.einsum("tac,tcd,tbd->tab", basis, tensors, basis)
    angle = 0.5 * np.arctan2(2.0 * plane[:, 0, 1], plane[:, 0, 0] - plane[:, 1, 1])
    axes: Float64 = np.cos(angle)[:, None] * basis[:, 0] + np.sin(angle)[:, None] * basis[:, 1]
    return axes.astype(np.float32)


def _plane_axes(points: Float64, faces: Int32) -> Float64:
    """Return (T, 2, 3): x along the first edge of every triangle, and y."""
    e1, e2 = (points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2))
    x = e1 / np.maximum(np.linalg.norm(e1, axis=1, keepdims=True), 1e-30)
    y = e2 - (e2 * x).sum(axis=1, keepdims=True) * x
    return np.stack([x, y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-30)], axis=1)


def _compression(reference: Float64, current: Float64) -> tuple[Float64, Float64]:
    """Return max(0, 1 - λ_min) (T,) and its axis (T, 2) in the planes of the reference."""
    sound = np.linalg.det(reference) > 1e-6 * (reference**2).sum(axis=(1, 2))
    safe = np.where(sound[:, None, None], reference, np.eye(2))
    gradient = np.where(sound[:, None, None], current @ np.linalg.inv(safe), np.eye(2))
    squares, axes = np.linalg.eigh(np.swapaxes(gradient, 1, 2) @ gradient)
    return np.maximum(0.0, 1.0 - np.sqrt(np.maximum(squares[:, 0], 0.0))), axes[:, :, 0]


def _neighbors(faces: Int32) -> Pairs:
    """Return pairs (n, 2) of triangles that share an edge, both ways."""
    edges = np.sort(np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    owners = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort(edges.T)
    same = (edges[order][1:] == edges[order][:-1]).all(axis=1)
    first, second = owners[order][:-1][same], owners[order][1:][same]
    return np.stack([np.concatenate([first, second]), np.concatenate([second, first])], axis=1)


def _spread(values: Float64, pairs: Pairs, rounds: int) -> Float64:
    """Return values (T, ...) averaged with those of the neighbours, again and again."""
    counts = np.bincount(pairs[:, 0], minlength=len(values)) + 1.0
    for _ in range(rounds):
        total = values.copy()
        np.add.at(total, pairs[:, 0], values[pairs[:, 1]])
        values = total / counts.reshape(-1, *[1] * (values.ndim - 1))
    return values


def noise_pattern(
    grid: PatternGrid,
    axes: ArrayLike,
    *,
    wavelength: float,
    spread: float = 0.25,
    seed: int = 0,
    name: str = "noise",
) -> Pattern:
    """Make a pattern of aligned waves, which needs no texture coordinates.

    A sum of cosine waves, one around each triangle, across its axis; their phases agree with their neighbours', and
    their wavelengths differ from patch to patch, so that the cloth does not look like corduroy.

    Parameters
    ----------
    grid : PatternGrid
    axes : (T, 3) float
        Directions across the folds, see `compression_axes`.
    wavelength : float, mesh units, > 0
        Mean distance of two folds; eight of the grid's spacings at least, better more.
    spread : float, in [0, 1]
        Standard deviation of the logarithm of the wavelengths; 0: all alike.
    seed : int
        The same seed gives the same pattern.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    ValueError
        Axes of another shape or that are not finite, or a number out of range.
    """
    nodes, directions = pattern_grid(grid), float32("axes", axes).astype(np.float64)
    faces = nodes.topology.faces
    if directions.shape != (len(faces), 3) or not np.isfinite(directions).all():
        raise ValueError(f"axes: expected finite numbers of shape ({len(faces)}, 3), got {directions.shape}")
    if not 0.0 <= number("spread", spread) <= 1.0:
        raise ValueError(f"spread: expected a number in [0, 1], got {spread}")
    mean = positive_number("wavelength", wavelength)
    random = np.random.default_rng(whole_number("seed", seed))
    pairs = _neighbors(faces)
    lengths = mean * np.exp(spread * _patches(random, pairs, len(faces)))
    centers = nodes.rest.astype(np.float64)[faces].mean(axis=1)
    normals = np.cross(*_plane_axes(nodes.rest.astype(np.float64), faces).swapaxes(0, 1))
    reach = REACH * mean
    near = _within_reach(centers, normals, nodes.topology.face_neighbors, reach)
    waves = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30)
    waves *= (2.0 * np.pi / lengths)[:, None]
    phases = _agree(random.uniform(0.0, 2.0 * np.pi, len(faces)), centers, waves, near, reach)
    return pattern_of(nodes, _sum_of_waves(nodes, centers, waves, phases, near, reach), name)


def _patches(random: np.random.Generator, pairs: Pairs, count: int) -> Float64:
    """Return (T,) numbers of mean 0 and standard deviation 1 that are alike in neighbouring triangles."""
    values = _spread(random.normal(size=count), pairs, WAVELENGTH_ROUNDS)
    values -= values.mean()
    values /= max(float(values.std()), 1e-30)
    return values


def _within_reach(centers: Float64, normals: Float64, neighbors: Int32, reach: float) -> Pairs:
    """Return pairs (n, 2) of triangles that one ball's part of one layer of cloth holds, sorted; each with itself, too.

    From triangle to triangle over their edges, without leaving the ball: cloth that lies close by in space alone, such
    as the other side of a sleeve, is left out.
    """
    count = len(centers)
    codes = frontier = np.arange(count) * (count + 1)
    while len(frontier):
        here, there = frontier // count, frontier % count
        further = neighbors[there].astype(np.int64)
        start, beyond = np.repeat(here, 3), further.ravel()
        start, beyond = start[beyond >= 0], beyond[beyond >= 0]
        inside = ((centers[start] - centers[beyond]) ** 2).sum(axis=1) < reach**2
        inside &= (normals[start] * normals[beyond]).sum(axis=1) > LEAST_AGREEMENT
        frontier = np.setdiff1d(start[inside] * count + beyond[inside], codes)
        codes = np.union1d(codes, frontier)
    return np.stack([codes // count, codes % count], axis=1)


def _agree(phases: Float64, centers: Float64, waves: Float64, near: Pairs, reach: float) -> Float64:
    """Let every kernel take the phase that its neighbours' waves have at its centre."""
    a, b = near[near[:, 0] != near[:, 1]].T
    along = (waves[a] * waves[b]).sum(axis=1)
    sign = np.where(along < 0, -1.0, 1.0)  # axes have no sign
    agreement = abs(along) / np.maximum(np.linalg.norm(waves[a], axis=1) * np.linalg.norm(waves[b], axis=1), 1e-30)
    offset = centers[a] - centers[b]
    weight = (1.0 - (offset**2).sum(axis=1) / reach**2) ** 2 * agreement
    step = 0.5 * (offset * (waves[b] + sign[:, None] * waves[a])).sum(axis=1)
    for _ in range(PHASE_ROUNDS):
        heard = weight * np.exp(1j * sign * (phases[b] + step))
        total = np.bincount(a, heard.real, len(phases)) + 1j * np.bincount(a, heard.imag, len(phases))
        phases = np.where(abs(total) > 0, np.angle(total), phases)
    return phases


def _sum_of_waves(
    grid: PatternGrid, centers: Float64, waves: Float64, phases: Float64, near: Pairs, reach: float
) -> Float64:
    """Return the waves' mean at every node (N,), each kernel weighted by (1 - distance² / reach²)²."""
    order = np.argsort(grid.faces, kind="stable")
    counts = np.bincount(grid.faces, minlength=len(centers))
    starts = np.concatenate([[0], np.cumsum(counts)])
    heights: Float64 = np.zeros(len(order))
    amounts: Float64 = np.full(len(order), 1e-9)
    sizes = counts[near[:, 0]]
    for part in np.array_split(np.arange(len(near)), max(1, int(sizes.sum()) // PAIRS_AT_ONCE)):
        many = sizes[part]
        kernel = np.repeat(near[part, 1], many)
        place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        node = order[np.repeat(starts[near[part, 0]], many) + place]
        offset = grid.nodes[node] - centers[kernel]
        weight = np.maximum(1.0 - (offset**2).sum(axis=1) / reach**2, 0.0) ** 2
        wave = np.cos((offset * waves[kernel]).sum(axis=1) + phases[kernel])
        heights += np.bincount(node, weight * wave, len(heights))
        amounts += np.bincount(node, weight, len(heights))
    heights /= amounts
    return heights
