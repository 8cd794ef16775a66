"""Distances to seams, hems, patches and buttons in the plane of a garment's pattern, as a texture for shaders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.sewing import Sewing, seam_sides
from ruckle.scene.programs import TEXTURE_UNITS
from ruckle.scene.stitching import Stitching

__all__ = ["SewingMap", "sewn_distances"]

Float64 = NDArray[np.float64]

# Number of texels along the longer side of the texture.
TEXELS = 1536

# Distances are negative in a strip of this width (texels) outside each edge. Interpolated distances at the edge are
# therefore exactly 0.
BEYOND = 3.0


@dataclass(frozen=True, eq=False)
class SewnDistances:
    """Distances on a rectangle of the pattern's plane.

    Attributes
    ----------
    values : (H, W, 4) float32, mesh units
        Distance of each texel to the nearest seam, hem, patch outline and button centre, lowest row first; the first
        three are positive inside the piece or patch.
    corner : (2,) float64, mesh units
        Lower left corner of the texture in the pattern's plane.
    texel : float, mesh units
        Width of a texel.
    """

    values: Float32
    corner: Float64
    texel: float

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Scale and offset from the pattern's plane to texture coordinates from 0 to 1."""
        size = self.texel * np.array(self.values.shape[1::-1])
        first, second = (1.0 / size).tolist()
        shift, lift = (-self.corner / size).tolist()
        return first, second, shift, lift


def sewn_distances(
    faces: NDArray[np.integer],
    corner_uv: NDArray[np.floating],
    corner_tile: NDArray[np.floating],
    open_sides: NDArray[np.bool_],
    sewing: Sewing | None,
    stitching: Stitching,
) -> SewnDistances:
    """Return the distances for a garment's pattern.

    Parameters
    ----------
    faces : (T, 3) int
    corner_uv, corner_tile : (T, 3, 2) float
        Texture coordinates, and the result of `tile_coordinates`: the same coordinates times one factor, in mesh units.
    open_sides : (T, 3) bool
        True for sides without a second triangle.
    sewing : Sewing, optional
    stitching : Stitching
        The distances are limited to 3.2 `inset` (seams, patches), 1.5 `depth` (hems) and 1.6 `button`, within which
        shaders draw stitches.
    """
    reach = np.array([3.2 * stitching.inset, 1.5 * stitching.depth, 3.2 * stitching.inset, 1.6 * stitching.button])
    low, high = corner_tile.min(axis=(0, 1)) - reach[0], corner_tile.max(axis=(0, 1)) + reach[0]
    texel = float((high - low).max() / TEXELS)
    shape = tuple(np.ceil((high - low)[::-1] / texel).astype(int))
    scale = np.ptp(corner_tile, axis=(0, 1)).max() / np.ptp(corner_uv, axis=(0, 1)).max()
    field = _Field(np.asarray(low, np.float64), texel, shape)
    sewing = sewing or Sewing()
    edges = [np.asarray(scale * np.asarray(patch, np.float64)) for patch in sewing.patches]
    outlines = [side for patch in edges for side in zip(patch, np.roll(patch, -1, axis=0), strict=True)]
    cuts = seam_sides(faces, corner_uv)
    buttons = np.empty((0, 2)) if sewing.buttons is None else scale * np.asarray(sewing.buttons, np.float64)
    channels = [
        field.signed(_sides(corner_tile, cuts), reach[0]),
        field.signed(_sides(corner_tile, open_sides), reach[1]),
        field.signed(outlines, reach[2]),
        field.distance(buttons, reach[3]),
    ]
    return SewnDistances(np.stack(channels, axis=2).astype(np.float32), field.corner, texel)


def _sides(corners: NDArray[np.floating], chosen: NDArray[np.bool_]) -> list[tuple[Float64, Float64]]:
    """Return the chosen sides of triangles (T, 3, 2). The triangle is on the left of each side."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    is_turned = (first[:, 0] * second[:, 1] < first[:, 1] * second[:, 0])[:, None, None]
    starts, ends = corners.astype(np.float64), np.roll(corners, -1, axis=1).astype(np.float64)
    starts, ends = np.where(is_turned, ends, starts), np.where(is_turned, starts, ends)
    return list(zip(starts[chosen], ends[chosen], strict=True))


@dataclass(frozen=True, eq=False)
class _Field:
    """A grid of texels: its lower left corner, the width of a texel, and the numbers of rows and columns."""

    corner: Float64
    texel: float
    shape: tuple[int, ...]

    def distance(self, points: Float64, reach: float) -> Float64:
        """Return the distances (H, W) to the nearest of the points (N, 2), limited to `reach`."""
        rows, columns = (np.arange(count) for count in self.shape)
        y = self.corner[1] + self.texel * (rows + 0.5)
        x = self.corner[0] + self.texel * (columns + 0.5)
        nearest = np.full(self.shape, reach)
        for point in points:
            window = np.ix_(np.abs(y - point[1]) < reach, np.abs(x - point[0]) < reach)
            away = np.hypot(y[window[0]] - point[1], x[window[1]] - point[0])
            nearest[window] = np.minimum(nearest[window], away)
        return nearest

    def signed(self, sides: Iterable[tuple[Float64, Float64]], reach: float) -> Float64:
        """Return signed distances (H, W) to the nearest side, positive on its left, limited to `reach`.

        On the right of a side, distances are negative, but only within `BEYOND` texels; further away, the side is
        ignored.
        """
        inside = np.full(self.shape, reach)
        outside = np.full(self.shape, -reach)
        for start, end in sides:
            low = np.maximum((np.minimum(start, end) - reach - self.corner) // self.texel, 0).astype(int)
            high = np.maximum((np.maximum(start, end) + reach - self.corner) / self.texel + 1, 0).astype(int)
            window = slice(low[1], high[1]), slice(low[0], high[0])
            y, x = np.ogrid[window[0].start : window[0].stop, window[1].start : window[1].stop]
            x = self.corner[0] + self.texel * (x[:, : max(self.shape[1] - low[0], 0)] + 0.5) - start[0]
            y = self.corner[1] + self.texel * (y[: max(self.shape[0] - low[1], 0)] + 0.5) - start[1]
            along = end - start
            length = float(np.hypot(*along))
            ahead = along / length if length > 0.0 else np.array([1.0, 0.0])
            share = np.clip(x * ahead[0] + y * ahead[1], 0.0, length)
            distance = np.hypot(x - share * ahead[0], y - share * ahead[1])
            left = y * ahead[0] - x * ahead[1] >= 0.0
            inside[window] = np.minimum(inside[window], np.where(left, distance, reach))
            outside[window] = np.maximum(outside[window], np.where(left, -reach, -distance))
        # A texel is outside only if the nearest side has the texel on its right, within BEYOND texels. A texel further
        # away may be in another piece of the pattern.
        is_beyond = (-outside < inside) & (-outside < BEYOND * self.texel)
        return np.where(is_beyond, outside, inside)


class SewingMap:
    """The distances as a texture on the graphics card.

    Parameters
    ----------
    context : moderngl.Context
    distances : SewnDistances
    """

    def __init__(self, context: moderngl.Context, distances: SewnDistances) -> None:
        self.frame = distances.frame
        rows, columns = distances.values.shape[:2]
        texels = np.ascontiguousarray(distances.values.astype(np.float16))
        self._texture = context.texture((columns, rows), 4, texels, dtype="f2")
        self._texture.repeat_x = self._texture.repeat_y = False

    def use(self) -> None:
        """Bind the texture to its texture unit, so that shaders can read it."""
        self._texture.use(TEXTURE_UNITS["sewing_map"])
