"""Executors of runs: processes of this machine, a Dask cluster, or any object with a `submit` method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol

from ruckle._core import __version__
from ruckle.experiments.sweeps.measurement import measure_run
from ruckle.experiments.sweeps.planned import PlannedRun
from ruckle.experiments.sweeps.table import Row, require_extra, row_of
from ruckle.experiments.sweeps.workers import CallKilledError, LocalPool, processor_count

__all__ = ["Executor", "Future", "dask_cluster", "finished_rows", "local_pool"]

# Work (triangles times frames) that takes about a second. The start of other processes takes as long.
LITTLE_WORK = 120_000

# Seconds to wait for a Dask scheduler and for its first worker.
DASK_PATIENCE = 20


class Future(Protocol):
    """The methods of `concurrent.futures.Future` that a sweep calls."""

    def result(self) -> Any:
        """Return the result of the function, or raise its exception."""

    def add_done_callback(self, fn: Callable[[Any], Any], /) -> Any:
        """Call `fn` with this future when it is done, in any thread."""

    def cancel(self) -> Any:
        """Cancel the call if it has not started."""


class Executor(Protocol):
    """Runs calls in other processes, such as an executor of `concurrent.futures` or Dask's `Client`.

    If the object has Dask's method `scatter`, each animation is sent only once, not with every run.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Return a `Future` of `fn(*args)`; function, arguments and result can be pickled."""


def finished_rows(runs: Sequence[PlannedRun], executor: Executor) -> Iterator[Row]:
    """Do runs, and yield each row when its run is finished; rows of failed runs contain the reason.

    If the iteration ends early, runs that have not started are cancelled.

    Raises
    ------
    ChildProcessError
        The executor has broken, for example because a worker process has died.
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
def local_pool(runs: Sequence[PlannedRun], workers: int | None = None) -> Iterator[Executor]:
    """Start an executor of runs on this machine.

    Parameters
    ----------
    runs : sequence of PlannedRun
        At least one run.
    workers : int, optional
        Number of processes. The default is the number of processors. For little work, the default is a thread of
        this process.
    """
    work = sum(run.animation.frame_count * run.animation.face_count for run in runs)
    here = workers is None and work <= LITTLE_WORK
    with ThreadPoolExecutor(1) if here else LocalPool(min(len(runs), workers or processor_count())) as pool:
        yield pool


@contextmanager
def dask_cluster(address: str) -> Iterator[Executor]:
    """Connect to a Dask cluster.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``"tcp://10.0.0.1:8786"``.

    Raises
    ------
    ModuleNotFoundError
        `distributed` is not installed.
    ConnectionError
        The scheduler does not answer, or does not have workers.
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
            "executor: a worker process has ended, perhaps because of too little memory; finished runs are kept, "
            "and the same sweep continues after them"
        ) from error
    except (ValueError, CallKilledError) as error:
        return row_of(run, {}, problem=str(error))
    except Exception as error:
        # any other failure of a run must not stop the other runs, so it becomes a failed row
        return row_of(run, {}, problem=f"{type(error).__name__}: {error}")
