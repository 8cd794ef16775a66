"""The description of every option of a system, such as `Wrinkler`. The compiled core declares the options.

Each system has a table of its options, such as `Wrinkler.parameters`. Signatures, docstrings, command line options,
sliders, sweeps and the guide are made from these tables. Each name, range, default and help text is declared only once.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from ruckle import _core
from ruckle.arguments import choice, flag, length, mesh_length, number, require_known, whole_number
from ruckle.arrays import float32

__all__ = ["Kind", "Parameter", "default_values", "options_of", "parameter_table", "with_parameters"]

Kind = Literal["number", "length", "integer", "flag", "choice", "matrix", "vector"]

Thing = TypeVar("Thing", bound=Callable[..., Any])

# A power of two that is at least this large is printed as a power, such as 2^64.
LARGE = 2.0**53


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameter:
    """One option of a system.

    Attributes
    ----------
    name : str
        Name, the same in every language.
    group : str
        Group of the option, a heading in lists of options.
    kind : {"number", "length", "integer", "flag", "choice", "matrix", "vector"}
        A "length" is in mesh units; "matrix" is (3, 3) numbers, "vector" 3 numbers.
    unit : str
        Unit such as "mesh units", "s", "per 1/30 s"; empty for a number without unit.
    least, most : float
        Limits of the allowed range; infinite if there is no limit.
    with_least, with_most : bool
        True if the limit itself is allowed.
    ceiling : str
        Name of another parameter that limits this one from above; empty if there is none.
    choices : tuple of str
        Allowed words of a "choice".
    default : object
        Default value; None if the core computes the default from other parameters.
    derived : str
        Part of a sentence that describes a computed default; empty if the default is a constant.
    height_percent : float
        Default of a length in percent of the character's height; 0 if the default does not depend on the height.
    help : str
        One sentence.
    """

    name: str
    group: str
    kind: Kind
    unit: str
    least: float
    most: float
    with_least: bool
    with_most: bool
    ceiling: str
    choices: tuple[str, ...]
    default: Any
    derived: str
    height_percent: float
    help: str

    @property
    def allowed(self) -> str:
        """Short text of the allowed values: "> 1", ">= 0", "in (1, tau]", "exact, swap"; empty without limits."""
        if self.choices:
            return ", ".join(self.choices)
        least, most = _sign(self.least), self.ceiling or _sign(self.most)
        if self.ceiling or math.isfinite(self.most):
            return f"in {'[' if self.with_least else '('}{least}, {most}{']' if self.with_most else ')'}"
        return f"{'>=' if self.with_least else '>'} {least}" if math.isfinite(self.least) else ""

    def read(self, value: object, *, height: float | None = None) -> Any:
        """Return `value` converted for the core. The core checks the range of most values.

        Parameters
        ----------
        value : object
        height : float, mesh units, optional
            Height of the character; a length may then be a percentage of this height.

        Raises
        ------
        TypeError
            The value has a wrong type.
        ValueError
            An integer out of its range, a word that is not a choice, or text that is not a length.
        """
        match self.kind:
            case "length":
                return mesh_length(self.name, value) if height is None else length(value, height, self.name)  # type: ignore[arg-type]
            case "integer":
                return whole_number(self.name, value, int(self.least), int(self.most) - (not self.with_most))
            case "flag":
                return flag(self.name, value)
            case "choice":
                return choice(self.name, value, self.choices)
            case "matrix" | "vector":
                return float32(self.name, value)  # type: ignore[arg-type]
            case _:
                return number(self.name, value)


def parameter_table(*tables: str) -> Mapping[str, Parameter]:
    """Return the parameters of these tables of the core, by name, as a read-only mapping."""
    rows = [row for table in tables for row in _core.parameters(table)]
    return MappingProxyType({row["name"]: Parameter(**row) for row in rows})


def default_values(table: Mapping[str, Parameter]) -> Mapping[str, Any]:
    """Return the default value of each parameter, by name, as a read-only mapping.

    The default is text such as "0.5%" for a length relative to the character's height. It is None if the core computes
    the default from other parameters.
    """
    return MappingProxyType(
        {
            name: f"{parameter.height_percent:g}%" if parameter.height_percent else parameter.default
            for name, parameter in table.items()
        }
    )


def options_of(
    table: Mapping[str, Parameter], parameters: Mapping[str, Any], *, height: float | None = None
) -> dict[str, Any]:
    """Return the given parameters converted for the core. None is omitted if the core computes the default.

    Parameters
    ----------
    table : mapping from names to Parameter
    parameters : mapping from names to values
        None means "not given" for a parameter with a computed default.
    height : float, mesh units, optional
        Height of the character. Lengths may then be percentages, and missing lengths get their default percentage.

    Raises
    ------
    TypeError
        A parameter does not exist, or a value has a wrong type.
    ValueError
        An integer is out of its range, a word is not a choice, or a text is not a length.
    """
    require_known(parameters, table)
    given = {name: value for name, value in parameters.items() if value is not None or not table[name].derived}
    if height is not None:
        given = {name: f"{one.height_percent:g}%" for name, one in table.items() if one.height_percent} | given
    return {name: table[name].read(value, height=height) for name, value in given.items()}


def with_parameters(
    table: Mapping[str, Parameter], defaults: Mapping[str, Any], *, percentages: bool = False
) -> Callable[[Thing], Thing]:
    """Decorate a function or class that has `**parameters`: add each parameter to its signature and docstring.

    Parameters
    ----------
    table : mapping from names to Parameter
    defaults : mapping from names to values
        Default values to show.
    percentages : bool
        True if a length may be a percentage of the character's height.
    """
    lengths = "float or str" if percentages else "float"
    types = {"length": lengths, "integer": "int", "flag": "bool", "choice": "str"}
    types |= {"matrix": "(3, 3) float", "vector": "(3,) float"}
    keywords, entries = [], ""
    for name, about in table.items():
        kind, default = types.get(about.kind, "float"), defaults[name]
        annotation = kind.replace("or", "|") + (" | None" if about.default is None else "")
        keywords.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        among = "{" + ", ".join(f'"{word}"' for word in about.choices) + "}"
        words = among if about.choices else ", ".join(word for word in (kind, about.unit, about.allowed) if word)
        entries += f"{name} : {words}\n    {about.help} {_default_sentence(about, default)}\n"

    def decorated(thing: Thing) -> Thing:
        function: Any = vars(thing)["__init__"] if inspect.isclass(thing) else thing
        signature = inspect.signature(function)
        given = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        vars(function)["__signature__"] = signature.replace(parameters=[*given, *keywords])
        if thing.__doc__:
            text = inspect.cleandoc(thing.__doc__)
            thing.__doc__ = re.sub(r"^\*\*parameters\n(    .*\n?)+", lambda _: entries, text, flags=re.MULTILINE)
        return thing

    return decorated


def _default_sentence(about: Parameter, default: object) -> str:
    if default is None:
        return f"When not given, {about.derived}."
    return "" if about.kind == "matrix" else f"Default {default}."


def _sign(number: float) -> str:
    power = math.log2(number) if LARGE <= number < math.inf else 0.5
    return f"2^{power:.0f}" if power.is_integer() else f"{number:g}"
