"""The objects of a glTF document, with checked access to their properties."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import found
from ruckle.errors import FormatError

__all__ = ["Entry", "digits"]


class Entry:
    """One JSON object of a document with its location, for error messages."""

    __slots__ = ("_above", "_key", "_values", "path")

    def __init__(self, values: Any, path: Path, above: Entry | None = None, key: str | tuple[str, int] = "") -> None:
        self.path = path
        # the location is composed only for a message, because a file has thousands of objects
        self._above, self._key = above, key
        if not isinstance(values, dict):
            raise self.fault(f"expected an object, found {type(values).__name__}")
        self._values: dict[str, Any] = values

    def fault(self, message: str) -> FormatError:
        """Return an error whose message contains the file and the location of this object."""
        return FormatError(f"{self.location}: {message}")

    def __str__(self) -> str:
        return self.location

    @property
    def location(self) -> str:
        """The file, and the location of this object in the file."""
        return f"{self.path}: {self._steps() or 'document'}"

    def _steps(self) -> str:
        above = "" if self._above is None else self._above._steps()
        own = self._key if isinstance(self._key, str) else f"{self._key[0]}[{self._key[1]}]"
        return f"{above}.{own}" if above else own

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def copied(self) -> dict[str, Any]:
        """Return a copy of the object, which the caller may change."""
        return copy.deepcopy(self._values)

    def keys(self) -> list[str]:
        """Return the names of this object's properties."""
        return list(self._values)

    def integer(self, key: str, default: int | None = None, *, least: int = 0, below: int | None = None) -> int:
        """Return the integer under `key`, in [least, below); FormatError for another value.

        Without a default, the property must exist.
        """
        value = self._values.get(key, default)
        if type(value) is int and value >= least and (below is None or value < below):
            return value
        return self._whole(key, value, least, below)

    def index(self, key: str, limit: int) -> int | None:
        """Return the index under `key`, in [0, limit), or None if the property is absent. FormatError otherwise."""
        return self.integer(key, below=limit) if key in self._values else None

    def indices(self, key: str, limit: int) -> list[int]:
        """Return a list of indices in [0, limit). The list is empty if the property is absent."""
        return [self._whole(key, value, 0, limit) for value in self._list(key)]

    def numbers(self, key: str, length: int | None = None) -> NDArray[np.float64] | None:
        """Return finite numbers as (length,) float64, or None if the property is absent."""
        if key not in self._values:
            return None
        values = self._list(key)
        try:
            array = np.array([float(value) for value in values])
        except (TypeError, ValueError, OverflowError) as error:
            raise self.fault(f"{key}: expected numbers ({error})") from error
        if (length is not None and array.size != length) or not np.isfinite(array).all():
            expected = array.size if length is None else length
            raise self.fault(f"{key}: expected {expected} finite numbers, found {_numbers_shown(values)}")
        return array

    def number(self, key: str) -> float | None:
        """Return the finite number under `key`, None if the property is absent. FormatError for another value."""
        if key not in self._values:
            return None
        value = self._values[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
            raise self.fault(f"{key}: expected a finite number, found {found(value)}")
        return float(value)

    def text(self, key: str, default: str = "") -> str:
        """Return the string under `key`, or `default` if the property is absent. FormatError for another type."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self.fault(f"{key}: expected a string, found {found(value)}")
        return value

    def flag(self, key: str) -> bool:
        """Return the boolean under `key`, False if the property is absent. FormatError for another type."""
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(f"{key}: expected true or false, found {found(value)}")
        return value

    def texts(self, key: str) -> list[str]:
        """Return a list of strings. It is empty if the property is absent."""
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            raise self.fault(f"{key}: expected strings, found a list with other values")
        return values

    def entry(self, key: str) -> Entry | None:
        """Return the object under a key, or None if the property is absent."""
        return Entry(self._values[key], self.path, self, key) if key in self._values else None

    def count(self, key: str) -> int:
        """Return the length of the list under `key`, or 0 if the property is absent."""
        return len(self._list(key))

    def element(self, key: str, index: int) -> Entry:
        """Return one object of the list under `key`. The index must be below `count(key)`."""
        return Entry(self._list(key)[index], self.path, self, (key, index))

    def raw(self, key: str) -> list[Any]:
        """Return a list of JSON values without any checks. It is empty if the property is not a list."""
        values = self._values.get(key)
        return values if isinstance(values, list) else []

    def elements(self, key: str) -> list[Entry]:
        """Return all objects of a list. The result is empty if the property is absent."""
        return [Entry(value, self.path, self, (key, index)) for index, value in enumerate(self._list(key))]

    def _list(self, key: str) -> list[Any]:
        values = self._values.get(key, [])
        if not isinstance(values, list):
            raise self.fault(f"{key}: expected a list, found {found(values)}")
        return values

    def _whole(self, key: str, value: Any, least: int, below: int | None) -> int:
        """Return the value of `key` as an integer; FormatError if it is not in [`least`, `below`)."""
        if isinstance(value, float) and value.is_integer():
            # accept 3.0 as 3, because JSON does not distinguish integers from floats
            value = int(value)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and value >= least and (below is None or value < below):
            return int(value)
        shown = digits(value) if whole else "nothing" if value is None else found(value)
        if below == 0:
            raise self.fault(f"{key}: refers to {shown}, but the document has none")
        allowed = f"from {least}" if below is None else f"from {least} to {below - 1}"
        raise self.fault(f"{key}: expected a whole number {allowed}, found {shown}")


def _numbers_shown(values: list[Any]) -> str:
    """Return the text of a list of numbers for a message. For a long list, return only its length."""
    return str(values) if len(values) <= 16 else f"{len(values)}"


def digits(number: int) -> str:
    """Return the text of a number for a message. For a number above 64 bits, return only its length in bits."""
    return str(number) if abs(number) < 2**64 else f"a number of {number.bit_length()} bits"
