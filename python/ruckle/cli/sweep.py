"""`ruckle sweep`: run all combinations of parameters over animations; one row of metrics and times per run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Group

from ruckle.cli.console import Voice, output_options, section
from ruckle.cli.notes import open_noting
from ruckle.cli.parameters import FrameRange, cut
from ruckle.cli.source import Source, sources_options
from ruckle.experiments import plot
from ruckle.experiments.sweeps import TABLE, Sweep, open_all, sweep_opened
from ruckle.experiments.sweeps.axes import parse_values
from ruckle.experiments.sweeps.executors import dask_cluster
from ruckle.experiments.sweeps.table import METRICS, TIMES
from ruckle.mesh.animation import Animation
from ruckle.paths.parameters import PARAMETERS

__all__ = ["sweep"]

Function = TypeVar("Function", bound=Callable[..., Any])

# Names of parameters that can be swept. A cost matrix is excluded, because it does not have a short text form.
SWEPT = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind != "matrix")

PICTURE = "heat_map.png"
DRAWN = tuple(name for name, kind in (METRICS | TIMES).items() if kind is float)

# Columns of the table on the terminal (metrics and times), and maximum number of its rows.
SHOWN = ("coverage", "direction_error", "drift_p95", "wrinkles", "label_changes", "total_p50")
MOST_ROWS = 40

SOME_FAILED = 1


class Values(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """The values of a parameter as text: a list, a range FIRST:LAST:COUNT, or both."""

    name = "VALUES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the list of values in a text."""
        if param is None or param.name is None:
            raise ValueError("param: values belong to a parameter")
        return parse_values(param.name, value)


class SweepCommand(click.Command):
    """A command that lists all parameters in the message about an unknown option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line. The error for an unknown option lists all parameters that can be swept."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            near = f"did you mean {error.possibilities[0]}? " if error.possibilities else ""
            words = ", ".join(_option(name) for name in SWEPT)
            raise click.UsageError(
                f"no option is called '{error.option_name}'; {near}parameters are {words}", ctx
            ) from error


def swept_options(function: Function) -> Function:
    """Add an option for each parameter to a command, which receives them as `parameters` in the given order."""
    for name in reversed(SWEPT):
        function = click.option(_option(name), name, type=Values(), help=PARAMETERS[name].help)(function)
    return function


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@click.command(cls=SweepCommand)
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder to write into; created if missing.",
)  # fmt: skip
@click.option(
    "--frames",
    type=FrameRange(),
    help="Run frames A to B - 1 only, as if the animation began at A: wrinkles start from the shape in frame A.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of processes on this machine.  [default: number of processors]",
)
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster of the scheduler at this address.")
@click.option(
    "--every", type=click.IntRange(min=1), default=5, show_default=True,
    help="Measure coverage, angles and energies only in every N-th frame.",
)  # fmt: skip
@click.option(
    "--metric", "metrics", type=click.Choice(DRAWN), metavar="COLUMN", multiple=True,
    help="Draw this column of the table in the heat map; may be repeated.",
)  # fmt: skip
@click.option("--no-picture", is_flag=True, help="Draw no heat map.")
@sources_options
@swept_options
@output_options
def sweep(
    sources: list[Source],
    output: Path,
    frames: slice | None,
    workers: int | None,
    dask: str | None,
    every: int,
    metrics: tuple[str, ...],
    no_picture: bool,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Run every combination of parameters, and measure each run.

    A parameter takes a list of values, a range FIRST:LAST:COUNT with both ends, or both: --tau 1.15:1.45:7
    --r-min 0.5%,1% --method exact,swap --coherent true,false --grow-tau none,1.2.

    Writes into DIR a table with one row per run as runs.parquet and runs.csv, and heat_map.png over the parameters that
    were swept first. pandas.read_parquet('DIR/runs.parquet') reads it. ruckle.experiments.sweeps.table describes the
    columns. Runs are recorded in DIR/journal.jsonl as they finish: an interrupted sweep continues when it is started
    again, and a changed sweep does only its new runs.

    Runs in parallel slow each other down: use --workers 1 to compare times. If a run fails, its row of the table
    contains the reason, and the exit status is 1.
    """
    # imported before the runs, so that a missing matplotlib is reported at once
    draw = None if no_picture else plot.draw_heat_map
    # click passes the options in the order of the command line; the rows of the table get this order
    given = {name: values for name, values in parameters.items() if values is not None}
    voice = Voice(as_json, quiet)
    openers = [partial(_open, source, frames, voice) for source in sources]
    animations = open_all(openers, [source.name for source in sources])
    with ExitStack() as stack:
        executor = None if dask is None else stack.enter_context(dask_cluster(dask))
        advance = stack.enter_context(voice.progress("sweeping", 1.0))
        found = sweep_opened(
            animations, output, given, executor=executor, workers=workers, every=every, advance=advance
        )
    picture = None
    if draw is not None and len(found.failed) < len(found.rows):
        picture = output / PICTURE
        plot.save_picture(draw(found.rows, found.axes, metrics=metrics or plot.MAPPED), picture)
    voice.report(_value(found, output, picture))
    _tell(voice, found, output, picture)
    if found.failed:
        raise click.exceptions.Exit(SOME_FAILED)


def _open(source: Source, frames: slice | None, voice: Voice) -> Animation:
    return cut(open_noting(source, voice), frames)[0]


def _value(found: Sweep, output: Path, picture: Path | None) -> dict[str, Any]:
    return {
        "runs": len(found.rows),
        "reused": found.reused,
        "failed": len(found.failed),
        "axes": found.axes,
        "parquet": str(output / f"{TABLE}.parquet"),
        "csv": str(output / f"{TABLE}.csv"),
        "picture": None if picture is None else str(picture),
        "rows": found.rows,
    }


def _tell(voice: Voice, found: Sweep, output: Path, picture: Path | None) -> None:
    reused = f", {found.reused} of them done before" if found.reused else ""
    voice.say(_section(f"{len(found.rows)} runs{reused}", found))
    if len(found.rows) > MOST_ROWS:
        voice.say(f"the first {MOST_ROWS} rows of {len(found.rows)}", "")
    problems = list(dict.fromkeys(row["problem"] for row in found.failed))
    for problem in problems:
        count = sum(row["problem"] == problem for row in found.failed)
        voice.say(f"{count} failed: {problem}")
    voice.say(f"table    {output / TABLE}.parquet, .csv")
    if picture is not None:
        voice.say(f"picture  {picture}")


def _section(title: str, found: Sweep) -> Group:
    columns = [*(found.axes or ["animation"]), *SHOWN]
    headings = [f"{'<' if column == 'animation' else '>'}{column}" for column in columns]
    return section(title, headings, [_cells(row, columns) for row in found.rows[:MOST_ROWS]])


def _cells(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    failed = row["state"] == "failed"
    return ["failed" if failed and column == SHOWN[0] else _word(row[column]) for column in columns]


def _word(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
