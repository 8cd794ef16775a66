"""The sliders of the viewer, one for each parameter of a run, limited to the useful part of the parameter's range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ruckle.arguments import length
from ruckle.parameters import Parameter
from ruckle.paths.parameters import DEFAULTS, PARAMETERS
from ruckle.paths.wrinkler import resolved
from ruckle.patterns.parameters import DEFAULTS as PATTERN_DEFAULTS, PARAMETERS as PATTERN_PARAMETERS

__all__ = ["ALL_DEFAULTS", "PATTERN_SLIDERS", "SLIDERS", "Slider"]

Kind = Literal["number", "share", "integer", "switch", "choice"]

KINDS: dict[str, Kind] = {
    "number": "number",
    "length": "share",
    "integer": "integer",
    "flag": "switch",
    "choice": "choice",
}
"""Of sliders, by the kind of the parameter."""

# Of paths and of patterns; a name that both have is declared by the paths.
ALL_PARAMETERS = {**PATTERN_PARAMETERS, **PARAMETERS}
ALL_DEFAULTS: dict[str, Any] = {**PATTERN_DEFAULTS, **DEFAULTS}


@dataclass(frozen=True)
class Slider:
    """How one parameter is changed.

    Attributes
    ----------
    name : str
        Of the parameter of `Wrinkler.for_animation` or `Modulator.for_animation`.
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
            Of a run; those that are absent have their defaults.
        height : float, mesh units
            Of the character.
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


SLIDERS = (
    Slider("r_min", 0.05, 3.0, even_ratios=True),
    Slider("amplitude", 0.0, 3.0),
    Slider("tau", 1.02, 2.0),
    Slider("grow_tau", 1.01, 2.0),
    Slider("least_aspect", 0.0, 10.0),
    Slider("aspect", 0.5, 10.0),
    Slider("seed", 0, 99),
    Slider("path_alpha", 0.0, 2.0),
    Slider("straightness", 0.0, 5.0),
    Slider("length_change", 0.01, 1.0),
    Slider("fade_in", 0.0, 2.0),
    Slider("fade_out", 0.0, 2.0),
    Slider("coherent"),
    Slider("sigma", 0.005, 0.5, even_ratios=True),
    Slider("alpha", 1.0, 50.0, even_ratios=True),
    Slider("beta", 5.0, 500.0, even_ratios=True),
    Slider("method"),
    Slider("relaxation", 0.0, 1.0),
    Slider("threads", 1, 8),
)
"""Every parameter of a run that has one, in the order of the table."""

PATTERN_SLIDERS = (
    Slider("scale", 0.0, 3.0),
    Slider("steepest", 0.1, 4.0, even_ratios=True),
    Slider("slack", 0.0, 0.2),
    Slider("sharpness", 0.5, 16.0, even_ratios=True),
    Slider("rest_slope", 0.0, 1.0),
    Slider("conserve"),
    Slider("bias", -0.5, 1.0),
    Slider("smoothing", 0.0, 1.0),
)
"""Parameters of modulated patterns that wrinkle paths do not have, if the run has modulated patterns."""
