"""How a garment is sewn: stitches along seams, hems, patches and buttons."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ruckle.scene.color import linear_color

__all__ = ["Stitching"]

# Names of the attributes of `Stitching` that are lengths, which `scaled` multiplies.
LENGTHS = ("inset", "length", "depth", "layer", "width", "ribs", "button")


@dataclass(frozen=True)
class Stitching:
    """Stitches and edges of a garment. They are drawn along seams of the texture coordinates and along the boundary.

    Attributes
    ----------
    thread, buttons : str
        Colours such as "#c8823c".
    inset : float, mesh units
        Distance between the stitches and a seam.
    length, width : float, mesh units
        Length of a stitch, and thickness of its thread.
    depth : float, mesh units
        Width of hems, which are two layers of cloth, or of ribbed bands.
    layer : float, mesh units
        Visible thickness of one layer of cloth.
    pucker : float
        Slope of the small waves along stitches.
    worn : float, in [0, 1]
        Amount by which the cloth is lighter at edges of layers and folds, where it is worn.
    ribs : float, mesh units
        Width of the ribs of knitted bands; 0 for hems.
    button : float, mesh units
        Radius of the buttons; 0 for no buttons.
    """

    thread: str = "#e8e4dc"
    buttons: str = "#ece8de"
    inset: float = 0.0055
    length: float = 0.0030
    width: float = 0.0007
    depth: float = 0.020
    layer: float = 0.0012
    pucker: float = 0.08
    worn: float = 0.0
    ribs: float = 0.0
    button: float = 0.0058

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.type == "float" and not (np.isfinite(value) and value >= 0.0):
                raise ValueError(f"{one.name}: expected a finite number of at least 0, got {value}")

    def uniforms(self) -> dict[str, Any]:
        """Return the uniforms of shaders/common/sewing.glsl."""
        thread, buttons = (tuple(linear_color(name, getattr(self, name)).tolist()) for name in ("thread", "buttons"))
        return {
            "sewing_sizes": (self.inset, self.length, self.depth, self.layer),
            "sewing_shades": (self.pucker, self.worn, self.ribs, self.width),
            "thread_color": thread,
            "button_color": buttons,
            "button_radius": self.button,
        }

    def scaled(self, factor: float) -> Stitching:
        """Return a copy with all lengths multiplied by `factor`."""
        return replace(self, **{name: factor * getattr(self, name) for name in LENGTHS})
