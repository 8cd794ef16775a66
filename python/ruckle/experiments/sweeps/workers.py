"""Worker processes on this machine: each reads pickled calls from a pipe and writes results to another pipe.

Workers are started as `python -m ruckle.experiments.sweeps.worker`. Processes of `multiprocessing` would first run the
script of the caller, which would then need `if __name__ == "__main__":`. Each worker is a process group, so Ctrl-C
interrupts only the sweep, which then ends the workers. A worker exits by itself if the sweep is killed. If a worker
dies during a call, a new worker replaces it and repeats the call once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Any

__all__ = ["CallKilledError", "LocalPool", "processor_count"]

# Number of attempts for a call whose process dies, because the first death can be accidental, for example by lack of
# memory.
ATTEMPTS = 2


class CallKilledError(ChildProcessError):
    """Raised if every process that executed a call has died."""


def processor_count() -> int:
    """Return the number of processors that this process is allowed to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalPool:
    """An executor with `count` processes. It is a context manager that ends the processes, even during a call.

    Parameters
    ----------
    count : int
        Number of processes, at least 1.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[Worker] = []
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._ended = False
        self._renewing = Lock()

    def __enter__(self) -> LocalPool:
        # one thread per process, which waits for its results
        self._threads = ThreadPoolExecutor(self._count)
        for _ in range(self._count):
            self._workers.append(Worker())
            self._idle.put(self._workers[-1])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._renewing:
            self._ended = True
        for worker in self._workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Return the future of `fn(*args)`, which raises CallKilledError if the call has killed two processes."""
        return self._threads.submit(self._ask, fn, args)

    def _ask(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        for _ in range(ATTEMPTS):
            worker = self._idle.get()
            try:
                return worker.ask(fn, args)
            except BrokenExecutor:
                worker = self._renewed(worker)
            finally:
                self._idle.put(worker)
        raise CallKilledError(f"its process was killed {ATTEMPTS} times, perhaps because of too little memory")

    def _renewed(self, dead: Worker) -> Worker:
        """Return a new process in place of a dead process.

        Raise BrokenExecutor if the pool itself ended the process.
        """
        with self._renewing:
            if self._ended:
                raise BrokenExecutor("the pool has ended")
            dead.kill()
            dead.close()
            index = self._workers.index(dead)
            self._workers[index] = Worker()
            return self._workers[index]


class Worker:
    """One process that executes calls one after another."""

    def __init__(self) -> None:
        # the process has the same module paths, but does not search the working directory first
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-P", "-m", "ruckle.experiments.sweeps.worker"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, process_group=0)

    def ask(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Return the result of a function in the process, or raise the function's exception.

        Raises BrokenExecutor if the process has died.
        """
        call = pickle.dumps((fn, args))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(call)
            self._process.stdin.flush()
            result, error = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as died:
            raise BrokenExecutor("the process has ended") from died
        if error is not None:
            raise error
        return result

    def kill(self) -> None:
        """Kill the process and wait until it has ended."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes after the last call."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            # unread data in the pipe is ignored
            with suppress(BrokenPipeError):
                pipe.close()
