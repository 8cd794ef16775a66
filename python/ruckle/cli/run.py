"""`ruckle run`: write the arrays of a run over an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ruckle.cli.console import Voice, output_options
from ruckle.cli.job import Job
from ruckle.cli.layers import Additions, layer_options
from ruckle.cli.notes import open_noting
from ruckle.cli.parameters import FrameRange, cut, loop_option, parameter_options, rest_option
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.loop import Loop

__all__ = ["run"]


@click.command()
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="RUN.npz", help="File to write."
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    metavar="STRIP.png",
    help="Also draw the frames whose wrinkles change most, as one picture.",
)
@click.option(
    "--lines",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE.usdc",
    help="Also write the wrinkles as curves: a folder of one OBJ file per frame, or .usda, .usdc, .usd.",
)
@click.option(
    "--frames",
    type=FrameRange(),
    help="Run frames A to B - 1 only, as if the animation began at A: wrinkles start from the shape in frame A.",
)
@click.option("--all", "everything", is_flag=True, help="Also write the two largest arrays, reference and axis.")
@source_options
@layer_options(always_paths=True)
@parameter_options
@rest_option
@loop_option
@output_options
def run(
    source: Source,
    output: Path,
    picture: Path | None,
    lines: Path | None,
    frames: slice | None,
    everything: bool,
    additions: Additions,
    loop: Loop,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Run an animation and write the results, frame by frame.

    FILE is an animation that ruckle.load reads, such as .npz, .glb or .usd, a folder of .obj or .ply, or a pattern such
    as 'frames/shirt_*.obj'; SAMPLE is one of the packaged animations.

    RUN.npz contains, for F frames and T triangles: labels (F, T), 0 compression, 1 rest, 2 stretch; compression (F,
    T), 1 is none; with --all axis (F, T, 2) of the compression and reference (F, T, 2, 2), in 2D coordinates of each
    triangle; positions, faces, fps, height, name and uv of the animation, so that other commands can read the file;
    parameters as JSON, version and source_hash; and the wrinkles as ragged arrays: wrinkle_frame_offsets (F + 1),
    wrinkles with their ids, ages and more, wrinkle_point_offsets, wrinkle_points, wrinkle_widths, wrinkle_heights
    and more per vertex. Python reads it with ruckle.load_run; ruckle.io.results lists every array. With --upsample
    or --poses, fine_positions (F, N, 3) and fine_faces are the fine mesh, and wrinkles fold only the remaining
    compression. With --pattern, pattern_factors (F, V, K) are the factors of the patterns. With --waves,
    wave_vertices (F, V, 6) are covector, phases and amplitude of each vertex.
    """
    check_outputs(source, output, picture, lines)
    voice = Voice(as_json, quiet)
    animation, first_frame = cut(open_noting(source, voice), frames)
    outputs: dict[str, Any] = {"picture": picture, "lines": lines, "everything": everything, "loop": loop}
    job = Job(animation, parameters, output, first_frame=first_frame, additions=additions, **outputs)
    voice.report(job.perform(voice))
