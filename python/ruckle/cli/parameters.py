"""The options that decide what a run finds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, get_args

import click

from ruckle.animation import Animation
from ruckle.stages import Method
from ruckle.wrinkler import Wrinkler

__all__ = ["DEFAULTS", "FrameRange", "cut", "parameter_options"]

Function = TypeVar("Function", bound=Callable[..., Any])

HELP = {
    "sigma": "Width of the rest label's well, in units of stretch.",
    "alpha": "Decay of the cost of a label that does not dominate.",
    "beta": "Decay of the cost of a label that does.",
    "method": "How labels are found.",
    "relaxation": "Reference update per 1/30 s, 0 to 1.",
    "threads": "Threads of a step; the result is the same for any number.",
}

DEFAULTS: dict[str, Any] = {
    name: parameter.default for name, parameter in inspect.signature(Wrinkler).parameters.items() if name in HELP
}
"""The values that `Wrinkler` takes by itself."""


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
        kind = click.Choice(get_args(Method)) if name == "method" else type(DEFAULTS[name])
        function = click.option(f"--{name}", type=kind, default=DEFAULTS[name], show_default=True, help=text)(function)
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
