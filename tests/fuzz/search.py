"""Runs the cases of the fuzzer in a process with limits of time and memory. A case may end this process."""

import contextlib
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from fuzz.readers import READERS, Reader
from ruckle.io import library_process

__all__ = ["MOST_BYTES", "MOST_PEAK", "MOST_SECONDS", "MOST_WORK", "Tally", "examine", "search"]

# Limits of one case for the process of the fuzzer: seconds of processor time, and bytes of additional memory.
MOST_SECONDS, MOST_BYTES = 2.0, 256e6

# Limits in the same units for a case and the processes of libraries, which may have to start again in about a second.
MOST_WORK, MOST_PEAK = 5.0, 300e6

# A case that does not end after this time in seconds is killed.
MOST_WAITING = 60.0

# Additional address space in bytes that the process may use, so that no case fills the memory of the machine.
ROOM = 2**31

# Largest number of characters of an error message. A message must also be a single line.
LONGEST_SENTENCE = 1000

CORPUS = Path(__file__).with_name("corpus")
"""Files that broke a reader in the past, in one folder per reader."""

# On Linux, this folder is in memory, which makes the search three times as fast.
MEMORY = Path("/dev/shm")

# Name of the file with the output of a reader and its libraries.
SAID = "said.txt"

# Processes are forked, so that they do not import all modules again.
PROCESSES = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Find:
    """The failure of one case. `problem` ends with the line of source code, if known; `content` is the damaged file."""

    number: int
    problem: str
    content: bytes


@dataclass(frozen=True)
class Outcome:
    """The result of one case, including the processes of libraries. `problem` is empty if the case passed."""

    problem: str
    refused: bool
    seconds: float
    size: float


@dataclass
class Tally:
    """The result of a search: slowest case (seconds), largest case (bytes), and one case for each different problem."""

    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    largest: float = 0.0
    finds: list[Find] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome, content: bytes) -> None:
        """Count one case. If its problem is new, store the case with its file."""
        self.cases += 1
        self.refused += outcome.refused
        self.slowest = max(self.slowest, outcome.seconds)
        self.largest = max(self.largest, outcome.size)
        if outcome.problem and all(find.problem != outcome.problem for find in self.finds):
            self.finds.append(Find(number, outcome.problem, content))


class TooSlowError(BaseException):
    """Raised if a reader takes too long. It does not derive from Exception, because readers may catch Exception."""


def examine(reader: Reader, path: Path) -> Outcome:
    """Read a file within the limits, and return the outcome."""
    problem, refused = "", False
    before = _forget_peak()
    started = _worked()
    try:
        with _limited_time(), warnings.catch_warnings():
            warnings.simplefilter("error")
            # ruckle warns about repairs of a file, for example about inconsistent windings; these warnings are allowed
            warnings.simplefilter("ignore", UserWarning)
            reader.read(path)
    except reader.refusals as error:
        refused = True
        if len(str(error)) > LONGEST_SENTENCE or "\n" in str(error):
            problem = (
                f"error message of {len(str(error))} characters in {str(error).count(chr(10)) + 1} lines{_place(error)}"
            )
    except TooSlowError as error:
        problem = f"more than {MOST_SECONDS:g} s{_place(error)}"
    except Exception as error:  # the search looks for any exception
        problem = f"{type(error).__name__}: {str(error)[:200]}{_place(error)}"
    seconds, size, peak = _worked() - started, _status("VmHWM") - before, _library_peak()
    if not problem and (size > MOST_BYTES or peak > MOST_PEAK):
        problem = f"{max(size, peak) / 1e6:.0f} MB"
    if not problem and seconds > MOST_WORK:
        problem = f"more than {MOST_WORK:g} s with the processes of libraries"
    return Outcome(problem, refused, seconds, max(size, peak))


def search(name: str, *, seed: int = 0, cases: int | None = None, seconds: float = 60.0) -> Tally:
    """Read damaged files with one reader, up to a number of cases or a time in seconds. Return the tally.

    The same seed gives the same files.
    """
    tally, end = Tally(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        while time.monotonic() < end and tally.cases != cases:
            here, there = PROCESSES.Pipe(duplex=False)
            numbers = range(tally.cases, 2**62 if cases is None else cases)
            worker = PROCESSES.Process(target=_work, args=(there, Path(folder), name, seed, numbers, end))
            worker.start()
            there.close()
            if not _listen(here, tally):
                worker.kill()
                worker.join()
                waited = f"waits for more than {MOST_WAITING:g} s"
                problem = waited if worker.exitcode == -signal.SIGKILL else f"the process ends with {worker.exitcode}"
                tally.add(tally.cases, Outcome(problem, False, 0.0, 0.0), _left(folder, READERS[name].name))
                # the output is mainly the report of a sanitizer
                sys.stderr.buffer.write(_left(folder, SAID))
            worker.join()
    return tally


def _listen(messages: Connection, tally: Tally) -> bool:
    """Add the outcomes that a worker process sends to the tally.

    Return True if the process has finished, False if it ended early or waits too long.
    """
    while messages.poll(MOST_WAITING):
        try:
            message = messages.recv()
        except EOFError:
            return False
        if message is None:
            return True
        tally.add(*message)
    return False


def _work(results: Connection, folder: Path, name: str, seed: int, numbers: range, end: float) -> None:
    """Examine one case after another, and send its number, outcome and content. Finally send None.

    The content is sent only if there is a problem.
    """
    reader = READERS[name]
    others = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    seeds = [*reader.seeds(folder), *others]
    path = folder / reader.name
    # write the messages that libraries print into a file
    said = os.open(folder / SAID, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1), os.dup2(said, 2)
    _limit_memory()
    for number in numbers:
        os.ftruncate(said, 0)
        if time.monotonic() > end:
            break
        random = Random(f"{name} {seed} {number}")
        content = reader.mutate(random.choice(seeds), path.suffix, seeds, random)
        path.write_bytes(content)
        outcome = examine(reader, path)
        results.send((number, outcome, content if outcome.problem else b""))
    results.send(None)


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    """Raise TooSlowError after MOST_SECONDS of processor time, which does not depend on other programs."""

    def end(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _limit_memory() -> None:
    with contextlib.suppress(OSError, ValueError):
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, resource.RLIM_INFINITY))


def _library_processes() -> list[int]:
    numbers = map(library_process.process_id, (library_process.USD, library_process.ALEMBIC, library_process.DRACO))
    return [number for number in numbers if number is not None]


def _library_peak() -> float:
    return max((_status("VmHWM", number) for number in _library_processes()), default=0.0)


def _worked() -> float:
    """Return the processor seconds of this process and of all library processes, ended ones included."""
    times, ticks = os.times(), 0
    for number in _library_processes():
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + times.children_user + times.children_system + ticks / os.sysconf("SC_CLK_TCK")


def _status(entry: str, process: int | str = "self") -> float:
    """Return a memory size of a process in bytes, as Linux reports it; 0 on other systems."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    # the entry is missing if the process has just ended
    found = re.search(rf"^{entry}:\s+(\d+)", text, re.MULTILINE)
    return 1024.0 * int(found[1]) if found else 0.0


def _forget_peak() -> float:
    """Reset the peak of the memory of this process, and return the memory in use, in bytes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _place(error: BaseException) -> str:
    """Return the file and line in ruckle that raised an exception; if there is none, the line of another module."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "ruckle" in Path(frame.filename).parts] or frames
    return f" (at {Path(ours[-1].filename).name}:{ours[-1].lineno})" if ours else ""


def _left(folder: str, name: str) -> bytes:
    """Return the content of a file that an ended process may have written; empty if the file does not exist."""
    path = Path(folder, name)
    return path.read_bytes() if path.exists() else b""
