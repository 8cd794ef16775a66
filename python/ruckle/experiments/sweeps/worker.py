"""A worker process of a sweep; `ruckle.experiments.sweeps.workers` starts it.

The process reads pickled (function, arguments) from standard input and writes pickled (result, error) to standard
output. If standard input ends, the sweep has ended, so the process exits at once, even during a call.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

Call = tuple[Any, tuple[Any, ...]]


def main() -> None:
    """Execute calls from standard input until the sweep ends."""
    # standard output is only for results, so printed text of a call goes to standard error
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    calls: SimpleQueue[Call] = SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        fn, args = calls.get()
        answers.write(_answer(fn, args))
        answers.flush()


def _read(pipe: BinaryIO, calls: SimpleQueue[Call]) -> None:
    try:
        while True:
            calls.put(pickle.load(pipe))
    finally:
        # the sweep has ended, so nothing reads further results
        os._exit(0)


def _answer(fn: Any, args: tuple[Any, ...]) -> bytes:
    try:
        return pickle.dumps((fn(*args), None))
    except Exception as error:
        return pickle.dumps((None, error))


if __name__ == "__main__":
    main()
