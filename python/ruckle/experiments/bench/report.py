"""Output of a benchmark: table, CSV and JSON, with a description of the machine."""

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


csv_option = click.option(
    "--csv", "csv_path", type=click.Path(path_type=Path), help="Also write the rows of the table to this CSV file."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")

# Maximum width of a table in characters.
TABLE_WIDTH = 280


def open_scene(name: str) -> Animation:
    """Return the sample with this name. If there is none, load the animation from the file with this name."""
    return sample(name) if name in samples() else load(name)


def without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row in which NaN is replaced by None, because JSON does not have NaN."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def machine() -> dict[str, str]:
    """Return the processor and the instruction set of this machine."""
    return {"machine": processor(), "instructions": _core.instruction_set()}


def processor() -> str:
    """Return the name of the processor: from `/proc/cpuinfo`, because `platform.processor()` is empty on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@dataclass
class Row:
    """One measured quantity: median and largest seconds over the frames, and a note with its goal or its ratio."""

    what: str
    median: float
    largest: float
    note: str = ""


@dataclass
class Report:
    """The scene and the rows of one benchmark."""

    scene: str
    rows: list[Row] = field(default_factory=list)

    def add(self, what: str, seconds: NDArray[np.float64] | float, note: str = "") -> float:
        """Add a row from the seconds of all frames, or from a single number. Return the median."""
        values = np.atleast_1d(seconds)
        row = Row(what, float(np.median(values)), float(values.max()), note)
        self.rows.append(row)
        return row.median


def least_over_repeats(
    repeats: int, frame_count: int, measure: Callable[[int], float], restart: Callable[[], None]
) -> NDArray[np.float64]:
    """Return the shortest time of each frame in seconds, over all repeats of the animation."""
    least = np.full(frame_count, np.inf)
    for _ in range(repeats):
        restart()
        for frame in range(frame_count):
            least[frame] = min(least[frame], measure(frame))
    return least


def least_stages(
    repeats: int, frame_count: int, step: Callable[[int], Mapping[str, object]]
) -> dict[str, NDArray[np.float64]]:
    """Return the shortest seconds of each stage in each frame, over all repeats. `step` returns ms by stage."""
    least: dict[str, NDArray[np.float64]] = {}
    for _ in range(repeats):
        for frame in range(frame_count):
            for stage, milliseconds in step(frame).items():
                seconds = least.setdefault(stage, np.full(frame_count, np.inf))
                seconds[frame] = min(seconds[frame], cast(float, milliseconds) / 1e3)
    return least


def least_seconds(repeats: int, *works: Callable[[], float]) -> list[float]:
    """Return the shortest seconds of several functions.

    The functions alternate, so that a slow phase of the machine affects all. In each turn, another one is the first.
    """
    least = [np.inf] * len(works)
    for turn in range(repeats):
        for number in np.roll(np.arange(len(works)), turn):
            least[number] = min(least[number], works[number]())
    return least


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Return a function that calls `work` and returns the seconds that the call took."""

    def seconds() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return seconds


def format_seconds(seconds: float) -> str:
    """Return a time as text in s, ms or µs."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def publish(report: Report, *, as_json: bool, csv_path: Path | None) -> None:
    """Print the report as a table or as JSON. If a path is given, also write it as CSV."""
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
    """Return an empty table whose title contains the machine (`where`, default: this machine).

    If `named` is true, the first column contains names and is aligned to the left. All other columns contain numbers.
    """
    from rich import box
    from rich.table import Table

    place = ", ".join((machine() if where is None else where).values())
    table = Table(title=f"{title}  ({place})", title_justify="left", box=box.SIMPLE_HEAD)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if named and number == 0 else "right")
    return table


def print_table(table: Table) -> None:
    """Print a table with enough width for every column, so that no text is cut."""
    from rich.console import Console

    Console(width=TABLE_WIDTH).print(table)


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write at least one row as CSV. All rows have the same keys, the headings. An existing file is replaced."""
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
        The file does not contain the two lines in this order.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        begin = lines.index(first)
        end = lines.index(last, begin)
    except ValueError:
        raise ValueError(f"{path}: expected the lines '{first}' and '{last}'") from None
    with replacing(path) as file:
        file.write("\n".join([*lines[: begin + 1], text, *lines[end:]]).encode())
