"""MDD point caches: the points of a deformed mesh at a sequence of times, in big-endian byte order.

File layout: int32 frames, int32 points, float32 times (frames,) in seconds, then float32 (frames, points, 3).
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget

__all__ = ["header", "read_points", "write_frame", "write_header"]

HEADER = struct.Struct(">ii")

# A frame rate is constant if each time step differs from the mean step by at most this share. Times are float32, and
# times after 1,000 s are rounded to 0.4 % of a step at 60 fps.
STEP_TOLERANCE = 0.05

# A frame rate is rounded to an integer if the relative difference is below this value. 29.97 remains unchanged: the
# relative difference from 30 is ten times as large.
RATE_TOLERANCE = 1e-4


def read_points(path: Path, fps: float | None, budget: Budget) -> tuple[NDArray[np.float32], float]:
    """Return positions (F, V, 3) float32 in mesh units, and their rate: `fps` if given, otherwise from the times."""
    content = budget.read(path)
    frames, points = _parse_header(content, path)
    stated = HEADER.size + frames * 4 + frames * points * 12
    if len(content) != stated:
        raise FormatError(f"{path}: has {len(content)} bytes, but {frames} frames of {points} points take {stated}")
    times = np.frombuffer(content, ">f4", frames, HEADER.size).astype(np.float64)
    positions = np.frombuffer(content, ">f4", offset=HEADER.size + frames * 4).reshape(frames, points, 3)
    return positions.astype(np.float32), _rate(times, path) if fps is None else fps


def write_header(file: BinaryIO, frames: int, points: int, fps: float) -> None:
    """Write the header of a cache with this number of frames and points."""
    file.write(HEADER.pack(frames, points))
    file.write((np.arange(frames) / fps).astype(">f4").tobytes())


def write_frame(file: BinaryIO, positions: NDArray[np.float32]) -> None:
    """Write the positions (V, 3) of the next frame, or (F, V, 3) of several frames."""
    file.write(positions.astype(">f4").tobytes())


def header(path: Path, budget: Budget) -> dict[str, object]:
    """Return the numbers of points and samples from the header, by name."""
    frames, points = _parse_header(budget.read(path, HEADER.size), path)
    return {"points": points, "samples": frames}


def _parse_header(content: bytes, path: Path) -> tuple[int, int]:
    if len(content) < HEADER.size:
        raise FormatError(f"{path}: does not begin with the {HEADER.size} byte header of an MDD cache")
    frames, points = HEADER.unpack_from(content)
    if frames < 1 or points < 1:
        raise FormatError(f"{path}: states {frames} frames of {points} points, expected at least one of each")
    return frames, points


def _rate(times: NDArray[np.float64], path: Path) -> float:
    if times.size == 1:
        # 30 frames per second: one time does not define a rate
        return 30.0
    steps = np.diff(times)
    mean = (times[-1] - times[0]) / steps.size
    if not (np.isfinite(times).all() and mean > 0 and np.abs(steps - mean).max() <= STEP_TOLERANCE * mean):
        raise FormatError(f"{path}: times do not advance evenly, so the frame rate must be given (fps=)")
    rate = float(1 / mean)
    whole = round(rate)
    return float(whole) if abs(rate - whole) < RATE_TOLERANCE * rate else rate
