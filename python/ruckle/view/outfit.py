"""The layers of a viewer's run, created from its parameters and a named look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ruckle.arguments import choice
from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.barriers import seam_paint
from ruckle.paths.parameters import PARAMETERS as PATHS
from ruckle.paths.wrinkler import Wrinkler
from ruckle.patterns.modulator import Modulator
from ruckle.patterns.parameters import PARAMETERS
from ruckle.patterns.pattern import Pattern
from ruckle.scene.looks import LOOKS
from ruckle.stack import Layer
from ruckle.view.sliders import ALL_DEFAULTS
from ruckle.waves.wave_field import WaveField

__all__ = ["Outfit", "look_changes"]

# Layers of a look that is chosen in the viewer.
WORN: Mapping[str, Any] = {"sources": (), "wavelength": "2.5%", "paths": False, "waves": True}

# Parameters of a session that are not parameters of wrinkle paths, and those of both paths and waves.
NOT_OF_PATHS = {"look", "mask", *(PARAMETERS.keys() - PATHS.keys())}
OF_BOTH = ("r_min", "threads", "rest")


class Outfit:
    """Creates the layers of a session from its parameters.

    The patterns of a look take seconds to compute, so they are cached.

    Parameters
    ----------
    animation : Animation
    below : sequence of Layer
        Layers below the wrinkles, such as a layer with a fine mesh.
    look : str, optional
        Name in `LOOKS` of the look whose options the following parameters are.
    sources : sequence of str
        Sources of patterns; see `ruckle.animation_patterns`. If empty, there are no patterns.
    wavelength : str
        Mean distance of two folds of patterns.
    paths : bool
        True if the layers include wrinkle paths.
    paint : (V,) float32, optional
        Factor of the heights of all layers except `below` at each vertex, from 0 to 1; default: 1, or the paint of
        the seams while a look is set.
    waves : bool
        True if the layers include wrinkle waves.
    """

    def __init__(
        self,
        animation: Animation,
        *,
        below: Sequence[Layer] = (),
        look: str | None = None,
        sources: Sequence[str] = (),
        wavelength: str = "2.5%",
        paths: bool = True,
        paint: Float32 | None = None,
        waves: bool = False,
    ) -> None:
        self.animation = animation
        self.paint = paint
        self._below = tuple(below)
        self._options = {look: {"sources": tuple(sources), "wavelength": wavelength, "paths": paths, "waves": waves}}
        self._patterns: dict[tuple[Any, ...], list[Pattern]] = {}

    def __call__(self, parameters: Mapping[str, Any]) -> list[Layer]:
        """Return the layers: those of `below`, which are reused and not reset, and new layers for all others.

        Parameters
        ----------
        parameters : mapping
            Parameters of `Wrinkler.for_animation` and `Modulator.for_animation`, and those of `WaveField.for_animation`
            with the prefix "wave_". `look` is a name in `LOOKS` or None.
            `mask` contains the bytes of a mask (V,) float32 that replaces the animation's mask,
            also in later calls.
        """
        if parameters.get("mask") is not None:
            self.animation = self.animation.with_mask(np.frombuffer(parameters["mask"], np.float32))
        look = parameters.get("look")
        if look is not None and look not in self._options:
            choice("look", look, tuple(LOOKS))
        options: Mapping[str, Any] = self._options.get(look, WORN)
        of_waves = {name: value for name, value in parameters.items() if name.startswith("wave_")}
        layers = list(self._below)
        paint = self.paint
        if paint is None and parameters.get("look") is not None:
            paint = seam_paint(self.animation)
        if options["paths"]:
            own = {
                name: value for name, value in parameters.items() if name not in NOT_OF_PATHS and name not in of_waves
            }
            layers.append(Wrinkler.for_animation(self.animation, paint=paint, **own))
        if options["waves"]:
            own = {name: parameters[name] for name in OF_BOTH if name in parameters}
            own |= {name.removeprefix("wave_"): value for name, value in of_waves.items()}
            layers.append(WaveField.for_animation(self.animation, paint=paint, **own))
        if options["sources"]:
            own = {name: parameters[name] for name in PARAMETERS if name in parameters}
            patterns = self._made(tuple(options["sources"]), options["wavelength"])
            layers.append(Modulator.for_animation(self.animation, patterns, paint=paint, **own))
        return layers

    def _made(self, sources: tuple[str, ...], wavelength: str) -> list[Pattern]:
        """Return the patterns of these sources; they are computed only once."""
        key = (*sources, wavelength)
        if key not in self._patterns:
            # import here, because only few looks require this module
            from ruckle import animation_patterns

            self._patterns[key] = animation_patterns(self.animation, sources, wavelength=wavelength)
        return self._patterns[key]


def look_changes(look: str | None) -> dict[str, Any]:
    """Return the parameters that a named look sets.

    For None, return the defaults, which remove the effect of any look.

    Raises
    ------
    ValueError
        `look` is neither a name in `LOOKS` nor None.
    """
    if look is not None:
        choice("look", look, tuple(LOOKS))
    defaults = {name: ALL_DEFAULTS[name] for one in LOOKS.values() for name in one.options}
    return {**defaults, **({} if look is None else LOOKS[look].options), "look": look}
