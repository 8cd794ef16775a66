"""`ruckle figures`: figures of Peters's thesis and of other papers, drawn from our data."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from ruckle.cli.console import Voice, output_options
from ruckle.experiments.figures import Entry, choose, write_figures
from ruckle.experiments.figures.page import PAGE

__all__ = ["figures"]


@click.command()
@click.argument("numbers", nargs=-1, metavar="[NUMBER]...")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", default=Path("figures"),
    show_default=True, help="Folder to write into; created if missing.",
)  # fmt: skip
@output_options
def figures(numbers: tuple[str, ...], output: Path, as_json: bool, quiet: bool) -> None:
    """Draw figures of the thesis and of the other papers on our data, with an index page.

    NUMBER is that of a figure, such as 3.3, table-8.1 or hadap-5; by default all figures.
    """
    entries = choose(numbers)
    if find_spec("matplotlib") is None:
        raise ModuleNotFoundError(
            'pictures need matplotlib, which is not installed: pip install "ruckle[plot]"', name="matplotlib"
        )
    voice = Voice(as_json, quiet)
    with voice.progress("figures", len(entries)) as advance:

        def drawn(entry: Entry, reason: str | None) -> None:
            advance(1)
            if reason is not None:
                voice.say(f"{entry.name} was not drawn: {reason}")

        absent = write_figures(output, entries, drawn)
    page = output / PAGE
    voice.say(f"{len(entries) - len(absent)} of {len(entries)} drawn: {page}")
    voice.report({"page": str(page), "drawn": [e.number for e in entries if e.number not in absent], "absent": absent})
