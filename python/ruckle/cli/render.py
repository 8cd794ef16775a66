"""`ruckle render`: draw the wrinkled cloth of an animation into a film or a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import click

from ruckle.arguments import positive_number
from ruckle.cli.body import body_option, dyed, open_body, with_beside, without_colors
from ruckle.cli.console import Voice, output_options
from ruckle.cli.layers import Additions, cloth_layer, layer_options
from ruckle.cli.notes import looped_noting, note_emptiness, open_noting
from ruckle.cli.parameters import FrameRange, loop_option, parameter_options, rest_option
from ruckle.cli.reel import Reel
from ruckle.cli.source import Source, check_outputs, source_options
from ruckle.film import VIEWS, Shot, picture_size
from ruckle.film.writing import is_still
from ruckle.loop import Loop
from ruckle.scene.detail import Detail
from ruckle.scene.modes import ModeName
from ruckle.surface.surface import Base

__all__ = ["render"]

# Maximum side length in pixels that PNG, GIF, H.264 and all drivers support.
LARGEST_SIDE = 8192


class PictureSize(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """Width and height in pixels, as text WIDTHxHEIGHT."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the width and height in a text."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d+)x(\d+)", value, re.ASCII)
        width, height = map(int, match.groups()) if match else (0, 0)
        if not (2 <= width <= LARGEST_SIDE and 2 <= height <= LARGEST_SIDE):
            self.fail(f"expected WIDTHxHEIGHT from 2x2 to {LARGEST_SIDE}x{LARGEST_SIDE}, got '{value}'", param, ctx)
        return width, height


class View(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """Direction of the camera: a name, or azimuth and elevation in degrees."""

    name = "VIEW|AZIMUTH,ELEVATION"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | tuple[float, float]:
        """Return the name or the two angles in a text."""
        number = r"\s*([+-]?\d+(?:\.\d*)?)\s*"
        match = re.fullmatch(f"{number},{number}", value, re.ASCII)
        if match:
            azimuth, elevation = map(float, match.groups())
            if abs(elevation) <= 89:
                return azimuth, elevation
        if value not in VIEWS:
            views = ", ".join(VIEWS)
            self.fail(
                f"expected {views} or AZIMUTH,ELEVATION in degrees (elevation within ±89), got '{value}'", param, ctx
            )
        name: str = value
        return name


class DetailLevel(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """Level of detail: a fraction of full detail, or "distance" for detail that is visible from the camera."""

    name = "0..1|distance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Detail:
        """Return the number or the word; the renderer checks the range of the number."""
        if value == "distance":
            return "distance"
        try:
            return float(value)
        except ValueError:
            self.fail(f"expected a number from 0 to 1, or distance, got '{value}'", param, ctx)


@click.command()
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="FILM",
    help="File or folder to write: .mp4, .gif, .png, 'frames/shirt_*.png' or a folder for PNG files.",
)  # fmt: skip
@click.option(
    "--size", type=PictureSize(),
    help="Width and height in pixels.  [default: 720x960, 840x840 or 960x720, the one that the wearer fills best]",
)  # fmt: skip
@click.option(
    "--mode",
    type=click.Choice(get_args(ModeName)),
    default="shaded",
    show_default=True,
    help="Appearance of the cloth, or the quantity that its colours show.",
)
@click.option(
    "--camera", type=View(), default="folds", show_default=True, metavar="VIEW",
    help=f"Direction of the camera: {', '.join(VIEWS)} or AZIMUTH,ELEVATION in degrees.",
)  # fmt: skip
@click.option(
    "--turn", type=float,
    help="Angle by which the camera moves around the garment, degrees.  [default: 7 per second, at most 28; "
    "pictures: 0]",
)  # fmt: skip
@click.option("--frame", type=int, help="PNG: number of the frame.  [default: the frame that shows most wrinkles]")
@click.option("--frames", type=FrameRange(), help="Show frames A to B - 1 only; the frames before A are also computed.")
@click.option("--speed", type=float, default=1.0, help="Speed of the film: 0.5 is half as fast.")
@click.option("--rate", type=float, help="Largest number of pictures per second.  [default: 60, GIF: 30]")
@click.option("--before-after", is_flag=True, help="Show the coarse mesh and the wrinkled cloth side by side.")
@click.option(
    "--titles/--no-titles", default=True, show_default=True, help="Write captions over both sides of --before-after."
)
@click.option(
    "--base", type=click.Choice(get_args(Base)), default="curved", show_default=True,
    help="Surface below the wrinkles: a smooth surface through the vertices, or the coarse triangles.",
)  # fmt: skip
@click.option(
    "--detail", type=DetailLevel(), default="distance", show_default=True,
    help="Subdivision of the cloth: 0 draws the coarse mesh, 1 full detail, distance as much as the pixels can show.",
)  # fmt: skip
@body_option
@source_options
@layer_options()
@parameter_options
@rest_option
@loop_option
@output_options
def render(
    source: Source,
    output: Path,
    size: tuple[int, int] | None,
    mode: ModeName,
    camera: str | tuple[float, float],
    turn: float | None,
    frame: int | None,
    frames: slice | None,
    speed: float,
    rate: float | None,
    before_after: bool,
    titles: bool,
    base: Base,
    detail: Detail,
    colors: bool | None,
    bodies: tuple[str, ...],
    beside: Path | None,
    additions: Additions,
    loop: Loop,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Draw an animation's wrinkled cloth into a film or a picture.

    FILE and SAMPLE are those of 'ruckle run'. The film plays at the animation's own rate times --speed; beyond --rate
    pictures per second, frames are left out. The file appears under its name when it is complete.
    """
    check_outputs(source, output)
    positive_number("speed", speed)
    if rate is not None:
        positive_number("rate", rate)
    if frame is not None and not is_still(output):
        raise ValueError(f"frame: one frame is a picture, {output} is a film; for part of a film: --frames A:B")
    voice = Voice(as_json, quiet)
    animation = open_noting(source, voice)
    material = additions.worn_look(animation.height)
    body = open_body(source, bodies, animation)
    # a look replaces only the colours of the cloth; --no-colors also removes those of masked faces and of the body
    if colors is False:
        animation = without_colors(animation)
        body = None if body is None else without_colors(body)
    elif colors is None and additions.is_dyed:
        animation = dyed(animation)
    layer = looped_noting(cloth_layer(animation, parameters, additions, body), animation, loop, voice)
    body = with_beside(additions.worn_by(animation, body), beside, animation, material)
    if size is None:
        every = range(animation.frame_count)
        # if the frames do not exist, use all frames here; `Reel` raises the error
        shown = every[frames or slice(None)] if frame is None else every[frame : frame + 1]
        width, height = picture_size(animation, shown or every, view=camera, body=body)
        size = (2 * width if before_after else width, height)
    shot = Shot(size, mode, camera, turn, before_after, base, detail, material, titles=titles)
    reel = Reel(animation, output, shot, layer, parameters, frames or slice(None), frame, speed, rate, body)
    voice.report(reel.perform(voice))
    # do not explain missing wrinkles in a frame that the user has chosen by number: they may be intended
    if frame is None:
        note_emptiness(voice, animation, reel.findings, parameters)
