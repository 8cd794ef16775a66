"""Small pieces of cloth with known deformation, for the tests of wrinkle paths."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle import Animation, Stretch, Topology

Array = NDArray[Any]


def grid(columns: int, rows: int, *, seed: int | None = None) -> tuple[Array, Array]:
    """Return positions (V, 3) and faces (T, 3) of a rectangle of unit squares.

    A `seed` moves the inner vertices randomly.
    """
    x, y = np.meshgrid(np.arange(columns + 1.0), np.arange(rows + 1.0))
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    if seed is not None:
        inner = ((x > 0) & (x < columns) & (y > 0) & (y < rows)).ravel()
        positions[inner, :2] += np.random.default_rng(seed).uniform(-0.25, 0.25, (int(inner.sum()), 2))
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    a, b, c, d = corner, corner + 1, corner + columns + 2, corner + columns + 1
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return positions.astype(np.float32), faces.astype(np.int32)


def compressed(positions: Array, amount: float, axis: Array | tuple[float, float, float] = (1.0, 0.0, 0.0)) -> Array:
    """Return float32 positions that are compressed to 1 / amount of their length along an axis through the origin."""
    unit = np.asarray(axis) / np.linalg.norm(axis)
    return (positions - np.outer(positions @ unit, unit) * (1.0 - 1.0 / amount)).astype(np.float32)


def squeezed_sheet(columns: int = 10, rows: int = 8, frames: int = 40, squeezing: int = 12) -> Animation:
    """Return an animation of a sheet that is compressed along x.

    It is compressed to 1 / 1.7 of its length in `squeezing` frames, and then does not move.
    """
    rest, faces = grid(columns, rows, seed=5)
    amounts = 1.0 + 0.7 * np.minimum(1.0, np.arange(frames) / squeezing)
    return Animation(np.array([compressed(rest, amount) for amount in amounts]), faces, fps=30.0, height=60.0)


def field(reference: Array, positions: Array, faces: Array) -> Stretch:
    """Return the stretch of each triangle from a reference pose to the pose `positions`."""
    return ruckle.stretch(ruckle.edge_matrices(reference, faces), ruckle.edge_matrices(positions, faces))


def wrinkled_grid(
    amount: float = 1.6, axis: tuple[float, float, float] = (1.0, 0.0, 0.0), columns: int = 8, rows: int = 6
) -> tuple[Topology, Array, Stretch]:
    """Return topology, positions and stretch of an irregular rectangle, compressed to 1 / amount along an axis."""
    rest, faces = grid(columns, rows, seed=3)
    positions = compressed(rest, amount, axis)
    return Topology(faces, len(rest)), positions, field(rest, positions, faces)


def points_of(topology: Topology, positions: Array, edges: Array, t: Array) -> Array:
    """Return the positions of a path's vertices, float64.

    `t` is 1 at the first vertex of an edge, and 0 at its second vertex.
    """
    ends = positions.astype(np.float64)[topology.edges[edges]]
    return ends[:, 0] * np.asarray(t, np.float64)[:, None] + ends[:, 1] * (1.0 - np.asarray(t, np.float64)[:, None])
