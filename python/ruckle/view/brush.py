"""Mask brush of the viewer: strokes on the picture change which parts of the cloth wrinkle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import topology_of
from ruckle.scene.camera import Camera

__all__ = ["Brush"]

# A stroke paints only vertices up to this depth behind the nearest vertex, in brush radii. The far side of a sleeve is
# therefore not painted.
DEPTH = 2.0


class Brush:
    """A copy of the mask of an animation, which the user can paint.

    Parameters
    ----------
    animation : Animation
        Animation whose mask is the initial mask.
    terms : sequence of str
        Terms from which the initial mask was made; empty for the automatic mask.

    Attributes
    ----------
    radius : float
        Radius of the brush, relative to the picture's height.
    """

    def __init__(self, animation: Animation, terms: Sequence[str] = ()) -> None:
        self.radius = 0.03
        self._given = list(terms)
        count = animation.vertex_count
        self._mask = np.ones(count, np.float32) if animation.mask is None else animation.mask.copy()
        # 1: vertex painted as wrinkling; -1: vertex painted as stiff; 0: vertex not painted
        self._strokes = np.zeros(count, np.int8)
        # index of each vertex after joining; vertices that UV seams have split get the same stroke
        self._joined = np.arange(count)
        self._joined[animation.faces.ravel()] = topology_of(animation).faces.ravel()

    @property
    def mask(self) -> Float32:
        """The initial mask after all strokes, (V,) float32, in [0, 1]."""
        painted: Float32 = np.where(self._strokes == 0, self._mask, self._strokes > 0).astype(np.float32)
        return painted

    @property
    def terms(self) -> list[str]:
        """The mask as terms of `ruckle.make_mask`; empty if there are no initial terms and no strokes."""
        strokes = [
            f"{sign}vertex:{_ranges(np.flatnonzero(self._strokes == value))}"
            for sign, value in (("-", -1), ("+", 1))
            if (self._strokes == value).any()
        ]
        return [*(self._given or ["auto"]), *strokes] if strokes else self._given

    def paint(self, vertices: NDArray[np.integer], *, wrinkle: bool) -> bool:
        """Paint vertices and their copies at UV seams as wrinkling or as stiff; return True if the mask has changed."""
        touched = np.isin(self._joined, self._joined[vertices])
        before = self.mask
        self._strokes[touched] = 1 if wrinkle else -1
        return not np.array_equal(before, self.mask)

    def under(self, positions: Float32, camera: Camera, point: tuple[float, float], aspect: float) -> NDArray[np.int64]:
        """Return the vertices under the brush, without those far behind the nearest of them (see `DEPTH`).

        Parameters
        ----------
        positions : (V, 3) float32, mesh units
        camera : Camera
        point : two floats
            Position in the picture, relative to width and height, from the upper left corner.
        aspect : float
            Width of the picture divided by its height.
        """
        matrix = camera.clip_from_world(aspect)
        clip = np.column_stack([positions, np.ones(len(positions))]) @ matrix.T
        depth = clip[:, 3]
        # scale 0 for points behind the eye, which are not visible
        scale = 1.0 / np.where(depth > 0.0, depth, np.inf)
        x, y = 0.5 + 0.5 * clip[:, 0] * scale, 0.5 - 0.5 * clip[:, 1] * scale
        near = (np.hypot((x - point[0]) * aspect, y - point[1]) <= self.radius) & (depth > 0.0)
        if not near.any():
            return np.empty(0, np.int64)
        # depth range of the stroke: `DEPTH` brush radii, in mesh units at the depth of the nearest vertex
        first = float(depth[near].min())
        reach = DEPTH * self.radius * first * camera.pixel_size(1) / camera.distance
        return np.flatnonzero(near & (depth <= first + reach))


def _ranges(numbers: NDArray[np.integer]) -> str:
    """Return sorted numbers as a text of ranges, such as "0-12,40"."""
    breaks = np.flatnonzero(np.diff(numbers) > 1)
    starts, ends = numbers[np.append(0, breaks + 1)], numbers[np.append(breaks, len(numbers) - 1)]
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return ",".join(f"{start}" if start == end else f"{start}-{end}" for start, end in pairs)
