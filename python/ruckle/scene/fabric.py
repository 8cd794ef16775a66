"""The finest scale of cloth: threads, stitches, ribs and grain, as slopes of a tile that bend the shading normal."""

from __future__ import annotations

from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.mesh.geometry import face_crosses
from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["Fabric", "FabricMap", "corduroy", "knit", "leather", "tile_coordinates", "weave"]

Float64 = NDArray[np.float64]

# Texels along a side of the tiles that are made here.
SIDE = 96


@dataclass(frozen=True, eq=False)
class Fabric:
    """A tile of cloth that repeats in all directions; it bends the light and moves no geometry.

    Slopes are averaged over a pixel, so that the fabric fades with distance.

    Attributes
    ----------
    heights : (H, W) float
        Heights of the tile's texels, first row on top, in any unit.
    size : float, mesh units
        Width of the tile on the cloth; 0.3 % of the wearer's height for threads that show in near pictures.
    steepness : float
        Root mean square slope.
    """

    heights: NDArray[np.floating]
    size: float
    steepness: float = 0.3

    def __post_init__(self) -> None:
        heights = np.asarray(self.heights, np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
            raise ValueError(f"fabric: expected finite heights of shape (H, W), at least (2, 2), got {heights.shape}")
        for name in ("size", "steepness"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise ValueError(f"fabric: expected a {name} that is finite and above 0, got {getattr(self, name)}")
        object.__setattr__(self, "heights", heights)

    def slopes(self) -> Float32:
        """Return the slopes (H, W, 2) along the tile's width and, upward, along its height; of mean 0."""
        across = np.roll(self.heights, -1, axis=1) - np.roll(self.heights, 1, axis=1)
        upward = np.roll(self.heights, 1, axis=0) - np.roll(self.heights, -1, axis=0)
        slopes = np.stack([across * self.heights.shape[1], upward * self.heights.shape[0]], axis=2)
        slopes *= self.steepness / max(float(np.sqrt((slopes**2).sum(axis=2).mean())), 1e-30)
        return slopes.astype(np.float32)


def _places() -> tuple[Float64, Float64]:
    y, x = (np.mgrid[0:SIDE, 0:SIDE] + 0.5) / SIDE
    return x, y


def weave() -> Float64:
    """Return plain weave: warp and weft pass over and under each other, two by two to the tile."""
    x, y = _places()
    over = np.sin(2 * np.pi * x) * np.sin(2 * np.pi * y) > 0
    warp = np.abs(np.sin(2 * np.pi * x)) ** 0.7 * (0.55 + 0.45 * np.abs(np.sin(2 * np.pi * y)))
    weft = np.abs(np.sin(2 * np.pi * y)) ** 0.7 * (0.55 + 0.45 * np.abs(np.sin(2 * np.pi * x)))
    return np.where(over, warp, weft)


def knit() -> Float64:
    """Return stocking stitch: columns of V, two to the tile, each of two slanting legs."""
    x, y = _places()
    column = (2 * x) % 1.0 - 0.5
    # a leg rises toward the column's middle
    along = (4 * y + 1.1 * np.abs(column)) % 1.0 - 0.5
    yarn = np.cos(2.0 * np.pi * (np.abs(column) - 0.25)).clip(0.0)
    legs: Float64 = np.cos(np.pi * along) ** 0.8 * (0.35 + yarn**0.6)
    return legs


def corduroy() -> Float64:
    """Return ribs that run down the cloth, three to the tile, with a little pile on them."""
    x, y = _places()
    pile = np.sin(2 * np.pi * (11 * x + 7 * y)) * np.sin(2 * np.pi * (5 * x - 13 * y))
    return np.sqrt(np.abs(np.sin(3 * np.pi * x))) + 0.05 * pile


def leather() -> Float64:
    """Return grain: uneven cells with furrows between them (Worley 1996, the second distance less the first)."""
    x, y = _places()
    cells = np.random.default_rng(5).uniform(size=(34, 2))
    around = np.concatenate([cells + np.array([i, j]) for i in (-1, 0, 1) for j in (-1, 0, 1)])
    distances = np.hypot(x[..., None] - around[:, 0], y[..., None] - around[:, 1])
    first, second = np.partition(distances, 1, axis=2)[..., :2].transpose(2, 0, 1)
    grain: Float64 = np.sqrt(np.minimum((second - first) / 0.09, 1.0))
    return grain


class FabricMap:
    """A fabric's slopes on the graphics card.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    allocations : int
        Textures made so far.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._fabric: Fabric | None = None
        self._texture: moderngl.Texture | None = None
        self.allocations = 0

    def use(self, fabric: Fabric) -> None:
        """Bind a fabric to its texture unit, after copying one that is new."""
        if self._texture is None or fabric is not self._fabric:
            slopes = fabric.slopes()[::-1]
            rows, columns = slopes.shape[:2]
            self._texture = self._context.texture((columns, rows), 2, np.ascontiguousarray(slopes), dtype="f4")
            self._texture.build_mipmaps()
            self._texture.anisotropy = 8.0
            self._fabric = fabric
            self.allocations += 1
        self._texture.use(TEXTURE_UNITS["fabric"])


def tile_coordinates(positions: Float32, faces: Int32, corner_uv: Float32 | None) -> Float32:
    """Return the positions of triangle corners on the fabric, in mesh units.

    Texture coordinates, in the mean scale of the cloth, if there are any. Otherwise positions, projected along the axis
    that each triangle faces most.

    Parameters
    ----------
    positions : (V, 3) float32, mesh units
    faces : (T, 3) int32
    corner_uv : (T, 3, 2) float32, optional

    Returns
    -------
    (T, 3, 2) float32
    """
    corners = positions[faces].astype(np.float64)
    normals = face_crosses(positions, faces)
    if corner_uv is not None:
        sides = np.diff(corner_uv.astype(np.float64), axis=1)
        flat = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]).sum()
        if flat > 0.0:
            scale = np.sqrt(np.linalg.norm(normals, axis=1).sum() / flat)
            scaled: Float32 = (scale * corner_uv).astype(np.float32)
            return scaled
    # by the vertices' normals: neighbours agree but for a few seams
    around = np.zeros((len(positions), 3))
    np.add.at(around, faces, normals[:, None])
    smooth = around[faces].sum(axis=1)
    kept = np.array([[2, 1], [0, 2], [0, 1]])[np.abs(smooth).argmax(axis=1)]
    seen: Float32 = np.take_along_axis(corners, kept[:, None, :], axis=2).astype(np.float32)
    return seen
