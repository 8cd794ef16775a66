"""The options that decide what a run finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, get_args

import click

from ruckle.field.label import Method
from ruckle.mesh.animation import Animation
from ruckle.sweeps.axes import LENGTHS, PARAMETERS

__all__ = ["DEFAULTS", "HELP", "FrameRange", "cut", "parameter_options"]

Function = TypeVar("Function", bound=Callable[..., Any])

HELP = {
    "r_min": "Least radius of a wrinkle, in mesh units or as a share of the height.",
    "tau": "Compression above which wrinkles form, above 1: smaller for thin fabrics.",
    "grow_tau": "Compression above which a wrinkle goes on, in (1, tau].  [default: half way from 1 to tau]",
    "seed": "Of the random points where wrinkles begin.",
    "least_length": "Shorter wrinkles are not born; as r_min.  [default: 6 r_min]",
    "path_alpha": "How much paths follow the field, per 1/30 s.",
    "straightness": "How much paths straighten, per 1/30 s.",
    "length_change": "Largest share by which a wrinkle grows or shrinks per 1/30 s.",
    "aspect": "Length, in widths, from which a wrinkle has its full size.",
    "fade_in": "Seconds in which a new wrinkle rises.",
    "fade_out": "Seconds in which a wrinkle without compression sinks.",
    "coherent": "Keep wrinkles alive, or trace anew in every frame.",
    "sigma": "Width of the rest label's well, in units of stretch.",
    "alpha": "Decay of the cost of a label that does not dominate.",
    "beta": "Decay of the cost of a label that does.",
    "method": "How labels are found.",
    "relaxation": "Reference update per 1/30 s, 0 to 1.",
    "threads": "Threads of a step; the result is the same for any number.",
}

# lengths are words: a number of mesh units, or a percentage

DEFAULTS: dict[str, Any] = {name: PARAMETERS[name] for name in HELP} | {"r_min": str(PARAMETERS["r_min"])}
"""The values that `Wrinkler.for_animation` takes by itself."""


class FrameRange(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """A range of frames as in Python: A:B without B; either may be left out, and negative counts from the end."""

    name = "A:B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> slice:
        """Return the slice that a text means."""
        match = re.fullmatch(r"(-?\d+)?:(-?\d+)?", value, re.ASCII)
        if match is None:
            self.fail(f"expected A:B, such as 10:90, :60 or -30:, got '{value}'", param, ctx)
        start, stop = (None if bound is None else int(bound) for bound in match.groups())
        return slice(start, stop)


def parameter_options(function: Function) -> Function:
    """Add the options of a run to a command, which gets them as keyword arguments."""
    for name, text in reversed(HELP.items()):
        default = DEFAULTS[name]
        word = f"--{name.replace('_', '-')}"
        if name == "coherent":
            option = click.option("--coherent/--independent", default=default, show_default=True, help=text)
        elif name == "method":
            option = click.option(
                word, type=click.Choice(get_args(Method)), default=default, show_default=True, help=text
            )
        else:
            kind = str if name in LENGTHS else float if default is None else type(default)
            metavar = "LENGTH" if name in LENGTHS else None
            option = click.option(
                word, type=kind, default=default, show_default=default is not None, metavar=metavar, help=text
            )
        function = option(function)
    return function


def cut(animation: Animation, frames: slice | None) -> tuple[Animation, int]:
    """Return the frames of an animation that a range selects, and the number of the first.

    Raises
    ------
    ValueError
        The range selects no frame.
    """
    if frames is None:
        return animation, 0
    start, stop, _ = frames.indices(animation.frame_count)
    if start >= stop:
        bounds = ":".join("" if bound is None else str(bound) for bound in (frames.start, frames.stop))
        raise ValueError(f"frames: {bounds} selects none of the {animation.frame_count} frames")
    return replace(animation, positions=animation.positions[start:stop]), start
