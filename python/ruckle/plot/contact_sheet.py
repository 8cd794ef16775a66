"""Many garments on one sheet: a row per animation, its wrinkles as ribbons over the shaded cloth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import Topology, weld
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.plot.colors import INK, MUTED, compression_colors
from ruckle.plot.moments import choose_frames
from ruckle.plot.painter import paint_mesh
from ruckle.plot.ribbons import paint_wrinkles
from ruckle.plot.space import Camera
from ruckle.plot.strip import RESOLUTION, frame_window, on_the_spot, panel

__all__ = ["SheetRow", "draw_contact_sheet"]

# Inches.
WIDTH = 12.0
LEFT, RIGHT, TOP, BOTTOM = 1.45, 0.15, 0.15, 0.15
BETWEEN_ROWS, BETWEEN_PANELS = 0.30, 0.10
LEAST_HEIGHT, MOST_HEIGHT = 1.2, 3.8

# The cloth is linen, and blushes where it is compressed: enough to judge a path by, too little to hide it.
LINEN = np.array([0.925, 0.905, 0.865])
BLUSH = 0.42
# Compression of the deepest blush.
BLUSH_TOP = 2.0


@dataclass(frozen=True, eq=False)
class SheetRow:
    """A few moments of one run.

    Attributes
    ----------
    animation : Animation
    frames : list of int
        Which moments.
    wrinkles : for each of them its list of Wrinkle
    compression : for each of them (T,) float32
    caption : str
        Under the animation's name.
    """

    animation: Animation
    frames: list[int]
    wrinkles: list[list[Wrinkle]]
    compression: list[NDArray[np.float32]]
    caption: str = ""

    @classmethod
    def of(cls, animation: Animation, frames: Sequence[Frame], count: int, *, caption: str = "") -> SheetRow:
        """Make a row of the moments of a run with most wrinkled cloth, spread over it.

        Parameters
        ----------
        animation : Animation
        frames : sequence of Frame
            All frames of its run.
        count : int
            Moments to choose.
        caption : str
        """
        amounts = [sum(wrinkle.crest * wrinkle.length for wrinkle in frame.wrinkles) for frame in frames]
        chosen = choose_frames(amounts, count)
        return cls(
            animation,
            chosen,
            [frames[k].wrinkles for k in chosen],
            [frames[k].compression for k in chosen],
            caption,
        )


def draw_contact_sheet(rows: Sequence[SheetRow], *, camera: Camera | None = None) -> Figure:
    """Draw rows of moments, each row at its own scale.

    Parameters
    ----------
    rows : sequence of SheetRow
        At least one, each with at least one frame.
    camera : Camera, optional
        One for all.

    Returns
    -------
    matplotlib Figure
        12 inches wide; not registered with pyplot.

    Raises
    ------
    ValueError
        No rows, or a row without frames.
    """
    if not rows or not all(row.frames for row in rows):
        raise ValueError("rows: a contact sheet needs at least one row, each with at least one frame")
    camera = camera or Camera(up=rows[0].animation.up)
    columns = max(len(row.frames) for row in rows)
    panel_width = (WIDTH - LEFT - RIGHT + BETWEEN_PANELS) / columns - BETWEEN_PANELS
    stages = [_stages(row) for row in rows]
    windows = [
        frame_window([camera.project(stage[np.unique(row.animation.faces)])[:, :2] for stage in moments])
        for row, moments in zip(rows, stages, strict=True)
    ]
    heights = [float(np.clip(panel_width * extent[1] / extent[0], LEAST_HEIGHT, MOST_HEIGHT)) for _, extent in windows]
    height = TOP + sum(heights) + BETWEEN_ROWS * len(rows) + BOTTOM
    figure = Figure(figsize=(WIDTH, height), dpi=RESOLUTION, facecolor="white")
    bottom = height - TOP
    for row, moments, (centres, extent), panel_height in zip(rows, stages, windows, heights, strict=True):
        bottom -= panel_height
        _name(figure, row, (bottom + panel_height / 2) / height)
        topology = Topology(weld(row.animation.positions[0], row.animation.faces), row.animation.vertex_count)
        for column, positions in enumerate(moments):
            left = LEFT + column * (panel_width + BETWEEN_PANELS)
            box = (left / WIDTH, bottom / height, panel_width / WIDTH, panel_height / height)
            axes = panel(figure, box, (panel_width, panel_height), centres[column], extent)
            blush = compression_colors(row.compression[column], BLUSH_TOP) - compression_colors([1.0], BLUSH_TOP)
            cloth = np.clip(LINEN + BLUSH * blush, 0.0, 1.0)
            paint_mesh(axes, positions, row.animation.faces, cloth, camera=camera)
            paint_wrinkles(axes, row.wrinkles[column], positions, topology, camera=camera)
            note = f"frame {row.frames[column]} · {len(row.wrinkles[column])} wrinkles"
            axes.annotate(
                note, (0.5, 0.0), (0, -10), xycoords="axes fraction", textcoords="offset points",
                ha="center", va="bottom", fontsize=7, color=MUTED,
            )  # fmt: skip
        bottom -= BETWEEN_ROWS
    return figure


def _stages(row: SheetRow) -> list[NDArray[np.float32]]:
    used = np.unique(row.animation.faces)
    return [on_the_spot(row.animation.positions[frame], used, row.animation.up) for frame in row.frames]


def _name(figure: Figure, row: SheetRow, middle: float) -> None:
    """Write what a row shows to its left."""
    name = figure.text(0.12 / WIDTH, middle, row.animation.name.replace("_", " "), fontsize=10, color=INK)
    name.set(va="bottom", fontweight="bold", parse_math=False)
    size = f"{row.animation.face_count:,} triangles"
    lines = [size, row.caption] if row.caption else [size]
    figure.text(0.12 / WIDTH, middle, "\n".join(lines), va="top", fontsize=7.5, color=MUTED, parse_math=False)
