"""The options that say what is added to the cloth beside wrinkle paths, and the layer that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import click

from ruckle.cli.parameters import parameter_option
from ruckle.mesh.animation import Animation
from ruckle.paths.wrinkler import Wrinkler
from ruckle.patterns.modulator import Modulator
from ruckle.patterns.parameters import DEFAULTS, PARAMETERS
from ruckle.patterns.sources import animation_patterns
from ruckle.stack import Layer, Stack

__all__ = ["Patterns", "cloth_layer", "pattern_options"]

OPTIONS = (
    click.option(
        "--pattern",
        "sources",
        multiple=True,
        metavar="FILE|paths|noise",
        help="Also let patterns rise and fall with the cloth: a file's, or made of some frames' folds, or of waves; "
        "may be repeated.",
    ),
    click.option("--paths/--no-paths", default=True, help="Draw wrinkle paths, too, where there are patterns."),
    click.option("--wavelength", metavar="LENGTH", default="2.5%", show_default=True, help="Of patterns made here."),
)
# of a Modulator, the ones for which wrinkle paths have no word
MODULATION = ("rest_slope", "conserve", "slack", "sharpness", "steepest", "highest", "smoothing")


@dataclass(frozen=True)
class Patterns:
    """What was said about patterns.

    Attributes
    ----------
    sources : tuple of str
        Files, "paths", "noise"; none: no patterns.
    paths : bool
        Whether wrinkle paths are drawn beside them.
    wavelength : str
    modulation : mapping
        Parameters of `Modulator` that were given.
    """

    sources: tuple[str, ...] = ()
    paths: bool = True
    wavelength: str = "2.5%"
    modulation: Mapping[str, Any] = field(default_factory=dict)

    def layers(self, animation: Animation, parameters: Mapping[str, Any]) -> list[Layer]:
        """Return the layers that let the patterns rise and fall, if any; `parameters` are those of paths."""
        if not self.sources:
            return []
        made = animation_patterns(animation, self.sources, wavelength=self.wavelength)
        shared = {name: parameters[name] for name in ("r_min", "threads")}
        return [Modulator.for_animation(animation, made, **shared, **self.modulation)]


def pattern_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of patterns to a command, which gets them as one `patterns`."""

    @wraps(function)
    def command(sources: tuple[str, ...], paths: bool, wavelength: str, **rest: Any) -> None:
        given = {name: value for name in MODULATION if (value := rest.pop(name)) is not None}
        if given and not sources:
            raise ValueError(f"{next(iter(given))}: is of patterns, and there are none; --pattern noise makes some")
        if not paths and not sources:
            raise ValueError("no-paths: leaves nothing; --pattern FILE, paths or noise says what is drawn instead")
        function(patterns=Patterns(sources, paths, wavelength, given), **rest)

    for name in reversed(MODULATION):
        command = parameter_option(PARAMETERS[name], DEFAULTS[name], passed=False)(command)
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def cloth_layer(animation: Animation, parameters: Mapping[str, Any], patterns: Patterns) -> Layer:
    """Return what a command steps: wrinkle paths, patterns, or patterns upon paths."""
    layers: list[Layer] = [Wrinkler.for_animation(animation, **parameters)] if patterns.paths else []
    layers += patterns.layers(animation, parameters)
    return layers[0] if len(layers) == 1 else Stack(layers)
