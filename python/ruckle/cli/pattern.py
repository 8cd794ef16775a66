"""`ruckle pattern`: make patterns of wrinkles for an animation, as a file and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from ruckle.cli.console import Voice, output_options
from ruckle.cli.notes import open_noting
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.film.writing import drawing_packages
from ruckle.mesh.animation import Animation
from ruckle.offline.patterns.sources import animation_patterns
from ruckle.patterns.cells import determinant
from ruckle.patterns.files import save_patterns
from ruckle.patterns.modulation import pattern_moments
from ruckle.patterns.modulator import Modulator
from ruckle.patterns.pattern import Pattern

__all__ = ["pattern"]

# Preview of a pattern: size in pixels, and root mean square slope of the drawn heights.
PREVIEW_SIZE = (640, 720)
PREVIEW_SLOPE = 0.5

# A pattern covers a triangle with folds if the mean squared slope there exceeds this fraction of the pattern's mean.
COVERED = 0.1


@click.command()
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="NAME.pattern.npz",
    help="Pattern file to write; other commands read it with --pattern.",
)  # fmt: skip
@click.option(
    "--from", "sources", multiple=True, default=("noise",), show_default="noise", metavar="FILE|paths|noise|strokes",
    help="Source of a pattern: a grey image in UV space, a pattern file, the wrinkles of some frames (paths), waves "
    "(noise), or single folds (strokes: two patterns that cross); at most four patterns.",
)  # fmt: skip
@click.option("--wavelength", metavar="LENGTH", default="2.5%", show_default=True, help="Mean distance between folds.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of noise and strokes.")
@click.option(
    "--preview", type=click.Path(path_type=Path), metavar="PICTURE.png",
    help="Also draw the patterns side by side, each on the cloth at rest.",
)  # fmt: skip
@source_options
@output_options
def pattern(
    source: Source,
    output: Path,
    sources: tuple[str, ...],
    wavelength: str,
    seed: int,
    preview: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make patterns of wrinkles for an animation's cloth, and preview them.

    FILE and SAMPLE are those of 'ruckle run'. Patterns are heights at fixed points of the cloth; 'ruckle render
    --pattern' and similar options scale them in each frame so that the cloth keeps its area.
    """
    check_outputs(source, output, preview)
    voice = Voice(as_json, quiet)
    animation = open_noting(source, voice)
    made = animation_patterns(animation, sources, wavelength=wavelength, seed=seed)
    save_patterns(made, output)
    if preview is not None:
        _draw(animation, made, preview)
    told = _told(made)
    for row in told:
        voice.say(f"{output}: {row['name']}, folds over {100 * row['covers']:.0f} % of the cloth")
    voice.report({"output": str(output), "nodes": len(made[0].grid.faces), "patterns": told})


def _told(made: list[Pattern]) -> list[dict[str, Any]]:
    """Return the name of each pattern, and the fraction of the cloth that it covers with folds."""
    moments = pattern_moments(made[0].grid, np.stack([one.heights for one in made]))
    areas = np.sqrt(determinant(moments.rest))
    covered = np.average(moments.square_slopes > COVERED * moments.core.mean_square, axis=0, weights=areas)
    return [{"name": one.name, "covers": round(float(share), 3)} for one, share in zip(made, covered, strict=True)]


def _draw(animation: Animation, made: list[Pattern], picture: Path) -> None:
    with drawing_packages():
        from ruckle.film.pictures import PictureWriter
        from ruckle.scene.renderer import Renderer
    width, height = PREVIEW_SIZE
    with Renderer(width, height, up=animation.up) as renderer:
        frames = [Modulator([one], rest_slope=PREVIEW_SLOPE).step(one.grid.rest) for one in made]
        pictures = [renderer.render(frame) for frame in frames]
    with PictureWriter(picture) as writer:
        writer.append(np.concatenate(pictures, axis=1))
        writer.finish()
