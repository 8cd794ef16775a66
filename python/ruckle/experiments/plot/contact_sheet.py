"""Many garments on one sheet: one row per animation, with wrinkles as ribbons on the shaded cloth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ruckle.experiments.plot.colors import INK, MUTED, blushing
from ruckle.experiments.plot.moments import choose_frames
from ruckle.experiments.plot.painter import paint_mesh
from ruckle.experiments.plot.ribbons import paint_wrinkles
from ruckle.experiments.plot.space import Projection
from ruckle.experiments.plot.strip import RESOLUTION, frame_window, panel
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame

__all__ = ["SheetRow", "draw_contact_sheet"]

# Lengths in inches.
WIDTH = 12.0
LEFT, RIGHT, TOP, BOTTOM = 1.45, 0.15, 0.15, 0.15
BETWEEN_ROWS, BETWEEN_PANELS = 0.30, 0.10
LEAST_HEIGHT, MOST_HEIGHT = 1.2, 3.8

# Colour of cloth without compression.
LINEN = np.array([0.925, 0.905, 0.865])


@dataclass(frozen=True, eq=False)
class SheetRow:
    """A few moments of one run, shown in one row.

    Attributes
    ----------
    animation : Animation
    frames : list of Frame
        Frames of the run.
    caption : str
        Text below the animation's name.
    """

    animation: Animation
    frames: list[Frame]
    caption: str = ""

    @classmethod
    def of(cls, animation: Animation, frames: Sequence[Frame], count: int, *, caption: str = "") -> SheetRow:
        """Create a row from frames with many wrinkles, spread over a run.

        Parameters
        ----------
        animation : Animation
        frames : sequence of Frame
            All frames of the run.
        count : int
            Number of moments.
        caption : str
            Text below the animation's name.
        """
        chosen = choose_frames([frame.details.amounts.sum() for frame in frames], count)
        return cls(animation, [frames[k] for k in chosen], caption)


def draw_contact_sheet(rows: Sequence[SheetRow], *, projection: Projection | None = None) -> Figure:
    """Draw rows of moments; each row has its own scale.

    Parameters
    ----------
    rows : sequence of SheetRow
        At least one, each with at least one frame.
    projection : Projection, optional
        Common projection of all rows; default: a `Projection` with the up axis of the first row.

    Returns
    -------
    matplotlib Figure
        12 inches wide; not registered with pyplot.

    Raises
    ------
    ValueError
        There are no rows, or a row does not have frames.
    """
    if not rows or not all(row.frames for row in rows):
        raise ValueError("rows: a contact sheet needs at least one row, each with at least one frame")
    projection = projection or Projection(up=rows[0].animation.up)
    columns = max(len(row.frames) for row in rows)
    panel_width = (WIDTH - LEFT - RIGHT + BETWEEN_PANELS) / columns - BETWEEN_PANELS
    windows = [frame_window(row.frames, projection) for row in rows]
    heights = [float(np.clip(panel_width * extent[1] / extent[0], LEAST_HEIGHT, MOST_HEIGHT)) for _, extent in windows]
    height = TOP + sum(heights) + BETWEEN_ROWS * len(rows) + BOTTOM
    figure = Figure(figsize=(WIDTH, height), dpi=RESOLUTION, facecolor="white")
    bottom = height - TOP
    for row, (centres, extent), panel_height in zip(rows, windows, heights, strict=True):
        bottom -= panel_height
        _name(figure, row, (bottom + panel_height / 2) / height)
        for column, (frame, centre) in enumerate(zip(row.frames, centres, strict=True)):
            left = LEFT + column * (panel_width + BETWEEN_PANELS)
            box = (left / WIDTH, bottom / height, panel_width / WIDTH, panel_height / height)
            _paint_moment(panel(figure, box, (panel_width, panel_height), centre, extent), frame, projection)
        bottom -= BETWEEN_ROWS
    return figure


def _paint_moment(axes: Axes, frame: Frame, projection: Projection) -> None:
    """Paint a frame, with its index and its number of wrinkles below."""
    paint_mesh(axes, frame.positions, frame.faces, blushing(frame.compression, LINEN), projection=projection)
    paint_wrinkles(axes, frame, projection=projection)
    axes.annotate(
        f"frame {frame.index} · {len(frame.wrinkles)} wrinkles", (0.5, 0.0), (0, -10), xycoords="axes fraction",
        textcoords="offset points", ha="center", va="bottom", fontsize=7, color=MUTED,
    )  # fmt: skip


def _name(figure: Figure, row: SheetRow, middle: float) -> None:
    """Write name, size and caption of a row at its left end."""
    name = figure.text(0.12 / WIDTH, middle, row.animation.name.replace("_", " "), fontsize=10, color=INK)
    name.set(va="bottom", fontweight="bold", parse_math=False)
    size = f"{row.animation.face_count:,} triangles"
    lines = [size, row.caption] if row.caption else [size]
    figure.text(0.12 / WIDTH, middle, "\n".join(lines), va="top", fontsize=7.5, color=MUTED, parse_math=False)
