"""Presets of wrinkle waves; wavelengths as multiples of the least radius."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ruckle import _core
from ruckle.arguments import choice, length
from ruckle.parameters import options_of
from ruckle.waves.parameters import PARAMETERS

__all__ = ["PRESETS", "Preset", "wave_options"]

Preset = Literal["skinned", "simulated"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "skinned": {},
    "simulated": {
        name: value for name, value in _core.simulated_waves().items() if value not in (None, PARAMETERS[name].default)
    },
}
"""Parameter values of each preset."""


def wave_options(preset: Preset, parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return the options of the core: those of a preset, replaced by `parameters` where given.

    Parameters
    ----------
    preset : {"skinned", "simulated"}
    parameters : mapping from names to values
        A wavelength may be a multiple of the least radius, such as "9 r_min".
    height : float, mesh units, optional
        Height of the character. With it, lengths may be percentages.
    """
    given = {**PRESETS[choice("preset", preset, list(PRESETS))], **parameters}
    wave, radii = given.get("wavelength"), None
    if isinstance(wave, str) and wave.rstrip().endswith("r_min"):
        radii = length(wave.rstrip().removesuffix("r_min"), 0.0, "wavelength")
        given["wavelength"] = None
    options = options_of(PARAMETERS, given, height=height)
    if radii is not None:
        if "r_min" not in options:
            raise ValueError(f'wavelength: "{wave}" needs a value of r_min')
        options["wavelength"] = radii * options["r_min"]
    return options
