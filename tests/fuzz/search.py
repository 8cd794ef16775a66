"""Cases one after the other, each in a limit of time and memory, in a process that may die of them."""

import contextlib
import multiprocessing
import os
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

# Limits of a case beyond the process's own use: processor seconds, and bytes.
MOST_SECONDS, MOST_BYTES = 2.0, 256e6

# Limits of a case with the processes of libraries: a file may start one of them again, which takes a second.
MOST_WORK, MOST_PEAK = 5.0, 300e6

# Seconds after which a case that waits for something else than the processor is ended.
MOST_WAITING = 60.0

# Address space beyond the process's own, so that no case takes the machine's memory.
ROOM = 2**31

# Letters of a refusal: one sentence.
LONGEST_SENTENCE = 1000

CORPUS = Path(__file__).with_name("corpus")
"""Files that have broken a reader once, by its name."""

# A folder in memory, which Linux has: three times as fast.
MEMORY = Path("/dev/shm")

# Output of the reader of a case, or of a library behind it.
SAID = "said.txt"

# A fork of this process, which need not import modules again.
PROCESSES = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Find:
    """A failure of one case; `problem` ends with the place in the sources, if known; `content` is the file's."""

    number: int
    problem: str
    content: bytes


@dataclass(frozen=True)
class Outcome:
    """The result of one case with the processes of libraries; `problem` is empty if all went well."""

    problem: str
    refused: bool
    seconds: float
    size: float


@dataclass
class Tally:
    """The result of a search: the slowest case in seconds, the largest in bytes, one find for each problem."""

    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    largest: float = 0.0
    finds: list[Find] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome, content: bytes) -> None:
        """Count one case, and keep its file if it is the first with its problem."""
        self.cases += 1
        self.refused += outcome.refused
        self.slowest = max(self.slowest, outcome.seconds)
        self.largest = max(self.largest, outcome.size)
        if outcome.problem and all(find.problem != outcome.problem for find in self.finds):
            self.finds.append(Find(number, outcome.problem, content))


class TooSlowError(BaseException):
    """Not an Exception, which readers may catch."""


def examine(reader: Reader, path: Path) -> Outcome:
    """Read a file, and judge how."""
    problem, refused = "", False
    before = _forget_peak()
    started = _worked()
    try:
        with _limited_time(), warnings.catch_warnings():
            warnings.simplefilter("error")
            # ours, such as that faces are turned against each other
            warnings.simplefilter("ignore", UserWarning)
            reader.read(path)
    except reader.refusals as error:
        refused = True
        if len(str(error)) > LONGEST_SENTENCE or "\n" in str(error):
            problem = f"a refusal of {len(str(error))} letters in {str(error).count(chr(10)) + 1} lines{_place(error)}"
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
    """Examine mutated files of one reader, so many or for so long; `seed` decides every case."""
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
                # above all the output of a sanitizer
                sys.stderr.buffer.write(_left(folder, SAID))
            worker.join()
    return tally


def _listen(messages: Connection, tally: Tally) -> bool:
    """Add the outcomes of a process; return whether it has come to its end."""
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
    """Send the number, the outcome and, for a problem, the content of every case; then None."""
    reader = READERS[name]
    others = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    seeds = [*reader.seeds(folder), *others]
    path = folder / reader.name
    # libraries print their refusals
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
    """Raise TooSlowError after too much time of the processor, which other programs do not change."""

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
    """Return processor seconds of this process and of the processes of libraries, those that have ended, too."""
    times, ticks = os.times(), 0
    for number in _library_processes():
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + times.children_user + times.children_system + ticks / os.sysconf("SC_CLK_TCK")


def _status(entry: str, process: int | str = "self") -> float:
    """Return bytes of memory that Linux says a process has, or had at most; 0 elsewhere."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    return 1024.0 * int(text.split(f"{entry}:")[1].split()[0])


def _forget_peak() -> float:
    """Reset the memory peak to the current use, and return it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _place(error: BaseException) -> str:
    """Return the place in ruckle, or else anywhere, that raised an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "ruckle" in Path(frame.filename).parts] or frames
    return f" (at {Path(ours[-1].filename).name}:{ours[-1].lineno})" if ours else ""


def _left(folder: str, name: str) -> bytes:
    """Return the contents of a file of a process that has ended."""
    path = Path(folder, name)
    return path.read_bytes() if path.exists() else b""
