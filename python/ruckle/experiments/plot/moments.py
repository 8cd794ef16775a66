"""Choice of the frames of a clip to show in pictures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["activity", "choose_frames"]


def activity(moving: ArrayLike, compressed: ArrayLike) -> NDArray[np.float64]:
    """Measure the activity of each frame.

    The mean of two quantities, each as a share of its largest value in the clip, so that neither a gentle motion
    nor a garment that never wrinkles hides the other.

    Parameters
    ----------
    moving : (F,) float
        Share of the triangles that are not labeled rest.
    compressed : (F,) float
        Mean compression beyond 1 of the triangles.

    Returns
    -------
    (F,) float64, 0 to 1
    """
    return (_of_largest(np.asarray(moving, np.float64)) + _of_largest(np.asarray(compressed, np.float64))) / 2


def choose_frames(activity: ArrayLike, count: int) -> list[int]:
    """Choose the frames with the most activity, spread over the clip.

    The clip is cut into `count` spans of equal length, and each gives its most active frame; of equal frames the
    earliest. If two chosen frames are closer than half a span, the later one is replaced by the most active frame of
    its span that keeps the distance.

    Parameters
    ----------
    activity : (F,) float
    count : int, at least 1

    Returns
    -------
    list of min(count, F) frames, ascending

    Raises
    ------
    ValueError
        `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count: expected at least 1 frame, got {count}")
    values = np.asarray(activity, np.float64)
    if not len(values):
        return []
    spans = min(count, len(values))
    bounds = [len(values) * span // spans for span in range(spans + 1)]
    gap = len(values) // (2 * spans)
    chosen: list[int] = []
    for start, stop in pairwise(bounds):
        # a span is at least two gaps long, so the rest is not empty
        first = max(start, chosen[-1] + gap) if chosen else start
        chosen.append(first + int(np.argmax(values[first:stop])))
    return chosen


def _of_largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = values.max(initial=0.0)
    return values / largest if largest > 0 else values
