"""Names of parts on the command line: patterns, and "all"."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

__all__ = ["is_pattern", "matches"]

# Characters that make a name a pattern.
WILDCARDS = frozenset("*?[")


def is_pattern(word: str) -> bool:
    """Return True for a word that may choose several parts."""
    return word == "all" or bool(WILDCARDS & set(word))


def matches(word: str, names: Iterable[str]) -> bool:
    """Return True if a pattern fits one of the names of a part; capitals do not matter."""
    return word == "all" or any(fnmatchcase(name.lower(), word.lower()) for name in names)
