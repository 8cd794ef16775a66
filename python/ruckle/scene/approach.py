"""Moves the camera of a film nearer while the garment needs less space, for example after a start with spread arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import radians, tan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ruckle.scene.camera import Camera

__all__ = ["approaching", "smoothed"]

Float64 = NDArray[np.float64]

# The camera moves only if its distance can decrease to this share of the original distance. Smaller movements would
# only disturb the viewer.
NEARER = 0.88
# In seconds. The camera of a frame must also show the points of all frames within FORESIGHT before and after. Its path
# is then smoothed over CALM on each side; CALM must not exceed FORESIGHT, so that the camera still shows all points.
FORESIGHT, CALM = 1.0, 0.9
# Share of the picture that is empty on every side.
MARGIN = 0.06


def approaching(camera: Camera, shown: Sequence[NDArray[np.floating]], *, aspect: float, rate: float) -> list[Camera]:
    """Return a camera for every frame of a film. All these cameras have the direction of `camera`.

    Parameters
    ----------
    camera : Camera
        A camera that shows the garment in every frame.
    shown : sequence of (V, 3) float, mesh units
        Points that each frame must show.
    aspect : float
        Width of the picture divided by its height.
    rate : float
        Pictures per second.

    Returns
    -------
    list of Camera
        One camera per frame. If the camera cannot come much nearer, it is `camera` in every frame.
    """
    tangents = tan(radians(camera.field_of_view) / 2) * (1 - 2 * MARGIN) * np.array([aspect, 1.0])
    # The picture's two axes are treated separately. Let t be the tangent of half the visible angle along an axis. A
    # camera with coordinate x on this axis, and d toward the viewer, shows all points if d >= high - x / t and
    # d >= low + x / t.
    high, low = np.empty((2, len(shown), 2))
    depths = np.empty((len(shown), 2))
    for number, points in enumerate(shown):
        seen = np.asarray(points, np.float64) @ camera.axes.T
        reach = seen[:, :2] / tangents
        high[number], low[number] = (seen[:, 2:] + reach).max(axis=0), (seen[:, 2:] - reach).max(axis=0)
        depths[number] = seen[:, 2].min(), seen[:, 2].max()
    room = round(FORESIGHT * rate)
    high, low = _largest(high, room), _largest(low, room)
    distance = ((high + low) / 2).max(axis=1)
    middle = (high - low) / 2 * tangents
    # if two cameras show a point, each camera between them also shows it
    ways = smoothed(np.column_stack([middle, distance]), min(room, round(CALM * rate)))
    depth = float(depths.mean())
    if (ways[:, 2] - depth).min() > NEARER * camera.distance:
        return [camera] * len(shown)
    found = []
    for right, up, away in ways.tolist():
        x, y, z = (camera.axes.T @ np.array([right, up, depth])).tolist()
        found.append(replace(camera, target=(x, y, z), distance=away - depth))
    return found


def smoothed(values: Float64, reach: int) -> Float64:
    """Return a moving mean of rows (F, n) over `reach` rows on each side, weighted by a Hann window.

    Before the first and after the last row, these rows are repeated.
    """
    weights = np.hanning(2 * reach + 3)[1:-1]
    found: Float64 = _windows(values, reach) @ (weights / weights.sum())
    return found


def _largest(values: Float64, reach: int) -> Float64:
    """Return a moving maximum of rows over `reach` rows on each side."""
    found: Float64 = _windows(values, reach).max(axis=-1)
    return found


def _windows(values: Float64, reach: int) -> Float64:
    """Return the rows (F, n, 2 reach + 1) around each row. At the ends, the first or last row is repeated."""
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
