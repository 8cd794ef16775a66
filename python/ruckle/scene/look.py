"""Lights and colours of a picture, and the reflectance of its cloth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ruckle.scene.color import Color, encoded_color, linear_color
from ruckle.scene.fabric import Fabric
from ruckle.scene.stitching import Stitching

__all__ = ["Color", "Light", "Look", "encoded_color", "linear_color"]


@dataclass(frozen=True)
class Light:
    """A distant light.

    Attributes
    ----------
    direction : three floats
        Direction to the light in camera space: right, up, toward the camera. Its length is ignored.
    intensity : float, >= 0
        Irradiance / pi: at 1, perfectly white cloth that faces the light reflects the radiance 1.
    color : Color

    Raises
    ------
    ValueError
        The direction is 0, a number is not finite, or the intensity is negative. Or the colour is unknown.
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

    The lights move with the camera, so that wrinkles get light from the side in every view.

    Attributes
    ----------
    cloth, body, background : Color
        Colours in sRGB. The texture is multiplied by the cloth's colour.
    key : Light
        Main light. It comes from the side, so that shallow wrinkles are visible.
    ambient : float, >= 0
        Factor of the light from the studio: softboxes, walls and floor.
    shadows : float, in [0, 1]
        Share of the key light that shadows remove. 0 disables shadows.
    occlusion : float, in [0, 1]
        Share of the studio light that nearby surfaces can remove. 0 disables this occlusion.
    roughness : float, in (0, 1]
        Roughness of reflections: 0.3 for leather, 0.8 for cotton.
    specular : float, >= 0
        Share of light that is reflected at perpendicular incidence.
    anisotropy : float, in [0, 1)
        Amount by which reflections are wider across the threads than along the threads; 0 if equal.
    sheen : float, >= 0
        Reflection of fibres at grazing angles.
    fuzz : float, >= 0
        Light in loose fibres of wool and knit, visible along outlines.
    thickness : float, mesh units
        Thickness of the rounded edges that are drawn along the boundary of the cloth; 0 disables them. Fine meshes of
        layers with a shape do not have such edges.
    fabric : Fabric, optional
        Threads, stitches or grain of the cloth, visible in close-ups.
    stitching : Stitching, optional
        Seams, hems and buttons of garments that have texture coordinates and a fabric.

    Raises
    ------
    ValueError
        A number is out of its range, or a colour is unknown.
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
    stitching: Stitching | None = None

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
