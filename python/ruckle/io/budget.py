"""Cost limits of reading a file: memory and time in proportion to the bytes that are really there.

A few kilobytes can ask for gigabytes, as zeros that deflate, or for hours, as joints that repeat. Every reader takes
its bytes from a `Budget`, and accounts for each result before it makes it. Time is estimated from counts, so that every
machine refuses the same files.
"""

from __future__ import annotations

import errno
import math
import os
import stat
from copy import copy
from pathlib import Path
from typing import BinaryIO

from ruckle.arguments import positive_number
from ruckle.errors import FormatError

__all__ = ["Budget", "OverBudgetError", "unreadable"]

# Any file may take this much memory, or so many times its own size if that is more. Animations shrink two- to fiftyfold
# in an archive; deflate can claim a thousandfold.
FREE_BYTES, EXPANSION = 2**27, 100

# And this much time, in nanoseconds of a usual processor, or so much per byte: 700 kB/s, the pace of a dense glTF file.
FREE_TIME, TIME_PER_BYTE = 1.5e9, 1.5e3

# Bytes of a position in float32, with the flags of finite numbers.
POSITION_BYTES = 15

# Damaged numbers may ask for an infinite size.
LARGEST_FACTOR = 1e12

# A number that a file states may be larger than any float.
LARGEST_AMOUNT = 1e300


class OverBudgetError(FormatError):
    """A file that would take more memory or time than its size allows."""


class Budget:
    """The cost limit of reading one animation, all its files together.

    Parameters
    ----------
    factor : float
        How many times the usual amounts.

    Raises
    ------
    ValueError, TypeError
        `factor` is not a finite number above 0.
    """

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = positive_number("budget", factor)
        self._files: dict[tuple[int, int], int] = {}
        self._bytes_read = 0
        self._bytes_held = 0.0
        self._time = 0.0

    def copy(self) -> Budget:
        """Return a budget of which as much is spent."""
        other = copy(self)
        other._files = {**self._files}
        return other

    @property
    def factor(self) -> float:
        """How many times the usual amounts."""
        return self._factor

    @property
    def size(self) -> float:
        """Bytes of memory that the files read so far allow."""
        return self._factor * max(FREE_BYTES, EXPANSION * self._bytes_read)

    @property
    def seconds(self) -> float:
        """Seconds that the files read so far allow."""
        return self._factor * max(FREE_TIME, TIME_PER_BYTE * self._bytes_read) / 1e9

    def count(self, path: Path) -> None:
        """Account for a regular file that a library reads; FormatError if it cannot be opened."""
        try:
            with _open_regular(path) as file:
                status = os.fstat(file.fileno())
                # a sparse file has fewer bytes than it claims
                blocks = getattr(status, "st_blocks", 0)
                self._count(file, min(status.st_size, 512 * blocks) if blocks else status.st_size)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """Return the content of a regular file, or its first `limit` bytes; FormatError if it cannot be read."""
        try:
            with _open_regular(path) as file:
                content = file.read() if limit is None else file.read(limit)
                self._count(file, len(content))
        except (OSError, ValueError) as error:
            # ValueError: the path holds a NUL character
            raise unreadable(path, error) from error
        return content

    def hold(self, size: float, location: str) -> None:
        """Account for bytes before they are allocated; too many raise OverBudgetError, which begins with `location`."""
        self._bytes_held += min(size, LARGEST_AMOUNT)
        allowed = max(FREE_BYTES, EXPANSION * self._bytes_read)
        if self._bytes_held > self._factor * allowed:
            raise self._refusal(location, f"{_count(self._bytes_held / 1e6)} MB of memory", self._bytes_held / allowed)

    def check(self, size: float, location: str) -> None:
        """Refuse bytes that will be held for a short time, as `hold` does, without accounting for them."""
        held = self._bytes_held
        try:
            self.hold(size, location)
        finally:
            self._bytes_held = held

    def count_bytes(self, size: int) -> None:
        """Account for bytes that were read already."""
        self._bytes_read += size

    def hold_positions(self, frames: int, vertices: int, location: str) -> None:
        """Account for the positions of an animation."""
        self.hold(POSITION_BYTES * frames * vertices, location)

    def spend(self, nanoseconds: float, location: str) -> None:
        """Account for time, as `hold` for memory."""
        self._time += min(nanoseconds, LARGEST_AMOUNT)
        allowed = max(FREE_TIME, TIME_PER_BYTE * self._bytes_read)
        if self._time > self._factor * allowed:
            raise self._refusal(location, f"about {_count(self._time / 1e9)} s", self._time / allowed)

    def _count(self, file: BinaryIO, size: int) -> None:
        """Count the bytes of a file once, however often it is read."""
        status = os.fstat(file.fileno())
        identity = (status.st_dev, status.st_ino)
        known = self._files.get(identity, 0)
        self._files[identity] = max(known, size)
        self._bytes_read += max(0, size - known)

    def _refusal(self, location: str, amount: str, needed: float) -> OverBudgetError:
        read = max(1, round(self._bytes_read / 1e3))
        return OverBudgetError(
            f"{location}: would take {amount}, far more than {read:,} kB should; where the file is to be trusted, "
            f"a budget of {math.ceil(min(needed, LARGEST_FACTOR))} allows it"
        )


def _count(amount: float) -> str:
    return f"{amount:,.0f}" if amount < 1e9 else f"{amount:.1e}"


def unreadable(path: Path, error: Exception) -> FormatError:
    """Return the error for a file or a folder that the system does not hand out."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FormatError(f"{path}: cannot be read ({reason})")


def _open_regular(path: Path) -> BinaryIO:
    # a pipe would be waited for without O_NONBLOCK; for files it changes nothing
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is not a regular file")
    return os.fdopen(descriptor, "rb")
