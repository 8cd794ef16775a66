"""Pictures of coarse meshes and of what a run found on them, drawn with matplotlib.

    figure = ruckle.plot.draw_strip(animation, list(ruckle.run(animation)))
    figure.savefig("strip.png")

matplotlib is loaded when the first function that draws is asked for; the geometry works without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ruckle.field.axes import axes_in_space
from ruckle.plot.moments import activity, choose_frames
from ruckle.plot.space import Projection, hidden_points, shade, ticks_in_space

if TYPE_CHECKING:
    from ruckle.plot.colors import compression_colors, label_colors
    from ruckle.plot.contact_sheet import SheetRow, draw_contact_sheet
    from ruckle.plot.files import check_picture, save_picture
    from ruckle.plot.heat_map import MAPPED, draw_heat_map
    from ruckle.plot.painter import paint_mesh
    from ruckle.plot.ribbons import paint_wrinkles
    from ruckle.plot.strip import draw_strip

__all__ = [
    "MAPPED",
    "Projection",
    "SheetRow",
    "activity",
    "axes_in_space",
    "check_picture",
    "choose_frames",
    "compression_colors",
    "draw_contact_sheet",
    "draw_heat_map",
    "draw_strip",
    "hidden_points",
    "label_colors",
    "paint_mesh",
    "paint_wrinkles",
    "save_picture",
    "shade",
    "ticks_in_space",
]

# where the names that need matplotlib are found
DRAWING = {
    "compression_colors": "ruckle.plot.colors",
    "label_colors": "ruckle.plot.colors",
    "paint_mesh": "ruckle.plot.painter",
    "paint_wrinkles": "ruckle.plot.ribbons",
    "SheetRow": "ruckle.plot.contact_sheet",
    "draw_contact_sheet": "ruckle.plot.contact_sheet",
    "check_picture": "ruckle.plot.files",
    "save_picture": "ruckle.plot.files",
    "MAPPED": "ruckle.plot.heat_map",
    "draw_heat_map": "ruckle.plot.heat_map",
    "draw_strip": "ruckle.plot.strip",
}


def __getattr__(name: str) -> object:
    if name not in DRAWING:
        raise AttributeError(f"module 'ruckle.plot' has no attribute '{name}'")
    try:
        return getattr(import_module(DRAWING[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(
            'pictures need matplotlib, which is not installed: pip install "ruckle[plot]"', name="matplotlib"
        ) from error
