"""The mask brush of the viewer: strokes on the picture let vertices wrinkle or keep their shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import topology_of
from ruckle.scene.camera import Camera

__all__ = ["Brush"]

# Depth below the nearest vertex that a stroke also paints, in radii of the brush: not the far side of a sleeve.
DEPTH = 2.0


class Brush:
    """A mask that is painted.

    Parameters
    ----------
    animation : Animation
        With the mask to begin with.
    terms : sequence of str
        The terms that made it; none: the automatic mask.

    Attributes
    ----------
    radius : float
        Share of the picture's height.
    """

    def __init__(self, animation: Animation, terms: Sequence[str] = ()) -> None:
        self.radius = 0.03
        self._given = list(terms)
        count = animation.vertex_count
        self._mask = np.ones(count, np.float32) if animation.mask is None else animation.mask.copy()
        # 1 for vertices that were let wrinkle, -1 for those that keep their shape
        self._strokes = np.zeros(count, np.int8)
        # vertices that a UV seam has split are painted together
        self._joined = np.arange(count)
        self._joined[animation.faces.ravel()] = topology_of(animation).faces.ravel()

    @property
    def mask(self) -> Float32:
        """(V,) float32, in [0, 1]: the mask with all strokes."""
        painted: Float32 = np.where(self._strokes == 0, self._mask, self._strokes > 0).astype(np.float32)
        return painted

    @property
    def terms(self) -> list[str]:
        """The mask as terms of `ruckle.make_mask`; none if nothing was chosen or painted."""
        strokes = [
            f"{sign}vertex:{_ranges(np.flatnonzero(self._strokes == value))}"
            for sign, value in (("-", -1), ("+", 1))
            if (self._strokes == value).any()
        ]
        return [*(self._given or ["auto"]), *strokes] if strokes else self._given

    def paint(self, vertices: NDArray[np.integer], *, wrinkle: bool) -> bool:
        """Let vertices wrinkle, or keep their shape; return True if the mask has changed."""
        touched = np.isin(self._joined, self._joined[vertices])
        before = self.mask
        self._strokes[touched] = 1 if wrinkle else -1
        return not np.array_equal(before, self.mask)

    def under(self, positions: Float32, camera: Camera, point: tuple[float, float], aspect: float) -> NDArray[np.int64]:
        """Return the vertices under the brush that face the viewer.

        Parameters
        ----------
        positions : (V, 3) float32, mesh units
        camera : Camera
        point : two floats
            Position on the picture, in shares of its width and height from the upper left corner.
        aspect : float
            Width over height of the picture.
        """
        matrix = camera.clip_from_world(aspect)
        clip = np.column_stack([positions, np.ones(len(positions))]) @ matrix.T
        depth = clip[:, 3]
        # behind the eye nothing is seen
        scale = 1.0 / np.where(depth > 0.0, depth, np.inf)
        x, y = 0.5 + 0.5 * clip[:, 0] * scale, 0.5 - 0.5 * clip[:, 1] * scale
        near = (np.hypot((x - point[0]) * aspect, y - point[1]) <= self.radius) & (depth > 0.0)
        if not near.any():
            return np.empty(0, np.int64)
        # the radius in mesh units at that depth
        first = float(depth[near].min())
        reach = DEPTH * self.radius * first * camera.pixel_size(1) / camera.distance
        return np.flatnonzero(near & (depth <= first + reach))


def _ranges(numbers: NDArray[np.integer]) -> str:
    """Return sorted numbers as text: "0-12,40"."""
    breaks = np.flatnonzero(np.diff(numbers) > 1)
    starts, ends = numbers[np.append(0, breaks + 1)], numbers[np.append(breaks, len(numbers) - 1)]
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return ",".join(f"{start}" if start == end else f"{start}-{end}" for start, end in pairs)
