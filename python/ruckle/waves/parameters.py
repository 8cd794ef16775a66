"""The parameters of wrinkle waves, those of `WaveField`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ruckle import _core
from ruckle.arguments import choice, length
from ruckle.parameters import default_values, options_of, parameter_table

__all__ = ["DEFAULTS", "PARAMETERS", "PRESETS", "AnimationWaves", "Preset", "WaveParameters", "wave_options"]

PARAMETERS = parameter_table(_core.wave_parameters())
"""By their names, in the order in which they are shown."""

DEFAULTS = default_values(PARAMETERS)
"""The values that `WaveField.for_animation` takes by itself; None for what follows from others."""

Preset = Literal["skinned", "simulated"]

PRESETS: Mapping[Preset, Mapping[str, Any]] = {
    "skinned": {},
    "simulated": {
        name: value for name, value in _core.simulated_waves().items() if value not in (None, PARAMETERS[name].default)
    },
}
"""What each preset changes."""


class _Common(TypedDict, total=False):
    gain: float
    slack: float
    steepest: float
    sharpness: float
    detail: float
    sag: float
    lift: float
    irregularity: float
    coherence: float
    anisotropy: float
    hem: float
    calm: float
    seed: int
    threads: int


class WaveParameters(_Common, total=False):
    """Types of the parameters of `WaveField`."""

    r_min: float | None
    wavelength: float | str | None


class AnimationWaves(_Common, total=False):
    """Types of the parameters of `WaveField.for_animation`, whose lengths may be percentages."""

    r_min: float | str
    wavelength: float | str | None


def wave_options(preset: Preset, parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return the options of the core: those of a preset, and parameters in their place.

    Parameters
    ----------
    preset : {"skinned", "simulated"}
    parameters : mapping from names to values
        A wavelength may be a multiple of the least radius, such as "9 r_min".
    height : float, mesh units, optional
        Of the character, of which lengths may then be percentages.
    """
    given = {**PRESETS[choice("preset", preset, list(PRESETS))], **parameters}  # type: ignore[index]
    wave = given.get("wavelength")
    radii = None
    if isinstance(wave, str) and wave.rstrip().endswith("r_min"):
        radii = length(wave.rstrip().removesuffix("r_min"), 0.0, "wavelength")
        given["wavelength"] = None
    options = options_of(PARAMETERS, given, height=height)
    if radii is not None:
        if "r_min" not in options:
            raise ValueError(f'wavelength: "{wave}" needs a value of r_min')
        options["wavelength"] = radii * options["r_min"]
    return options
