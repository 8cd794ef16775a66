"""Output of a command: tables or JSON on standard output, progress on standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console, Group
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ruckle.cli.terminal import complain, escaped

__all__ = ["Voice", "output_options", "section"]

Function = TypeVar("Function", bound=Callable[..., Any])

# Line width for output to a file or a pipe, which do not have a width of their own.
UNBOUNDED = 160


@dataclass(frozen=True)
class Voice:
    """Settings of a command's output.

    Attributes
    ----------
    as_json : bool
        True prints only one JSON value on standard output.
    quiet : bool
        True prints no tables, notes or progress; JSON is printed if requested.
    """

    as_json: bool
    quiet: bool

    def say(self, *parts: Group | str) -> None:
        """Print sections and lines for human readers; print nothing if the output is JSON or quiet."""
        if self.as_json or self.quiet:
            return
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=UNBOUNDED)
        for part in parts:
            console.print(Text(escaped(part)) if isinstance(part, str) else part, soft_wrap=isinstance(part, str))

    def note(self, sentence: str) -> None:
        """Print a note on standard error, except if the output is quiet."""
        if not self.quiet:
            complain(sentence)

    def report(self, value: Any) -> None:
        """Print a value as JSON, if JSON was requested."""
        if self.as_json:
            click.echo(json.dumps(value, indent=2, allow_nan=False))

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[Callable[[float], None]]:
        """Show a progress bar while the block runs, only on a terminal.

        The block calls the yielded function with each amount of progress.
        """
        console = Console(stderr=True)
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            # the elapsed time is shown before the remaining time can be estimated
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=self.quiet or not console.is_terminal,
        )
        with bar:
            task = bar.add_task(escaped(description), total=total)
            yield lambda amount: bar.advance(task, amount)


def output_options(function: Function) -> Function:
    """Add --json and --quiet to a command."""
    for option in (
        click.option("--quiet", "-q", is_flag=True, help="Print no tables, notes or progress."),
        click.option("--json", "as_json", is_flag=True, help="Print only one JSON value."),
    ):
        function = option(function)
    return function


def section(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Group:
    """Return a section: a title and a table below it.

    The heading of a text column starts with "<", that of a number column with ">". Empty columns are omitted. The
    heading row is omitted if all headings are empty.
    """
    cells = [[cell if isinstance(cell, Text) else Text(escaped(cell)) for cell in row] for row in rows]
    used = [k for k in range(len(columns)) if any(row[k].plain for row in cells)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_header=any(columns[k][1:] for k in used))
    for k in used:
        table.add_column(columns[k][1:], justify="left" if columns[k][0] == "<" else "right", overflow="fold")
    for row in cells:
        table.add_row(*(row[k] for k in used))
    return Group(Text(escaped(title), style="bold", overflow="fold"), table, "")
