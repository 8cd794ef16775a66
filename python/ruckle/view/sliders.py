"""The sliders of the viewer, one for each parameter of a run, from the definitions of the command line's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ruckle.cli.parameters import DEFAULTS, HELP
from ruckle.field.label import Method
from ruckle.paths.wrinkler import LEAST_LENGTH, growing_threshold

__all__ = ["SLIDERS", "Slider"]

Kind = Literal["number", "share", "integer", "switch", "choice"]


@dataclass(frozen=True)
class Slider:
    """How one parameter is changed.

    Attributes
    ----------
    name : str
        Of the parameter of `Wrinkler.for_animation`.
    group : str
        The heading under which it stands.
    kind : str
        "share": a length, in percent of the character's height.
    low, high : float
        Ends of the slider: what is useful, not all that is allowed.
    even_ratios : bool
        Equal ways on the slider are equal ratios, not equal differences.
    """

    name: str
    group: str
    kind: Kind = "number"
    low: float = 0.0
    high: float = 1.0
    even_ratios: bool = False

    @property
    def default(self) -> Any:
        """The value that a run takes by itself."""
        return DEFAULTS[self.name]

    @property
    def help(self) -> str:
        """What the parameter means."""
        return HELP[self.name]

    @property
    def choices(self) -> tuple[str, ...]:
        """The words of a choice."""
        return get_args(Method) if self.kind == "choice" else ()

    def position(self, parameters: Mapping[str, Any], *, height: float) -> Any:
        """Return where the slider stands.

        Parameters
        ----------
        parameters : mapping
            Of a run; those that are absent have their defaults.
        height : float, mesh units
            Of the character.
        """
        value = parameters.get(self.name, self.default)
        if value is None:
            return _stand_in(self.name, parameters, height)
        return _percent(value, height) if self.kind == "share" else value

    def value(self, position: Any) -> Any:
        """Return the parameter's value for a place of the slider."""
        return f"{position:.4g}%" if self.kind == "share" else position


SLIDERS = (
    Slider("tau", "wrinkles", low=1.02, high=2.0),
    Slider("grow_tau", "wrinkles", low=1.01, high=2.0),
    Slider("r_min", "wrinkles", "share", 0.05, 3.0, even_ratios=True),
    Slider("least_length", "wrinkles", "share", 0.0, 20.0),
    Slider("aspect", "wrinkles", low=0.5, high=10.0),
    Slider("seed", "wrinkles", "integer", 0, 99),
    Slider("path_alpha", "motion", low=0.0, high=2.0),
    Slider("straightness", "motion", low=0.0, high=5.0),
    Slider("length_change", "motion", low=0.01, high=1.0),
    Slider("fade_in", "motion", low=0.0, high=2.0),
    Slider("fade_out", "motion", low=0.0, high=2.0),
    Slider("coherent", "motion", "switch"),
    Slider("sigma", "labels and reference", low=0.005, high=0.5, even_ratios=True),
    Slider("alpha", "labels and reference", low=1.0, high=50.0, even_ratios=True),
    Slider("beta", "labels and reference", low=5.0, high=500.0, even_ratios=True),
    Slider("method", "labels and reference", "choice"),
    Slider("relaxation", "labels and reference", low=0.0, high=1.0),
    Slider("threads", "labels and reference", "integer", 1, 8),
)
"""Every parameter of a run, by what it changes."""


def _percent(length: Any, height: float) -> float:
    """Return a length, in mesh units or as a share such as "0.5%", in percent of the height."""
    text = str(length).strip()
    return float(text[:-1]) if text.endswith("%") else 100.0 * float(text) / height


def _stand_in(name: str, parameters: Mapping[str, Any], height: float) -> float:
    """Return what a run takes for a parameter that is left to it."""
    known = {**DEFAULTS, **parameters}
    return {
        "grow_tau": growing_threshold(known["tau"]),
        "least_length": LEAST_LENGTH * _percent(known["r_min"], height),
    }[name]
