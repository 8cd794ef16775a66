"""Named looks of garments, such as "cotton" or "denim": folds, fabric, colour and light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ruckle.arguments import positive_number
from ruckle.scene import tiles
from ruckle.scene.fabric import Fabric
from ruckle.scene.look import Color, Light, Look
from ruckle.scene.stitching import Stitching

__all__ = ["LOOKS", "NamedLook", "plain_look"]


@dataclass(frozen=True)
class NamedLook:
    """One named combination of folds, fabric, colour and light.

    Attributes
    ----------
    summary : str
        Description in one line.
    material : str
        Name in `ruckle.MATERIALS` of a material that moves in the same way.
    options : mapping
        Options of wrinkle waves by their names on the command line. Options from the user have priority.
    fabric : str
        Name of the function in `ruckle.scene.tiles` that makes the tile.
    tile : float, metres
        Width of the tile for a wearer of height `WEARER`. It is scaled for other wearers.
    steepness : float
        Root mean square slope of the fabric.
    thickness : float, metres
        Thickness of hems, for a wearer of height `WEARER`.
    colors : mapping
        Values of other attributes of `ruckle.view.Look`.
    is_woven_across : bool
        See `Fabric`.
    stitching : Stitching
        Seams and hems, for a wearer of height `WEARER`.
    """

    summary: str
    material: str
    options: Mapping[str, Any]
    fabric: str
    tile: float
    steepness: float
    thickness: float = 0.002
    colors: Mapping[str, Any] = field(default_factory=dict)
    is_woven_across: bool = False
    stitching: Stitching = field(default_factory=Stitching)

    @property
    def waves(self) -> Mapping[str, Any]:
        """Parameters of `WaveField.for_animation`."""
        return {name.removeprefix("wave_"): value for name, value in self.options.items()}

    def look(self, height: float, color: Color | None = None) -> Look:
        """Return the look for a wearer of `height`, mesh units. `color` replaces the colour of the cloth."""
        heights, brightness = getattr(tiles, self.fabric)()
        size = self.tile / WEARER * positive_number("height", height)
        tile = Fabric(heights, size, self.steepness, brightness, self.is_woven_across)
        settings = {**self.colors, **plain_settings(height, color, self.thickness)}
        return Look(**{**settings, "fabric": tile, "stitching": self.stitching.scaled(height / WEARER)})


# Lengths of looks are for a wearer of this height in metres, and are scaled for other wearers.
WEARER = 1.75


def plain_settings(height: float, color: Color | None = None, thickness: float = 0.002) -> dict[str, Any]:
    """Return the attributes of a look that depend on the wearer's height, and the colour if given."""
    dyed = {} if color is None else {"cloth": color}
    return {"thickness": thickness / WEARER * positive_number("height", height), **dyed}


def plain_look(height: float, color: Color | None = None) -> Look:
    """Return the default look for a wearer of `height`, mesh units. `color` replaces the colour of the cloth."""
    return Look(**plain_settings(height, color))


def _waves(wavelength: str, **others: Any) -> dict[str, Any]:
    """Return the options for wrinkle waves.

    The coherence is high, because folds whose phases do not agree look like worms.
    """
    return {"wave_wavelength": wavelength, "wave_coherence": 1.0, **others}


def _key(
    intensity: float, color: str = "#fff3e4", direction: tuple[float, float, float] = (-0.80, 0.62, 0.34)
) -> Light:
    return Light(direction, intensity, color)


LOOKS = {
    "cotton": NamedLook(
        "Cotton shirt: fine sharp folds.", "cotton", _waves("2.4%", wave_sharpness=0.35),
        fabric="shirting", tile=0.012, steepness=0.30, thickness=0.0016,
        colors={"cloth": "#a9bdd6", "roughness": 0.70, "sheen": 0.05, "key": _key(2.7, "#fff6ec")},
        stitching=Stitching(thread="#dfe6ee"),
    ),
    "jersey": NamedLook(
        "Jersey, as of T-shirts: soft folds that hang.", "interlock", _waves("3.4%", wave_detail=0.1),
        fabric="jersey", tile=0.014, steepness=0.35, thickness=0.0022,
        colors={"cloth": "#a8453c", "roughness": 0.85, "sheen": 0.22, "key": _key(2.3)},
        stitching=Stitching(thread="#a8453c", depth=0.024, ribs=0.0035, pucker=0.05),
    ),
    "knit": NamedLook(
        "Pullover: round wide folds, stitches that show from near.", "sweater",
        _waves("5%", wave_detail=0.0, wave_sharpness=0.05, wave_steepest=0.8),
        fabric="knit", tile=0.030, steepness=0.6, thickness=0.005,
        colors={"cloth": "#d9c6a4", "roughness": 0.95, "specular": 0.02, "sheen": 0.25, "fuzz": 0.5,
                "key": _key(2.1, "#ffeeda")},
        stitching=Stitching(thread="#d9c6a4", depth=0.05, ribs=0.010, layer=0.003, pucker=0.0),
    ),
    "denim": NamedLook(
        "Denim: stiff folds, diagonal ridges, light weft.", "denim", _waves("3.6%", wave_sharpness=0.3),
        fabric="twill", tile=0.014, steepness=0.50, thickness=0.0032,
        colors={"cloth": "#3c4c66", "roughness": 0.85, "sheen": 0.08, "key": _key(2.5, "#fff6ec")},
        stitching=Stitching(thread="#d08a3c", buttons="#8a6a3e", inset=0.006, length=0.0042, width=0.0011, worn=0.75,
                            layer=0.0018, pucker=0.14),
    ),
    "wool": NamedLook(
        "Wool coat: few wide folds, a soft outline.", "blanket",
        _waves("6%", wave_detail=0.0, wave_sharpness=0.05, wave_steepest=0.8),
        fabric="felt", tile=0.030, steepness=0.35, thickness=0.006,
        colors={"cloth": "#6d6a66", "roughness": 1.0, "specular": 0.02, "sheen": 0.35, "fuzz": 0.6, "key": _key(2.5)},
        stitching=Stitching(thread="#5a5753", buttons="#2a2622", inset=0.007, depth=0.035, layer=0.003, pucker=0.03,
                            button=0.011),
    ),
    "leather": NamedLook(
        "Leather jacket: folds at bends, grain and gloss.", "pants", _waves("4%", wave_detail=0.1),
        fabric="leather", tile=0.024, steepness=0.22, thickness=0.003,
        colors={"cloth": "#3a2a22", "roughness": 0.42, "specular": 0.06, "sheen": 0.0,
                "key": _key(2.6, "#fff6ec")},
        stitching=Stitching(thread="#5b4433", buttons="#8d8272", length=0.0038, width=0.0009, layer=0.0018, worn=0.3),
    ),
    "silk": NamedLook(
        "Silk satin: flowing folds, light along the threads.", "jacket",
        _waves("6.5%", wave_detail=0.0, wave_sharpness=0.0, wave_steepest=0.9),
        fabric="satin", tile=0.008, steepness=0.12, thickness=0.001, is_woven_across=True,
        colors={"cloth": "#7c2436", "roughness": 0.55, "specular": 0.14, "anisotropy": 0.6, "sheen": 0.05,
                "key": _key(2.3, "#fff6ec")},
        stitching=Stitching(thread="#6d2a46", width=0.0004, layer=0.0008, depth=0.012, pucker=0.04),
    ),
}  # fmt: skip
"""Looks by their names on the command line."""
