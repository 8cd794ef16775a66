"""The sliders of the viewer, one for each parameter of a run, limited to the useful part of the parameter's range."""

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

__all__ = ["ALL_DEFAULTS", "PATTERN_SLIDERS", "SLIDERS", "Slider"]

Kind = Literal["number", "share", "integer", "switch", "choice"]

KINDS: dict[str, Kind] = {
    "number": "number",
    "length": "share",
    "integer": "integer",
    "flag": "switch",
    "choice": "choice",
}
"""Format of sliders, by the kind of the parameter."""

# Parameters of paths and of patterns; for a name of both, the declaration of the paths.
ALL_PARAMETERS = {**PATTERN_PARAMETERS, **PARAMETERS}
ALL_DEFAULTS: dict[str, Any] = {**PATTERN_DEFAULTS, **DEFAULTS}


@dataclass(frozen=True)
class Slider:
    """How one parameter is changed.

    Attributes
    ----------
    name : str
        Name of the parameter of `Wrinkler.for_animation` or `Modulator.for_animation`.
    low, high : float
        Ends of the slider: the useful range, which is smaller than the allowed range.
    even_ratios : bool
        Logarithmic: equal distances on the slider are equal ratios.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    even_ratios: bool = False

    @property
    def parameter(self) -> Parameter:
        """The declaration of the parameter."""
        return ALL_PARAMETERS[self.name]

    @property
    def kind(self) -> Kind:
        """The kind of slider; "share": a length, in percent of the character's height."""
        return KINDS[self.parameter.kind]

    @property
    def default(self) -> Any:
        """The value that a run takes by itself."""
        return ALL_DEFAULTS[self.name]

    def position(self, parameters: Mapping[str, Any], *, height: float) -> Any:
        """Return the position of the slider.

        Parameters
        ----------
        parameters : mapping
            Parameters of a run; absent ones have their defaults.
        height : float, mesh units
            Height of the character.
        """
        value = parameters.get(self.name, self.default)
        if value is None:
            known = {name: given for name, given in parameters.items() if name in PARAMETERS}
            try:
                value = resolved(known, height=height)[self.name]
            except ValueError:
                # the session reports the error; until it is fixed, the slider shows the default
                value = resolved({}, height=height)[self.name]
        return 100.0 * length(value, height) / height if self.kind == "share" else value

    def value(self, position: Any) -> Any:
        """Return the parameter's value for a position of the slider."""
        return f"{position:.4g}%" if self.kind == "share" else position


SLIDERS = tuple(Slider(name, *ends) for name, ends in PATH_SLIDERS.items())
"""Every parameter of a run that has one, in the order of the table."""

PATTERN_SLIDERS = tuple(Slider(name, *ends) for name, ends in PATTERN_TABLE.items())
"""Parameters of modulated patterns that wrinkle paths do not have, if the run has modulated patterns."""
