"""Times of each stage over a run, in milliseconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ruckle.surface.frame import LayerFrame

__all__ = ["StageTimes", "stage_times"]


class StageTimes(NamedTuple):
    """Median and 95th percentile of the time of a stage over the frames of a run, ms."""

    p50: float
    p95: float


def stage_times(frames: Iterable[LayerFrame]) -> dict[str, StageTimes]:
    """Return the times of every stage and of the whole step, in pipeline order.

    Parameters
    ----------
    frames : iterable of LayerFrame
        At least one frame.

    Returns
    -------
    dict of str to StageTimes
        The stages of paths are stretch, label, reference, persist, trace, shape, total.

    Raises
    ------
    ValueError
        There are no frames.
    """
    timings = [frame.timings for frame in frames]
    if not timings:
        raise ValueError("frames: expected at least one frame, got none")
    rows = np.array([list(timing.values()) for timing in timings], np.float64)
    medians, high = np.percentile(rows, [50, 95], axis=0)
    return {stage: StageTimes(float(a), float(b)) for stage, a, b in zip(timings[0], medians, high, strict=True)}
