"""Move a camera nearer while a garment takes less room, as after a start with arms spread."""

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

# The camera moves only if it can come at least as near as this share of its distance: smaller motion only disturbs.
NEARER = 0.88
# Seconds before and after a picture whose points it also shows, and the time over which the camera's path is smoothed.
# The first is not less than the second, so smoothing cuts nothing off.
FORESIGHT, CALM = 1.0, 0.9
# Share of the picture left empty on every side.
MARGIN = 0.06


def approaching(camera: Camera, shown: Sequence[NDArray[np.floating]], *, aspect: float, rate: float) -> list[Camera]:
    """Return a camera for every picture of a film, all in the direction of a given one.

    Parameters
    ----------
    camera : Camera
        That shows the garment in every picture.
    shown : sequence of (V, 3) float, mesh units
        For each picture the points to be seen.
    aspect : float
        Width over height of the picture.
    rate : float
        Pictures per second.

    Returns
    -------
    list of Camera
        The given camera throughout, if none comes much nearer.
    """
    tangents = tan(radians(camera.field_of_view) / 2) * (1 - 2 * MARGIN) * np.array([aspect, 1.0])
    # the farthest a point reaches out to either side of the view, right and up: a camera at (x, y) and at distance d
    # from the origin sees it if d >= high - (x, y) / tangents and d >= low + (x, y) / tangents
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
    # a camera between two that see a point sees it, too
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
    """Return rows (F, n) averaged with rows at most `reach` away, near ones with more weight (Hann's window)."""
    weights = np.hanning(2 * reach + 3)[1:-1]
    found: Float64 = _windows(values, reach) @ (weights / weights.sum())
    return found


def _largest(values: Float64, reach: int) -> Float64:
    """Return, for every row, the largest values of the rows that are at most `reach` away."""
    found: Float64 = _windows(values, reach).max(axis=-1)
    return found


def _windows(values: Float64, reach: int) -> Float64:
    """Return, for every row (n,), the rows at most `reach` away, (F, n, 2 reach + 1); the ends are repeated."""
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
