r"""PC2 point caches: the points of a deformed mesh at a sequence of samples, in little-endian byte order.

File layout: "POINTCACHE2\0", int32 version 1, int32 points, float32 start frame, float32 frames per sample, int32
samples, then float32 (samples, points, 3). The frame rate is not stored.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget

__all__ = ["header", "read_points", "write_frame", "write_header"]

SIGNATURE = b"POINTCACHE2\0"
HEADER = struct.Struct("<12siiffi")


def read_points(path: Path, fps: float | None, budget: Budget) -> tuple[NDArray[np.float32], float]:
    """Return positions (F, V, 3) float32 in mesh units, and samples per second.

    `fps` is the scene's frame rate, by default 30. If the cache contains every second frame, the returned rate is half
    of `fps`.
    """
    content = budget.read(path)
    points, samples, frames_per_sample = _parse_header(content, path)
    stated = HEADER.size + samples * points * 12
    if len(content) != stated:
        raise FormatError(f"{path}: has {len(content)} bytes, but {samples} samples of {points} points take {stated}")
    positions = np.frombuffer(content, "<f4", offset=HEADER.size).reshape(samples, points, 3)
    return positions.astype(np.float32, copy=False), (30.0 if fps is None else fps) / frames_per_sample


def write_header(file: BinaryIO, frames: int, points: int, _fps: float) -> None:
    """Write the header of a cache with this number of frames and points."""
    file.write(HEADER.pack(SIGNATURE, 1, points, 0.0, 1.0, frames))


def write_frame(file: BinaryIO, positions: NDArray[np.float32]) -> None:
    """Write the positions (V, 3) of the next frame, or (F, V, 3) of several frames."""
    file.write(positions.astype("<f4", copy=False).tobytes())


def header(path: Path, budget: Budget) -> dict[str, object]:
    """Return the numbers of points and samples from the header, by name."""
    points, samples, frames_per_sample = _parse_header(budget.read(path, HEADER.size), path)
    return {"points": points, "samples": samples, "frames_per_sample": frames_per_sample}


def _parse_header(content: bytes, path: Path) -> tuple[int, int, float]:
    if len(content) < HEADER.size or not content.startswith(SIGNATURE):
        raise FormatError(f"{path}: does not begin with the {HEADER.size} byte header of a PC2 cache")
    _, version, points, _, frames_per_sample, samples = HEADER.unpack_from(content)
    if version != 1:
        raise FormatError(f"{path}: is a PC2 cache of version {version}, only version 1 is known")
    if points < 1 or samples < 1:
        raise FormatError(f"{path}: states {samples} samples of {points} points, expected at least one of each")
    # outside this range, the number is damaged, and the frame rate would overflow
    if not (math.isfinite(frames_per_sample) and 1e-6 <= frames_per_sample <= 1e6):
        raise FormatError(f"{path}: states {frames_per_sample:g} frames per sample, expected a number above 0")
    return points, samples, frames_per_sample
