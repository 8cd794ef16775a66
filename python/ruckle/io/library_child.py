"""The program of a process that reads files with a library: it answers one request per line of standard input.

Its argument is a file of this folder with a class `Reader`, which asks the library. Both import the standard library
and that library only, so that the process starts quickly, and trust their caller in everything. The caller trusts no
answer. An answer is a line of JSON; arrays follow as bytes.
"""

from __future__ import annotations

import json
import math
import os
import runpy
import signal
import struct
import sys
import time
from collections.abc import Iterator
from typing import Any

__all__ = ["FRAME", "OUT_OF_MEMORY", "main"]

# Number of points, their type, and the matrix to the scene's space, before the points of each frame.
FRAME = struct.Struct("=qc128s")

# Pages of this process on Linux; number 5 is its own data.
MEMORY = "/proc/self/statm"

# Exit status of a process without memory, and letters of a library's reason.
OUT_OF_MEMORY, LONGEST = 77, 200

# Seconds of the clock in the shortest limit, and bytes of a pipe.
SHORTEST, PIPE_BYTES = 0.1, 2**18

# Bytes that a process may keep of files that it has closed; it ends if these are more.
MOST_LEFT = 2**26


def limit(work: float, clock: float, size: float) -> None:
    """Let the system end this process after seconds of work in all or of the clock, and refuse memory beyond `size`.

    Windows lacks such limits, and macOS lacks the one of memory.
    """
    try:
        import resource
    except ModuleNotFoundError:
        return
    signal.setitimer(signal.ITIMER_REAL, max(clock, SHORTEST))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(work), resource.RLIM_INFINITY))
    # neither a core dump nor any other file
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if os.path.exists(MEMORY):
        resource.setrlimit(resource.RLIMIT_DATA, (int(size), resource.RLIM_INFINITY))


def rest() -> None:
    """Stop the clock until the next file."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def content(path: str) -> bytes:
    """Return the bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def held_memory() -> int:
    """Return the bytes of this process's own memory, as RLIMIT_DATA counts them; 0 if the system does not report it."""
    return int(content(MEMORY).split()[5]) * os.sysconf("SC_PAGE_SIZE") if os.path.exists(MEMORY) else 0


def reason(error: Exception) -> str:
    """Return the first line of an exception of the library, or of Python."""
    try:
        texts = [one.commentary for one in error.args if hasattr(one, "commentary")]
        text = str(texts[0] if texts else f"{type(error).__name__}: {error}")
    except UnicodeDecodeError:
        text = "its text is not UTF-8"
    return text.strip().partition("\n")[0][:LONGEST]


class Answers:
    """Standard output, without the output of libraries in between."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(1), "wb", PIPE_BYTES)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)

    def send(self, reply: dict[str, Any], *views: Any) -> None:
        """Send a line, and the arrays that it announces."""
        self._stream.write(json.dumps(reply).encode() + b"\n")
        for view in views:
            self._stream.write(view)
        self._stream.flush()

    def stream(self, frames: Iterator[tuple[bytes, Any]]) -> None:
        """Send frames; one of -1 points ends them, and a line follows."""
        try:
            for matrix, view in frames:
                self._stream.write(FRAME.pack(len(view), view.format.encode(), matrix))
                self._stream.write(view)
        finally:
            self._stream.write(FRAME.pack(-1, b"f", b""))


def main(program: str) -> None:
    """Answer requests until standard input ends."""
    answers = Answers()
    try:
        reader = runpy.run_path(program)["Reader"]()
    except ImportError as error:
        answers.send({"missing": str(error)})
        return
    answers.send({})
    held_first = held = held_memory()
    worked, began = 0.0, 0.0
    for line in sys.stdin.buffer:
        request = json.loads(line)
        question, (work, clock, size) = request.pop("ask"), request.pop("limits")
        if not reader.is_open:
            held, worked, began = held_memory(), time.process_time(), time.monotonic()
        limit(worked + work, began + clock - time.monotonic(), held + size)
        try:
            found = getattr(reader, question)(**request)
            if isinstance(found, dict):
                answers.send(found)
            elif isinstance(found, tuple):
                answers.send(*found)
            else:
                answers.send({})
                answers.stream(found)
                answers.send({})
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except reader.Fault as fault:
            answers.send({"fault": str(fault)})
        except Exception as error:  # any error of the library
            answers.send({"fault": f"is no {reader.format} file that can be read ({reason(error)})"})
        if question == "close":
            if held_memory() > held_first + MOST_LEFT:
                break
            rest()
    # without the library's own end, which takes its time
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
