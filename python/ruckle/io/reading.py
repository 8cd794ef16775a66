"""Paths and JSON, with every failure turned into one sentence that names the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ruckle.arguments import path_text, positive_number
from ruckle.errors import FormatError
from ruckle.io.budget import Budget

__all__ = ["as_path", "character_height", "parse_json"]


def as_path(option: str, value: object) -> Path:
    """Return what an argument names; TypeError where it is not a path, ValueError where it is empty."""
    return Path(path_text(option, value))


def parse_json(content: bytes, name: str) -> Any:
    """Return the value of a JSON text; FormatError naming `name` where it is not valid JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise FormatError(f"{name}: is not valid JSON ({reason})") from error


def character_height(path: Path, budget: Budget) -> float | None:
    """Return `character_height_m` of the JSON file beside an animation, in metres; None where there is none.

    Only for formats whose unit is the metre: in others the number would not be in mesh units.
    """
    sidecar = path.with_suffix(".json")
    if not sidecar.is_file():
        return None
    contents = parse_json(budget.read(sidecar), str(sidecar))
    if not isinstance(contents, dict) or "character_height_m" not in contents:
        return None
    try:
        return positive_number("character_height_m", contents["character_height_m"])
    except (TypeError, ValueError) as error:
        raise FormatError(f"{sidecar}: {error}") from error
