"""The record of finished runs that lets an interrupted sweep go on: one line of JSON per run, on disk when counted."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ruckle.errors import FormatError
from ruckle.sweeps.table import Row

__all__ = ["Journal"]


class Journal:
    """The runs that are done, by their identity; a context manager that one process at a time can hold.

    A line that a killed process has left unfinished is cut off. Runs that failed are recorded and not counted as done:
    the next sweep tries them again.

    Parameters
    ----------
    path : Path
        Made where it does not exist; its folder must exist.

    Raises
    ------
    FormatError
        The file holds something else.
    BlockingIOError
        Another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Row] = {}

    def __enter__(self) -> Journal:
        new = not self.path.exists()
        # unbuffered: what `add` has written is the system's at once, whatever becomes of this process
        self._file: BinaryIO = self.path.open("a+b", buffering=0)
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        if new:
            _sync_folder(self.path.parent)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # the lock goes with the file
        self._file.close()

    def add(self, row: Row) -> None:
        """Record a run; it survives a crash of the machine when this returns.

        Raises
        ------
        OSError
            The disk is full or fails.
        """
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        while line:
            line = line[self._file.write(line) :]
        os.fsync(self._file.fileno())
        if row["state"] == "done":
            self.done[row["run"]] = row

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BlockingIOError(
                error.errno, "another sweep is writing into this folder", str(self.path.parent)
            ) from error

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                row = json.loads(line)
                if row["state"] == "done":
                    self.done[row["run"]] = row
            except (ValueError, TypeError, KeyError) as error:
                raise FormatError(f"{self.path}: line {number} is no record of a run") from error


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file survive a crash of the machine, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
