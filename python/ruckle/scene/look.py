"""How a picture is lit and coloured, and how its cloth reflects light."""

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
        1 lights white cloth that faces it as strongly as white walls all around.
    color : Color
    """

    direction: tuple[float, float, float]
    intensity: float
    color: Color = "#ffffff"

    def __post_init__(self) -> None:
        length = float(np.linalg.norm(self.direction))
        if not (np.isfinite(length) and length > 0 and np.isfinite(self.intensity) and self.intensity >= 0):
            raise ValueError(
                f"light: expected a direction that is not zero and an intensity of at least 0, "
                f"got {self.direction}, {self.intensity}"
            )
        linear_color("color", self.color)


@dataclass(frozen=True)
class Look:
    """Colours, lights and material of a picture.

    Lights go with the camera, so that wrinkles are lit from the side whichever way the garment is turned.

    Attributes
    ----------
    cloth, body, background : Color
        The cloth's colour multiplies the texture, if there is one.
    key : Light
        It rakes across the cloth, so that shallow wrinkles show.
    ambient : float, >= 0
        Factor of the light of the studio: softboxes, walls and floor.
    shadows : float, in [0, 1]
        Share of the key light that cast shadows take away; 0 draws none.
    occlusion : float, in [0, 1]
        How much nearby surfaces hide the studio's light; 0 for not at all.
    roughness : float, in (0, 1]
        Of the cloth's reflections: 0.3 for leather, 0.8 for cotton.
    specular : float, >= 0
        Reflected share of light that arrives straight.
    anisotropy : float, in [0, 1)
        How much wider reflections are across the threads than along them.
    sheen : float, >= 0
        Of fibres, at grazing angles.
    fuzz : float, >= 0
        Light in fibres that stick out of wool and knit, along outlines.
    thickness : float, mesh units
        Of hems, a rounded edge along the open sides of the cloth; 0 for none. Fine meshes of layers have no hems.
    fabric : Fabric, optional
        Threads, stitches or grain of the cloth, as in near pictures.
    """

    cloth: Color = "#7a90ae"
    body: Color = "#c9b8a6"
    background: Color = "#f2efe9"
    key: Light = field(default_factory=lambda: Light((-0.80, 0.62, 0.34), 2.7, "#fff1e0"))
    ambient: float = 1.0
    shadows: float = 0.9
    occlusion: float = 1.0
    roughness: float = 0.8
    specular: float = 0.04
    anisotropy: float = 0.0
    sheen: float = 0.12
    fuzz: float = 0.0
    thickness: float = 0.0
    fabric: Fabric | None = None

    def __post_init__(self) -> None:
        for name in ("cloth", "body", "background"):
            linear_color(name, getattr(self, name))
        for name in ("shadows", "occlusion"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name}: expected a share from 0 to 1, got {getattr(self, name)}")
        for name in ("ambient", "specular", "sheen", "fuzz", "thickness"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0.0):
                raise ValueError(f"{name}: expected a finite number of at least 0, got {getattr(self, name)}")
        if not 0.0 < self.roughness <= 1.0:
            raise ValueError(f"roughness: expected a number above 0 and up to 1, got {self.roughness}")
        if not 0.0 <= self.anisotropy < 1.0:
            raise ValueError(f"anisotropy: expected a number from 0 to below 1, got {self.anisotropy}")


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
