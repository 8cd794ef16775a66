"""Names of parts on the command line: exact names, patterns, and "all"."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

__all__ = ["is_pattern", "matches"]

# A name that contains one of these characters is a pattern.
WILDCARDS = frozenset("*?[")


def is_pattern(word: str) -> bool:
    """Return True if the word may match several parts."""
    return word == "all" or bool(WILDCARDS & set(word))


def matches(word: str, names: Iterable[str]) -> bool:
    """Return True if `word` matches one of the names of a part. Case is ignored."""
    return word == "all" or any(fnmatchcase(name.lower(), word.lower()) for name in names)
