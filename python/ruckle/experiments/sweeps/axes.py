"""The values of swept parameters, from text or from Python objects.

1.15:1.45:7       seven numbers from 1.15 to 1.45, both included
1.2,1.3,1.4       a list of numbers
0.5%,1%:2%:3      lengths, also in percent of the height; lists and ranges can be combined
exact,swap        words, for a parameter with named choices
true,false        for a switch
none,1.2          none, for an optional parameter
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

from ruckle.arguments import length, no_such
from ruckle.paths.parameters import DEFAULTS, LENGTHS, PARAMETERS

__all__ = ["MOST_RUNS", "Value", "parse_values", "read_axes", "rounded", "values_of"]

Value = float | bool | str | tuple[tuple[float, ...], ...] | None
"""Value of one parameter in one run; the tuples are a matrix of pairwise costs."""

MOST_RUNS = 100_000
"""Maximum number of runs in one sweep: days of work, and some hundred megabytes of rows in memory."""

RANGE = re.compile(r"([^:]+):([^:]+):(\d+)", re.ASCII)

# Significant digits of numbers in a range, so that 1.2 does not become 1.2000000000000002.
DIGITS = 12

SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def read_axes(given: Mapping[str, Any]) -> dict[str, list[Value]]:
    """Return the values of every given parameter, in the given order.

    Parameters
    ----------
    given : mapping from the name of a parameter to one value, several values, or text

    Returns
    -------
    dict of str to list

    Raises
    ------
    ValueError
        A parameter does not exist (the message lists the existing ones), or a value has the wrong type.
    """
    for name in given:
        if name not in PARAMETERS:
            raise ValueError(no_such("parameter", name, PARAMETERS))
    return {name: values_of(name, values) for name, values in given.items()}


def values_of(name: str, given: object) -> list[Value]:
    """Return the values of a parameter, from one value, an iterable of values, or text in this module's syntax.

    Duplicates are removed.

    Parameters
    ----------
    name : str
        Name of the parameter.
    given : object

    Raises
    ------
    ValueError
        A value has the wrong type, or there are no values.
    """
    if isinstance(given, str):
        return parse_values(name, given)
    if name == "pairwise":
        matrices = np.asarray(given, np.float64)
        if matrices.shape[-2:] != (3, 3) or matrices.ndim > 3:
            raise ValueError(f"pairwise: expected (3, 3) costs or (n, 3, 3) of them, got shape {matrices.shape}")
        return _distinct(name, [tuple(map(tuple, matrix)) for matrix in matrices.reshape(-1, 3, 3).tolist()])
    several = list(islice(given, MOST_RUNS + 1)) if isinstance(given, Iterable) else [given]
    if len(several) > MOST_RUNS:
        raise ValueError(f"{name}: expected at most {MOST_RUNS:,} values, got more")
    return _distinct(name, [_checked(name, value) for value in several])


def parse_values(name: str, text: str) -> list[Value]:
    """Return the values in a text; see the syntax of this module.

    Parameters
    ----------
    name : str
        Name of the parameter.
    text : str

    Raises
    ------
    ValueError
        The text is not a list of values for this parameter; the message names the allowed values.
    """
    if name == "pairwise":
        raise ValueError("pairwise: expected a (3, 3) array, got text")
    values: list[Value] = []
    for part in (word.strip() for word in text.split(",")):
        values += _range(name, part) if ":" in part else [_parse(name, part)]
    return _distinct(name, values)


def rounded(number: float) -> float:
    """Return a number rounded to `DIGITS` significant digits."""
    return float(f"{number:.{DIGITS}g}")


def _range(name: str, text: str) -> list[Value]:
    """Return evenly spaced numbers from the text of a range. They are percentages if both ends are percentages."""
    found = RANGE.fullmatch(text)
    first, last, count = found.groups() if found else ("", "", "0")
    share = name in LENGTHS and first.endswith("%") and last.endswith("%")
    low, high = (_number(end.removesuffix("%") if share else end) for end in (first, last))
    kind = PARAMETERS[name].kind
    numeric = kind in ("number", "length", "integer")
    if low is None or high is None or not numeric or int(count) < 2:
        allowed = "FIRST:LAST:COUNT of two numbers and a count of at least 2" if numeric else _kind(name)[0]
        raise ValueError(f"{name}: expected {allowed}, got '{text}'")
    if int(count) > MOST_RUNS:
        raise ValueError(f"{name}: expected at most {MOST_RUNS:,} values, got '{text}'")
    spaced = [rounded(number) for number in np.linspace(low, high, int(count)).tolist()]
    if kind == "integer" and any(number != int(number) for number in spaced):
        raise ValueError(f"{name}: expected whole numbers, got '{text}', which is {', '.join(map(str, spaced))}")
    return [_parse(name, f"{number:.{DIGITS}g}{'%' if share else ''}") for number in spaced]


def _parse(name: str, word: str) -> Value:
    """Return the value of a single word for a parameter."""
    kind = PARAMETERS[name].kind
    value: object = word
    if DEFAULTS[name] is None and word.lower() == "none":
        value = None
    elif kind == "flag":
        value = SWITCH.get(word.lower(), word)
    elif kind == "integer" and re.fullmatch(r"[+-]?\d+", word):
        # directly to int, because a conversion through float would round large seeds
        value = int(word)
    elif kind != "choice" and not (kind == "length" and word.endswith("%")):
        number = _number(word)
        value = word if number is None else int(number) if kind == "integer" and number == int(number) else number
    return _checked(name, value)


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _checked(name: str, value: object) -> Value:
    """Return a value as a built-in Python type; raise ValueError if its type does not fit the parameter."""
    if isinstance(value, np.generic):
        value = value.item()
    expected, fits = _kind(name)
    if not fits(value):
        raise ValueError(f"{name}: expected {expected}, got {value!r}")
    if name in LENGTHS and isinstance(value, str):
        length(value, 1.0, name)
    if PARAMETERS[name].kind in ("number", "length") and isinstance(value, int):
        return float(value)
    return value  # type: ignore[return-value]


def _kind(name: str) -> tuple[str, Callable[[object], bool]]:
    """Return the type of a parameter's values in words, and a function that returns True for values of this type."""
    parameter, may_be_none = PARAMETERS[name], DEFAULTS[name] is None
    match parameter.kind:
        case "length":
            return (
                'a length in mesh units or a percentage such as "0.5%"',
                lambda v: isinstance(v, str) or _is_real(v) or (may_be_none and v is None),
            )
        case "flag":
            return "true or false", lambda v: isinstance(v, bool)
        case "integer":
            return "a whole number below 2^63", lambda v: isinstance(v, int) and not isinstance(v, bool) and v < 2**63
        case "choice":
            return f"one of {', '.join(parameter.choices)}", lambda v: v in parameter.choices
    if may_be_none:
        return "a number or none", lambda v: v is None or _is_real(v)
    return "a finite number", _is_real


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _distinct(name: str, values: list[Value]) -> list[Value]:
    if not values:
        raise ValueError(f"{name}: expected at least one value, got none")
    return list(dict.fromkeys(values))
