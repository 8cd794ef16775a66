"""`ruckle upsample`: write the fine mesh of coarse cloth."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from ruckle.arguments import MOST_THREADS
from ruckle.cli.console import Voice, output_options
from ruckle.cli.notes import open_noting
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.io import save
from ruckle.mesh.animation import Animation
from ruckle.upsampling.model import load_model
from ruckle.upsampling.upsampler import Upsampler

__all__ = ["upsample"]


@click.command()
@click.option(
    "--model", "-m", required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="NAME.upsampling.npz", help="Model that 'ruckle train' has made for this mesh.",
)  # fmt: skip
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="FINE",
    help="File to write: .npz, .pc2 or .mdd.",
)  # fmt: skip
@click.option(
    "--gain",
    type=float,
    default=1.0,
    show_default=True,
    help="Multiplies the amplitude of free oscillations, such as those of flags.",
)
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), default=1, show_default=True)
@source_options
@output_options
def upsample(source: Source, model: Path, output: Path, gain: float, threads: int, as_json: bool, quiet: bool) -> None:
    """Write the fine mesh of an animation's coarse cloth.

    FILE and SAMPLE are those of 'ruckle run'. In every frame, the fine mesh is a constant matrix times the coarse mesh,
    plus oscillations and the detail of a network if the model has them. 'ruckle render --upsample' draws it, with
    wrinkles and patterns on it.
    """
    check_outputs(source, output)
    voice = Voice(as_json, quiet)
    coarse = open_noting(source, voice)
    layer = Upsampler.for_animation(coarse, load_model(model), threads=threads)
    positions = np.empty((coarse.frame_count, layer.model.fine_count, 3), np.float32)
    milliseconds = np.empty(coarse.frame_count)
    with voice.progress(f"upsampling {coarse.name}", coarse.frame_count) as advance:
        for k, frame in enumerate(coarse.positions):
            found = layer.step(frame, 1.0 / coarse.fps, gain=gain)
            positions[k], milliseconds[k] = found.fine_positions, found.timings["total"]
            advance(1)
    fine = Animation(
        positions, layer.model.fine_faces, fps=coarse.fps, name=f"{coarse.name}_fine", height=coarse.height
    )
    save(fine, output)
    typical = float(np.median(milliseconds))
    voice.say(f"{coarse.frame_count} frames of {fine.vertex_count} vertices, {typical:.3f} ms each")
    voice.say(f"written  {output}")
    voice.report(
        {"output": str(output), "frames": coarse.frame_count, "vertices": fine.vertex_count, "milliseconds": typical}
    )
