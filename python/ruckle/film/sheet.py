"""Contact sheets: many garments in one picture, each as coarse mesh, wrinkled cloth and close-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.film.writing import drawing_packages
from ruckle.mesh.animation import Animation
from ruckle.paths.wrinkler import run
from ruckle.scene.framing import busiest_frame, camera_path, close_up

__all__ = ["SheetCell", "draw_cell", "draw_render_sheet"]

Picture = NDArray[np.uint8]

# Elevation of the camera in views of whole garments, degrees.
ELEVATION = 8.0
# Margin between cells, pixels.
MARGIN = 14


@dataclass(frozen=True, eq=False)
class SheetCell:
    """One garment of a sheet.

    Attributes
    ----------
    picture : (H, 3 W, 3) uint8
        Coarse mesh, wrinkled cloth and close-up, side by side.
    title, caption : str
        Name and description of the garment.
    """

    picture: Picture
    title: str
    caption: str


def draw_cell(animation: Animation, pane: int, **parameters: Any) -> SheetCell:
    """Draw the frame with the most wrinkles of an animation.

    Parameters
    ----------
    animation : Animation
    pane : int, pixels
        Side length of each of the three square pictures.
    **parameters
        Parameters of `Wrinkler.for_animation`.

    Returns
    -------
    SheetCell
        Without wrinkles, the close-up is the whole garment.

    Raises
    ------
    ModuleNotFoundError, GraphicsError
        The extra `render` or OpenGL is missing.
    """
    with drawing_packages():
        from ruckle.scene.renderer import Renderer

    frames = list(run(animation, **parameters))
    number = busiest_frame(frames)
    frame = frames[number]
    near = close_up(frame, height=animation.height, up=animation.up)
    # look at the whole garment from the side of the close-up
    view = (near.azimuth, ELEVATION) if near else "three-quarter"
    (camera,) = camera_path(animation, range(number, number + 1), aspect=1.0, view=view)
    with Renderer(pane, pane) as renderer:
        panes = [
            renderer.render_coarse(frame, camera=camera),
            *(renderer.render(frame, camera=seen) for seen in (camera, near or camera)),
        ]
    caption = f"{animation.face_count:,} triangles, frame {number}, {len(frame.wrinkles)} wrinkles"
    return SheetCell(np.concatenate(panes, axis=1), animation.name.replace("_", " "), caption)


def draw_render_sheet(cells: Sequence[SheetCell], *, columns: int = 2) -> Picture:
    """Place cells of equal size in rows, with their names below.

    Parameters
    ----------
    cells : sequence of SheetCell
        Cells of the sheet, at least one.
    columns : int
        Number of cells per row.

    Returns
    -------
    (height, width, 3) uint8
    """
    with drawing_packages():
        from ruckle.film.caption import labelled

    pictures = [labelled(cell.picture, cell.title, cell.caption) for cell in cells]
    height, width, _ = pictures[0].shape
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * (height + MARGIN) + MARGIN, columns * (width + MARGIN) + MARGIN, 3), 255, np.uint8)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        top, left = MARGIN + row * (height + MARGIN), MARGIN + column * (width + MARGIN)
        sheet[top : top + height, left : left + width] = picture
    return sheet
