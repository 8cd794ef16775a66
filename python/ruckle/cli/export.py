"""`ruckle export`: write the wrinkled surface of an animation as meshes or maps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from ruckle.arguments import length
from ruckle.cli.console import Voice, output_options
from ruckle.cli.layers import Additions, cloth_layer, layer_options
from ruckle.cli.notes import Findings, looped_noting, note_emptiness, note_overlap, note_size, open_noting
from ruckle.cli.parameters import FrameRange, cut, loop_option, parameter_options, rest_option
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.io.fine import FineWriter, Form, Original, fine_writer
from ruckle.io.fine_glb import MorphError
from ruckle.loop import Loop
from ruckle.mesh.animation import Animation
from ruckle.stack import step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import HeightFrame
from ruckle.surface.surface import FineBase

__all__ = ["export"]


# Without --budget, engine formats may have at least this number of fine vertices per coarse vertex. A smaller number
# would leave no vertices for folds on meshes with many vertices.
LEAST_GROWTH = 2


class VertexCount(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """Number of vertices as text: 50000, 50k or 1.5M."""

    name = "COUNT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of vertices in a text such as "50k"."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmM]?)", value, re.ASCII)
        count = int(float(match[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()]) if match else 0
        if count < 1:
            self.fail(f"expected a number of vertices, such as 50000 or 50k, got '{value}'", param, ctx)
        return count


@click.command()
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path),
    metavar="DIR|FILE.pc2|FILE.mdd|FILE.glb|FILE.usdc",
    help="Folder of one file per frame, or the file to write.",
)  # fmt: skip
@click.option(
    "--form", type=click.Choice(get_args(Form)), default="obj", show_default=True,
    help="Files in a folder: OBJ or binary PLY meshes, height and normal maps (OpenEXR) over texture space, normal "
    "maps for engines (PNG), or vertex animation textures.",
)  # fmt: skip
@click.option(
    "--base", type=click.Choice(get_args(FineBase)),
    help="Surface below the wrinkles: flat triangles, a curved surface through the vertices, as in pictures, or a "
    "smooth surface near them, on which programs that compute normals do not show coarse edges.  [default: curved; "
    "smooth for point caches and .glb, because programs compute their normals]",
)  # fmt: skip
@click.option("--edge-length", metavar="LENGTH", help="Length of fine edges.  [default: half of r_min]")
@click.option(
    "--budget", "vertices", type=VertexCount(), metavar="COUNT",
    help="Largest number of vertices of the fine mesh, such as 50k; folds get more of them than smooth cloth, and all "
    "frames have the same faces.  [default: 20k for .glb, 10k for vertex animation textures, at least twice the coarse "
    "vertices]",
)  # fmt: skip
@click.option(
    "--fixed/--adaptive", default=None,
    help="Use the same fine faces in all frames, or fewer faces in areas of a frame without wrinkles.  [default: as "
    "the format requires]",
)  # fmt: skip
@click.option("--map-size", type=int, default=1024, show_default=True, help="Texels along each side of a map.")
@click.option(
    "--tension", is_flag=True,
    help="Also write compression (red) and stretch (green) of the cloth: PLY and USD colours, or a map.",
)  # fmt: skip
@click.option(
    "--frames", type=FrameRange(), help="Export frames A to B - 1 only; wrinkles still start at the first frame."
)
@source_options
@layer_options()
@parameter_options
@rest_option
@loop_option
@output_options
def export(
    source: Source,
    output: Path,
    form: Form,
    base: FineBase | None,
    edge_length: str | None,
    vertices: int | None,
    fixed: bool | None,
    map_size: int,
    tension: bool,
    frames: slice | None,
    additions: Additions,
    loop: Loop,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Write the wrinkled cloth for engines and other programs.

    The output decides the format. For engines: .glb for a copy of the character's file with a fine mesh and at most 32
    morph targets, animated in the same clip; a folder for normal maps (--form normals) or vertex animation textures
    (--form vat). For other programs: a folder for one OBJ or PLY file per frame, or for maps in OpenEXR; .pc2 or .mdd
    for a point cache, with its mesh in an .obj of the same name; .usda, .usdc, .usd or .abc. Meshes begin with the
    animation's own vertices in their order (GLB and textures split them at seams, point caches omit those without a
    face), and keep texture coordinates, materials and colours. Caches, GLB, USD, Alembic and vertex animation textures
    have the same fine faces in every frame, subdivided along the wrinkles of all frames; other formats have this with
    --fixed or --budget.
    """
    check_outputs(source, output)
    voice = Voice(as_json, quiet)
    whole = open_noting(source, voice)
    animation, first_frame = cut(whole, frames)
    layer = looped_noting(cloth_layer(whole, parameters, additions), whole, loop, voice)
    stop, findings = first_frame + animation.frame_count, Findings()

    def frames_to_export(doing: str) -> Iterator[LayerFrame]:
        """Run the animation from its first frame, and yield each frame to export."""
        layer.reset()
        with voice.progress(f"{doing} {animation.name}", stop) as advance:
            for k in range(stop):
                frame = step_frame(layer, whole, k)
                findings.add(frame)
                advance(1)
                if k >= first_frame:
                    yield frame

    length_given = None if edge_length is None else length(edge_length, animation.height, "edge_length")
    with fine_writer(
        output, animation, form=form, first_frame=first_frame, map_size=map_size, base=base, edge_length=length_given,
        parameters=parameters, tension=tension, threads=parameters["threads"],
        original=None if source.is_sample else Original(Path(source.name), source.options),
    ) as writer:  # fmt: skip
        if writer.fixed and fixed is False:
            raise ValueError(f"adaptive: {output.suffix} files have the same faces in every frame")
        if vertices is not None and fixed is False:
            raise ValueError("adaptive: --budget needs the same faces in every frame; leave out --adaptive or --budget")
        budget = vertices
        if vertices is None and edge_length is None and writer.budget is not None:
            budget = max(writer.budget, LEAST_GROWTH * animation.vertex_count)
        count = None
        if writer.fixed or fixed or budget is not None:
            count = writer.fix(frames_to_export("looking for wrinkles in"), budget=budget)
        say_size(voice, output, writer, animation, count)
        note_overlap(voice, animation.name, writer.overlap)
        highest = 0.0
        for frame in frames_to_export("exporting"):
            surface = writer.append(frame)
            highest = max([highest, *(part.highest for part in frame.parts if isinstance(part, HeightFrame))])
        writer.finish()
    edges, error = surface.edge_length, writer.error
    found = {"output": str(output), "frames": animation.frame_count, "edge_length": edges}
    if error is not None:
        found["morph_error"] = asdict(error)
    voice.report({**found, "highest": highest, "first_frame": first_frame})
    voice.say(f"{animation.frame_count} frames, fine edges of {edges:.3g}, folds up to {highest:.3g}")
    if error is not None:
        voice.say(say_error(error, animation.height))
    voice.say(f"written  {output}")
    note_emptiness(voice, whole, findings, parameters)
    note_size(voice, output, edges)


def say_size(voice: Voice, output: Path, writer: FineWriter, animation: Animation, count: int | None) -> None:
    """Print the estimated size of the output, before it is written; a lower bound if `count` is None."""
    frames = animation.frame_count
    if count is None:
        count = writer.smooth_vertex_count(animation)
        size = writer.size(count, frames)
        voice.say(f"{output}: {frames} frames of {count:,} vertices, more at wrinkles: at least {size / 1e6:,.1f} MB")
    else:
        size = writer.size(count, frames)
        voice.say(f"{output}: {frames} frames of {count:,} vertices, about {size / 1e6:,.1f} MB")


def say_error(error: MorphError, height: float) -> str:
    """Return a sentence about the error of morph targets, in percent of the character's height."""
    mean, largest = (100.0 * gap / height for gap in (error.mean_square, error.largest))
    return (
        f"{error.targets} morph targets: error {mean:.2g} % of the height (root mean square), at most {largest:.2g} %; "
        f"normals {error.normal_angle:.2g} degrees"
    )
