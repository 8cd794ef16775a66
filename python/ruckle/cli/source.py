"""The animation of a command: a file or a sample, with the options that select parts of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click

from ruckle.arguments import positive_number
from ruckle.errors import MissingFileError
from ruckle.io import FORMATS, load
from ruckle.io.gltf_contents import default_choice
from ruckle.io.masks import make_mask
from ruckle.io.obj_sequence import PRINTF, frame_files, is_pattern
from ruckle.io.samples import sample, samples
from ruckle.mesh.animation import Animation, Up

__all__ = ["SCENES", "Source", "as_path", "check_outputs", "number_or_name", "source_options", "sources_options"]

NAMES = ("mesh", "mask", "primitive", "animation", "motion", "fps", "height", "up", "budget")
SCENES = (".glb", ".vrm", ".gltf")
WITH_MESHES = (*SCENES, ".usd", ".usda", ".usdc", ".usdz", ".abc")
OPTIONS = (
    click.option(
        "--mesh",
        multiple=True,
        metavar="NAME|INDEX",
        help="glTF, USD: mesh to load, by its name, the name of its node, or its number; a pattern such as 'shirt*', "
        "or all; if repeated, the meshes are joined. PC2, MDD: the OBJ file.  [default: the cloth]",
    ),
    click.option(
        "--mask",
        multiple=True,
        metavar="TERMS",
        help="Parts that wrinkle, +NAME, and parts that keep their shape, -NAME, in order: patterns of meshes, "
        "materials and bones, colours such as -#c68642, files of numbers or grey images; all, none, or auto.  "
        "[default: auto]",
    ),
    click.option("--primitive", type=int, metavar="INDEX", help="glTF: one primitive of the mesh."),
    click.option("--animation", metavar="NAME|INDEX", help="glTF: animation, by name or number."),
    click.option("--motion", metavar="FILE", help="glTF: another file with the animation; nodes are matched by name."),
    click.option(
        "--fps",
        type=float,
        help="Frames per second: glTF and samples are resampled; for other files this is the rate of their frames.",
    ),
    click.option("--height", type=float, help="Height of the character, in mesh units."),
    click.option(
        "--up", type=click.Choice(get_args(Up)), help="The axis that points up, y or z, if the file does not define it."
    ),
    click.option(
        "--read-budget",
        "budget",
        type=float,
        metavar="TIMES",
        help="Multiply the limits of memory and time for reading by this factor, for a file that you trust.",
    ),
)


@dataclass(frozen=True)
class Source:
    """An animation on the command line, with the given options."""

    name: str  # path of a file, or name of a sample
    options: dict[str, Any]

    @property
    def is_sample(self) -> bool:
        """True for a sample; a file with the same name must be given as `./NAME`."""
        return self.name in samples()

    def open(self) -> Animation:
        """Load the animation.

        Raises
        ------
        FormatError, MeshError, ValueError
            See `ruckle.load`; also if the file or sample does not exist.
        """
        if not self.is_sample:
            if isinstance(self.options.get("mesh"), list) and Path(self.name).suffix.lower() not in WITH_MESHES:
                raise ValueError(f"mesh: only glTF and USD files contain several meshes, and {self.name} is neither")
            return load(as_path(self.name), **self.options)
        for option in self.options:
            if option not in ("fps", "height", "mask"):
                raise ValueError(
                    f"{option}: unknown option for the sample '{self.name}'; allowed are fps, height, mask"
                )
        animation = sample(self.name)
        if "height" in self.options:
            animation = replace(animation, height=positive_number("height", self.options["height"]))
        if "mask" in self.options:
            animation = animation.with_mask(make_mask(animation, self.options["mask"]))
        return animation.at_rate(self.options["fps"]) if "fps" in self.options else animation

    def has_option(self, option: str) -> bool:
        """Return True if the file's format supports an option of `ruckle.load`."""
        path = Path(self.name)
        form = FORMATS.get(".obj" if path.is_dir() else path.suffix.lower())
        return not self.is_sample and form is not None and option in form.options

    def choice(self) -> dict[str, tuple[list[str], int]]:
        """Return the names that `open` chooses automatically, by option, and the number of candidates.

        Empty for samples, files of other formats than glTF, and files without several meshes or animations.
        """
        path = Path(self.name)
        if self.is_sample or path.suffix.lower() not in SCENES:
            return {}
        picked = {name: self.options.get(name) for name in ("mesh", "animation", "motion")}
        return default_choice(path, **picked, budget=self.options.get("budget", 1.0))


def source_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the argument FILE|SAMPLE and its options to a command, which receives them as one `source`."""

    @wraps(function)
    def command(name: str, **others: Any) -> None:
        options = _given(others)
        function(source=Source(name, options), **others)

    return click.argument("name", metavar="FILE|SAMPLE")(_with_options(command))


def sources_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add one or more FILE|SAMPLE and common options to a command, which receives a list `sources`."""

    @wraps(function)
    def command(names: tuple[str, ...], **others: Any) -> None:
        options = _given(others)
        function(sources=[Source(name, options) for name in names], **others)

    return click.argument("names", metavar="FILE|SAMPLE...", nargs=-1, required=True)(_with_options(command))


def as_path(name: str) -> Path:
    """Return the path with this name. If it does not exist and is not a pattern, raise MissingFileError.

    The message suggests a file or a sample with a similar name.
    """
    path = Path(name)
    if path.exists() or is_pattern(path):
        return path
    # compare names without suffixes, because names with the same suffix always look similar
    files = {file.stem: f"'{file}'" for file in path.parent.glob("*") if file.suffix.lower() in FORMATS}
    # suggest samples only if the name does not have a folder or a suffix
    named = {} if path.parent != Path() or path.suffix else {name: f"the sample '{name}'" for name in samples()}
    reason = f"no such file{' or sample' if named else ''}"
    near = get_close_matches(path.stem, files | named, n=1)
    if near:
        raise MissingFileError(name, f"{reason}; did you mean {(files | named)[near[0]]}?")
    raise MissingFileError(name, f"{reason}; samples are {', '.join(named)}" if named else reason)


def check_outputs(source: Source, *outputs: Path | None) -> None:
    """Raise ValueError if an output would overwrite an input, or is a pattern for reading."""
    for output in outputs:
        if output is not None and PRINTF.search(output.name):
            raise ValueError(
                f"{output}: is a pattern for reading; to write numbered files, give a folder or a name with one '*'"
            )
        if output is None or source.is_sample or not output.exists():
            continue
        if any(file.exists() and output.samefile(file) for file in frame_files(as_path(source.name))):
            raise ValueError(f"{output}: is also the input, which would be overwritten")


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def _given(others: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of a source from `others`, the keyword arguments of a command.

    Return those options that were given.
    """
    given = {name: others.pop(name) for name in NAMES}
    mask = given.pop("mask")
    options = {name: _unpacked(value) for name, value in given.items() if value not in (None, ())}
    return options | ({"mask": list(mask)} if mask else {})


def _unpacked(value: Any) -> Any:
    """Return the value of an option; a list if the option was repeated."""
    if not isinstance(value, tuple):
        return number_or_name(value)
    values = [number_or_name(one) for one in value]
    return values[0] if len(values) == 1 else values


def number_or_name(value: Any) -> Any:
    """Return a text of digits as a number, and any other value unchanged."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value
