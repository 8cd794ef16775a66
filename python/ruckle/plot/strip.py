"""A strip of chosen frames: the labels above, the compression below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.animation import UP_AXES, Animation, Up
from ruckle.mesh.topology import Topology, weld
from ruckle.paths.frame import Wrinkle
from ruckle.plot.colors import COMPRESSION_MAP, INK, LABELS, MUTED, compression_colors, label_colors
from ruckle.plot.painter import paint_mesh
from ruckle.plot.ribbons import paint_wrinkles
from ruckle.plot.space import Camera

__all__ = ["check_picture", "draw_strip", "frame_window", "on_the_spot", "panel"]

# Inches; at RESOLUTION dots per inch the strip is 1600 pixels wide.
WIDTH = 10.0
RESOLUTION = 160

# Room around the panels, in inches: for row names, legend and colour bar, titles, and the line under a panel.
LEFT, RIGHT, TOP, BOTTOM = 0.32, 1.16, 0.74, 0.26
BETWEEN_ROWS, BETWEEN_PANELS = 0.34, 0.06
# A panel is at least this high, so that the legend finds room beside it, and at most this high.
LEAST_HEIGHT, MOST_HEIGHT = 1.3, 3.6
# Room around the mesh, as a share of its extent.
MARGIN = 0.04

# Compression from which a triangle gets a tick. Below, the axis is mostly noise of the motion.
TICK_FROM = 1.3
# The colour bar ends at this percentile of the compression shown, rounded up to a step, within the bounds: a few
# nearly vanishing triangles must not wash out the rest.
TOP_PERCENTILE, TOP_STEP, TOP_BOUNDS = 99.0, 0.25, (1.5, 4.0)


def draw_strip(
    animation: Animation,
    frames: Sequence[int],
    *,
    labels: ArrayLike,
    compression: ArrayLike,
    axis: ArrayLike,
    wrinkles: Sequence[Sequence[Wrinkle]] | None = None,
    camera: Camera | None = None,
    first_frame: int = 0,
) -> Figure:
    """Draw chosen frames of a run side by side, all at one scale.

    Parameters
    ----------
    animation : Animation
    frames : sequence of int
        Frames of `animation` to show, at least one; `ruckle.plot.choose_frames` finds the lively ones.
    labels : (len(frames), T) uint8
    compression : (len(frames), T) float
    axis : (len(frames), T, 2) float
        Of the compression; drawn as a tick in triangles compressed beyond 1.3, where no wrinkles are given.
    wrinkles : for each of `frames` its list of Wrinkle, optional
        Drawn as ribbons over the compression.
    camera : Camera, optional
    first_frame : int
        Added to the frame numbers and times in the titles, for an animation that was cut out of a longer one.

    Returns
    -------
    matplotlib Figure
        10 inches wide, for 160 dots per inch; not registered with pyplot.

    Raises
    ------
    ValueError
        No frames, or an array that does not have one row per frame and one entry per triangle.
    """
    rows = len(frames)
    if rows == 0:
        raise ValueError("frames: a strip needs at least one frame, got none")
    wanted = {"labels": (labels, ()), "compression": (compression, ()), "axis": (axis, (2,))}
    for name, (values, entry) in wanted.items():
        expected = (rows, animation.face_count, *entry)
        if np.shape(values) != expected:
            raise ValueError(f"{name}: expected shape {expected}, got {np.shape(values)}")
    if wrinkles is not None and len(wrinkles) != rows:
        raise ValueError(f"wrinkles: expected one list for each of {rows} frames, got {len(wrinkles)}")
    found, squeezed, directions = np.asarray(labels), np.asarray(compression), np.asarray(axis)
    camera = camera or Camera(up=animation.up)
    top = _top(squeezed)

    joined = weld(animation.positions[0], animation.faces)
    topology = None if wrinkles is None else Topology(joined, animation.vertex_count)
    used = np.unique(animation.faces)
    stages = [on_the_spot(animation.positions[frame], used, animation.up) for frame in frames]
    centres, extent = frame_window([camera.project(stage[used])[:, :2] for stage in stages])
    panel_width = (WIDTH - LEFT - RIGHT + BETWEEN_PANELS) / rows - BETWEEN_PANELS
    panel_height = float(np.clip(panel_width * extent[1] / extent[0], LEAST_HEIGHT, MOST_HEIGHT))
    height = TOP + 2 * panel_height + BETWEEN_ROWS + BOTTOM
    figure = Figure(figsize=(WIDTH, height), dpi=RESOLUTION, facecolor="white")
    _title(figure, animation, height)

    bottoms = (BOTTOM + panel_height + BETWEEN_ROWS, BOTTOM)
    for column, (frame, positions) in enumerate(zip(frames, stages, strict=True)):
        left = LEFT + column * (panel_width + BETWEEN_PANELS)
        upper, lower = (
            panel(
                figure,
                (left / WIDTH, bottom / height, panel_width / WIDTH, panel_height / height),
                (panel_width, panel_height),
                centres[column],
                extent,
            )
            for bottom in bottoms
        )
        paint_mesh(upper, positions, animation.faces, label_colors(found[column]), camera=camera)
        colors = compression_colors(squeezed[column], top)
        if wrinkles is None or topology is None:
            strong = np.where(squeezed[column][:, None] >= TICK_FROM, directions[column], 0.0)
            paint_mesh(lower, positions, animation.faces, colors, axis=strong, camera=camera)
        else:
            paint_mesh(lower, positions, animation.faces, colors, camera=camera)
            paint_wrinkles(lower, wrinkles[column], positions, topology, camera=camera)
        _caption_column(upper, lower, first_frame + frame, animation.fps, found[column], squeezed[column])

    right = (WIDTH - RIGHT + 0.14) / WIDTH
    for name, bottom in zip(("labels", "compression"), bottoms, strict=True):
        middle = (bottom + panel_height / 2) / height
        figure.text(0.14 / WIDTH, middle, name, rotation=90, ha="center", va="center", fontsize=9, color=INK)
    _legend(figure, right, (bottoms[0] + panel_height / 2) / height)
    box = (right, (bottoms[1] + 0.1 * panel_height) / height, 0.011, 0.8 * panel_height / height)
    _color_bar(figure, box, top, f"ticks: its axis, from {TICK_FROM:g}" if wrinkles is None else "blue: wrinkles")
    return figure


def check_picture(path: Path) -> None:
    """Refuse, before any work, the name of a picture in a format that cannot be drawn.

    Raises
    ------
    ValueError
        The extension is none that matplotlib writes; the message lists those it does.
    """
    allowed = sorted(Figure().canvas.get_supported_filetypes())
    if path.suffix.lower().removeprefix(".") not in allowed:
        raise ValueError(f"{path}: cannot be drawn as '{path.suffix}', allowed are .{', .'.join(allowed)}")


def _top(compression: NDArray[np.floating]) -> float:
    """Return where the colour bar ends."""
    least, most = TOP_BOUNDS
    reached = float(np.percentile(compression, TOP_PERCENTILE))
    return float(np.clip(np.ceil(reached / TOP_STEP) * TOP_STEP, least, most))


def on_the_spot(positions: NDArray[np.float32], used: NDArray[np.integer], up: Up = "y") -> NDArray[np.float32]:
    """Return positions with the garment moved over the origin: a walk shall not leave the picture, a jump shall."""
    places = positions[used]
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    middle[UP_AXES[up]] = 0.0
    moved: NDArray[np.float32] = positions - middle
    return moved


def frame_window(planes: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centre (frames, 2) of each picture and the extent (2,) that all share, in mesh units.

    Sideways every frame is centred on itself; upward all share one window.
    """
    lows = np.array([plane.min(axis=0) for plane in planes])
    highs = np.array([plane.max(axis=0) for plane in planes])
    centres = (lows + highs) / 2
    centres[:, 1] = (lows[:, 1].min() + highs[:, 1].max()) / 2
    extent = np.array([(highs - lows)[:, 0].max(), highs[:, 1].max() - lows[:, 1].min()])
    # a mesh without extent one way, such as a flat sheet seen from its edge, still needs a window
    extent = np.maximum(extent, 0.05 * extent.max()) if extent.any() else np.ones(2)
    return centres, extent * (1 + 2 * MARGIN)


def panel(
    figure: Figure,
    box: tuple[float, float, float, float],
    size: tuple[float, float],
    centre: NDArray[np.float64],
    extent: NDArray[np.float64],
) -> Axes:
    """Add axes in mesh units at a box in shares of the figure, of a size in inches, that show a window."""
    axes = figure.add_axes(box)
    # mesh units per inch, the same both ways
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


def _caption_column(
    upper: Axes,
    lower: Axes,
    number: int,
    fps: float,
    labels: NDArray[np.integer],
    compression: NDArray[np.floating],
) -> None:
    """Write number and time over a column, what was found under its panels."""
    _caption(upper, 1.0, 4, f"{number / fps:.2f} s", MUTED)
    upper.annotate(
        f"frame {number}", (0.5, 1.0), (0, 14), xycoords="axes fraction", textcoords="offset points",
        ha="center", va="bottom", fontsize=8, fontweight="bold", color=INK,
    )  # fmt: skip
    shares = np.bincount(labels, minlength=3) / len(labels)
    _caption(upper, 0.0, -10, f"{shares[0]:.1%}  ", LABELS["compression"], side="right")
    _caption(upper, 0.0, -10, f"  {shares[2]:.1%}", LABELS["stretch"], side="left")
    _caption(lower, 0.0, -10, f"largest {compression.max():.2f}", MUTED)


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
    bar = figure.colorbar(
        ScalarMappable(Normalize(1.0, top), COMPRESSION_MAP),
        cax=figure.add_axes(box),
        extend="max",
        extendfrac=0.06,
    )
    bar.ax.tick_params(labelsize=7, length=2, width=0.5, color=MUTED, labelcolor=INK)
    bar.outline.set_linewidth(0.4)
    bar.set_label(f"reference / current length\n{note}", fontsize=7, color=MUTED)
