"""A process that does calls for a sweep: started and described by `ruckle.experiments.sweeps.workers`.

Pickled (function, arguments) come on standard input, pickled (result, error) go to standard output. It ends when
its standard input ends, because the sweep has ended then, even in the middle of a call.
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
    """Do calls until the sweep ends."""
    # the pipe carries only answers: the output of a call goes to standard error
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
        # the sweep has ended, so the answer does not have a reader
        os._exit(0)


def _answer(fn: Any, args: tuple[Any, ...]) -> bytes:
    try:
        return pickle.dumps((fn(*args), None))
    except Exception as error:
        return pickle.dumps((None, error))


if __name__ == "__main__":
    main()
