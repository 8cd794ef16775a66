"""Named looks: which folds, which fabric and which light make a shirt, a knit, a coat, a leather jacket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ruckle.arguments import length

if TYPE_CHECKING:
    from ruckle.scene.look import Look

__all__ = ["LOOKS", "NamedLook"]


@dataclass(frozen=True)
class NamedLook:
    """One combination of layers and material.

    Attributes
    ----------
    summary : str
        Description in one line.
    options : mapping
        Options of the layers, by their names on the command line; explicit options override them.
    fabric : str
        The function of `ruckle.scene.fabric` that makes the tile.
    tile : str
        Width of the tile, in percent of the wearer's height.
    steepness : float
        Root mean square slope of the fabric.
    colors : mapping
        Attributes of `ruckle.view.Look`.
    """

    summary: str
    options: Mapping[str, Any]
    fabric: str
    tile: str
    steepness: float
    colors: Mapping[str, Any] = field(default_factory=dict)

    def look(self, height: float) -> Look:
        """Return colours, lights and fabric for a wearer of this height, mesh units."""
        from ruckle.scene import fabric
        from ruckle.scene.look import Look

        tile = fabric.Fabric(getattr(fabric, self.fabric)(), length(self.tile, height, "tile"), self.steepness)
        return replace(Look(**self.colors), fabric=tile)


LOOKS = {
    "shirt": NamedLook(
        "Light cotton: fine sharp folds upon wrinkle paths.",
        {"sources": ("strokes",), "wavelength": "2.2%", "r_min": "0.4%", "steepest": 0.9},
        fabric="weave", tile="0.35%", steepness=0.22, colors={"cloth": "#a9b9c9", "sheen": 0.12},
    ),
    "knit": NamedLook(
        "A soft pullover: round wide folds, stitches that show from near.",
        {"sources": ("strokes",), "wavelength": "4.5%", "paths": False, "steepest": 0.6},
        fabric="knit", tile="0.9%", steepness=0.45, colors={"cloth": "#a35a4e", "highlight": 0.01, "sheen": 0.3},
    ),
    "coat": NamedLook(
        "Heavy cord: few wide folds, ribs.",
        {"sources": ("strokes",), "wavelength": "5%", "paths": False, "steepest": 0.7, "slack": 0.05},
        fabric="corduroy", tile="1.1%", steepness=0.4, colors={"cloth": "#7d6a4f", "highlight": 0.02, "sheen": 0.28},
    ),
    "leather": NamedLook(
        "A leather jacket: folds where it bends, grain and gloss.",
        {"sources": ("strokes",), "wavelength": "3.2%", "paths": False, "steepest": 1.0, "slack": 0.04},
        fabric="leather", tile="1.2%", steepness=0.2,
        colors={"cloth": "#4a3027", "highlight": 0.24, "sheen": 0.05},
    ),
}  # fmt: skip
