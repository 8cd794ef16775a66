"""`ruckle export`: an animation in, its wrinkled surface out as meshes or maps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click

from ruckle.arguments import length
from ruckle.cli.console import Voice, output_options
from ruckle.cli.layers import Additions, cloth_layer, layer_options
from ruckle.cli.notes import Findings, looped_noting, note_emptiness, note_size, open_noting
from ruckle.cli.parameters import FrameRange, cut, loop_option, parameter_options, rest_option
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.io.fine import Form, fine_writer
from ruckle.loop import Loop
from ruckle.stack import step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import HeightFrame
from ruckle.surface.surface import Base

__all__ = ["export"]


@click.command()
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path),
    metavar="DIR|FILE.pc2|FILE.mdd|FILE.glb|FILE.usdc",
    help="Folder of one file per frame, or the file to write.",
)  # fmt: skip
@click.option(
    "--form", type=click.Choice(get_args(Form)), default="obj", show_default=True,
    help="Files in a folder: OBJ or binary PLY meshes, height and normal maps over texture space, or vertex "
    "animation textures.",
)  # fmt: skip
@click.option(
    "--base", type=click.Choice(get_args(Base)), default="curved", show_default=True,
    help="Base of the wrinkles: flat triangles, or a smooth surface through the vertices.",
)  # fmt: skip
@click.option("--edge-length", metavar="LENGTH", help="Length of fine edges.  [default: half of r_min]")
@click.option(
    "--fixed/--adaptive", default=None,
    help="The same fine faces in all frames, or few in areas of a frame without wrinkles.  [default: as the format "
    "needs]",
)  # fmt: skip
@click.option("--map-size", type=int, default=1024, show_default=True, help="Texels along each side of a map.")
@click.option(
    "--tension", is_flag=True,
    help="Also write compression (red) and stretch (green) of the cloth: PLY and USD colours, or a map.",
)  # fmt: skip
@click.option(
    "--frames", type=FrameRange(), help="Export these frames only, B excluded; wrinkles begin with the animation."
)
@source_options
@layer_options
@parameter_options
@rest_option
@loop_option
@output_options
def export(
    source: Source,
    output: Path,
    form: Form,
    base: Base,
    edge_length: str | None,
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
    """Write the wrinkled surface as fine meshes or baked maps.

    The output decides the format: a folder for one OBJ or PLY file per frame, or for baked maps in OpenEXR (--form);
    .pc2 or .mdd for a point cache, with its mesh in an .obj of the same name; .usda, .usdc or .usd; .glb for a fine
    mesh with a morph target per frame, which engines play. Meshes begin with the animation's own vertices in their
    order (GLB and textures split them at seams) and keep its texture coordinates. Caches, GLB, USD and vertex animation
    textures have the same fine faces in every frame, divided along every wrinkle of any frame; others have them with
    --fixed.
    """
    check_outputs(source, output)
    voice = Voice(as_json, quiet)
    whole = open_noting(source, voice)
    animation, first_frame = cut(whole, frames)
    layer = looped_noting(cloth_layer(whole, parameters, additions), whole, loop, voice)
    stop, findings = first_frame + animation.frame_count, Findings()

    def frames_to_export(doing: str) -> Iterator[LayerFrame]:
        """Run the animation from its beginning and yield each frame to export."""
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
    ) as writer:  # fmt: skip
        if writer.fixed and fixed is False:
            raise ValueError(f"adaptive: {output.suffix} files have the same faces in every frame")
        if writer.fixed or fixed:
            writer.fix(frames_to_export("looking for wrinkles in"))
        highest = 0.0
        for frame in frames_to_export("exporting"):
            surface = writer.append(frame)
            highest = max([highest, *(part.highest for part in frame.parts if isinstance(part, HeightFrame))])
        writer.finish()
    edges = surface.edge_length
    found = {"output": str(output), "frames": animation.frame_count, "edge_length": edges}
    voice.report({**found, "highest": highest, "first_frame": first_frame})
    voice.say(f"{animation.frame_count} frames, fine edges of {edges:.3g}, folds up to {highest:.3g}")
    voice.say(f"written  {output}")
    note_emptiness(voice, whole, findings, parameters["tau"])
    note_size(voice, output, edges)
