"""How a picture is lit and coloured."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ruckle.scene.fabric import Fabric

__all__ = ["Color", "Light", "Look", "encoded_color", "linear_color"]

Color = str | tuple[float, float, float]
"""``"#rrggbb"``, or red, green and blue from 0 to 1; sRGB."""


@dataclass(frozen=True)
class Light:
    """A distant light.

    Attributes
    ----------
    direction : three floats
        Toward the light in the camera's frame: right, up, toward the viewer. Of any length.
    intensity : float, >= 0
    """

    direction: tuple[float, float, float]
    intensity: float

    def __post_init__(self) -> None:
        length = float(np.linalg.norm(self.direction))
        if not (np.isfinite(length) and length > 0 and np.isfinite(self.intensity) and self.intensity >= 0):
            raise ValueError(
                f"light: expected a direction that is not zero and an intensity of at least 0, "
                f"got {self.direction}, {self.intensity}"
            )


@dataclass(frozen=True)
class Look:
    """Colours and lights of a picture.

    Lights go with the camera, so that wrinkles are lit from the side whichever way the garment is turned.

    Attributes
    ----------
    cloth, body, background : Color
        The cloth's colour multiplies the texture, if there is one.
    key, fill, rim : Light
        The key light rakes across the cloth, so that shallow wrinkles show; the fill softens its shadow side; the rim
        comes from behind and parts sleeves from the torso.
    sky, ground : Color
        Ambient light from above and from below.
    shadows : float, in [0, 1]
        Share of the key light that cast shadows take away; 0 draws none.
    highlight, sheen : float, >= 0
        Strength of the cloth's highlight, and of its fibres' sheen at grazing angles.
    fabric : Fabric, optional
        Threads, stitches or grain of the cloth, as in near pictures.
    """

    cloth: Color = "#7a90ae"
    body: Color = "#c9b8a6"
    background: Color = "#f2efe9"
    key: Light = field(default_factory=lambda: Light((-0.82, 0.52, 0.28), 2.4))
    fill: Light = field(default_factory=lambda: Light((0.85, 0.10, 0.50), 0.25))
    rim: Light = field(default_factory=lambda: Light((0.50, 0.60, -0.70), 0.60))
    sky: Color = (0.37, 0.41, 0.49)
    ground: Color = (0.28, 0.25, 0.23)
    shadows: float = 0.8
    highlight: float = 0.05
    sheen: float = 0.16
    fabric: Fabric | None = None

    def __post_init__(self) -> None:
        for name in ("cloth", "body", "background", "sky", "ground"):
            linear_color(name, getattr(self, name))
        if not 0.0 <= self.shadows <= 1.0:
            raise ValueError(f"shadows: expected a share from 0 to 1, got {self.shadows}")
        for name in ("highlight", "sheen"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0.0):
                raise ValueError(f"{name}: expected a finite number of at least 0, got {getattr(self, name)}")


def linear_color(name: str, color: Color) -> NDArray[np.float64]:
    """Return a colour as (3,) linear light; ValueError naming the argument if it is not a colour."""
    values = np.array(encoded_color(color, name))
    linear: NDArray[np.float64] = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear


def encoded_color(color: Color, name: str = "color") -> tuple[float, float, float]:
    """Return a colour as sRGB from 0 to 1; ValueError naming the argument if it is not a colour."""
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
