"""The parameters of wrinkle paths, those of `Wrinkler`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import require_known
from ruckle.field.label import Method
from ruckle.parameters import parameter_table

__all__ = ["DEFAULTS", "LENGTHS", "PARAMETERS", "AnimationParameters", "WrinklerParameters", "options_of", "resolved"]

PARAMETERS = parameter_table(_core.wrinkler_parameters())
"""By their names, in the order in which they are shown."""

LENGTHS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == "length")
"""Those that may be given in percent of an animation's height."""

DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        name: f"{parameter.height_percent:g}%" if parameter.height_percent else parameter.default
        for name, parameter in PARAMETERS.items()
    }
)
"""The values that `Wrinkler.for_animation` takes by itself; None for what follows from others."""


class _Common(TypedDict, total=False):
    tau: float
    grow_tau: float | None
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
    least_length: float | None


class AnimationParameters(_Common, total=False):
    """Types of the parameters of `Wrinkler.for_animation`, whose lengths may be percentages."""

    r_min: float | str
    least_length: float | str | None


def options_of(parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return parameters as the core takes them, without those that it derives.

    Parameters
    ----------
    parameters : mapping from names to values
        None, where a parameter may be derived, is the same as none given.
    height : float, mesh units, optional
        Of the character: lengths may then be in percent of it, and `r_min` is, where it is not given.

    Raises
    ------
    TypeError
        A parameter that does not exist, or a value of another kind.
    ValueError
        A length that cannot be read.
    """
    require_known(parameters, PARAMETERS)
    given = {name: value for name, value in parameters.items() if value is not None or not PARAMETERS[name].derived}
    if height is not None:
        given = {"r_min": DEFAULTS["r_min"], **given}
    return {name: PARAMETERS[name].read(value, height=height) for name, value in given.items()}


def resolved(parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return all parameters of a `Wrinkler`, derived where they are not given; lengths are in mesh units.

    Parameters
    ----------
    parameters, height
        As for `options_of`.

    Raises
    ------
    TypeError, ValueError
        What a Wrinkler would refuse.
    """
    return _core.resolved_options(options_of(parameters, height=height))
