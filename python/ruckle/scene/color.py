"""Converts colours between sRGB and linear light."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Color", "encoded_color", "linear_color"]

Color = str | tuple[float, float, float]
"""A colour in sRGB: ``"#rrggbb"``, or red, green and blue from 0 to 1."""


def linear_color(name: str, color: Color) -> NDArray[np.float64]:
    """Return a colour in linear light (3,). Raise ValueError, which begins with `name`, if it is not a colour."""
    values = np.array(encoded_color(color, name))
    linear: NDArray[np.float64] = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear


def encoded_color(color: Color, name: str = "color") -> tuple[float, float, float]:
    """Return a colour in sRGB from 0 to 1. Raise ValueError, which begins with `name`, if it is not a colour."""
    try:
        if isinstance(color, str):
            digits = color.removeprefix("#")
            values = np.array([int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]) if len(digits) == 6 else None
        else:
            values = np.array(color, np.float64)
    except (TypeError, ValueError):
        values = None
    if values is None or values.shape != (3,) or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f'{name}: expected a colour such as "#7d93ad" or three numbers from 0 to 1, got {color!r}')
    red, green, blue = values.tolist()
    return red, green, blue
