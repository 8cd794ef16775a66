"""Rows of `ruckle bench crowd` for the visible effect of a clock: changes of wrinkle height from picture to picture.

Heights are measured at two points of each triangle, at 60 pictures per second. *Blended* heights come from
`ruckle.WrinkleClock`, which interpolates between steps. *Held* heights remain constant until the next step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import ruckle

__all__ = ["BEGUN", "PictureRow", "measure_pictures", "picture_columns"]

# Pictures between two steps: 60, 30, 15 and 7.5 steps per second.
EVERY = (1, 2, 4, 8)

# Number of pictures at the start that are not measured. After them, even the slowest clock has completed two steps.
BEGUN = 16


@dataclass
class PictureRow:
    """Changes of wrinkle height at one step rate, in units of r_min (the least wrinkle radius)."""

    motion: str
    rate: float  # steps per second
    kind: str  # "blended" or "held"
    change: float  # root mean square change between successive pictures
    jerk: float  # root mean square of second differences
    largest_change: float
    largest_jerk: float


def measure_pictures(name: str, pictures: int) -> list[PictureRow]:
    """Measure the heights of a sample's first `pictures` frames at all step rates."""
    animation = ruckle.sample(name).cut(0, pictures)
    rows = []
    for every in EVERY:
        interval = every / 60 if every > 1 else 0.0
        clock = ruckle.WrinkleClock(ruckle.Wrinkler.for_animation(animation), interval=interval)
        blended = np.array([_heights(clock.step(each, dt=1 / 60)) for each in animation.positions])[BEGUN:]
        rows.append(_row(name, every, "blended", blended))
        if every > 1:
            rows.append(_row(name, every, "held", blended[::every].repeat(every, axis=0)))
    return rows


def _row(name: str, every: int, kind: str, heights: NDArray[np.float64]) -> PictureRow:
    change, jerk = np.diff(heights, axis=0), np.diff(heights, 2, axis=0)
    means = (float(np.sqrt(np.mean(each**2))) for each in (change, jerk))
    return PictureRow(name, 60 / every, kind, *means, *(float(np.abs(each).max()) for each in (change, jerk)))


def _heights(frame: ruckle.Frame) -> NDArray[np.float64]:
    """Return heights in r_min at two points of each triangle: its centre, and a point near its first corner."""
    faces = np.arange(frame.topology.face_count, dtype=np.int32)
    points = [np.tile(np.array(b, np.float32), (len(faces), 1)) for b in ((1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1))]
    return np.concatenate([frame.heights(faces, point)[0] for point in points]) / frame.length_unit


def picture_columns() -> dict[str, Callable[[PictureRow], str]]:
    """Return the columns of the table: each heading, and the function that formats the cell of a row."""
    return {
        "motion": lambda row: row.motion,
        "steps per s": lambda row: f"{row.rate:g}",
        "heights": lambda row: row.kind,
        "change": lambda row: f"{row.change:.4f}",
        "second difference": lambda row: f"{row.jerk:.4f}",
        "largest change": lambda row: f"{row.largest_change:.3f}",
        "largest second": lambda row: f"{row.largest_jerk:.3f}",
    }
