"""The output of a benchmark: tables, CSV and JSON, with a description of the machine."""

from __future__ import annotations

import csv
import json
import math
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.io import load
from ruckle.io.replacing import replacing
from ruckle.io.samples import sample, samples
from ruckle.mesh.animation import Animation

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Report",
    "Row",
    "csv_option",
    "format_seconds",
    "json_option",
    "least_over_repeats",
    "least_seconds",
    "least_stages",
    "machine",
    "new_table",
    "open_scene",
    "print_table",
    "publish",
    "replace_between",
    "timed",
    "without_nan",
    "write_csv",
]


csv_option = click.option("--csv", "csv_path", type=click.Path(path_type=Path), help="Also write the rows here.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

# Characters; tables are narrower if they need less.
TABLE_WIDTH = 280


def open_scene(name: str) -> Animation:
    """Return the sample of this name, or else the animation of this file."""
    return sample(name) if name in samples() else load(name)


def without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row that JSON can hold, with None for values that could not be measured."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def machine() -> dict[str, str]:
    """Return a description of this machine."""
    return {"machine": processor(), "instructions": _core.instruction_set()}


def processor() -> str:
    """Return the processor's name; on Linux Python's own answer is empty."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@dataclass
class Row:
    """One measured quantity: seconds, and its ratio to a peer or a goal."""

    what: str
    median: float
    largest: float
    note: str = ""


@dataclass
class Report:
    """The rows of one benchmark, and its machine."""

    scene: str
    rows: list[Row] = field(default_factory=list)

    def add(self, what: str, seconds: NDArray[np.float64] | float, note: str = "") -> float:
        """Add a quantity measured once per frame; return its median."""
        values = np.atleast_1d(seconds)
        row = Row(what, float(np.median(values)), float(values.max()), note)
        self.rows.append(row)
        return row.median


def least_over_repeats(
    repeats: int, frame_count: int, measure: Callable[[int], float], restart: Callable[[], None]
) -> NDArray[np.float64]:
    """Return the least seconds of each frame over all repeats of the animation."""
    least = np.full(frame_count, np.inf)
    for _ in range(repeats):
        restart()
        for frame in range(frame_count):
            least[frame] = min(least[frame], measure(frame))
    return least


def least_stages(
    repeats: int, frame_count: int, step: Callable[[int], Mapping[str, object]]
) -> dict[str, NDArray[np.float64]]:
    """Return the least seconds of each stage in each frame over all repeats; `step` gives a frame's milliseconds."""
    least: dict[str, NDArray[np.float64]] = {}
    for _ in range(repeats):
        for frame in range(frame_count):
            for stage, milliseconds in step(frame).items():
                seconds = least.setdefault(stage, np.full(frame_count, np.inf))
                seconds[frame] = min(seconds[frame], cast(float, milliseconds) / 1e3)
    return least


def least_seconds(repeats: int, *works: Callable[[], float]) -> list[float]:
    """Return the least seconds of several works, which take turns so that all see the same machine.

    Each turn begins with another work, which runs right after the last work of the turn before.
    """
    least = [np.inf] * len(works)
    for turn in range(repeats):
        for number in np.roll(np.arange(len(works)), turn):
            least[number] = min(least[number], works[number]())
    return least


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Return a work that returns its seconds."""

    def seconds() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return seconds


def format_seconds(seconds: float) -> str:
    """Return a time in its natural unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def publish(report: Report, *, as_json: bool, csv_path: Path | None) -> None:
    """Print the report as a table or as JSON, and write it as CSV if a path is given."""
    where = machine()
    if csv_path:
        write_csv(csv_path, [asdict(row) for row in report.rows])
    if as_json:
        click.echo(json.dumps({"scene": report.scene, **where, "rows": [asdict(row) for row in report.rows]}))
        return
    table = new_table(report.scene, ["least over repeats", "median frame", "slowest frame"], where)
    table.add_column("")
    for row in report.rows:
        table.add_row(row.what, format_seconds(row.median), format_seconds(row.largest), row.note)
    print_table(table)


def new_table(
    title: str, headings: Iterable[str], where: Mapping[str, str] | None = None, *, named: bool = True
) -> Table:
    """Return an empty table; its title names the machine, by default this one.

    The first column is of names, unless not `named`; all others are of numbers.
    """
    from rich import box
    from rich.table import Table

    place = ", ".join((machine() if where is None else where).values())
    table = Table(title=f"{title}  ({place})", title_justify="left", box=box.SIMPLE_HEAD)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if named and number == 0 else "right")
    return table


def print_table(table: Table) -> None:
    """Print a table, wide enough for every column, so that nothing is cut."""
    from rich.console import Console

    Console(width=TABLE_WIDTH).print(table)


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of equal keys, the keys as headings."""
    text = StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    with replacing(path) as file:
        file.write(text.getvalue().encode())


def replace_between(path: Path, first: str, last: str, text: str) -> None:
    """Replace the text between two lines of a text file.

    Raises
    ------
    ValueError
        The file does not hold the two lines in this order.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        begin = lines.index(first)
        end = lines.index(last, begin)
    except ValueError:
        raise ValueError(f"{path}: expected the lines '{first}' and '{last}'") from None
    with replacing(path) as file:
        file.write("\n".join([*lines[: begin + 1], text, *lines[end:]]).encode())
