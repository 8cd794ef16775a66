"""Patterns of aligned waves in the compressed parts of an animation; crests are perpendicular to the compression."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import number, positive_number, whole_number
from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.field.stretch import edge_matrices
from ruckle.patterns.cells import Float64
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.pattern import Pattern, pattern_of

__all__ = ["compression_axes", "noise_pattern"]

Pairs = NDArray[np.int64]

# Rounds of averaging axes over neighbouring triangles. With fewer rounds, directions of waves differ between triangles.
SPREADING_ROUNDS = 6

# Rounds of averaging wavelengths. With three, patches of similar wavelength are about three triangles wide.
WAVELENGTH_ROUNDS = 3

# Radius of the waves around each triangle, in wavelengths. With a larger radius, waves are longer and straighter, as in
# corduroy. With a smaller radius, folds become round spots.
REACH = 1.8


def compression_axes(positions: ArrayLike, faces: ArrayLike, rest: ArrayLike) -> Float32:
    """Return the axis along which an animation compresses each triangle most, on the rest mesh.

    The axis is the main axis of Σ max(0, 1 - λ_min) b bᵀ over the frames, averaged 6 times over neighbouring triangles.
    b is the rest direction of the smaller principal stretch λ_min.

    Parameters
    ----------
    positions : (F, V, 3) float, mesh units
    faces : (T, 3) int
        Triangles after merging of seam vertices, because axes are averaged only across common edges.
    rest : (V, 3) float, mesh units

    Returns
    -------
    (T, 3) float32
        Unit vectors in the planes of the triangles; the sign is arbitrary. Crests are perpendicular to these axes. If
        neither a triangle nor its surroundings are ever compressed, its axis is along its first edge.

    Raises
    ------
    ValueError
        A position is not finite, or an array has a wrong shape.
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
    # this small tensor makes the first edge the axis of triangles that are never compressed
    tensors += 1e-9 * basis[:, 0, :, None] * basis[:, 0, None, :]
    tensors = spread_over(tensors, neighbors(corners), SPREADING_ROUNDS)
    plane = np.einsum("tac,tcd,tbd->tab", basis, tensors, basis)
    angle = 0.5 * np.arctan2(2.0 * plane[:, 0, 1], plane[:, 0, 0] - plane[:, 1, 1])
    axes: Float64 = np.cos(angle)[:, None] * basis[:, 0] + np.sin(angle)[:, None] * basis[:, 1]
    return axes.astype(np.float32)


def _plane_axes(points: Float64, faces: Int32) -> Float64:
    """Return the x and y axes (T, 2, 3) of each triangle's plane as unit vectors.

    The x axis is along the first edge.
    """
    e1, e2 = (points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2))
    x = e1 / np.maximum(np.linalg.norm(e1, axis=1, keepdims=True), 1e-30)
    y = e2 - (e2 * x).sum(axis=1, keepdims=True) * x
    return np.stack([x, y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-30)], axis=1)


def _compression(reference: Float64, current: Float64) -> tuple[Float64, Float64]:
    """Return the compression max(0, 1 - λ_min) (T,) and its axis (T, 2) in the plane of each reference triangle.

    For degenerate reference triangles, the compression is 0.
    """
    sound = np.linalg.det(reference) > 1e-6 * (reference**2).sum(axis=(1, 2))
    safe = np.where(sound[:, None, None], reference, np.eye(2))
    gradient = np.where(sound[:, None, None], current @ np.linalg.inv(safe), np.eye(2))
    squares, axes = np.linalg.eigh(np.swapaxes(gradient, 1, 2) @ gradient)
    return np.maximum(0.0, 1.0 - np.sqrt(np.maximum(squares[:, 0], 0.0))), axes[:, :, 0]


def neighbors(faces: Int32) -> Pairs:
    """Return pairs (n, 2) of triangles with a common edge; each pair occurs in both orders."""
    edges = np.sort(np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    owners = np.tile(np.arange(len(faces)), 3)
    order = np.lexsort(edges.T)
    same = (edges[order][1:] == edges[order][:-1]).all(axis=1)
    first, second = owners[order][:-1][same], owners[order][1:][same]
    return np.stack([np.concatenate([first, second]), np.concatenate([second, first])], axis=1)


def spread_over(values: Float64, pairs: Pairs, rounds: int) -> Float64:
    """Return values (T, ...), replaced `rounds` times by the mean over the triangle and its neighbours."""
    counts = np.bincount(pairs[:, 0], minlength=len(values)) + 1.0
    for _ in range(rounds):
        total = values.copy()
        np.add.at(total, pairs[:, 0], values[pairs[:, 1]])
        values = total / counts.reshape(-1, *[1] * (values.ndim - 1))
    return values


def unit_axes(grid: PatternGrid, axes: ArrayLike) -> Float64:
    """Return unit directions (T, 3) of the grid's faces.

    Raise ValueError if the shape is wrong or a number is not finite.
    """
    directions, count = float32("axes", axes).astype(np.float64), grid.topology.face_count
    if directions.shape != (count, 3) or not np.isfinite(directions).all():
        raise ValueError(f"axes: expected finite numbers of shape ({count}, 3), got {directions.shape}")
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30)
    return directions


def noise_pattern(
    grid: PatternGrid,
    axes: ArrayLike,
    *,
    wavelength: float,
    spread: float = 0.25,
    seed: int = 0,
    name: str = "noise",
) -> Pattern:
    """Make a pattern of aligned waves. Texture coordinates are not required.

    The pattern is a sum of cosine waves, one around each triangle, with crests perpendicular to the triangle's axis.
    The phase of each wave matches those of its neighbours. Wavelengths vary between patches, so that the cloth does not
    look like corduroy.

    Parameters
    ----------
    grid : PatternGrid
    axes : (T, 3) float
        Directions perpendicular to the folds; see `compression_axes`.
    wavelength : float, mesh units, > 0
        Mean distance of two folds. At least eight grid spacings are recommended.
    spread : float, in [0, 1]
        Standard deviation of the logarithm of the wavelengths; 0 means equal wavelengths.
    seed : int
        Seed of the random numbers; equal seeds produce equal patterns.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    ValueError
        Axes have a wrong shape or are not finite, or a number is out of range.
    """
    nodes = pattern_grid(grid)
    directions, faces = unit_axes(nodes, axes), nodes.topology.faces
    if not 0.0 <= number("spread", spread) <= 1.0:
        raise ValueError(f"spread: expected a number in [0, 1], got {spread}")
    mean = positive_number("wavelength", wavelength)
    random = np.random.default_rng(whole_number("seed", seed))
    pairs = neighbors(faces)
    lengths = mean * np.exp(spread * _patches(random, pairs, len(faces)))
    waves = (2.0 * np.pi / lengths)[:, None] * directions
    phases = random.uniform(0.0, 2.0 * np.pi, len(faces))
    heights = _core.wave_heights(nodes, float32("waves", waves), float32("phases", phases), reach=REACH * mean)
    return pattern_of(nodes, heights.astype(np.float64), name)


def _patches(random: np.random.Generator, pairs: Pairs, count: int) -> Float64:
    """Return random numbers (T,) with mean 0 and standard deviation 1 that are similar in neighbouring triangles."""
    values = spread_over(random.normal(size=count), pairs, WAVELENGTH_ROUNDS)
    values -= values.mean()
    values /= max(float(values.std()), 1e-30)
    return values
