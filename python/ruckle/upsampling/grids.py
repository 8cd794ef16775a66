"""Grid meshes of garments for neural detail, and features of the coarse cloth that are the network's input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.simulation.sheet import grid_faces

__all__ = ["FEATURES", "WIDTH", "Grids", "local_frames", "read_features", "standardised"]

FEATURES = (
    "strain_u", "strain_v", "shear", "bend_uu", "bend_vv", "bend_uv", "down_u", "down_v", "down_n",
    "velocity_u", "velocity_v", "velocity_n", "strain_u_rate", "strain_v_rate", "bend_uu_rate",
)  # fmt: skip
"""Input features of each coarse vertex, in the vertex's local frame.

The features do not change if the garment turns about the vertical axis.
"""

WIDTH = 32
"""Number of hidden values (neurons) of the network per coarse vertex."""

# Features are clamped to this many standard deviations from the mean. Motions that differ from the training data have
# features up to seventy deviations away, for which the network would add wrong folds.
LARGEST_FEATURE = 2.0

# Velocity components are clamped to FASTEST, m/s, and then multiplied by VELOCITY_SCALE. Rates of strain and bending,
# 1/s, are multiplied by RATE_SCALE.
FASTEST, VELOCITY_SCALE, RATE_SCALE = 6.0, 0.3, 5.0 / 60.0


@dataclass(frozen=True)
class Grids:
    """Size of the coarse and of the fine grid of one garment. Vertices are numbered row by row.

    Attributes
    ----------
    rows, columns : int
        Numbers of vertices of the coarse grid along both axes.
    fine_rows, fine_columns : int
        Numbers of vertices of the fine grid.
    closed : bool
        True for a tube, whose last column is connected to the first.
    """

    rows: int
    columns: int
    fine_rows: int
    fine_columns: int
    closed: bool

    @classmethod
    def of(cls, coarse_faces: Int32, coarse_count: int, fine_faces: Int32, fine_count: int) -> Grids:
        """Return the grid sizes of two meshes.

        Raises
        ------
        ValueError
            A mesh is not a grid, or the number of fine columns is not a multiple of the number of coarse columns.
        """
        rows, columns, closed = _grid_of("coarse", coarse_faces, coarse_count)
        fine_rows, fine_columns, fine_closed = _grid_of("fine", fine_faces, fine_count)
        found = cls(rows, columns, fine_rows, fine_columns, closed)
        if closed != fine_closed or (fine_columns - (not closed)) % (columns - (not closed)):
            raise ValueError(
                f"garment: expected a fine grid with a multiple of the coarse one's columns, got {fine_columns} over "
                f"{columns} columns"
            )
        return found

    @property
    def parts(self) -> int:
        """Number of fine columns per coarse column."""
        return (self.fine_columns - (not self.closed)) // (self.columns - (not self.closed))

    @property
    def cell_rows(self) -> NDArray[np.int64]:
        """Row of the coarse cell that contains each fine row, (fine_rows,) int64."""
        at = np.arange(self.fine_rows) * (self.rows - 1) // (self.fine_rows - 1)
        return np.minimum(at, self.rows - 2)

    def hats(self) -> Float32:
        """Return the weight of each cell corner at the fine vertices of the cell, (fine_rows, 4, parts).

        The corners (row, column) are (0, 0), (0, 1), (1, 0), (1, 1). The weight of a corner decreases to 0 at the
        border of the cells around it, so that seams between cells are not visible.
        """
        v = np.arange(self.fine_rows) * (self.rows - 1) / (self.fine_rows - 1) - self.cell_rows
        u = np.arange(self.parts) / self.parts
        along = np.stack([1 - v, v], axis=1)[:, :, None, None] * np.stack([1 - u, u])[None, None]
        return np.asarray(along.reshape(self.fine_rows, 4, self.parts), np.float32)

    def detail_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the arrays of neural detail, by name."""
        return {
            "feature_mean": (len(FEATURES),),
            "feature_size": (len(FEATURES),),
            "first": (9 * len(FEATURES), WIDTH),
            "first_bias": (self.rows, WIDTH),
            "second": (9 * WIDTH, WIDTH),
            "second_bias": (self.rows, WIDTH),
            "patches": (self.fine_rows * 4 * WIDTH, 3 * self.parts),
            "mean": (self.fine_rows * self.fine_columns, 3),
            "gains": (self.fine_rows,),
        }

    def unfold(self, values: Float32) -> Float32:
        """Return the first `fine_columns` columns of values (B, rows, columns * parts, n). The others are padding."""
        return values[:, :, : self.fine_columns]

    def shift(self, values: Float32, row: int, column: int) -> Float32:
        """Return, for each vertex of a grid (B, R, C, ...), the value that is `row` rows and `column` columns away.

        Column indices wrap around if the grid is a tube. All other indices are clamped to the border.
        """
        rows, columns = values.shape[1:3]
        r = np.clip(np.arange(rows) + row, 0, rows - 1)
        c = np.arange(columns) + column
        c = c % columns if self.closed else np.clip(c, 0, columns - 1)
        return np.asarray(values[:, r[:, None], c])


def _grid_of(name: str, faces: Int32, count: int) -> tuple[int, int, bool]:
    """Return rows, columns, and True for a tube, of faces that `grid_faces` has made, flipped or not.

    Raise ValueError for other faces, or for faces in another order.
    """
    for rows in (n for n in range(2, count // 2 + 1) if count % n == 0):
        for closed in (False, True):
            expected = grid_faces(count // rows, rows, closed=closed)
            if expected.shape == faces.shape and any(np.array_equal(faces, e) for e in (expected, expected[:, ::-1])):
                return rows, count // rows, closed
    raise ValueError(f"garment: expected a {name} mesh whose faces form a grid, which neural detail needs")


def local_frames(grids: Grids, positions: Float32) -> Float32:
    """Return local frames (B, R, C, 3, 3) of a grid (B, R, C, 3). Their columns are: along u, along v, normal."""
    along_u = grids.shift(positions, 0, 1) - grids.shift(positions, 0, -1)
    along_v = grids.shift(positions, 1, 0) - grids.shift(positions, -1, 0)
    u, n = _unit(along_u), _unit(np.cross(along_u, along_v))
    return np.stack([u, np.cross(n, u), n], axis=-1)


def read_features(grids: Grids, rest: Float32, frames: Float32, dt: float) -> Float32:
    """Return the features (`FEATURES`) of successive frames (F, M, 3), metres, `dt` seconds apart.

    The result is (F, rows, columns, 15). `rest` (M, 3), metres, is the undeformed cloth.
    """
    x = frames.reshape(-1, grids.rows, grids.columns, 3)
    lengths = _edges(grids, rest.reshape(1, grids.rows, grids.columns, 3))[2:]
    along_u, along_v, length_u, length_v = _edges(grids, x)
    axes = local_frames(grids, x)
    normal = axes[..., 2]
    strain_u, strain_v = length_u / lengths[0] - 1.0, length_v / lengths[1] - 1.0
    shear = (along_u * along_v).sum(-1) / (lengths[0] * lengths[1])

    def bend(first: tuple[int, int], second: tuple[int, int], length: Float32) -> Float32:
        both = grids.shift(x, *first) + grids.shift(x, *second) - 2.0 * x
        return np.asarray((both * normal).sum(-1) / length)

    twist = sum(sign * grids.shift(x, r, c) for r, c, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)))
    bends = [
        bend((0, 1), (0, -1), lengths[0]),
        bend((1, 0), (-1, 0), lengths[1]),
        (twist * normal).sum(-1) / (4.0 * lengths[0]),
    ]
    velocity = np.clip(_rate(x, dt), -FASTEST, FASTEST) * VELOCITY_SCALE
    turned = np.einsum("frcab,frca->frcb", axes, velocity)
    rates = [RATE_SCALE * _rate(value, dt) for value in (strain_u, strain_v, bends[0])]
    down = -axes[..., 1, :]
    return np.stack(
        [strain_u, strain_v, shear, *bends, *np.moveaxis(down, -1, 0), *np.moveaxis(turned, -1, 0), *rates], axis=-1
    ).astype(np.float32)


def standardised(features: Float32, mean: Float32, size: Float32) -> Float32:
    """Return features (..., 15) minus `mean`, in units of the standard deviation `size`, clamped: the network input."""
    return np.asarray(np.clip((features - mean) / size, -LARGEST_FEATURE, LARGEST_FEATURE), np.float32)


def _edges(grids: Grids, x: Float32) -> tuple[Float32, Float32, Float32, Float32]:
    """Return the edge vectors from each vertex to the next along u and along v, then both arrays of lengths.

    The last vertex of an open row or column gets the edge of the vertex before it.
    """
    along_u, along_v = grids.shift(x, 0, 1) - x, grids.shift(x, 1, 0) - x
    along_v[:, -1] = x[:, -1] - x[:, -2]
    if not grids.closed:
        along_u[:, :, -1] = x[:, :, -1] - x[:, :, -2]
    return along_u, along_v, np.linalg.norm(along_u, axis=-1), np.linalg.norm(along_v, axis=-1)


def _rate(values: Float32, dt: float) -> Float32:
    """Return the change of `values` (F, ...) per second since the previous frame; 0 in the first frame."""
    rates = np.zeros_like(values)
    rates[1:] = (values[1:] - values[:-1]) / dt
    return rates


def _unit(vectors: Float32) -> Float32:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))
