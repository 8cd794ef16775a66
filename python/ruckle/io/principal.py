"""A few shapes whose weighted sums are close to every frame: a streamed singular value decomposition.

Frames go to a file. Memory holds the leading directions of the frames so far, and a block of new frames. Each full
block is merged into the directions through the Gram matrix of both. The number of frames does not matter to memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["PrincipalShapes", "ShapeSum"]

# Directions that are kept in addition to the wanted ones, and frames of a block. Directions that are dropped early may
# matter later: on clips of 120 frames 16 more give the error of the full decomposition within 1 %.
SPARE, BLOCK = 16, 16

# Columns that are handled at once, in float64.
CHUNK = 8192

# Share of the largest singular value below which a direction is rounding error.
ROUNDING = 1e-6


class ShapeSum(NamedTuple):
    """Weighted sums of shapes.

    Attributes
    ----------
    shapes : (K, N) float32
    weights : (F, K) float32, in [0, 1]
        Programs such as Blender cut weights off at 0 and 1. The last shape has the weight 1 in every frame; it takes
        the others from their least weights to 0.
    """

    shapes: Float32
    weights: Float32


class PrincipalShapes:
    """Takes rows of numbers, one per frame, and finds the shapes that span them best.

    Parameters
    ----------
    file : binary file, open for writing and reading
    count : int
        Largest number of shapes, from 2 on.
    """

    def __init__(self, file: BinaryIO, count: int) -> None:
        self._file = file
        # one of them is the constant shape
        self._count = count - 1
        self._kept = count + SPARE
        self._rows: Float32 = np.empty((0, 0), np.float32)
        self._fresh = 0
        self.frame_count = 0

    def append(self, row: Float32) -> None:
        """Add the row of the next frame."""
        if not self.frame_count:
            self._rows = np.zeros((self._kept + BLOCK, len(row)), np.float32)
        self._file.write(np.ascontiguousarray(row, "<f4").data)
        self._rows[self._kept + self._fresh] = row
        self._fresh += 1
        self.frame_count += 1
        if self._fresh == BLOCK:
            self._merge()

    def rows(self) -> Iterator[Float32]:
        """Yield the rows of all frames again; each is overwritten by the next."""
        self._file.seek(0)
        row = np.empty(self._rows.shape[1], "<f4")
        for _ in range(self.frame_count):
            self._file.readinto(row.data)  # type: ignore[attr-defined]
            yield row

    def solve(self) -> ShapeSum:
        """Return the shapes, and their weights in every frame."""
        values = self._merge()
        found = int((values[: self._count] > (ROUNDING**2) * max(values[0], 1e-300)).sum())
        shapes = self._rows[:found].copy()
        squares = np.maximum(values[:found], 1e-300)
        weights = np.empty((self.frame_count, found))
        for frame, row in enumerate(self.rows()):
            weights[frame] = (shapes @ row) / squares
        if not found:
            return ShapeSum(shapes, weights.astype(np.float32))
        least = np.minimum(weights.min(axis=0), 0.0)
        extent = np.maximum(weights.max(axis=0), 0.0) - least
        # a direction without weight in any frame is rounding error
        extent[extent == 0.0] = 1.0
        constant = (least @ shapes).astype(np.float32)
        shapes *= extent[:, None].astype(np.float32)
        scaled = np.column_stack([(weights - least) / extent, np.ones(self.frame_count)])
        return ShapeSum(np.concatenate([shapes, constant[None]]), scaled.astype(np.float32))

    def _merge(self) -> NDArray[np.float64]:
        """Merge the block into the directions; return their squared lengths, the largest first."""
        rows = self._rows
        gram = np.zeros((len(rows), len(rows)))
        for start in range(0, rows.shape[1], CHUNK):
            part = rows[:, start : start + CHUNK].astype(np.float64)
            gram += part @ part.T
        values, vectors = np.linalg.eigh(gram)
        order = np.argsort(-values, kind="stable")[: self._kept]
        turn = vectors[:, order].T
        for start in range(0, rows.shape[1], CHUNK):
            part = rows[:, start : start + CHUNK].astype(np.float64)
            rows[: self._kept, start : start + CHUNK] = turn @ part
        rows[self._kept :] = 0.0
        self._fresh = 0
        squares: NDArray[np.float64] = np.maximum(values[order], 0.0)
        return squares
