"""Common parts of all figures: a figure with its caption, colours, and panels that show cloth and paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import log
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from ruckle.experiments.metrics import path_points
from ruckle.experiments.plot.colors import INK, LABELS, MUTED, PAPER
from ruckle.experiments.plot.painter import paint_mesh
from ruckle.experiments.plot.space import Projection, hidden_points
from ruckle.field.stretch import Stretch
from ruckle.mesh.geometry import face_crosses
from ruckle.surface.frame import LayerFrame

__all__ = [
    "GEODESIC",
    "INK",
    "LINEN",
    "MUTED",
    "PATH",
    "PLAIN",
    "STRONG",
    "Drawing",
    "Window",
    "canvas",
    "facing_projection",
    "inked",
    "listed",
    "paint_path",
    "panels",
    "share",
    "show_cloth",
    "show_tensors",
    "tensor_colors",
    "window_around",
]

Float64 = NDArray[np.float64]

# Dots per inch of pictures in files.
RESOLUTION = 110

# Pictures in notebooks: dots per inch, smallest width in pixels, and number of colours.
NOTEBOOK_RESOLUTION, NOTEBOOK_WIDTH, NOTEBOOK_COLORS = 72, 720, 128

# Colour of cloth without data, and colour of cloth with the value 0.
LINEN = np.array([0.93, 0.915, 0.88])
BARE = np.array([0.96, 0.945, 0.91])

# Colours of lines on cloth: the path itself, a path for comparison, an emphasised part, a geodesic or other third path.
PATH, PLAIN, STRONG = "#1d3f72", "#9aa3ad", "#d2492f"
GEODESIC = "#e08a1e"

TENSORS = LinearSegmentedColormap.from_list("tensors", [LABELS["compression"], PAPER, LABELS["stretch"]])

# Margin around the contents of a window, relative to their extent.
MARGIN = 0.05

# A triangle has a tick along its axis of compression if its compression is at least this fraction of the colour scale.
TICK_SHARE = 0.35


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure and its caption.

    Attributes
    ----------
    figure : matplotlib Figure
    seen : str
        Caption: the visible result, with the measured numbers.
    parameters : str
        Source and parameters of the figure's inputs.
    """

    figure: Figure
    seen: str
    parameters: str

    def png(self, resolution: float = RESOLUTION) -> bytes:
        """Return the figure as a PNG file with `resolution` dots per inch."""
        stream = BytesIO()
        # matplotlib reserves space for titles of several lines only after it has drawn the figure once
        self.figure.draw_without_rendering()
        self.figure.savefig(stream, format="png", dpi=resolution)
        return stream.getvalue()

    def _repr_png_(self) -> bytes:
        """Return a small PNG with a palette, because notebooks do not show figures created outside pyplot."""
        stream = BytesIO()
        resolution = max(NOTEBOOK_RESOLUTION, NOTEBOOK_WIDTH / self.figure.get_figwidth())
        with Image.open(BytesIO(self.png(resolution))) as picture:
            picture.convert("RGB").quantize(NOTEBOOK_COLORS).save(stream, format="png", optimize=True)
        return stream.getvalue()


def canvas(width: float, height: float) -> Figure:
    """Return an empty white figure that is not registered with pyplot; width and height in inches."""
    return Figure(figsize=(width, height), dpi=RESOLUTION, facecolor="white", layout="constrained")


def panels(figure: Figure, rows: int, columns: int, **options: Any) -> NDArray[np.object_]:
    """Add panels with `options` of `Figure.subplots`; return an array of Axes, always of shape (rows, columns)."""
    found = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in found.flat:
        axes.tick_params(labelsize=7, color=MUTED, labelcolor=INK)
        axes.title.set_fontsize(9)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return np.asarray(found)


@dataclass(frozen=True)
class Window:
    """The visible part of a panel: its centre (2,) and half its extent (2,) in the projection plane, mesh units."""

    centre: tuple[float, float]
    half: tuple[float, float]

    def over(self, point: ArrayLike, projection: Projection) -> Window:
        """Return this window shifted by the projection of a point (3,), mesh units."""
        x, y, _ = projection.project(point).tolist()
        return Window((self.centre[0] + x, self.centre[1] + y), self.half)


def window_around(points: ArrayLike, projection: Projection, *, margin: float = MARGIN, square: bool = False) -> Window:
    """Return the window that shows all points (..., 3), square if `square`, with a margin relative to their extent."""
    plane = projection.project(points).reshape(-1, 3)[:, :2]
    low, high = plane.min(axis=0), plane.max(axis=0)
    x, y = (low + high) / 2
    half = (high - low) / 2 * (1 + 2 * margin)
    if square:
        half = np.full(2, half.max())
    return Window((float(x), float(y)), (float(half[0]), float(half[1])))


def facing_projection(positions: ArrayLike, faces: ArrayLike) -> Projection:
    """Return the projection whose view direction is the mean normal of the given faces (n, 3) of a mesh."""
    x, y, z = face_crosses(np.asarray(positions), np.asarray(faces)).sum(axis=0)
    return Projection(float(np.degrees(np.arctan2(x, z))), float(np.degrees(np.arctan2(y, np.hypot(x, z)))))


def show_cloth(
    axes: Axes,
    positions: ArrayLike,
    faces: ArrayLike,
    *,
    projection: Projection,
    colors: ArrayLike | None = None,
    axis: ArrayLike | None = None,
    window: Window | None = None,
) -> None:
    """Paint a mesh in the colours (T, 3) of its triangles, default linen. The default window shows the whole mesh.

    If `axis` (T, 2) is given, a tick is drawn along each axis that is not 0, see `paint_mesh`.
    """
    found = np.asarray(faces)
    fills = np.broadcast_to(LINEN, (len(found), 3)) if colors is None else colors
    paint_mesh(axes, positions, found, fills, axis=axis, projection=projection)
    view = window or window_around(np.asarray(positions)[np.unique(found)], projection)
    (x, y), (half_x, half_y) = view.centre, view.half
    axes.set(xlim=(x - half_x, x + half_x), ylim=(y - half_y, y + half_y), aspect="equal")
    axes.set_axis_off()


def inked(shares: ArrayLike, ink: ArrayLike) -> Float64:
    """Return colours (T, 3) between bare cloth and an ink colour (3,); shares (T,) of ink are clamped to 0 to 1."""
    share = np.clip(np.asarray(shares, np.float64), 0.0, 1.0)[:, None]
    colors: Float64 = (1.0 - share) * BARE + share * np.asarray(ink)
    return colors


def tensor_colors(stretch: Stretch, top: float) -> Float64:
    """Return colours (T, 3): blue for compression, red for stretch, whichever is larger; saturated at `top`."""
    compression, largest = np.asarray(stretch.compression, np.float64), np.asarray(stretch.max, np.float64)
    signed = np.where(compression > largest, -np.log(np.maximum(compression, 1e-6)), np.log(np.maximum(largest, 1e-6)))
    colors: Float64 = np.asarray(TENSORS(np.clip(0.5 + 0.5 * signed / log(top), 0.0, 1.0)), np.float64)[:, :3]
    return colors


def show_tensors(
    axes: Axes,
    positions: ArrayLike,
    faces: ArrayLike,
    stretch: Stretch,
    *,
    top: float,
    projection: Projection,
    window: Window | None = None,
) -> None:
    """Paint a mesh in the colours of one stretch tensor per triangle, with ticks along axes of strong compression.

    Colours are saturated from a compression or stretch of `top` on.
    """
    strong = np.asarray(stretch.compression) > 1.0 + TICK_SHARE * (top - 1.0)
    axis = np.where(strong[:, None], stretch.axis, 0.0)
    show_cloth(
        axes, positions, faces, projection=projection, colors=tensor_colors(stretch, top), axis=axis, window=window
    )


def paint_path(
    axes: Axes,
    frame: LayerFrame,
    path: tuple[ArrayLike, ArrayLike],
    *,
    projection: Projection,
    color: str = PATH,
    width: float = 1.6,
    marker: float = 0.0,
    label: str | None = None,
    hidden: bool = True,
) -> None:
    """Draw a path (edges, t) on the cloth of a frame. The cloth occludes the path if `hidden` is True."""
    edges, t = np.asarray(path[0]), np.asarray(path[1])
    line = projection.project(path_points(frame.topology, frame.positions, edges, t))
    if hidden:
        line[hidden_points(line, projection.project(frame.positions), frame.topology.faces)] = np.nan
    style = "o-" if marker else "-"
    axes.plot(
        line[:, 0], line[:, 1], style, color=color, lw=width, ms=marker, label=label, solid_capstyle="round", zorder=3
    )


def share(value: float) -> str:
    """Return a fraction as text in percent, such as 12% or 3.4%."""
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence, with commas and "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
