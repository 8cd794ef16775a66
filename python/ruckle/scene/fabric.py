"""The finest details of cloth: a tile of threads, stitches or grain that changes the shading normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.mesh.geometry import face_crosses

__all__ = ["Fabric", "pattern_coordinates", "tile_coordinates"]


@dataclass(frozen=True, eq=False)
class Fabric:
    """A tile of cloth that repeats in both directions. It changes the shading normals, not the geometry.

    Slopes and brightness are averaged over each pixel, so that the fabric becomes uniform at a distance.

    Attributes
    ----------
    heights : (H, W) float
        Heights of the texels in any unit, top row first.
    size : float, mesh units
        Width of the tile on the cloth.
    steepness : float
        Root mean square slope of the heights.
    brightness : (H, W) float, optional
        Factors of the cloth's colour, for example for threads of two colours. They are scaled to mean 1.
    is_woven_across : bool
        True if the visible threads are along the tile's width, False if they are along its height.
    """

    heights: NDArray[np.floating]
    size: float
    steepness: float = 0.3
    brightness: NDArray[np.floating] | None = None
    is_woven_across: bool = False

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights, np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
            raise ValueError(f"fabric: expected finite heights of shape (H, W), at least (2, 2), got {heights.shape}")
        for name in ("size", "steepness"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise ValueError(f"fabric: expected a {name} that is finite and above 0, got {getattr(self, name)}")
        object.__setattr__(self, "heights", heights)
        if self.brightness is not None:
            factors = np.asarray(self.brightness, np.float64)
            is_light = bool(np.isfinite(factors).all()) and factors.min() >= 0.0 < factors.sum()
            if factors.shape != heights.shape or not is_light:
                expected = f"a brightness of shape {heights.shape}, finite and at least 0"
                raise ValueError(f"fabric: expected {expected}, got {factors.shape}")
            object.__setattr__(self, "brightness", factors / factors.mean())

    def slopes(self) -> Float32:
        """Return the slopes (H, W, 2) along the tile's width and along its height (upward). Their mean is 0.

        They are central differences on the periodic tile, scaled to the root mean square `steepness`; 0 for constant
        heights.
        """
        across = np.roll(self.heights, -1, axis=1) - np.roll(self.heights, 1, axis=1)
        upward = np.roll(self.heights, 1, axis=0) - np.roll(self.heights, -1, axis=0)
        slopes = np.stack([across * self.heights.shape[1], upward * self.heights.shape[0]], axis=2)
        slopes *= self.steepness / max(float(np.sqrt((slopes**2).sum(axis=2).mean())), 1e-30)
        return slopes.astype(np.float32)

    def texels(self) -> Float32:
        """Return slopes, brightness and squared slope of each texel, (H, W, 4), top row first."""
        slopes = self.slopes()
        factors = np.ones_like(self.heights) if self.brightness is None else self.brightness
        return np.dstack([slopes, factors, (slopes**2).sum(axis=2)]).astype(np.float32)


# Texture coordinates are a pattern of the cloth if, on the least share of its area, lengths on the cloth are between
# 1 / UNEVEN and UNEVEN times lengths on the pattern. The share is above 0.86 in the samples, and below 0.3 in atlases
# for palettes of a few colours: many triangles share few texels, so that a fabric would be enlarged on them, and seams
# would be everywhere.
UNEVEN, LEAST_EVEN = 2.0, 0.75


def pattern_coordinates(
    positions: Float32, faces: Int32, corner_uv: Float32 | None, is_cloth: NDArray[np.bool_] | None = None
) -> Float32 | None:
    """Return texture coordinates, scaled so that their total area equals that of the cloth.

    The result is None without texture coordinates, and if their scale varies too much for a pattern of the cloth.

    Parameters
    ----------
    positions : (V, 3) float32, mesh units
    faces : (T, 3) int32
    corner_uv : (T, 3, 2) float32, optional
    is_cloth : (T,) bool, optional
        Faces that show the fabric; default: all. Only they determine the scale.

    Returns
    -------
    (T, 3, 2) float32, mesh units, or None
    """
    if corner_uv is None:
        return None
    chosen = slice(None) if is_cloth is None else is_cloth
    areas = np.linalg.norm(face_crosses(positions, faces[chosen]), axis=1)
    u, v = np.diff(corner_uv[chosen].astype(np.float64), axis=1).transpose(1, 0, 2)
    first, second = np.diff(positions[faces[chosen]].astype(np.float64), axis=1).transpose(1, 0, 2)
    flat = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    if not np.abs(flat).sum() > 0.0 or not areas.sum() > 0.0:
        return None
    scale = float(np.sqrt(areas.sum() / np.abs(flat).sum()))
    # tangents of the cloth along both axes of the pattern, times `flat`
    along = v[:, 1:] * first - u[:, 1:] * second
    upward = u[:, :1] * second - v[:, :1] * first
    # the trace of the metric gives the larger stretch, because its determinant is the square of the ratio of areas
    trace = (along**2).sum(axis=1) + (upward**2).sum(axis=1)
    root = np.sqrt(np.maximum(trace**2 - 4.0 * (areas * flat) ** 2, 0.0))
    unit = (scale * flat) ** 2
    is_even = (trace + root <= 2.0 * UNEVEN**2 * unit) & (trace - root >= 2.0 / UNEVEN**2 * unit) & (unit > 0.0)
    if areas[is_even].sum() < LEAST_EVEN * areas.sum():
        return None
    scaled: Float32 = (scale * corner_uv).astype(np.float32)
    return scaled


def tile_coordinates(
    positions: Float32, faces: Int32, corner_uv: Float32 | None, is_cloth: NDArray[np.bool_] | None = None
) -> Float32:
    """Return coordinates of the triangle corners on the fabric, in mesh units.

    They are `pattern_coordinates`. If these are None, they are positions, projected along the axis that is nearest to
    the smoothed normal of each triangle.

    Parameters
    ----------
    positions, faces, corner_uv, is_cloth
        See `pattern_coordinates`.

    Returns
    -------
    (T, 3, 2) float32
    """
    scaled = pattern_coordinates(positions, faces, corner_uv, is_cloth)
    if scaled is not None:
        return scaled
    corners = positions[faces].astype(np.float64)
    normals = face_crosses(positions, faces)
    # choose the axis by vertex normals, so that most neighbours have the same axis
    around = np.zeros((len(positions), 3))
    np.add.at(around, faces, normals[:, None])
    smooth = around[faces].sum(axis=1)
    kept = np.array([[2, 1], [0, 2], [0, 1]])[np.abs(smooth).argmax(axis=1)]
    seen: Float32 = np.take_along_axis(corners, kept[:, None, :], axis=2).astype(np.float32)
    return seen
