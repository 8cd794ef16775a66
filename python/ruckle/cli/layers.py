"""Command-line options that choose the layers of a command, and creation of these layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click
from click.core import ParameterSource

from ruckle.arrays import Float32
from ruckle.cli.parameters import SHARED, parameter_option
from ruckle.mesh.animation import Animation
from ruckle.mesh.barriers import seam_paint
from ruckle.offline.patterns.sources import animation_patterns
from ruckle.paths.parameters import PARAMETERS as PATHS
from ruckle.paths.wrinkler import Wrinkler
from ruckle.patterns.modulator import Modulator
from ruckle.patterns.paint import load_paint
from ruckle.patterns.parameters import DEFAULTS, PARAMETERS
from ruckle.pose_space.contact import KeptOutside, lower_skin
from ruckle.pose_space.files import load_poses
from ruckle.pose_space.synthesizer import PoseSynthesizer
from ruckle.scene.look import Look, linear_color
from ruckle.scene.looks import LOOKS, plain_look
from ruckle.stack import Layer, Stack
from ruckle.upsampling.model import load_model
from ruckle.upsampling.upsampler import Upsampler
from ruckle.waves.parameters import DEFAULTS as WAVE_DEFAULTS, PARAMETERS as WAVE_PARAMETERS
from ruckle.waves.presets import Preset
from ruckle.waves.wave_field import WaveField

__all__ = ["Additions", "cloth_layer", "layer_options"]


def upsampler(animation: Animation, file: Path, threads: int) -> Layer:
    """Return the upsampling layer of a model file (`UpsamplingModel`) for an animation."""
    return Upsampler.for_animation(animation, load_model(file), threads=threads)


def pose_synthesizer(animation: Animation, file: Path, threads: int) -> Layer:
    """Return the layer of a pose database file; it runs on one thread."""
    return PoseSynthesizer.for_animation(animation, load_poses(file))


SHAPES: dict[str, Callable[[Animation, Path, int], Layer]] = {"upsample": upsampler, "poses": pose_synthesizer}
"""Functions that create a layer with a fine mesh in place of the coarse mesh, by option; only one option is allowed."""


def take_look(context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """Use the options of a named look as defaults of the other options."""
    if name is not None:
        # options of a settings file have priority over options of the look
        context.default_map = {**LOOKS[name].options, **(context.default_map or {})}
    return name


OPTIONS = (
    click.option(
        "--look",
        type=click.Choice([*LOOKS]),
        is_eager=True,
        callback=take_look,
        help="Fabric, with options for its folds, which you can override. "
        + " ".join(f"{name}: {one.summary}" for name, one in LOOKS.items()),
    ),
    click.option("--color", metavar="#RRGGBB", help="Colour of the cloth.  [default: the look's, or that of the file]"),
    click.option(
        "--pattern",
        "sources",
        multiple=True,
        metavar="FILE|paths|noise|strokes",
        help="Layer: a fixed pattern of folds, which rise as the cloth shrinks: a pattern file, a grey image, or a "
        "pattern made of the wrinkles of some frames (paths), waves (noise) or single folds (strokes). May be "
        "repeated.",
    ),
    click.option(
        "--upsample",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="MODEL",
        help="Layer: a fine mesh in place of the coarse mesh, which a model of 'ruckle train' computes.",
    ),
    click.option(
        "--poses",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="DATABASE",
        help="Layer: a fine mesh in place of the coarse mesh, from a database of 'ruckle poses build'.",
    ),
    click.option("--waves", is_flag=True, help="Layer: wrinkle waves, which cover the cloth; see --wave-preset."),
    click.option(
        "--wave-preset",
        type=click.Choice(get_args(Preset)),
        help="Set of defaults for waves: for garments that a skeleton moves, or for coarse cloth that was simulated.  "
        "[default: skinned]",
    ),
    click.option(
        "--paths",
        is_flag=True,
        help="Layer: wrinkle paths, single folds. 'ruckle run' always computes paths. Other commands draw the layers "
        "that are named or whose parameters are given; without any, they draw waves.",
    ),
    click.option(
        "--wavelength",
        metavar="LENGTH",
        default="2.5%",
        show_default=True,
        help="Distance between folds of --pattern paths, noise and strokes.",
    ),
    click.option(
        "--paint",
        metavar="FILE",
        help="Factors from 0 to 1, one per vertex, by which the heights of all layers are multiplied: an NPZ or NPY "
        "array, the vertex colours of a glTF file, or a grey image in UV space.",
    ),
)
# options of patterns: parameters of `Modulator` that wrinkle paths do not have
MODULATION = ("rest_slope", "conserve", "slack", "sharpness", "steepest", "highest", "smoothing")
# options of waves: parameters of `WaveField` that wrinkle paths do not have
WAVES = tuple(name for name in WAVE_PARAMETERS if name not in SHARED)


@dataclass(frozen=True)
class Additions:
    """Layers of a command, with their options.

    Attributes
    ----------
    shapes : mapping of str to path
        Model or database files of fine meshes, by option name.
    sources : tuple of str
        Sources of patterns: files, "paths", "noise", "strokes". If empty, there are no patterns.
    paths : bool
        True if wrinkle paths are drawn.
    wavelength : str
    paint : str, optional
        File of a paint map: a factor of the heights of all layers at each vertex.
    modulation : mapping
        Given parameters of `Modulator`.
    waves : mapping, optional
        Given parameters of `WaveField`; None if waves are not drawn.
    look : str, optional
        Name of the look, whose options for folds are already in the other attributes.
    color : str, optional
        Colour of the cloth that replaces the look's colour, such as "#7d93ad".
    """

    shapes: Mapping[str, Path] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    paths: bool = True
    wavelength: str = "2.5%"
    paint: str | None = None
    modulation: Mapping[str, Any] = field(default_factory=dict)
    waves: Mapping[str, Any] | None = None
    look: str | None = None
    color: str | None = None

    @property
    def is_dyed(self) -> bool:
        """True if a look or a colour replaces the colours of the file."""
        return self.look is not None or self.color is not None

    def worn_look(self, height: float) -> Look:
        """Return the named or default look with the chosen colour, for a character of `height`, mesh units."""
        return plain_look(height, self.color) if self.look is None else LOOKS[self.look].look(height, self.color)

    def below(self, animation: Animation, parameters: Mapping[str, Any], body: Animation | None = None) -> list[Layer]:
        """Return the layer with a fine mesh as a list, empty without such a layer; `parameters` are those of paths.

        If `body` is given, cloth from a pose database is pushed out of the body.
        """
        threads: int = parameters["threads"]
        layers = [SHAPES[option](animation, file, threads) for option, file in self.shapes.items()]
        return [
            KeptOutside(layer, body) if body is not None and isinstance(layer, PoseSynthesizer) else layer
            for layer in layers
        ]

    def worn_by(self, animation: Animation, body: Animation | None) -> Animation | None:
        """Return the body to draw under the cloth. With a pose database, the skin under the cloth is moved inward."""
        return lower_skin(body, animation) if body is not None and "poses" in self.shapes else body

    def above(self, animation: Animation, parameters: Mapping[str, Any]) -> list[Layer]:
        """Return the layers of waves and of patterns that are chosen; `parameters` are the parameters of paths."""
        layers: list[Layer] = []
        shared = {name: parameters[name] for name in SHARED}
        if self.waves is not None:
            given = {**shared, **self.waves, "rest": parameters.get("rest")}
            layers.append(WaveField.for_animation(animation, paint=self.painted(animation), **given))
        if self.sources:
            made = animation_patterns(animation, self.sources, wavelength=self.wavelength)
            given = {**shared, **self.modulation}
            layers.append(Modulator.for_animation(animation, made, paint=self.painted(animation), **given))
        return layers

    def painted(self, animation: Animation) -> Float32 | None:
        """Return the paint map, or None. With a look and without a paint file, the map reduces folds at seams."""
        if self.paint is None:
            return None if self.look is None else seam_paint(animation)
        return load_paint(self.paint, animation)


def layer_options(*, always_paths: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds the options of layers to a command, which receives them as `additions`.

    Parameters
    ----------
    always_paths : bool
        True for a command that always computes wrinkle paths. Other commands draw the layers whose options are given,
        on the command line, in a settings file or by a look; without such options, they draw waves.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def command(
            sources: tuple[str, ...],
            wavelength: str,
            paint: str | None,
            look: str | None,
            color: str | None,
            waves: bool,
            paths: bool,
            **others: Any,
        ) -> None:
            if color is not None:
                linear_color("color", color)
            given = {name: value for name in MODULATION if (value := others.pop(name)) is not None}
            of_waves = {name: value for name in (*WAVES, "preset") if (value := others.pop(f"wave_{name}")) is not None}
            shapes = _one_shape(others)
            if given and not sources:
                raise ValueError(
                    f"{next(iter(given))}: is an option of patterns, but there are no patterns; --pattern noise adds "
                    "some"
                )
            paths = paths or always_paths or _mentions_paths(click.get_current_context())
            has_waves = waves or bool(of_waves) or not (paths or sources or shapes)
            worn = of_waves if has_waves else None
            function(additions=Additions(shapes, sources, paths, wavelength, paint, given, worn, look, color), **others)

        for name in reversed(WAVES):
            # the defaults depend on --wave-preset, so the command receives None for options that are not given
            command = parameter_option(WAVE_PARAMETERS[name], WAVE_DEFAULTS[name], passed=False, prefix="wave-")(
                command
            )
        for name in reversed(MODULATION):
            command = parameter_option(PARAMETERS[name], DEFAULTS[name], passed=False)(command)
        for option in reversed(OPTIONS):
            command = option(command)
        return command

    return decorate


def _mentions_paths(context: click.Context) -> bool:
    """Return True if a parameter of paths is given, or the mode of a picture that shows their labels."""
    of_paths = [name for name in PATHS if name not in SHARED]
    given = any(context.get_parameter_source(name) not in (None, ParameterSource.DEFAULT) for name in of_paths)
    return given or context.params.get("mode") == "labels"


def _one_shape(options: dict[str, Any]) -> dict[str, Path]:
    """Remove the options for fine meshes from a command's options; return the given file, at most one."""
    shapes = {kind: file for kind in SHAPES if (file := options.pop(kind)) is not None}
    if len(shapes) > 1:
        raise ValueError(f"{' and '.join(shapes)}: each gives a fine mesh; expected only one of them")
    return shapes


def cloth_layer(
    animation: Animation, parameters: Mapping[str, Any], additions: Additions, body: Animation | None = None
) -> Layer:
    """Return the layer of a command; several layers become a stack: fine mesh, wrinkle paths, waves, patterns.

    If `body` is given, cloth from a pose database is pushed out of the body.
    """
    layers = additions.below(animation, parameters, body)
    if additions.paths:
        layers.append(Wrinkler.for_animation(animation, paint=additions.painted(animation), **parameters))
    layers += additions.above(animation, parameters)
    return layers[0] if len(layers) == 1 else Stack(layers)
