"""A strip of chosen frames: labels in the upper row, compression in the lower row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ruckle.experiments.plot.colors import COMPRESSION_MAP, INK, LABELS, MUTED, compression_colors, label_colors
from ruckle.experiments.plot.painter import paint_mesh
from ruckle.experiments.plot.ribbons import paint_wrinkles
from ruckle.experiments.plot.space import Projection
from ruckle.mesh.animation import UP_AXES, Animation, Up
from ruckle.paths.frame import Frame
from ruckle.surface.frame import LayerFrame

__all__ = ["draw_strip", "frame_window", "on_the_spot", "panel", "standing_point"]

# Inches, and dots per inch; the strip is 1600 pixels wide.
WIDTH = 10.0
RESOLUTION = 160

# Margins around the panels in inches, for row names, legend and colour bar, titles, and the text below a panel.
LEFT, RIGHT, TOP, BOTTOM = 0.32, 1.16, 0.74, 0.26
BETWEEN_ROWS, BETWEEN_PANELS = 0.34, 0.06
# Minimum height of a panel, which fits the legend, and maximum height.
LEAST_HEIGHT, MOST_HEIGHT = 1.3, 3.6
# Margin around the mesh, relative to its extent.
MARGIN = 0.04

# Smallest compression of a triangle with a tick. Below this value, the axis is mainly noise of the motion.
TICK_FROM = 1.3
# The colour bar ends at this percentile of the displayed compression, rounded up to a step, within bounds. So a few
# almost degenerate triangles do not make all others pale.
TOP_PERCENTILE, TOP_STEP, TOP_BOUNDS = 99.0, 0.25, (1.5, 4.0)


def draw_strip(
    animation: Animation,
    frames: Sequence[Frame],
    *,
    wrinkles: bool = True,
    projection: Projection | None = None,
    first_frame: int = 0,
) -> Figure:
    """Draw frames of a run side by side at the same scale.

    Parameters
    ----------
    animation : Animation
    frames : sequence of Frame
        Frames of the run, at least one; `ruckle.experiments.plot.choose_frames` finds active frames.
    wrinkles : bool
        True draws wrinkles as ribbons on the compression. False draws the compression axis as a tick in triangles
        with compression above 1.3.
    projection : Projection, optional
        Default: a `Projection` with the up axis of the animation.
    first_frame : int
        Number that is added to frame numbers in titles, for an animation that was cut out of a longer one.

    Returns
    -------
    matplotlib Figure
        10 inches wide, for 160 dots per inch; not registered with pyplot.

    Raises
    ------
    ValueError
        There are no frames.
    """
    if not frames:
        raise ValueError("frames: a strip needs at least one frame, got none")
    projection = projection or Projection(up=animation.up)
    top = _top(np.concatenate([frame.compression for frame in frames]))
    centres, extent = frame_window(frames, projection)
    panel_width = (WIDTH - LEFT - RIGHT + BETWEEN_PANELS) / len(frames) - BETWEEN_PANELS
    panel_height = float(np.clip(panel_width * extent[1] / extent[0], LEAST_HEIGHT, MOST_HEIGHT))
    height = TOP + 2 * panel_height + BETWEEN_ROWS + BOTTOM
    figure = Figure(figsize=(WIDTH, height), dpi=RESOLUTION, facecolor="white")
    _title(figure, animation, height)
    bottoms = (BOTTOM + panel_height + BETWEEN_ROWS, BOTTOM)
    for column, (frame, centre) in enumerate(zip(frames, centres, strict=True)):
        left = LEFT + column * (panel_width + BETWEEN_PANELS)
        upper, lower = (
            panel(
                figure,
                (left / WIDTH, bottom / height, panel_width / WIDTH, panel_height / height),
                (panel_width, panel_height),
                centre,
                extent,
            )
            for bottom in bottoms
        )
        paint_mesh(upper, frame.positions, frame.faces, label_colors(frame.labels), projection=projection)
        _paint_compression(lower, frame, top, wrinkles=wrinkles, projection=projection)
        _caption_column(upper, lower, frame, first_frame, animation.fps)
    right = (WIDTH - RIGHT + 0.14) / WIDTH
    for name, bottom in zip(("labels", "compression"), bottoms, strict=True):
        middle = (bottom + panel_height / 2) / height
        figure.text(0.14 / WIDTH, middle, name, rotation=90, ha="center", va="center", fontsize=9, color=INK)
    _legend(figure, right, (bottoms[0] + panel_height / 2) / height)
    box = (right, (bottoms[1] + 0.1 * panel_height) / height, 0.011, 0.8 * panel_height / height)
    _color_bar(figure, box, top, "blue: wrinkles" if wrinkles else f"ticks: its axis, from {TICK_FROM:g}")
    return figure


def _top(compression: NDArray[np.floating]) -> float:
    """Return the compression at the upper end of the colour bar, rounded up to a step and within TOP_BOUNDS."""
    least, most = TOP_BOUNDS
    reached = float(np.percentile(compression, TOP_PERCENTILE))
    return float(np.clip(np.ceil(reached / TOP_STEP) * TOP_STEP, least, most))


def standing_point(positions: NDArray[np.float32], up: Up = "y") -> NDArray[np.float32]:
    """Return the ground point (3,) below a garment; all vertices (n, 3) must belong to the garment."""
    middle: NDArray[np.float32] = (positions.min(axis=0) + positions.max(axis=0)) / 2
    middle[UP_AXES[up]] = 0.0
    return middle


def on_the_spot(positions: NDArray[np.float32], used: NDArray[np.integer], up: Up = "y") -> NDArray[np.float32]:
    """Return positions with the garment moved horizontally to the origin; this removes walks, but not jumps."""
    moved: NDArray[np.float32] = positions - standing_point(positions[used], up)
    return moved


def frame_window(
    frames: Sequence[LayerFrame], projection: Projection
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centre (frames, 2) of each frame's picture, and the common extent (2,), in mesh units.

    Horizontally, every frame is centred on its garment. Vertically, all frames share one window relative to their
    ground points. So a walking garment remains inside the picture, and a jump is visible.
    """
    garments = [frame.positions[np.unique(frame.topology.faces)] for frame in frames]
    feet = np.array([projection.project(standing_point(garment, projection.up))[:2] for garment in garments])
    planes = [projection.project(garment)[:, :2] - foot for garment, foot in zip(garments, feet, strict=True)]
    lows = np.array([plane.min(axis=0) for plane in planes])
    highs = np.array([plane.max(axis=0) for plane in planes])
    centres = (lows + highs) / 2
    centres[:, 1] = (lows[:, 1].min() + highs[:, 1].max()) / 2
    extent = np.array([(highs - lows)[:, 0].max(), highs[:, 1].max() - lows[:, 1].min()])
    # prevent an extent of 0, for example for a flat sheet that is seen exactly from the side
    extent = np.maximum(extent, 0.05 * extent.max()) if extent.any() else np.ones(2)
    return centres + feet, extent * (1 + 2 * MARGIN)


def panel(
    figure: Figure,
    box: tuple[float, float, float, float],
    size: tuple[float, float],
    centre: NDArray[np.float64],
    extent: NDArray[np.float64],
) -> Axes:
    """Add axes that show a window in mesh units; `box` is relative to the figure, and `size` is in inches."""
    axes = figure.add_axes(box)
    # mesh units per inch, the same in both directions
    scale = max(extent[0] / size[0], extent[1] / size[1])
    half = scale * np.array(size) / 2
    axes.set_xlim(centre[0] - half[0], centre[0] + half[0])
    axes.set_ylim(centre[1] - half[1], centre[1] + half[1])
    axes.set_axis_off()
    return axes


def _title(figure: Figure, animation: Animation, height: float) -> None:
    line = (height - 0.14) / height
    name = figure.text(LEFT / WIDTH, line, animation.name, va="top", fontsize=11, fontweight="bold", color=INK)
    name.set_parse_math(False)
    size = f"{animation.face_count:,} triangles · {animation.frame_count} frames at {animation.fps:g} fps"
    figure.text(1 - 0.12 / WIDTH, line, size, ha="right", va="top", fontsize=8, color=MUTED)


def _paint_compression(axes: Axes, frame: Frame, top: float, *, wrinkles: bool, projection: Projection) -> None:
    """Paint the compression of a frame, and wrinkles or ticks over it."""
    strong = None if wrinkles else np.where(frame.compression[:, None] >= TICK_FROM, frame.stretch.axis, 0.0)
    colors = compression_colors(frame.compression, top)
    paint_mesh(axes, frame.positions, frame.faces, colors, axis=strong, projection=projection)
    if wrinkles:
        paint_wrinkles(axes, frame, projection=projection)


def _caption_column(upper: Axes, lower: Axes, frame: Frame, first_frame: int, fps: float) -> None:
    """Write frame number and time above a column, and label shares and largest compression below its two panels."""
    number = first_frame + frame.index
    _caption(upper, 1.0, 4, f"{number / fps:.2f} s", MUTED)
    upper.annotate(
        f"frame {number}", (0.5, 1.0), (0, 14), xycoords="axes fraction", textcoords="offset points",
        ha="center", va="bottom", fontsize=8, fontweight="bold", color=INK,
    )  # fmt: skip
    shares = np.bincount(frame.labels, minlength=3) / len(frame.labels)
    _caption(upper, 0.0, -10, f"{shares[0]:.1%}  ", LABELS["compression"], side="right")
    _caption(upper, 0.0, -10, f"  {shares[2]:.1%}", LABELS["stretch"], side="left")
    _caption(lower, 0.0, -10, f"largest {frame.compression.max():.2f}", MUTED)


def _caption(axes: Axes, anchor: float, offset: float, text: str, color: str, *, side: str = "center") -> None:
    axes.annotate(
        text, (0.5, anchor), (0, offset), xycoords="axes fraction", textcoords="offset points",
        ha=side, va="bottom", fontsize=7, color=color,
    )  # fmt: skip


def _legend(figure: Figure, left: float, middle: float) -> None:
    patches = [Patch(color=color, label=name) for name, color in LABELS.items()]
    figure.legend(
        handles=patches, loc="center left", bbox_to_anchor=(left, middle), bbox_transform=figure.transFigure,
        frameon=False, fontsize=8, labelcolor=INK, handlelength=1.0, handleheight=1.0, borderpad=0, borderaxespad=0,
    )  # fmt: skip


def _color_bar(figure: Figure, box: tuple[float, float, float, float], top: float, note: str) -> None:
    """Add a colour bar of compression from 1 to `top`; `box` is relative to the figure, `note` is below its label."""
    bar = figure.colorbar(
        ScalarMappable(Normalize(1.0, top), COMPRESSION_MAP),
        cax=figure.add_axes(box),
        extend="max",
        extendfrac=0.06,
    )
    bar.ax.tick_params(labelsize=7, length=2, width=0.5, color=MUTED, labelcolor=INK)
    bar.outline.set_linewidth(0.4)
    bar.set_label(f"reference / current length\n{note}", fontsize=7, color=MUTED)
