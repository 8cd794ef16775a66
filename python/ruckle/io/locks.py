"""File locks that the system releases when the process ends, also if the process is killed."""

from __future__ import annotations

from typing import BinaryIO

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ModuleNotFoundError:  # Windows
    flock = None  # type: ignore[assignment]

__all__ = ["take_lock"]


def take_lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed. Return True on success; False if another process has locked the file already.

    Also return False if the system does not support locks.
    """
    if flock is None:
        return False
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True
