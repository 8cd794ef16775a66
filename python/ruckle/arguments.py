"""Readers of arguments: each converts a value for the core, or raises an error with one sentence.

A value of a wrong type raises TypeError; a value of the right type outside its range raises ValueError. The core checks
most ranges itself; this file does not repeat these checks. `ruckle.arrays` has the readers of arrays.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "LARGEST_SEED",
    "choice",
    "flag",
    "found",
    "instance",
    "length",
    "mapping",
    "mesh_length",
    "mistyped",
    "no_such",
    "number",
    "pair",
    "path_text",
    "positive_number",
    "require_known",
    "sequence",
    "state_bytes",
    "whole_number",
]

Kind = TypeVar("Kind")
Item = TypeVar("Item")

# Largest number of characters of a text, and of bits of an integer, that a message shows in full.
SHOWN, SHOWN_BITS = 60, 128

# Largest count and largest random seed: the core stores them as int32 and uint64.
LARGEST_COUNT = 2**31 - 1
LARGEST_SEED = 2**64 - 1

# Largest number of threads of one call. With more threads, starting a thread takes longer than the thread saves.
MOST_THREADS = 256


def found(value: object) -> str:
    """Return `value` as messages show it: numbers and texts by value, arrays by dtype and shape, others by type."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    if isinstance(value, int) and value.bit_length() > SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        text = repr(value)
        return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    return type(value).__name__


def mistyped(name: str, expected: str, value: object, hint: str = "") -> TypeError:
    """Return, but do not raise, the TypeError for an argument of a wrong type; `hint` is added to the message."""
    return TypeError(f"{name}: expected {expected}, got {found(value)}{hint and f'; {hint}'}")


def number(name: str, value: object, expected: str = "a number", hint: str = "") -> float:
    """Return `value` as a float; the caller's range check must reject infinity and NaN."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise mistyped(name, expected, value, hint)
    try:
        return float(value)
    except OverflowError:
        # an integer too large for a float becomes +infinity, also if negative: every range check rejects infinity
        return math.inf


def positive_number(name: str, value: object) -> float:
    """Return `value` as a float; ValueError if it is not a finite number above 0."""
    positive = number(name, value, "a finite number above 0")
    if not (math.isfinite(positive) and positive > 0):
        raise ValueError(f"{name}: expected a finite number above 0, got {found(value)}")
    return positive


def whole_number(name: str, value: object, least: int = 0, most: int = LARGEST_COUNT) -> int:
    """Return `value` as an int; ValueError outside [least, most], TypeError for a float such as 3.0."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    expected = f"an integer in [{least}, {'2^64)' if most == LARGEST_SEED else f'{most}]'}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise mistyped(name, expected, value)
    whole = int(value)
    if not least <= whole <= most:
        raise ValueError(f"{name}: expected {expected}, got {found(whole)}")
    return whole


def flag(name: str, value: object) -> bool:
    """Return True or False. Other types raise TypeError, because Python regards even the text "no" as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise mistyped(name, "True or False", value)
    return bool(value)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return `value` if it is one of the words `allowed`. ValueError for another word, TypeError if it is not text."""
    if isinstance(value, str) and value in allowed:
        return value
    words = ", ".join(f'"{word}"' for word in allowed)
    if not isinstance(value, str):
        raise mistyped(name, f"one of {words}", value)
    near = get_close_matches(value, allowed, n=1)
    raise ValueError(
        f'{name}: expected one of {words}, got "{value[:SHOWN]}"{f"; did you mean {near[0]}?" if near else ""}'
    )


def pair(name: str, values: object) -> tuple[float, float]:
    """Return a sequence of two numbers as floats; TypeError if it is not a sequence, ValueError for another length."""
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, str) or np.ndim(values) != 1:
        raise mistyped(name, "two numbers", values)
    if len(values) != 2:
        raise ValueError(f"{name}: expected two numbers, got {len(values)}")
    return number(f"{name}[0]", values[0]), number(f"{name}[1]", values[1])


def mesh_length(name: str, value: object) -> float:
    """Return a length in mesh units as a float. TypeError for a percentage: the character's height is unknown here."""
    percentages = "percentages need a character's height, as Wrinkler.for_animation, run and sweep have it"
    return number(name, value, "a length in mesh units", percentages if isinstance(value, str) and "%" in value else "")


def length(text: float | str, height: float, name: str = "r_min") -> float:
    """Return a length in mesh units, given in mesh units or as a percentage of the character's height.

    Parameters
    ----------
    text : float or str
        A number, or text of a number, in mesh units; or text such as ``"0.5%"``, a percentage of `height`.
    height : float, mesh units
        Height of the character.
    name : str
        The argument's name, for the message.

    Raises
    ------
    TypeError
        `text` is neither a number nor text.
    ValueError
        The text is not a finite number of at least 0. The range of a float is not checked.
    """
    expected = 'a length in mesh units or a percentage such as "0.5%"'
    if not isinstance(text, str):
        return number(name, text, expected)
    digits = text.strip()
    share = digits.endswith("%")
    try:
        value = float(digits.rstrip("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f'{name}: expected {expected}, got "{text[:60]}"')
    return value / 100.0 * height if share else value


def path_text(name: str, value: object) -> str:
    """Return a path as text; TypeError for a path in bytes, ValueError for an empty text."""
    if not isinstance(value, (str, os.PathLike)):
        raise mistyped(name, "a path", value)
    text = os.fspath(value)
    if not isinstance(text, str):
        raise mistyped(name, "a path of text", text)
    if not text:
        raise ValueError(f"{name}: expected a path, got an empty text")
    return text


def instance(name: str, value: object, kind: type[Kind], hint: str = "") -> Kind:
    """Return `value` if it is a `kind`, else raise TypeError; `hint` explains how to get one."""
    if not isinstance(value, kind):
        raise mistyped(name, f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}", value, hint)
    return value


def state_bytes(state: bytes | bytearray | memoryview) -> bytes:
    """Return a saved state as bytes for the core; TypeError if it is not bytes, a bytearray or a memoryview."""
    if not isinstance(state, bytes | bytearray | memoryview):
        raise mistyped("state", "bytes, as state() returns them", state)
    return bytes(state)


def sequence(name: str, value: object, expected: str = "a sequence") -> Sequence[Any]:
    """Return a list, a tuple, an array with axes, or another sequence unchanged; TypeError for text or another type."""
    is_array = isinstance(value, np.ndarray) and value.ndim > 0
    if not is_array and (not isinstance(value, Sequence) or isinstance(value, str | bytes)):
        raise mistyped(name, expected, value)
    return value  # type: ignore[return-value]


def mapping(name: str, value: Mapping[str, Item]) -> Mapping[str, Item]:
    """Return `value` if it is a mapping, such as a dictionary from joints to their values; otherwise TypeError."""
    if not isinstance(value, Mapping):
        raise mistyped(name, "a mapping by names, such as a dictionary", value)
    return value


def no_such(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return the error message for an unknown name, with the most similar allowed name."""
    names = list(allowed)
    near = get_close_matches(name, names, n=1)
    return f"{name}: no such {kind}; {f'did you mean {near[0]}? ' if near else ''}{kind}s are {', '.join(names)}"


def require_known(given: Mapping[str, object], allowed: Iterable[str]) -> None:
    """Raise TypeError if a name in `given` is not one of the parameter names `allowed`."""
    names = list(allowed)
    for name in given:
        if name not in names:
            raise TypeError(no_such("parameter", name, names))
