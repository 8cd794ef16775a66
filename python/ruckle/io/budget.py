"""Limits of memory and time for reading files: a fixed amount, or more in proportion to the bytes of large files.

A file of a few kilobytes can require gigabytes of memory (compressed zeros) or hours of time (many joints that move
each vertex). Every reader gets its bytes from a `Budget`, and reports the size of each result before it allocates
memory. Time is estimated from counts instead of measured, so that every machine rejects the same files.
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
from ruckle.errors import FormatError, MissingFileError

__all__ = ["Budget", "OverBudgetError", "unreadable"]

# A file may use FREE_BYTES of memory, or EXPANSION times its own size if that is larger. Compression makes animations 2
# to 50 times smaller, but zeros 1000 times smaller. FREE_BYTES is enough for a character of 10,000 vertices in 1,000
# frames.
FREE_BYTES, EXPANSION = 160_000_000, 100

# A file may use FREE_TIME, or TIME_PER_BYTE times its size if that is longer, in nanoseconds of a common processor.
# TIME_PER_BYTE corresponds to 700 kB/s, the speed for a dense glTF file.
FREE_TIME, TIME_PER_BYTE = 2e9, 1.5e3

# Compressed meshes count as their decoded bytes, but at most as this multiple of their own bytes: compression by Draco
# and meshoptimizer makes characters 3 to 10 times smaller, and zeros much smaller.
DECODED = 10

# Bytes per position (15): three float32, and three bool of the check for finite numbers.
POSITION_BYTES = 15

# Largest factor that an error message recommends as `budget`. A damaged number can require an infinite size.
LARGEST_FACTOR = 1e12

# Larger amounts of bytes or nanoseconds are counted as this amount: a number in a file can exceed the range of float.
LARGEST_AMOUNT = 1e300


class OverBudgetError(FormatError):
    """Error for a file that requires more memory or time than its budget allows."""


class Budget:
    """The limits of memory and time for all files of one animation.

    Parameters
    ----------
    factor : float
        Factor of the usual limits.

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
        """Return a budget with equal limits, from which equal amounts are already used."""
        other = copy(self)
        other._files = {**self._files}
        return other

    @property
    def factor(self) -> float:
        """Factor of the usual limits."""
        return self._factor

    @property
    def size(self) -> float:
        """Memory limit in bytes, for the files that have been read until now."""
        return self._factor * max(FREE_BYTES, EXPANSION * self._bytes_read)

    @property
    def seconds(self) -> float:
        """Time limit in seconds, for the files that have been read until now."""
        return self._factor * max(FREE_TIME, TIME_PER_BYTE * self._bytes_read) / 1e9

    def count(self, path: Path) -> None:
        """Count the size of a regular file that a library will read. FormatError if the file cannot be opened."""
        try:
            with _open_regular(path) as file:
                status = os.fstat(file.fileno())
                # a sparse file uses fewer bytes on the disk than its stated size; count only these bytes
                blocks = getattr(status, "st_blocks", 0)
                self._count(file, min(status.st_size, 512 * blocks) if blocks else status.st_size)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """Return the content of a regular file, or its first `limit` bytes. FormatError if it cannot be read."""
        try:
            with _open_regular(path) as file:
                content = file.read() if limit is None else file.read(limit)
                self._count(file, len(content))
        except (OSError, ValueError) as error:
            # a ValueError means that the path contains a NUL character
            raise unreadable(path, error) from error
        return content

    def hold(self, size: float, location: object) -> None:
        """Count `size` bytes before they are allocated. OverBudgetError, which names `location`, above the limit.

        The text of `location` is composed only for the error message.
        """
        self._bytes_held += min(size, LARGEST_AMOUNT)
        allowed = max(FREE_BYTES, EXPANSION * self._bytes_read)
        if self._bytes_held > self._factor * allowed:
            raise self._refusal(location, f"{_count(self._bytes_held / 1e6)} MB of memory", self._bytes_held / allowed)

    def check(self, size: float, location: object) -> None:
        """Raise the error of `hold` for temporary memory, whose bytes are not counted."""
        held = self._bytes_held
        try:
            self.hold(size, location)
        finally:
            self._bytes_held = held

    def count_bytes(self, size: int) -> None:
        """Add `size` to the number of bytes that have been read, which raises both limits."""
        self._bytes_read += size

    def count_decoded(self, encoded: int, decoded: int) -> None:
        """Count `encoded` bytes of a file as their decoded bytes, at most `DECODED` times as many."""
        self.count_bytes(max(0, min(decoded, DECODED * encoded) - encoded))

    def hold_positions(self, frames: int, vertices: int, location: object) -> None:
        """Count the memory of an animation's positions, like `hold`."""
        self.hold(POSITION_BYTES * frames * vertices, location)

    def spend(self, nanoseconds: float, location: object) -> None:
        """Add an estimated time in nanoseconds. OverBudgetError, which names `location`, above the limit."""
        self._time += min(nanoseconds, LARGEST_AMOUNT)
        allowed = max(FREE_TIME, TIME_PER_BYTE * self._bytes_read)
        if self._time > self._factor * allowed:
            raise self._refusal(location, f"about {_count(self._time / 1e9)} s", self._time / allowed)

    def _count(self, file: BinaryIO, size: int) -> None:
        """Count the bytes of a file once, even if the file is read several times."""
        status = os.fstat(file.fileno())
        identity = (status.st_dev, status.st_ino)
        known = self._files.get(identity, 0)
        self._files[identity] = max(known, size)
        self._bytes_read += max(0, size - known)

    def _refusal(self, location: object, amount: str, needed: float) -> OverBudgetError:
        read = max(1, round(self._bytes_read / 1e3))
        return OverBudgetError(
            f"{location}: would take {amount}, far more than usual for a file of {read:,} kB; if you trust the file, "
            f"set the budget to {math.ceil(min(needed, LARGEST_FACTOR))}"
        )


def _count(amount: float) -> str:
    return f"{amount:,.0f}" if amount < 1e9 else f"{amount:.1e}"


def unreadable(path: Path, error: Exception) -> FormatError:
    """Return the FormatError for a file or folder that the system cannot open; MissingFileError if it is missing."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return MissingFileError(str(path))
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FormatError(f"{path}: cannot be read ({reason})")


def _open_regular(path: Path) -> BinaryIO:
    # without O_NONBLOCK, opening a pipe would wait for a writer; regular files ignore the flag
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is not a regular file")
    return os.fdopen(descriptor, "rb")
