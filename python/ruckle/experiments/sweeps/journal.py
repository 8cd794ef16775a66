"""The record of finished runs that lets an interrupted sweep go on: one line of JSON per run, on disk when counted."""

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

# The beginning of every line that `Journal.add` writes, by which an unfinished line is recognised.
BEGINNING = b'{"run": "'


class Journal:
    """The runs that are done, by their identity; a context manager that one process at a time can hold.

    A line that a killed process has left unfinished is cut off. Failed runs are recorded but not counted as done: the
    next sweep tries them again. Rows of another version of ruckle, which has other columns, are kept but not used. A
    file with any other content is left unchanged.

    Parameters
    ----------
    path : Path
        Created if missing; its folder must exist.

    Raises
    ------
    FormatError
        The file holds something else.
    BlockingIOError
        Another process holds it.
    OSError
        It is a folder or a device, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Row] = {}

    def __enter__(self) -> Journal:
        check_writable(self.path)
        new = not self.path.exists()
        # unbuffered: the bytes of `add` reach the system at once, even if this process dies
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
        # closing the file releases the lock
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
            raise self._fault(len(lines) + 1, "unfinished, and not by a sweep")
        # only after all earlier lines have been validated
        self._file.truncate(whole)

    def _row(self, line: bytes, number: int) -> Row | None:
        """Return the row that a line records; None for the row of another version."""
        try:
            row = parse_json(line, str(self.path))
        except FormatError as error:
            raise self._fault(number, "not valid JSON") from error
        if not isinstance(row, dict) or not isinstance(row.get("run"), str) or row.get("state") not in STATES:
            raise self._fault(number, "no run and state")
        if set(row) != set(COLUMNS):
            return None
        for name, kind in COLUMNS.items():
            if not _fits(row[name], kind, optional=name not in IDENTITY):
                raise self._fault(number, f"{name}: expected {kind.__name__}, got {found(row[name])}")
        return row

    def _fault(self, number: int, reason: str) -> FormatError:
        return FormatError(f"{self.path}: line {number} is no record of a run ({reason})")


def _fits(value: Any, kind: type, *, optional: bool) -> bool:
    """Return True if this value, read from JSON, is valid in a column."""
    if value is None:
        return optional
    if type(value) is int and kind in (int, float):
        return -(2**63) <= value < 2**63
    if type(value) is float and kind is float:
        return math.isfinite(value)
    if isinstance(value, str):
        # half of a surrogate pair is text that no file can hold
        return kind is str and value == value.encode(errors="ignore").decode()
    return type(value) is kind
