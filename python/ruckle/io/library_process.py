"""Starts separate processes in which libraries read files, because a damaged file can crash or block a library.

Each library has one process, which starts with the first file and reads all files until the main process ends. Threads
use it one after another; a fork of the main process starts its own. The system ends a library's process that exceeds
its limits of CPU time, real time or memory. On Linux, this module earlier ends one that sleeps instead of answering.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import math
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget, OverBudgetError
from ruckle.io.library_child import FRAME, MOST_AHEAD, OUT_OF_MEMORY

__all__ = ["ALEMBIC", "DRACO", "USD", "Library", "LibraryProcess", "end_processes", "process_id", "read_with"]

Result = TypeVar("Result")

# Factors from the budget's time limit to the limits of CPU time, of real time, and of sleep without CPU time. A damaged
# file can make a library wait for itself, which needs no CPU time.
WORK_FACTOR, CLOCK_FACTOR, SLEEP_FACTOR = 1.5, 20.0, 2.0

# Seconds between two checks of a process that does not answer.
CHECK_TIME = 0.25

# Longest time in seconds to wait for a process to end before it is killed.
END_TIME = 2.0

# Largest number of bytes of a line that a process may send. Bytes that one call reads. Bytes that a pipe may contain,
# the largest size that Linux allows without privileges.
LONGEST_LINE, PIPE_BYTES, PIPE_SIZE = 2**26, 2**18, 2**20

# Allowed type letters of Python's buffers (module `struct`), and the NumPy type of each.
TYPES = {letter: np.dtype(letter) for letter in "fdebBhHiIlLqQ?"}

# Path of the program that each process runs.
CHILD = Path(__file__).with_name("library_child.py")


@dataclass(frozen=True, eq=False)
class Library:
    """Description of a library that reads files.

    Attributes
    ----------
    name : name of the file format
    package : name of its Python module
    distribution, extra : its PyPI name, and the extra of ruckle that installs it
    questions : name of a file in this folder, whose class `Reader` uses the library
    environment : environment variables for the process
    """

    name: str
    package: str
    distribution: str
    extra: str
    questions: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_missing(self) -> bool:
        """True if the library is not installed."""
        return find_spec(self.package) is None

    @property
    def remedy(self) -> str:
        """Name of the missing library and the command that installs it, for error messages."""
        return f'{self.distribution}, which is not installed: pip install "ruckle[{self.extra}]"'


USD = Library(
    "USD",
    "pxr",
    "usd-core",
    "usd",
    "usd_child.py",
    # one thread is as fast for one mesh; several threads would need a larger limit of memory
    {"PXR_WORK_THREAD_LIMIT": "1", "PXR_AR_DEFAULT_SEARCH_PATH": ""},
)
ALEMBIC = Library("Alembic", "alembic3d", "alembic3d", "alembic", "alembic_child.py")
DRACO = Library("Draco", "DracoPy", "DracoPy", "gltf", "draco_child.py")


class EndedError(Exception):
    """Raised if the process ends while it reads a file. `error` is the error that the caller should report."""

    def __init__(self, error: FormatError) -> None:
        super().__init__(str(error))
        self.error = error


class Output(io.RawIOBase):
    """The standard output of a process. While it is awaited, it ends a process that does not work (Linux only).

    A process that has slept for `patience` seconds without using a processor gets SIGALRM.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self.patience = process, math.inf
        self._status = Path(f"/proc/{process.pid}/stat")
        self._poll = None
        if self._status.exists():
            self._poll = select.poll()
            self._poll.register(process.stdout, select.POLLIN)  # type: ignore[arg-type]

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any) -> int:
        """Wait for bytes, and return how many were read."""
        asleep, worked = 0.0, [""]
        while self._poll is not None and not self._poll.poll(1e3 * CHECK_TIME):
            # a process that waits for a processor is not asleep
            state, *fields = self._status.read_text().rpartition(")")[2].split()
            asleep = asleep + CHECK_TIME if state == "S" and fields[10:12] == worked else 0.0
            worked = fields[10:12]
            if asleep >= self.patience:
                self._process.send_signal(signal.SIGALRM)
        return self._process.stdout.readinto(target)  # type: ignore[union-attr, no-any-return]


class LibraryProcess:
    """A process that answers requests about one file at a time.

    Parameters
    ----------
    library : Library

    Attributes
    ----------
    is_fresh : bool
        True if the process has not read a file yet.
    path : path of the current file
    budget : Budget
        Limits for reading the current file.
    """

    def __init__(self, library: Library) -> None:
        if library.is_missing:
            raise ModuleNotFoundError(f"{library.name} files need {library.remedy}", name=library.package)
        # if Python is embedded in another program, `sys.executable` is that program, but the module multiprocessing may
        # contain the path of the Python executable
        spawn = sys.modules.get("multiprocessing.spawn")
        program = os.fsdecode(spawn.get_executable()) if spawn else sys.executable
        paths = os.pathsep.join(os.path.abspath(folder) for folder in sys.path if folder)
        environment = os.environ | {"PYTHONPATH": paths, **library.environment}
        self._process = subprocess.Popen(
            # without the module `site`, the process starts 10 % faster; PYTHONPATH then contains the module path
            [program, "-S", "-P", str(CHILD), str(Path(__file__).with_name(library.questions))],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # with a large pipe, the library's process continues while this process converts the numbers
            pipesize=PIPE_SIZE,
            cwd=os.path.abspath(os.sep),
            env=environment,
            # start a new session, because Ctrl-C in a terminal must interrupt only the main process
            start_new_session=True,
        )
        self._output = Output(self._process)
        self._answers = io.BufferedReader(self._output, PIPE_BYTES)
        self.is_fresh, self._in_step, self._is_closing = True, False, False
        # requests whose answers follow unasked, and the size of each answer
        self._ahead: list[tuple[dict[str, Any], int]] = []
        self.library, self.path, self.budget = library, Path(library.name), Budget()
        try:
            missing = self._line().get("missing")
        except BaseException:
            self.end()
            raise
        if missing:
            self.end()
            raise ModuleNotFoundError(f"{library.name} cannot be imported: {missing}", name=library.package)

    @property
    def number(self) -> int:
        """Id of the process in the operating system."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """True if the process is running."""
        return self._process.poll() is None

    def read(self, path: Path, budget: Budget, work: Callable[[LibraryProcess], Result]) -> Result:
        """Return the result of `work` on one file, and close the file. EndedError if the process ends during `work`.

        If `work` leaves an answer unfinished, end the process.
        """
        self.path, self.budget = path, budget
        try:
            return work(self)
        finally:
            self.is_fresh = False
            if self._in_step:
                # do not wait for the answer to "close"; the next request reads this answer first
                self._is_closing = True
                with contextlib.suppress(EndedError):
                    self._send("close")
            else:
                self.end()

    def ask(self, question: str, **given: Any) -> dict[str, Any]:
        """Return the answer to a request. Raise FormatError if the answer reports that the file is faulty."""
        if self._ahead and self._ahead[0][0] == {"ask": question} | given:
            del self._ahead[0]
        else:
            self._skip()
            self._send(question, **given)
        answer = self._answer()
        self._ahead = answer.pop("ahead", self._ahead)
        return answer

    def _skip(self) -> None:
        """Skip the answers to which nobody listens: those that were sent ahead, and the answer to "close"."""
        for _, size in self._ahead:
            self._fill(bytearray(min(size, MOST_AHEAD)))
        self._ahead = []
        if self._is_closing:
            self._line()
            self._is_closing = False

    def ask_arrays(self, question: str, **given: Any) -> dict[str, Any]:
        """Return the answer to a request, with its arrays by name as "arrays". The budget counts their bytes."""
        answer = self.ask(question, **given)
        self._in_step = False
        arrays = {}
        for name, (letter, shape) in answer["arrays"].items():
            size = TYPES[letter].itemsize * prod(shape)
            self.budget.hold(size, f"{self.path}: {name} of shape {tuple(shape)}")
            arrays[name] = np.empty(shape, TYPES[letter])
            self._fill(arrays[name])
        self._in_step = True
        return answer | {"arrays": arrays}

    def ask_frames(self, question: str, **given: Any) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
        """Yield points (N, 3) and matrix (4, 4) of each frame. The next frame overwrites the array of points.

        Consecutive frames with equal matrices get the same array.
        """
        if self.ask(question, **given):
            raise self._ended()
        points, header, before, transform = np.empty((0, 3), np.float32), bytearray(FRAME.size), b"", np.eye(4)
        while True:
            self._in_step = False
            self._fill(header)
            count, letter, matrix = FRAME.unpack(header)
            if count < 0:
                self._answer()
                return
            if points.shape != (count, 3) or points.dtype != TYPES[letter.decode()]:
                self.budget.hold(TYPES[letter.decode()].itemsize * 3 * count, f"{self.path}: {count} points")
                points = np.empty((count, 3), TYPES[letter.decode()])
            self._fill(points)
            if matrix != before:
                before, transform = matrix, np.frombuffer(matrix).reshape(4, 4)
            yield points, transform

    def _send(self, question: str, **given: Any) -> None:
        self._in_step = False
        seconds = self.budget.seconds
        self._output.patience = SLEEP_FACTOR * seconds
        limits = [WORK_FACTOR * seconds, CLOCK_FACTOR * seconds, self.budget.size]
        request = {"ask": question, "limits": limits} | given
        try:
            content = memoryview(json.dumps(request).encode() + b"\n")
            while len(content):
                # write in a loop, because a signal may interrupt a write
                content = content[self._process.stdin.write(content) :]  # type: ignore[union-attr]
        except OSError as error:
            raise self._ended() from error

    def _line(self) -> dict[str, Any]:
        """Read one line and return its JSON value. Raise EndedError if the line is not JSON."""
        try:
            answer: dict[str, Any] = json.loads(self._answers.readline(LONGEST_LINE).decode())
        except (ValueError, OSError) as error:
            raise self._ended() from error
        self._in_step = True
        return answer

    def _answer(self) -> dict[str, Any]:
        """Return one line of an answer. Raise FormatError if the line reports that the file is faulty."""
        answer = self._line()
        if "fault" in answer:
            raise FormatError(f"{self.path}: {answer['fault']}")
        return answer

    def _fill(self, target: Any) -> None:
        """Fill the array `target` with bytes from the process. Raise EndedError if the process sends too few."""
        if not len(target):
            return
        view = memoryview(target).cast("B")
        size = self._answers.readinto(view)
        while size < len(view):
            view = view[size:]
            size = self._answers.readinto(view)
            if not size:
                raise self._ended()

    def _ended(self) -> EndedError:
        """End the process if it still runs; return the error with the reason: time, memory or a damaged file."""
        self.end(is_ending=True)
        status, name = self._process.returncode, "an unknown signal"
        with contextlib.suppress(ValueError):
            name = signal.Signals(-status).name
        needs = ""
        if name in ("SIGXCPU", "SIGALRM"):
            needs = f"takes more than {self.budget.seconds:.3g} s to read"
        elif status == OUT_OF_MEMORY or name == "SIGABRT":
            needs = f"is damaged, or needs more than {self.budget.size / 1e6:,.0f} MB of memory"
        if needs:
            sentence = f"{self.path}: {needs}; if you trust the file, allow a larger budget"
            return EndedError(OverBudgetError(sentence))
        ending = name if status < 0 else f"exit status {status}"
        sentence = f"{self.path}: is damaged, and ends the process that reads {self.library.name} ({ending})"
        return EndedError(FormatError(sentence))

    def end(self, *, is_ending: bool = False) -> None:
        """End the process and wait for it.

        If an answer is unfinished, the process is killed, unless it is ending already.
        """
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(END_TIME if self._in_step or is_ending else 0.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()  # type: ignore[union-attr]

    def leave(self) -> None:
        """Close the pipes of this copy after a fork: the process belongs to the parent of the current process."""
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.stdout.close()  # type: ignore[union-attr]
        # a return code prevents that this object waits for the process, which is not a child of the current process
        self._process.returncode = 0


_lock = threading.Lock()
_processes: dict[Library, LibraryProcess] = {}


def read_with(library: Library, path: Path, budget: Budget, work: Callable[[LibraryProcess], Result]) -> Result:
    """Return the result of `work` on a file. The process of the library does the reading.

    Raises
    ------
    FormatError
        The file cannot be read, or the process ended while it read the file.
    ModuleNotFoundError
        The library is not installed.
    """
    with _lock:
        while True:
            process = _processes.get(library)
            if process is None or not process.is_alive:
                if process is not None:
                    # close the pipes
                    process.end()
                process = _processes[library] = LibraryProcess(library)
            was_fresh = process.is_fresh
            try:
                return process.read(path, budget.copy(), work)
            except EndedError as ended:
                # try again in a new process, because an earlier file may have damaged this one; a file over budget is
                # not tried again
                if was_fresh or isinstance(ended.error, OverBudgetError):
                    raise ended.error from None


def process_id(library: Library) -> int | None:
    """Return the process id of a library, or None if its process does not run."""
    process = _processes.get(library)
    return process.number if process and process.is_alive else None


def end_processes() -> None:
    """End the processes of all libraries. Reading another file starts a new process."""
    for process in _processes.values():
        process.end()


def _leave() -> None:
    """After a fork, forget the parent's processes and the locks that its threads hold."""
    global _lock
    _lock = threading.Lock()
    for process in _processes.values():
        process.leave()
    _processes.clear()


atexit.register(end_processes)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)
