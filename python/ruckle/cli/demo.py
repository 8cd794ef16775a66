"""`ruckle demo`: the whole job on a packaged sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ruckle.cli.console import Voice, output_options
from ruckle.cli.job import Job
from ruckle.cli.parameters import parameter_options
from ruckle.cli.source import Source, as_path

__all__ = ["demo"]


@click.command()
@click.argument("name", metavar="[SAMPLE]", default="sawing")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", default=Path("out"),
    show_default=True, help="Folder to write into; made where it does not exist.",
)  # fmt: skip
@parameter_options
@output_options
def demo(name: str, output: Path, as_json: bool, quiet: bool, **parameters: Any) -> None:
    """Run a packaged sample: a table, a picture and the arrays.

    Writes DIR/SAMPLE_labels.png, a strip of the liveliest frames with labels above, compression and
    wrinkles below, and DIR/SAMPLE.npz, the arrays as 'ruckle run' writes them.
    """
    source = Source(name, {})
    if not source.is_sample:
        path = as_path(name)
        raise ValueError(f"{path}: the demo runs samples; for a file: ruckle run {path} -o RUN.npz --picture STRIP.png")
    output.mkdir(parents=True, exist_ok=True)
    job = Job(source.open(), parameters, output / f"{name}.npz", picture=output / f"{name}_labels.png")
    job.perform(Voice(as_json, quiet))
