"""Command-line options that affect the result of a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from ruckle.loop import LOOPS
from ruckle.mesh.animation import Animation
from ruckle.parameters import Parameter
from ruckle.paths.parameters import DEFAULTS, PARAMETERS
from ruckle.settings import load_settings

__all__ = ["SHARED", "FrameRange", "cut", "loop_option", "parameter_option", "parameter_options", "rest_option"]

Function = TypeVar("Function", bound=Callable[..., Any])

# parameters of paths that other layers also use
SHARED = ("r_min", "threads")

# flag parameters, and for each the option that sets the flag to false
OPPOSITES = {"coherent": "--independent"}


class FrameRange(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """A range of frames as in Python: A:B excludes B. A or B may be omitted; negative numbers count from the end."""

    name = "A:B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> slice:
        """Return the slice described by a text A:B."""
        match = re.fullmatch(r"(-?\d+)?:(-?\d+)?", value, re.ASCII)
        if match is None:
            self.fail(f"expected A:B, such as 10:90, :60 or -30:, got '{value}'", param, ctx)
        start, stop = (None if bound is None else int(bound) for bound in match.groups())
        return slice(start, stop)


def take_settings(context: click.Context, _parameter: click.Parameter, path: Path | None) -> None:
    """Use the values of a settings file as defaults of the other options."""
    if path is not None:
        settings = load_settings(path)
        waves = {name if name in SHARED else f"wave_{name}": value for name, value in settings.waves.items()}
        said = {**waves, **settings.paths, **settings.patterns, **dict.fromkeys(settings.layers, True)}
        if settings.look is not None:
            said["look"] = settings.look
        if settings.mask:
            said["mask"] = list(settings.mask)
        if "pattern" in said:
            said["sources"] = said.pop("pattern")
        context.default_map = {**(context.default_map or {}), **said}


def parameter_options(function: Function) -> Function:
    """Add --settings and one option per parameter of wrinkle paths (except matrices) to a command.

    The command receives the parameters as keyword arguments. --settings is a file that sets the defaults of options.
    """
    function = click.option(
        "--settings",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="NAME.toml",
        is_eager=True,
        expose_value=False,
        callback=take_settings,
        help="File of values for options that are not given; 'ruckle view' saves such a file.",
    )(function)
    for parameter in reversed([*PARAMETERS.values()]):
        if parameter.kind != "matrix":
            function = parameter_option(parameter, DEFAULTS[parameter.name])(function)
    return function


def rest_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add the option --rest to a command; the command receives `rest` only if the option is given."""

    @wraps(function)
    def command(rest: str | None, **given: Any) -> None:
        function(**given, **({} if rest is None else {"rest": rest}))

    return click.option(
        "--rest",
        type=click.Choice(["bind", "first"]),
        help="Pose without wrinkles: the file's bind pose or its first frame.  [default: bind, if the file has one]",
    )(command)


loop_option = click.option(
    "--loop",
    type=click.Choice(LOOPS),
    default="auto",
    show_default=True,
    help="Make wrinkles of the last frame continue in the first: auto does so if the animation repeats.",
)


def parameter_option(
    parameter: Parameter, default: object, *, passed: bool = True, prefix: str = ""
) -> Callable[[Function], Function]:
    """Return the option of one parameter. If `passed` is false, the command receives None in place of the default."""
    name = parameter.name
    word = f"--{prefix}{name.replace('_', '-')}"
    types = {"length": str, "integer": int, "choice": click.Choice(parameter.choices)}
    details: dict[str, Any] = {"type": types.get(parameter.kind, float)}
    if parameter.kind == "flag":
        word, details = f"{word}/{OPPOSITES[name]}", {}
    elif parameter.kind == "length":
        # the value is text, because it may be a number of mesh units or a percentage
        details["metavar"] = "LENGTH"
    unit = f" In {parameter.unit}." if parameter.unit in ("seconds", "widths") else ""
    said = f"  [default: {parameter.derived if default is None else default}]"
    return click.option(word, default=default if passed else None, help=f"{parameter.help}{unit}{said}", **details)


def cut(animation: Animation, frames: slice | None) -> tuple[Animation, int]:
    """Return the frames of an animation in a range, and the number of the first of these frames.

    Raises
    ------
    ValueError
        The range does not contain a frame.
    """
    if frames is None:
        return animation, 0
    start, stop, _ = frames.indices(animation.frame_count)
    if start >= stop:
        bounds = ":".join("" if bound is None else str(bound) for bound in (frames.start, frames.stop))
        raise ValueError(f"frames: {bounds} selects none of the {animation.frame_count} frames")
    return animation.cut(start, stop), start
