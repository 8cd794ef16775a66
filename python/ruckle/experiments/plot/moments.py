"""Selection of frames of a clip for pictures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["activity", "choose_frames"]


def activity(moving: ArrayLike, compressed: ArrayLike) -> NDArray[np.float64]:
    """Return the activity of each frame, from motion and compression.

    The activity is the mean of the two quantities, each divided by its maximum over the clip. So both count equally,
    even if the motion is gentle or the compression weak.

    Parameters
    ----------
    moving : (F,) float
        Fraction of triangles whose label is not rest.
    compressed : (F,) float
        Mean over triangles of the compression minus 1.

    Returns
    -------
    (F,) float64, 0 to 1
    """
    return (_of_largest(np.asarray(moving, np.float64)) + _of_largest(np.asarray(compressed, np.float64))) / 2


def choose_frames(activity: ArrayLike, count: int) -> list[int]:
    """Return active frames that are spread over the clip.

    The clip is divided into `count` parts, whose lengths differ by at most one frame. In each part, the most active
    frame is chosen, but not from the frames that are less than half a part, rounded down, after the frame chosen
    before. If several frames have the same activity, the earliest is chosen.

    Parameters
    ----------
    activity : (F,) float
    count : int, at least 1

    Returns
    -------
    list of int
        min(count, F) frame indices in ascending order.

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
        # each part is at least twice as long as the gap, so it has frames beyond the gap
        first = max(start, chosen[-1] + gap) if chosen else start
        chosen.append(first + int(np.argmax(values[first:stop])))
    return chosen


def _of_largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = values.max(initial=0.0)
    return values / largest if largest > 0 else values
