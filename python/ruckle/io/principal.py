"""Finds a few shapes whose weighted sums approximate all frames, by a streamed singular value decomposition.

All frames are written to a file. The memory contains only the leading directions (singular vectors) of the previous
frames and a block of new frames. Each full block is merged with the directions by the Gram matrix (all dot products),
so that the memory does not depend on the number of frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["PrincipalShapes", "ShapeSum"]

# SPARE: number of directions that are kept in addition to the required shapes, because a direction that was dropped may
# become important later. In clips of 120 frames, the error is then within 1 % of the full decomposition. BLOCK: number
# of frames per block.
SPARE, BLOCK = 16, 16

# Number of columns that are converted to float64 at once, to limit the memory.
CHUNK = 8192

# A direction is dropped as rounding error if its singular value is below this share of the largest singular value.
ROUNDING = 1e-6


class ShapeSum(NamedTuple):
    """Shapes and their weights in each frame.

    Attributes
    ----------
    shapes : (K, N) float32
    weights : (F, K) float32, in [0, 1]
        Programs such as Blender clamp weights to [0, 1]. Weights are therefore shifted and scaled. The last shape, with
        weight 1 in every frame, undoes the shift: it is the sum of the unscaled shapes times their smallest weights.
    """

    shapes: Float32
    weights: Float32


class PrincipalShapes:
    """Collects one row of numbers per frame, and finds the shapes whose sums approximate all rows best.

    Parameters
    ----------
    file : binary file, open for writing and reading
    count : int
        Largest number of shapes, at least 2.
    """

    def __init__(self, file: BinaryIO, count: int) -> None:
        self._file = file
        # subtract 1, because the last of the `count` shapes is the constant shape
        self._count = count - 1
        self._kept = count + SPARE
        self._rows: Float32 = np.empty((0, 0), np.float32)
        self._fresh = 0
        self.frame_count = 0

    def append(self, row: Float32) -> None:
        """Add the row (N,) of the next frame: write it to the file, and merge a full block into the directions."""
        if not self.frame_count:
            self._rows = np.zeros((self._kept + BLOCK, len(row)), np.float32)
        self._file.write(np.ascontiguousarray(row, "<f4").data)
        self._rows[self._kept + self._fresh] = row
        self._fresh += 1
        self.frame_count += 1
        if self._fresh == BLOCK:
            self._merge()

    def rows(self) -> Iterator[Float32]:
        """Yield the rows of all frames again. The next row overwrites the previous array."""
        self._file.seek(0)
        row = np.empty(self._rows.shape[1], "<f4")
        for _ in range(self.frame_count):
            self._file.readinto(row.data)  # type: ignore[attr-defined]
            yield row

    def solve(self) -> ShapeSum:
        """Return the shapes and their weights in every frame; both are empty if all rows are 0."""
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
        # do not divide by 0 if a direction, which is rounding error, has weight 0 in every frame
        extent[extent == 0.0] = 1.0
        constant = (least @ shapes).astype(np.float32)
        shapes *= extent[:, None].astype(np.float32)
        scaled = np.column_stack([(weights - least) / extent, np.ones(self.frame_count)])
        return ShapeSum(np.concatenate([shapes, constant[None]]), scaled.astype(np.float32))

    def _merge(self) -> NDArray[np.float64]:
        """Merge the block of new frames into the directions, in place, and empty the block.

        Return the squared singular values of the directions in descending order.
        """
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
