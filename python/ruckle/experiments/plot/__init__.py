"""Pictures of coarse meshes and of the results of a run, drawn with matplotlib.

    figure = ruckle.experiments.plot.draw_strip(animation, list(ruckle.run(animation)))
    figure.savefig("strip.png")

matplotlib is imported when a drawing function is first used. The geometric functions work without matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ruckle.experiments.plot.moments import activity, choose_frames
from ruckle.experiments.plot.space import Projection, hidden_points, shade, ticks_in_space
from ruckle.field.axes import axes_in_space

if TYPE_CHECKING:
    from ruckle.experiments.plot.colors import compression_colors, label_colors
    from ruckle.experiments.plot.contact_sheet import SheetRow, draw_contact_sheet
    from ruckle.experiments.plot.files import check_picture, save_picture
    from ruckle.experiments.plot.heat_map import MAPPED, draw_heat_map
    from ruckle.experiments.plot.painter import paint_mesh
    from ruckle.experiments.plot.ribbons import paint_wrinkles
    from ruckle.experiments.plot.strip import draw_strip

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

# names that require matplotlib, with their modules
DRAWING = {
    "compression_colors": "ruckle.experiments.plot.colors",
    "label_colors": "ruckle.experiments.plot.colors",
    "paint_mesh": "ruckle.experiments.plot.painter",
    "paint_wrinkles": "ruckle.experiments.plot.ribbons",
    "SheetRow": "ruckle.experiments.plot.contact_sheet",
    "draw_contact_sheet": "ruckle.experiments.plot.contact_sheet",
    "check_picture": "ruckle.experiments.plot.files",
    "save_picture": "ruckle.experiments.plot.files",
    "MAPPED": "ruckle.experiments.plot.heat_map",
    "draw_heat_map": "ruckle.experiments.plot.heat_map",
    "draw_strip": "ruckle.experiments.plot.strip",
}


def __getattr__(name: str) -> object:
    if name not in DRAWING:
        raise AttributeError(f"module 'ruckle.experiments.plot' has no attribute '{name}'")
    try:
        return getattr(import_module(DRAWING[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(
            'pictures need matplotlib, which is not installed: pip install "ruckle[plot]"', name="matplotlib"
        ) from error
