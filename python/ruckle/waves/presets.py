"""Presets of wrinkle waves. Their wavelengths are multiples of the least radius."""

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
"""Values of the parameters in each preset."""


def wave_options(preset: Preset, parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return the options of the core: values of a preset, replaced by the values in `parameters`.

    Parameters
    ----------
    preset : {"skinned", "simulated"}
    parameters : mapping from names to values
        A wavelength may be a multiple of `r_min`, the least radius, such as "9 r_min".
    height : float, mesh units, optional
        Height of the character. Lengths may then be percentages of this height.
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
