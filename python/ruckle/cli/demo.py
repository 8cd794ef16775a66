"""`ruckle demo`: run, table, pictures, arrays and film of a sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ruckle.cli.console import Voice, output_options
from ruckle.cli.job import Job
from ruckle.cli.parameters import parameter_options
from ruckle.cli.reel import Reel
from ruckle.cli.render import PictureSize
from ruckle.cli.source import Source, as_path
from ruckle.errors import GraphicsError
from ruckle.film import Shot
from ruckle.io.samples import sample_body
from ruckle.mesh.animation import Animation
from ruckle.paths.wrinkler import Wrinkler
from ruckle.waves.wave_field import WaveField

__all__ = ["demo"]

# Pictures per second: half of the samples' frame rate, so that drawing without a graphics card is fast.
FILM_RATE = 30.0


@click.command()
@click.argument("name", metavar="[SAMPLE]", default="sawing")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", default=Path("out"),
    show_default=True, help="Folder to write into; created if missing.",
)  # fmt: skip
@click.option("--film/--no-film", default=True, show_default=True, help="Also write a picture and a film.")
@click.option(
    "--size",
    type=PictureSize(),
    default="768x448",
    show_default=True,
    help="Size of the film; the picture is twice as large.",
)
@parameter_options
@output_options
def demo(
    name: str, output: Path, film: bool, size: tuple[int, int], as_json: bool, quiet: bool, **parameters: Any
) -> None:
    """Run a packaged sample: a table, pictures, the arrays and a film.

    Writes DIR/SAMPLE_labels.png, a strip of the liveliest frames with labels above, compression and wrinkles below; and
    DIR/SAMPLE.npz, the arrays of 'ruckle run'. If the machine can draw, it also writes the coarse mesh next to wrinkle
    paths and waves: DIR/SAMPLE.png, the frame that shows most wrinkles, and the film DIR/SAMPLE.mp4.
    """
    source = Source(name, {})
    if not source.is_sample:
        path = as_path(name)
        raise ValueError(f"{path}: the demo runs samples; for a file: ruckle run {path} -o RUN.npz --picture STRIP.png")
    output.mkdir(parents=True, exist_ok=True)
    animation, voice = source.open(), Voice(as_json, quiet)
    job = Job(animation, parameters, output / f"{name}.npz", picture=output / f"{name}_labels.png")
    value = job.perform(voice)
    value["before_after"] = _film(animation, output / name, parameters, size, voice) if film else []
    voice.report(value)


def _film(
    animation: Animation, path: Path, parameters: dict[str, Any], size: tuple[int, int], voice: Voice
) -> list[str]:
    """Write PATH.png and PATH.mp4, and return their names.

    If the machine cannot draw, print the reason, and return the files written so far.
    """
    shot = Shot(size, before_after=True, others=("waves",))
    large = replace(shot, size=(2 * size[0], 2 * size[1]))
    layer, body = Wrinkler.for_animation(animation, **parameters), sample_body(animation.name)
    waves = WaveField.for_animation(animation, r_min=parameters["r_min"], threads=parameters["threads"])
    reels = (
        Reel(animation, path.with_suffix(".png"), large, layer, parameters, body=body, others=[waves]),
        Reel(animation, path.with_suffix(".mp4"), shot, layer, parameters, rate=FILM_RATE, body=body, others=[waves]),
    )
    written: list[str] = []
    for reel in reels:
        try:
            value = reel.perform(voice)
        except (ModuleNotFoundError, GraphicsError) as missing:
            voice.say(f"film     none: {missing}")
            break
        written.append(value["output"])
    return written
