"""Where runs are done: processes of this machine, a Dask cluster, or whatever takes a call and gives a future."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol

from ruckle._core import __version__
from ruckle.sweeps.measurement import measure_run
from ruckle.sweeps.plan import PlannedRun
from ruckle.sweeps.table import Row, require_extra, row_of

__all__ = ["Executor", "Future", "dask_cluster", "finished_rows", "local_pool"]

# Seconds to wait for a Dask scheduler, and then for its first worker.
DASK_PATIENCE = 20


class Future(Protocol):
    """The part of `concurrent.futures.Future` that a sweep needs."""

    def result(self) -> Any:
        """Return what the function returned, or raise what it raised."""

    def add_done_callback(self, fn: Callable[[Any], Any], /) -> Any:
        """Call `fn` with this future, once it is done, in any thread."""

    def cancel(self) -> Any:
        """Give up, where the function has not begun."""


class Executor(Protocol):
    """Anything that can do a call elsewhere, such as the executors of `concurrent.futures` or Dask's `Client`.

    Where it has Dask's method `scatter`, it gets each animation once instead of with every run.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Return a `Future` of `fn(*args)`; everything that passes can be pickled."""


def finished_rows(runs: Sequence[PlannedRun], executor: Executor) -> Iterator[Row]:
    """Do runs and yield the row of each as it is finished, failed runs with the reason.

    What has not begun is cancelled when the iteration is left early.

    Raises
    ------
    ChildProcessError
        A worker process has died, and the executor with it.
    """
    finished: SimpleQueue[tuple[PlannedRun, Future]] = SimpleQueue()
    futures: list[Future] = []
    shared: dict[int, Any] = {}
    try:
        for run in runs:
            if id(run.animation) not in shared:
                shared[id(run.animation)] = _share(executor, run)
            future = executor.submit(measure_run, shared[id(run.animation)], run.parameters, run.every, __version__)
            futures.append(future)
            future.add_done_callback(partial(_announce, finished, run))
        for _ in runs:
            yield _row(*finished.get())
    finally:
        for future in futures:
            future.cancel()


@contextmanager
def local_pool(runs: int, workers: int | None = None) -> Iterator[Executor]:
    """Start processes on this machine for a number of runs, as many as it has processors unless told."""
    count = min(runs, workers or os.cpu_count() or 1)
    # started afresh: a copy of a process with threads, as a progress bar is one, may hang
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker) as pool:
        yield pool


@contextmanager
def dask_cluster(address: str) -> Iterator[Executor]:
    """Connect with a Dask cluster.

    Parameters
    ----------
    address : str
        Of its scheduler, such as ``"tcp://10.0.0.1:8786"``.

    Raises
    ------
    ModuleNotFoundError
        `distributed` is not installed.
    ConnectionError
        No scheduler answers, or it has no worker.
    """
    require_extra("distributed")
    from distributed import Client

    try:
        client = Client(address, timeout=DASK_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ConnectionError(f"dask: no scheduler answers at '{address}'") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=DASK_PATIENCE)
        except TimeoutError as error:
            raise ConnectionError(f"dask: the scheduler at '{address}' has no worker") from error
        yield client


def _share(executor: Executor, run: PlannedRun) -> Any:
    scatter = getattr(executor, "scatter", None)
    return run.animation if scatter is None else scatter(run.animation, broadcast=True)


def _announce(finished: SimpleQueue[tuple[PlannedRun, Future]], run: PlannedRun, future: Future) -> None:
    finished.put((run, future))


def _row(run: PlannedRun, future: Future) -> Row:
    try:
        return row_of(run, future.result())
    except (BrokenExecutor, CancelledError) as error:
        raise ChildProcessError(
            "workers: one died, perhaps for lack of memory, or because the script that sweeps has no "
            "'if __name__ == \"__main__\":'; finished runs are kept, and the same sweep goes on after them"
        ) from error
    except ValueError as error:
        return row_of(run, {}, problem=str(error))
    except Exception as error:
        # a run that fails for any other reason must not take the others with it
        return row_of(run, {}, problem=f"{type(error).__name__}: {error}")


def _begin_worker() -> None:
    """Make a worker end without a word when its sweep is interrupted or killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
