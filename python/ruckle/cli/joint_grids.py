"""Parsing of joints and their sample grids on the command line."""

from __future__ import annotations

import numpy as np

__all__ = ["joint_grids", "numbers_of", "pairs_of"]


def joint_grids(joints: tuple[str, ...]) -> dict[str, list[float] | list[list[float]]]:
    """Return the samples of each joint in degrees, from texts such as "LeftLeg=0:91:30" or "arm=0,45/0/0,24"."""
    return {name: _grid(name, text) for name, text in pairs_of("joint", joints).items()}


def pairs_of(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """Return a dict of names and values from texts NAME=VALUE; ValueError for a text of another form."""
    pairs = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name or not value:
            raise ValueError(f"{option}: expected NAME=VALUE, got '{text}'")
        pairs[name] = value
    return pairs


def _grid(name: str, text: str) -> list[float] | list[list[float]]:
    """Return the samples of a hinge, or the three lists of a ball joint, in degrees."""
    rows = [_range(name, part) if ":" in part else numbers_of(f"joint: '{name}'", part) for part in text.split("/")]
    return rows[0] if len(rows) == 1 else rows


def _range(name: str, text: str) -> list[float]:
    numbers = numbers_of(f"joint: '{name}'", text.replace(":", ","))
    if len(numbers) != 3 or not numbers[2] > 0:
        raise ValueError(f"joint: '{name}': expected START:STOP:STEP with a step above 0, got '{text}'")
    return np.arange(*numbers).tolist()


def numbers_of(place: str, text: str) -> list[float]:
    """Return the numbers in a comma-separated text; `place` is the start of error messages."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise ValueError(f"{place}: expected numbers, got '{text}'") from error
