"""Program of a separate process that reads files with a library. It answers one request per line of standard input.

Its argument is a file of this folder whose class `Reader` uses the library. For a fast start, this file and that file
import only the standard library and the library. This process trusts the requests, but the process that sends them does
not trust the answers. An answer is a line of JSON, followed by the bytes of arrays, or by the answers to requests that
will probably follow.
"""

from __future__ import annotations

import contextlib
import io
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

__all__ = ["FRAME", "MOST_AHEAD", "OUT_OF_MEMORY", "main"]

# Header of the points of one frame: number of points, number type, and the matrix to the space of the scene.
FRAME = struct.Struct("=qc128s")

# File with the memory use of this process in pages, on Linux. Field 5 is the size of its data.
MEMORY = "/proc/self/statm"
HAS_MEMORY = os.path.exists(MEMORY)

# Exit status of this process if memory is exhausted. Longest error message of a library that is sent, in characters.
OUT_OF_MEMORY, LONGEST = 77, 200

# Smallest limit of real time, in seconds. Size of the buffer of standard output, in bytes.
SHORTEST, PIPE_BYTES = 0.1, 2**18

# If this number of bytes more than at the start remain allocated after a file was closed, the process exits, and a new
# process reads the next file.
MOST_LEFT = 2**24

# Largest number of bytes of the answers that are sent ahead of their requests.
MOST_AHEAD = 2**18


def limit(work: float, clock: float, size: float) -> None:
    """Set limits after which the system ends this process: `work` CPU seconds, `clock` real seconds, `size` bytes.

    Windows does not have these limits, and macOS does not have the memory limit.
    """
    try:
        import resource
    except ModuleNotFoundError:
        return
    signal.setitimer(signal.ITIMER_REAL, max(clock, SHORTEST))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(work), resource.RLIM_INFINITY))
    # the process must not write core dumps or files
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if HAS_MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (int(size), resource.RLIM_INFINITY))


def rest() -> None:
    """Disable the limit of real time until the next file is opened."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def content(path: str) -> bytes:
    """Return the bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def held_memory() -> int:
    """Return the bytes of this process's data, as in RLIMIT_DATA. Return 0 if the system does not report them."""
    return int(content(MEMORY).split()[5]) * os.sysconf("SC_PAGE_SIZE") if HAS_MEMORY else 0


def reason(error: Exception) -> str:
    """Return the first line of the text of an exception from the library or from Python."""
    try:
        texts = [one.commentary for one in error.args if hasattr(one, "commentary")]
        text = str(texts[0] if texts else f"{type(error).__name__}: {error}")
    except UnicodeDecodeError:
        text = "its text is not UTF-8"
    return text.strip().partition("\n")[0][:LONGEST]


class Answers:
    """Writes answers to a stream."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def give(self, found: Any) -> None:
        """Send the value that a method of `Reader` has returned: a dict, a tuple of a dict and arrays, or frames."""
        if isinstance(found, dict):
            self.send(found)
        elif isinstance(found, tuple):
            self.send(*found)
        else:
            self.send({})
            self.stream(found)
            self.send({})

    def send(self, reply: dict[str, Any], *views: Any) -> None:
        """Send a line of JSON, and then the arrays that this line describes."""
        self._stream.write(json.dumps(reply).encode() + b"\n")
        for view in views:
            self._stream.write(view)
        self._stream.flush()

    def stream(self, frames: Iterator[tuple[bytes, Any]]) -> None:
        """Send the frames, then a header with -1 points. The caller sends a line of JSON after it."""
        try:
            for matrix, view in frames:
                self._stream.write(FRAME.pack(len(view), view.format.encode(), matrix))
                self._stream.write(view)
        finally:
            self._stream.write(FRAME.pack(-1, b"f", b""))


def standard_output() -> Any:
    """Return a stream to standard output for the answers. Whatever the libraries print is discarded."""
    stream = os.fdopen(os.dup(1), "wb", PIPE_BYTES)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    return stream


def answers_ahead(expected: Iterator[tuple[dict[str, Any], Any]]) -> tuple[list[Any], bytes]:
    """Return the requests that probably follow, each with the size of its answer, and all these answers.

    The list ends before a request that fails, so the failure is reported if this request is really sent.
    """
    buffer, requests = io.BytesIO(), list[Any]()
    with contextlib.suppress(Exception):
        for request, found in expected:
            before = buffer.tell()
            Answers(buffer).give(found)
            if buffer.tell() > MOST_AHEAD:
                break
            requests.append((request, buffer.tell() - before))
    return requests, buffer.getvalue()[: sum(size for _, size in requests)]


def main(program: str) -> None:
    """Answer requests with the class `Reader` of `program` until standard input ends, then end the process.

    Also end the process if too much memory remains allocated after a file, or if memory is exhausted.
    """
    answers = Answers(standard_output())
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
            worked, began = time.process_time(), time.monotonic()
        limit(worked + work, began + clock - time.monotonic(), held + size)
        try:
            found = getattr(reader, question)(**request)
            if isinstance(found, dict) and "ahead" in found:
                found["ahead"], following = answers_ahead(found["ahead"])
                found = found, following
            answers.give(found)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except reader.Fault as fault:
            answers.send({"fault": str(fault)})
        except Exception as error:  # any error of the library
            answers.send({"fault": f"is not a readable {reader.format} file ({reason(error)})"})
        if question == "close":
            held = held_memory()
            if held > held_first + MOST_LEFT:
                break
            rest()
    # exit immediately, because the library's clean-up is slow
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
