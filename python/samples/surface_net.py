"""Triangle meshes of surfaces that are defined by signed distances, for the wearer's body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .solid import Solid

__all__ = ["Finer", "surface_net"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
Corner = tuple[float, float, float]

RELAXATIONS = 6
"""Rounds of moving vertices to the mean of their neighbours and projecting them; more rounds change little."""


@dataclass(frozen=True)
class Finer:
    """A box with corners `low` and `high` in metres. Its grid cells are smaller by the factor `ratio`."""

    low: Corner
    high: Corner
    ratio: int


@dataclass(frozen=True)
class Grid:
    """A grid of cells with edge length `cell` and corners `low + cell * (i, j, k)`; `counts` of corners per axis."""

    low: FloatArray
    cell: float
    counts: IndexArray

    def quads(self, solid: Solid) -> tuple[IndexArray, FloatArray]:
        """Return the four cells (Q, 4, 3) around each grid edge that crosses the surface, and the crossings (Q, 3)."""
        grid = np.stack(np.meshgrid(*(np.arange(count) for count in self.counts), indexing="ij"), axis=-1)
        distance = solid.distance((self.low + self.cell * grid).reshape(-1, 3)).reshape(self.counts)
        distance = separated(distance, self.cell)
        quads, crossings = [], []
        for axis in range(3):
            start = np.moveaxis(np.moveaxis(distance, axis, 0)[:-1], 0, axis)
            end = np.moveaxis(np.moveaxis(distance, axis, 0)[1:], 0, axis)
            crossed = np.argwhere((start < 0.0) != (end < 0.0))
            before, after = start[tuple(crossed.T)], end[tuple(crossed.T)]
            crossings.append(self.low + self.cell * (crossed + np.outer(before / (before - after), np.eye(3)[axis])))
            right, up = np.eye(3, dtype=np.int64)[[(axis + 1) % 3, (axis + 2) % 3]]
            around = crossed[:, None] - np.stack([0 * right, right, right + up, up])
            quads.append(np.where((before < 0.0)[:, None, None], around, around[:, ::-1]))
        return np.concatenate(quads), np.concatenate(crossings)


def surface_net(
    solid: Solid, low: Sequence[float], high: Sequence[float], cell: float, finer: Sequence[Finer] = ()
) -> tuple[FloatArray, IndexArray]:
    """Return positions (V, 3) and outward faces (T, 3) of the surface of a solid within a box.

    Every grid cell that the surface intersects has one vertex. Every grid edge that the surface crosses has one quad
    (Gibson, "Constrained Elastic Surface Nets", 1998). Cells of different size are connected as in an octree (Ju et
    al., "Dual Contouring of Hermite Data", 2002). A quad becomes a triangle if two of its small cells are in one large
    cell.

    Parameters
    ----------
    solid : the solid; its surface must be inside the box
    low, high : corners of the box, metres
    cell : edge length of the grid's cells, metres
    finer : boxes with smaller cells, at least one large cell apart
    """
    counts = np.ceil((np.asarray(high) - low) / cell).astype(np.int64) + 1
    coarse = Grid(np.asarray(low), cell, counts)
    cells, crossings = coarse.quads(solid)
    spans = [span(box, coarse) for box in finer]
    kept = np.ones(len(cells), dtype=bool)
    for start, end in spans:
        kept &= ~within(cells, start, end).any(axis=1)
    corners, points = [numbered(cells[kept], counts)], [crossings[kept]]
    first = int(np.prod(counts))
    for box, (start, end) in zip(finer, spans, strict=True):
        # one additional small cell on each side, which is inside a large cell
        shape = (end - start) * box.ratio + 3
        small = Grid(coarse.low + cell * start - cell / box.ratio, cell / box.ratio, shape)
        cells, crossings = small.quads(solid)
        inside = within(cells, np.ones(3, np.int64), shape - 2)
        owners = start + (cells - 1) // box.ratio
        numbers = np.where(inside, first + numbered(cells, shape), numbered(owners, counts))
        kept = np.asarray(inside.any(axis=1))
        corners.append(numbers[kept])
        points.append(crossings[kept])
        first += int(np.prod(shape))
    return assembled(solid, np.concatenate(corners), np.concatenate(points))


def span(box: Finer, grid: Grid) -> tuple[IndexArray, IndexArray]:
    """Return the first cell (3,) of a box on each axis, and the first cell after the box."""
    start = np.floor((np.asarray(box.low) - grid.low) / grid.cell).astype(np.int64)
    return start, np.ceil((np.asarray(box.high) - grid.low) / grid.cell).astype(np.int64)


def within(cells: IndexArray, start: IndexArray, end: IndexArray) -> NDArray[np.bool_]:
    """Return a mask of cells (..., 3) that are in the range from `start` to `end`; `end` is excluded."""
    return np.asarray(((cells >= start) & (cells < end)).all(axis=-1))


def numbered(cells: IndexArray, counts: IndexArray) -> IndexArray:
    """Return a unique number for each cell (..., 3)."""
    return np.asarray(cells @ np.array([counts[1] * counts[2], counts[2], 1]))


def assembled(solid: Solid, corners: IndexArray, crossings: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Return positions and faces of quads (Q, 4) between numbered cells; each quad has one crossing point (Q, 3)."""
    cells, vertices = np.unique(corners, return_inverse=True)
    vertices = vertices.reshape(-1, 4)
    shares = np.bincount(vertices.ravel(), minlength=len(cells))[:, None]
    sums = np.zeros((len(cells), 3))
    np.add.at(sums, vertices.ravel(), np.repeat(crossings, 4, axis=0))
    faces = np.concatenate([vertices[:, [0, 1, 2]], vertices[:, [0, 2, 3]]])
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    return relaxed(solid, sums / shares, faces), faces


def separated(distance: FloatArray, cell: float) -> FloatArray:
    """Return distances (X, Y, Z) without grid squares whose corners are alternately inside and outside.

    Four triangles would share an edge there. The corner nearest to the surface is moved to the other side.
    """
    for axis in range(3):
        layers = np.moveaxis(distance, axis, 0)
        while True:
            a, b, c, d = layers[:, :-1, :-1], layers[:, 1:, :-1], layers[:, 1:, 1:], layers[:, :-1, 1:]
            inside = np.stack([corner < 0.0 for corner in (a, b, c, d)])
            crossed = (inside[0] == inside[2]) & (inside[1] == inside[3]) & (inside[0] != inside[1])
            squares = np.argwhere(crossed)
            if not len(squares):
                break
            nearest = np.argmin(np.abs(np.stack([corner[crossed] for corner in (a, b, c, d)])), axis=0)
            at = squares + np.array([(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)])[nearest]
            for place in np.unique(at, axis=0):
                layers[tuple(place)] = np.copysign(1e-3 * cell, -layers[tuple(place)])
    return distance


def relaxed(solid: Solid, positions: FloatArray, faces: IndexArray) -> FloatArray:
    """Return positions (V, 3) that are moved along the surface of the solid until they are evenly distributed."""
    free = np.broadcast_to(np.eye(3), (len(positions), 3, 3))
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    degrees = np.bincount(starts, minlength=len(positions))[:, None]
    for _ in range(RELAXATIONS):
        sums = np.zeros_like(positions)
        np.add.at(sums, starts, positions[ends])
        positions = solid.project(sums / degrees, free)
    return positions
