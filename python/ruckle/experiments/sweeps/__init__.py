"""Parameter sweeps: all combinations of parameters and animations, one row of metrics and times per run.

    sweep = ruckle.sweep(["sawing", "chopping"], "out", tau="1.15:1.45:7", r_min=["0.5%", "1%"])
    table = pyarrow.parquet.read_table("out/runs.parquet")

`ruckle.experiments.sweeps.table` documents the columns, `ruckle.experiments.sweeps.axes` the syntax of values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruckle.experiments.sweeps.axes import Value, read_axes
from ruckle.io import load
from ruckle.io.samples import sample, samples
from ruckle.mesh.animation import Animation
from ruckle.paths.parameters import LENGTHS

if TYPE_CHECKING:
    from ruckle.experiments.sweeps.executors import Executor
    from ruckle.experiments.sweeps.plan import Unreadable
    from ruckle.experiments.sweeps.planned import PlannedRun
    from ruckle.experiments.sweeps.table import Row

__all__ = ["JOURNAL", "TABLE", "Sweep", "sweep"]

JOURNAL, TABLE = "journal.jsonl", "runs"
"""Files in the folder of a sweep: record of finished runs, and name of the tables without extension."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The result of a sweep.

    Attributes
    ----------
    rows : list of dict
        One row per run in the order of the sweep. `pandas.DataFrame(sweep.rows)` converts the rows into a table. The
        columns are documented in `ruckle.experiments.sweeps.table`.
    axes : list of str
        Names of the swept columns: parameters with several values, and "animation" if there are several.
    reused : int
        Number of rows from an earlier sweep into the same folder.
    """

    rows: list[Row]
    axes: list[str]
    reused: int

    @property
    def failed(self) -> list[Row]:
        """The rows of runs that failed."""
        return [row for row in self.rows if row["state"] == "failed"]

    def __repr__(self) -> str:
        return f"Sweep({len(self.rows)} runs over {', '.join(self.axes) or 'nothing'}, {len(self.failed)} failed)"


def sweep(
    animations: str | PathLike[str] | Animation | Iterable[str | PathLike[str] | Animation],
    output: str | PathLike[str] | None = None,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    every: int = 5,
    advance: Callable[[float], object] | None = None,
    **parameters: Any,
) -> Sweep:
    """Run every combination of parameters on one or several animations, and measure each run.

    Parameters
    ----------
    animations : Animation, str or path-like, or a sequence of these
        A string is the name of a sample or the path of a file.
    output : path of a folder, optional
        Folder, which is created if missing. Each run is recorded in the folder as soon as it is finished. If an
        interrupted sweep is started again, it continues. A changed sweep does only its new runs. The final table is
        written as `runs.parquet` and `runs.csv`.
    executor : object with `submit(fn, *args)`, optional
        An executor of `concurrent.futures`, a `distributed.Client`, or an object with the same methods. The default
        are processes of this machine. A script that creates its own `ProcessPoolExecutor` must contain
        ``if __name__ == "__main__":``.
    workers : int, optional
        Number of processes of this machine. The default is the number of processors; sweeps of about a second run in
        this process. Use 1 if times are to be compared.
    every : int
        Coverage, angles and energies are measured only in frames 0, `every`, 2 `every` and so on. Changes are measured
        in all frames.
    advance : callable, optional
        Function that is called with each newly finished fraction of the runs; the sum of all fractions is 1.
    **parameters
        Parameters of `Wrinkler.for_animation`: a value, several values, or text such as ``"1.15:1.45:7"`` or
        ``"0.5%,1%"``.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        A parameter does not exist, a value has the wrong type, `every` or `workers` is below 1, or there are more than
        100,000 runs; then no run has started. A value that is out of range makes only its own runs fail.
    FormatError, MeshError
        No animation can be read, or the folder has a file journal.jsonl that is not from a sweep. If only some
        animations cannot be read, only their runs fail.
    ModuleNotFoundError
        An output folder is given and pyarrow is missing.
    OSError
        The folder is not writable, or another sweep is writing into it.
    ChildProcessError
        The given executor has broken. The default processes do not raise this error: if a run kills two of them, its
        row says that the run failed.

    Examples
    --------
    >>> found = ruckle.sweep("sawing", tau=[1.2, 1.4])  # doctest: +SKIP
    >>> pandas.DataFrame(found.rows)[["tau", "wrinkles", "total_p50"]]  # doctest: +SKIP
    """
    values = read_axes(parameters)
    given = _several(animations)
    sources = [None if isinstance(each, Animation) else str(each) for each in given]
    opened = open_all([partial(_open, each) for each in given], sources)
    return sweep_opened(opened, output, values, executor=executor, workers=workers, every=every, advance=advance)


def open_all(openers: Sequence[Callable[[], Animation]], sources: Sequence[str | None]) -> list[Animation | Unreadable]:
    """Open animations; unreadable ones become `Unreadable`, and equal names are made unique.

    Parameters
    ----------
    openers : sequence of callable
        Functions that return an animation, or raise ValueError.
    sources : sequence of str or None
        File or sample of each animation; None for an animation in memory.

    Raises
    ------
    ValueError
        All animations are unreadable; the error is that of the first one.
    """
    from ruckle.experiments.sweeps.plan import Unreadable, named_apart

    opened: list[Animation | Unreadable] = []
    errors: list[ValueError] = []
    for opener, source in zip(openers, sources, strict=True):
        try:
            opened.append(opener())
        except ValueError as error:
            errors.append(error)
            opened.append(Unreadable(str(source), str(error)))
    if len(errors) == len(opened):
        raise errors[0]
    return named_apart(opened, sources)


def sweep_opened(
    opened: Sequence[Animation | Unreadable],
    output: str | PathLike[str] | None,
    values: Mapping[str, Sequence[Value]],
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    every: int = 5,
    advance: Callable[[float], object] | None = None,
) -> Sweep:
    """Sweep over opened animations with the values from `read_axes`; otherwise like `sweep`."""
    # imported here, because `import ruckle` must not load these modules
    from ruckle.experiments.sweeps.plan import plan_runs
    from ruckle.experiments.sweeps.table import require_extra, write_csv, write_parquet

    for name, count in (("every", every), ("workers", 1 if workers is None else workers)):
        if count < 1:
            raise ValueError(f"{name}: expected a whole number of at least 1, got {count}")
    runs = plan_runs(opened, values, every=every)
    share = _shares(len(runs), advance)
    if output is None:
        rows, reused = _perform(runs, None, executor, workers, share)
    else:
        require_extra("pyarrow")
        folder = Path(output)
        folder.mkdir(parents=True, exist_ok=True)
        rows, reused = _perform(runs, folder / JOURNAL, executor, workers, share)
        write_csv(folder / f"{TABLE}.csv", rows)
        write_parquet(folder / f"{TABLE}.parquet", rows)
    return Sweep(rows, _axes(opened, values), reused)


def _perform(
    plan: Sequence[PlannedRun | Row],
    record: Path | None,
    executor: Executor | None,
    workers: int | None,
    advance: Callable[[int], None],
) -> tuple[list[Row], int]:
    """Execute the runs that are missing in the journal `record`, and record them; all runs if `record` is None.

    Return the rows of all runs, and the number of rows that were read from the journal. `advance` is called with
    numbers of newly finished runs. `workers` has no effect together with `executor`.
    """
    from ruckle.experiments.sweeps.executors import finished_rows, local_pool
    from ruckle.experiments.sweeps.journal import Journal

    with ExitStack() as stack:
        journal = None if record is None else stack.enter_context(Journal(record))
        done = {} if journal is None else journal.done
        runs = [run for run in plan if not isinstance(run, dict)]
        found = {run.identity: done[run.identity] for run in runs if run.identity in done}
        missing = [run for run in runs if run.identity not in found]
        reused = len(found)
        advance(len(plan) - len(missing))
        if missing:
            pool = executor or stack.enter_context(local_pool(missing, workers))
            for row in finished_rows(missing, pool):
                if journal is not None:
                    journal.add(row)
                found[row["run"]] = row
                advance(1)
    return [run if isinstance(run, dict) else found[run.identity] for run in plan], reused


def _shares(total: int, advance: Callable[[float], object] | None) -> Callable[[int], None]:
    """Return a function that calls `advance` with the fraction of all runs for a number of finished runs."""

    def tell(count: int) -> None:
        if advance is not None:
            advance(count / total)

    return tell


def _several(animations: object) -> Sequence[Any]:
    if isinstance(animations, (str, PathLike, Animation)):
        return [animations]
    several = list(animations) if isinstance(animations, Iterable) else []
    if not several:
        raise ValueError(f"animations: expected an animation, a sample's name, a path, or several, got {animations!r}")
    return several


def _open(animation: str | PathLike[str] | Animation) -> Animation:
    if isinstance(animation, Animation):
        return animation
    return sample(str(animation)) if animation in samples() else load(animation)


def _axes(animations: Sequence[object], values: Mapping[str, Sequence[Value]]) -> list[str]:
    """Return the names of the columns that were swept."""
    swept = [name for name, several in values.items() if len(several) > 1]
    # animations have different heights, so lengths that are given in percent are compared in percent
    shares = [name for name in swept if all(isinstance(value, str) for value in values[name]) and name in LENGTHS]
    columns = [f"{name}_percent" if name in shares else name for name in swept]
    return (["animation"] if len(animations) > 1 else []) + columns
