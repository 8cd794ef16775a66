"""The parameters of wrinkle paths, those of `Wrinkler`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.field.label import Method
from ruckle.parameters import default_values, options_of, parameter_table

__all__ = ["DEFAULTS", "LENGTHS", "PARAMETERS", "AnimationParameters", "WrinklerParameters", "resolved"]

PARAMETERS = parameter_table(_core.wrinkler_parameters())
"""By their names, in the order in which they are shown."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Those that may be given in percent of an animation's height."""

DEFAULTS = default_values(PARAMETERS)
"""The values that `Wrinkler.for_animation` takes by itself; None for what follows from others."""


class _Common(TypedDict, total=False):
    amplitude: float
    tau: float
    grow_tau: float | None
    least_aspect: float
    aspect: float
    seed: int
    path_alpha: float
    straightness: float
    length_change: float
    fade_in: float
    fade_out: float
    coherent: bool
    sigma: float
    alpha: float
    beta: float
    pairwise: ArrayLike
    method: Method
    relaxation: float
    threads: int


class WrinklerParameters(_Common, total=False):
    """Types of the parameters of `Wrinkler`."""

    r_min: float | None


class AnimationParameters(_Common, total=False):
    """Types of the parameters of `Wrinkler.for_animation`, whose lengths may be percentages."""

    r_min: float | str


def resolved(parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return all parameters of a `Wrinkler`, derived where they are not given; lengths are in mesh units.

    Parameters
    ----------
    parameters : mapping from names to values
    height : float, mesh units, optional
        Of the character, of which lengths may then be percentages.

    Raises
    ------
    TypeError, ValueError
        What a Wrinkler would refuse.
    """
    return _core.resolved_options(options_of(PARAMETERS, parameters, height=height))
