"""A contact sheet: many garments on one picture, each before, after, and from near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ruckle.film.shot import busiest_frame, coarse_picture
from ruckle.film.writing import drawing_packages
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame
from ruckle.paths.wrinkler import Wrinkler
from ruckle.scene.framing import camera_path, close_up

if TYPE_CHECKING:
    from ruckle.scene.camera import Camera
    from ruckle.view.renderer import Renderer

__all__ = ["SheetCell", "draw_cell", "draw_render_sheet"]

Picture = NDArray[np.uint8]

# Degrees over the horizon from which a whole garment is seen.
ELEVATION = 8.0
# Pixels between cells.
MARGIN = 14


@dataclass(frozen=True, eq=False)
class SheetCell:
    """One garment of a sheet.

    Attributes
    ----------
    picture : (height, 3 width, 3) uint8
        Coarse mesh, wrinkled cloth, close-up.
    title, caption : str
        Its name, and what there is to know.
    """

    picture: Picture
    title: str
    caption: str


def draw_cell(animation: Animation, pane: int, **parameters: Any) -> SheetCell:
    """Draw the frame of an animation with most wrinkled cloth.

    Parameters
    ----------
    animation : Animation
    pane : int, pixels
        Side of each of the three square pictures.
    **parameters
        Those of `Wrinkler.for_animation`.

    Returns
    -------
    SheetCell

    Raises
    ------
    ModuleNotFoundError, GraphicsError
        The extra `render` or OpenGL is missing.
    """
    with drawing_packages():
        from ruckle.view.renderer import Renderer

    wrinkler = Wrinkler.for_animation(animation, **parameters)
    frames = [wrinkler.step(positions, 1.0 / animation.fps) for positions in animation.positions]
    number = busiest_frame(frames)
    frame, positions = frames[number], animation.positions[number]
    near = close_up(frame, positions, wrinkler.topology, height=animation.height, up=animation.up)
    # from the side on which there is most to see
    view = (near.azimuth, ELEVATION) if near else "three-quarter"
    (camera,) = camera_path(animation, range(number, number + 1), aspect=1.0, view=view)
    with Renderer(pane, pane) as renderer:
        panes = [
            coarse_picture(renderer, positions, wrinkler.topology, camera),
            *(_wrinkled(renderer, positions, wrinkler, frame, seen) for seen in (camera, near or camera)),
        ]
    caption = f"{animation.face_count:,} triangles, frame {number}, {len(frame.wrinkles)} wrinkles"
    return SheetCell(np.concatenate(panes, axis=1), animation.name.replace("_", " "), caption)


def draw_render_sheet(cells: Sequence[SheetCell], *, columns: int = 2) -> Picture:
    """Lay cells of one size side by side, their names under them.

    Parameters
    ----------
    cells : sequence of SheetCell
        At least one.
    columns : int

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


def _wrinkled(
    renderer: Renderer, positions: NDArray[np.float32], wrinkler: Wrinkler, frame: Frame, camera: Camera
) -> Picture:
    return renderer.render(positions, wrinkler.topology, frame, camera=camera)
