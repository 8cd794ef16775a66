"""Record of finished runs, with which an interrupted sweep continues: one line of JSON per run."""

from __future__ import annotations

import errno
import json
import math
import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from ruckle.arguments import found
from ruckle.errors import FormatError
from ruckle.experiments.sweeps.table import COLUMNS, IDENTITY, STATES, Row
from ruckle.io.locks import take_lock
from ruckle.io.reading import parse_json
from ruckle.io.replacing import check_writable, sync_folder

__all__ = ["Journal"]

# First bytes of each line that `Journal.add` writes. They identify an incomplete line.
BEGINNING = b'{"run": "'


class Journal:
    """Finished runs by their identity. The journal is a context manager that only one process at a time can enter.

    If a killed process has left an unfinished line, the line is removed. Failed runs are recorded, but the next sweep
    tries them again. Rows of another version of ruckle, whose columns differ, remain in the file but are ignored. A
    file with any other content is not changed.

    Parameters
    ----------
    path : Path
        Path of the file, which is created if missing; its folder must exist.

    Raises
    ------
    FormatError
        The file is not a journal.
    BlockingIOError
        Another process is using the journal.
    OSError
        The path is a folder or a device, or is not writable.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Row] = {}

    def __enter__(self) -> Journal:
        check_writable(self.path)
        new = not self.path.exists()
        # without a buffer, so that all bytes of `add` reach the system even if this process ends
        self._file: BinaryIO = self.path.open("a+b", buffering=0)
        try:
            if not take_lock(self._file):
                raise BlockingIOError(errno.EAGAIN, "another sweep is writing into this folder", str(self.path.parent))
            self._read()
        except BaseException:
            self._file.close()
            raise
        if new:
            sync_folder(self.path.parent)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # the lock ends when the file is closed
        self._file.close()

    def add(self, row: Row) -> None:
        """Record a run. After this call, the record survives a crash of the machine.

        Raises
        ------
        OSError
            The disk is full or has failed.
        """
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        while line:
            line = line[self._file.write(line) :]
        os.fsync(self._file.fileno())
        if row["state"] == "done":
            self.done[row["run"]] = row

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].split(b"\n")[:-1]
        for number, line in enumerate(lines, start=1):
            row = self._row(line, number)
            if row is not None and row["state"] == "done":
                self.done[row["run"]] = row
        unfinished = content[whole:]
        if not (unfinished.startswith(BEGINNING) or BEGINNING.startswith(unfinished)):
            raise self._fault(len(lines) + 1, "is incomplete, and was not written by a sweep")
        # remove an incomplete last line only after all other lines are valid
        self._file.truncate(whole)

    def _row(self, line: bytes, number: int) -> Row | None:
        """Return the row in a line; None for a row of another version."""
        try:
            row = parse_json(line, str(self.path))
        except FormatError as error:
            raise self._fault(number, "not valid JSON") from error
        if not isinstance(row, dict) or not isinstance(row.get("run"), str) or row.get("state") not in STATES:
            raise self._fault(number, "has no valid run and state")
        if set(row) != set(COLUMNS):
            return None
        for name, kind in COLUMNS.items():
            if not _fits(row[name], kind, optional=name not in IDENTITY):
                raise self._fault(number, f"{name}: expected {kind.__name__}, got {found(row[name])}")
        return row

    def _fault(self, number: int, reason: str) -> FormatError:
        return FormatError(f"{self.path}: line {number} is no record of a run ({reason})")


def _fits(value: Any, kind: type, *, optional: bool) -> bool:
    """Return True if a value from JSON is valid in a column of type `kind`."""
    if value is None:
        return optional
    if type(value) is int and kind in (int, float):
        return -(2**63) <= value < 2**63
    if type(value) is float and kind is float:
        return math.isfinite(value)
    if isinstance(value, str):
        # an unpaired surrogate cannot be encoded in a file
        return kind is str and value == value.encode(errors="ignore").decode()
    return type(value) is kind
