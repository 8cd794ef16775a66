"""The output of a command: tables or JSON on standard output, progress on standard error."""

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

# Columns of an output that is not a terminal: a file or a pipe does not have an edge to wrap at.
UNBOUNDED = 160


@dataclass(frozen=True)
class Voice:
    """Amount and kind of a command's output.

    Attributes
    ----------
    as_json : bool
        Only one JSON value on standard output.
    quiet : bool
        No tables, no notes, no progress; requested JSON is still printed.
    """

    as_json: bool
    quiet: bool

    def say(self, *parts: Group | str) -> None:
        """Print sections and lines for a person."""
        if self.as_json or self.quiet:
            return
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=UNBOUNDED)
        for part in parts:
            console.print(Text(escaped(part)) if isinstance(part, str) else part, soft_wrap=isinstance(part, str))

    def note(self, sentence: str) -> None:
        """Print a sentence on standard error."""
        if not self.quiet:
            complain(sentence)

    def report(self, value: Any) -> None:
        """Print a value for a program."""
        if self.as_json:
            click.echo(json.dumps(value, indent=2, allow_nan=False))

    @contextmanager
    def progress(self, description: str, total: float) -> Iterator[Callable[[float], None]]:
        """Show a bar while the block runs, on a terminal only.

        The block calls the yielded function with each advance.
        """
        console = Console(stderr=True)
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            # the bar shows a time long before a first result
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
        click.option("--quiet", "-q", is_flag=True, help="No tables, no notes and no progress."),
        click.option("--json", "as_json", is_flag=True, help="Print only one JSON value."),
    ):
        function = option(function)
    return function


def section(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Group:
    """Return a title with a table under it.

    The heading of a text column begins with "<", that of a number column with ">". Empty columns are left out, and so
    are headings that are all empty.
    """
    cells = [[cell if isinstance(cell, Text) else Text(escaped(cell)) for cell in row] for row in rows]
    used = [k for k in range(len(columns)) if any(row[k].plain for row in cells)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_header=any(columns[k][1:] for k in used))
    for k in used:
        table.add_column(columns[k][1:], justify="left" if columns[k][0] == "<" else "right", overflow="fold")
    for row in cells:
        table.add_row(*(row[k] for k in used))
    return Group(Text(escaped(title), style="bold", overflow="fold"), table, "")
