"""Sliders of the viewer, one per parameter; each covers the useful part of the parameter's range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ruckle.arguments import length
from ruckle.parameters import Parameter
from ruckle.paths.parameters import DEFAULTS, PARAMETERS, SLIDERS as PATH_SLIDERS
from ruckle.paths.wrinkler import resolved
from ruckle.patterns.parameters import (
    DEFAULTS as PATTERN_DEFAULTS,
    PARAMETERS as PATTERN_PARAMETERS,
    SLIDERS as PATTERN_TABLE,
)
from ruckle.waves.parameters import (
    DEFAULTS as WAVE_DEFAULTS,
    PARAMETERS as WAVE_PARAMETERS,
    SLIDERS as WAVE_TABLE,
)
from ruckle.waves.presets import wave_options

__all__ = ["ALL_DEFAULTS", "PATTERN_SLIDERS", "SLIDERS", "WAVE_SLIDERS", "Slider"]

Kind = Literal["number", "share", "integer", "switch", "choice"]

KINDS: dict[str, Kind] = {
    "number": "number",
    "length": "share",
    "integer": "integer",
    "flag": "switch",
    "choice": "choice",
}
"""Kind of slider for each kind of parameter."""

# Parameters of paths, of patterns and, with the prefix "wave_", of waves. If paths and patterns have a parameter of the
# same name, the description of paths is used.
ALL_PARAMETERS = {
    **PATTERN_PARAMETERS,
    **PARAMETERS,
    **{f"wave_{name}": parameter for name, parameter in WAVE_PARAMETERS.items()},
}
ALL_DEFAULTS: dict[str, Any] = {
    **PATTERN_DEFAULTS,
    **DEFAULTS,
    **{f"wave_{name}": value for name, value in WAVE_DEFAULTS.items()},
}


@dataclass(frozen=True)
class Slider:
    """Slider for one parameter.

    Attributes
    ----------
    name : str
        Name of the parameter of `Wrinkler.for_animation` or `Modulator.for_animation`; "wave_" and the name for those
        of `WaveField.for_animation`.
    low, high : float
        Ends of the slider. This useful range is smaller than the allowed range.
    even_ratios : bool
        True for a logarithmic slider, on which equal distances mean equal ratios.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    even_ratios: bool = False

    @property
    def parameter(self) -> Parameter:
        """Description of the parameter."""
        return ALL_PARAMETERS[self.name]

    @property
    def kind(self) -> Kind:
        """Kind of slider; "share" means a length in percent of the character's height."""
        return KINDS[self.parameter.kind]

    @property
    def default(self) -> Any:
        """Value of the parameter if it is not given."""
        return ALL_DEFAULTS[self.name]

    def position(self, parameters: Mapping[str, Any], *, height: float) -> Any:
        """Return the position of the slider.

        Parameters
        ----------
        parameters : mapping
            Parameters of a run; missing parameters have their defaults.
        height : float, mesh units
            Height of the character.
        """
        value = parameters.get(self.name, self.default)
        if self.name == "wave_wavelength":
            given = {"r_min": parameters.get("r_min", DEFAULTS["r_min"]), "wavelength": value or self.parameter.derived}
            return 100.0 * wave_options("skinned", given, height=height)["wavelength"] / height
        if value is None:
            known = {name: given for name, given in parameters.items() if name in PARAMETERS}
            try:
                value = resolved(known, height=height)[self.name]
            except ValueError:
                # if the parameters are invalid, show the default; the session reports the error
                value = resolved({}, height=height)[self.name]
        return 100.0 * length(value, height) / height if self.kind == "share" else value

    def value(self, position: Any) -> Any:
        """Return the value of the parameter at a position of the slider."""
        return f"{position:.4g}%" if self.kind == "share" else position


SLIDERS = tuple(Slider(name, *ends) for name, ends in PATH_SLIDERS.items())
"""Sliders of all path parameters with a useful range, in the order of the table."""

PATTERN_SLIDERS = tuple(Slider(name, *ends) for name, ends in PATTERN_TABLE.items())
"""Sliders of pattern parameters that paths do not have, for runs with patterns."""

WAVE_SLIDERS = (SLIDERS[0], *(Slider(f"wave_{name}", *ends) for name, ends in WAVE_TABLE.items()))
"""Sliders of wave parameters, after that of `r_min`."""
