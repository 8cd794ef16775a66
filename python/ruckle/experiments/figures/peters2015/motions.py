"""Figures 8.5 to 8.10: six motions, the coarse cloth above and its wrinkles below; and the numbers of Table 8.1.

Wrinkles appear only where the motion compresses the cloth: at bending joints and across the chest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import GraphicsError
from ruckle.experiments.figures.clips import RATE, Clip, play, play_sample
from ruckle.experiments.figures.drawing import (
    INK,
    LINEN,
    MUTED,
    Drawing,
    Window,
    canvas,
    listed,
    panels,
    show_cloth,
    window_around,
)
from ruckle.experiments.figures.peters2015.table_8_1 import TABLE_8_1
from ruckle.experiments.figures.regions import regions
from ruckle.experiments.plot.colors import blushing
from ruckle.experiments.plot.moments import choose_frames
from ruckle.experiments.plot.ribbons import paint_wrinkles
from ruckle.experiments.plot.space import Projection
from ruckle.experiments.plot.strip import standing_point
from ruckle.io.samples import sample as open_sample
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame
from ruckle.paths.wrinkler import run
from ruckle.scene.camera import Camera
from ruckle.scene.look import Look

__all__ = ["BENDING", "Distribution", "draw", "draw_table", "measure", "play_motion"]

# Cloth whose compression is never above this value counts as cloth that is not compressed.
HARDLY = 1.1

# Longer side of a rendered picture, pixels.
PICTURE = 360

# Field of view of the camera in degrees. It is so small that the picture is almost an orthographic projection.
TELEPHOTO = 4.0

# Margin of the view around the garment, relative to the extent of the garment over all drawn frames.
MARGIN = 0.06


BENDING = {
    "sawing": ("right elbow", "waist"),
    "chopping": ("right shoulder", "left shoulder", "chest", "waist"),
    "fist_pumping": ("right shoulder", "right elbow", "left elbow"),
    "stretching": ("right shoulder", "left shoulder", "chest"),
    "jumping_jack": ("waist",),
    "shoveling": ("waist", "hips"),
}
"""Regions that each sample motion compresses most. The picture must show wrinkles in these regions."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Distribution of a clip's wrinkles over the cloth.

    Attributes
    ----------
    density : dict of str to float
        Wrinkle length per cloth area in each named region, summed over all frames and divided by the same ratio of the
        whole garment.
    still_share : float
        Fraction of the cloth that is compressed by less than 10 % in every frame.
    still_density : float
        The same relative density in this still cloth; 0 if the clip does not have still cloth.
    wrinkles : float
        Mean number of wrinkles, including those that rise or fade.
    length : float, mesh units
        Mean total length of all wrinkles in a frame.
    """

    density: dict[str, float]
    still_share: float
    still_density: float
    wrinkles: float
    length: float


def measure(clip: Clip) -> Distribution:
    """Measure the distribution of a clip's wrinkles."""
    lengths = np.zeros(clip.topology.face_count)
    areas = np.zeros(clip.topology.face_count)
    strongest = np.ones(clip.topology.face_count)
    for k, frame in enumerate(clip.frames):
        areas += clip.areas(k)
        strongest = np.maximum(strongest, frame.compression)
        for wrinkle in frame.wrinkles:
            steps = np.linalg.norm(np.diff(wrinkle.points.astype(np.float64), axis=0), axis=1)
            np.add.at(lengths, wrinkle.faces, steps)
    overall = float(lengths.sum() / areas.sum())

    def density(inside: NDArray[np.bool_]) -> float:
        area = float(areas[inside].sum())
        return float(lengths[inside].sum()) / area / overall if overall and area else 0.0

    still = strongest < HARDLY
    return Distribution(
        {name: density(inside) for name, inside in regions(clip.animation).items()},
        float(areas[still].sum() / areas.sum()),
        density(still),
        float(np.mean([len(frame.wrinkles) for frame in clip.frames])),
        float(lengths.sum() / len(clip)),
    )


def play_motion(name: str, animation: Animation | None = None) -> Clip:
    """Run a sample, or `animation` if given, with the thesis's parameters for the sample."""
    row = TABLE_8_1[name]
    if animation is not None:
        return play(animation, tau=row.tau, r_min=row.r_min)
    return play_sample(name, tau=row.tau, r_min=row.r_min)


def draw(sample: str, count: int = 5) -> Drawing:
    """Draw frames of a motion in columns: coarse cloth, wrinkles, and rendered cloth if the machine can render."""
    clip = play_motion(sample)
    amounts = [frame.details.amounts.sum() for frame in clip.frames]
    frames = [clip.frames[frame] for frame in choose_frames(amounts, count)]
    used, projection = np.unique(clip.topology.faces), Projection()
    feet = [standing_point(frame.positions[used]) for frame in frames]
    garments = [frame.positions[used] - foot for frame, foot in zip(frames, feet, strict=True)]
    window = window_around(garments, projection, margin=MARGIN)
    aspect = window.half[1] / window.half[0]
    pictures = _render(frames, feet, window)
    rows = 2 if pictures is None else 3
    figure = canvas(11.0, min(4.5 * rows, rows * 11.0 / count * aspect + 0.3))
    grid = panels(figure, rows, count)
    if pictures is not None:
        for axes, picture, foot in zip(grid[2], pictures, feet, strict=True):
            (x, y), (half_x, half_y) = window.over(foot, projection).centre, window.half
            axes.imshow(picture, extent=(x - half_x, x + half_x, y - half_y, y + half_y))
            axes.set_axis_off()
    for column, frame, foot in zip(grid.T, frames, feet, strict=True):
        column[0].set_title(f"frame {frame.index}", fontsize=8)
        for axes, colors in ((column[0], None), (column[1], blushing(frame.compression, LINEN))):
            show_cloth(
                axes, frame.positions, frame.topology.faces,
                projection=projection, colors=colors, window=window.over(foot, projection),
            )  # fmt: skip
        paint_wrinkles(column[1], frame, projection=projection)
    found = measure(clip)
    where = [f"{name} ({density:.1f} times)" for name, density in _densest(found) if density > 1.0]
    still = (
        f" The {found.still_share:.0%} of the cloth that the motion hardly compresses have "
        f"{found.still_density:.0%} of the mean density."
    )
    return Drawing(
        figure,
        seen=f"Wrinkles are denser than elsewhere at the {listed(where[:4])}."
        f"{still if found.still_share > 0.01 else ''} {found.wrinkles:.1f} wrinkles on average, "
        f"including fading ones.",
        parameters=f"sample {sample} at {RATE:g} fps; τ = {clip.tau:g}, R_min = {TABLE_8_1[sample].r_min}",
    )


def _render(frames: list[Frame], feet: list[NDArray[np.float32]], window: Window) -> list[NDArray[np.uint8]] | None:
    """Return a picture of each frame, whose window is shifted to its foot point; None if rendering is impossible."""
    wide, high = (2 * half for half in window.half)
    size = (round(PICTURE * wide / max(wide, high)), round(PICTURE * high / max(wide, high)))
    try:
        from ruckle.scene.renderer import Renderer

        renderer = Renderer(*size, look=Look(background="#ffffff"))
    except (GraphicsError, ModuleNotFoundError):
        return None
    projection, distance = Projection(), high / 2 / tan(radians(TELEPHOTO) / 2)
    view = Camera((0, 0, 0), distance, projection.azimuth, projection.elevation, TELEPHOTO)
    middle = view.axes.T @ np.array([*window.centre, 0.0])
    pictures = []
    for frame, foot in zip(frames, feet, strict=True):
        x, y, z = (middle + foot).tolist()
        pictures.append(renderer.render(frame, camera=replace(view, target=(x, y, z))))
    return pictures


def draw_table() -> Drawing:
    """Draw triangle counts and average numbers of wrinkles next to those of Peters's thesis (Table 8.1).

    The samples run at their original frame rate, so the numbers equal those of `ruckle bench stages`.
    """
    rows, ratios = [], []
    for name, thesis in TABLE_8_1.items():
        animation = open_sample(name)
        frames = run(animation, tau=thesis.tau, r_min=thesis.r_min)
        own = float(np.mean([frame.stats["wrinkles"] for frame in frames]))
        ratios.append(own / thesis.wrinkles)
        counts = (f"{thesis.triangles}", f"{animation.face_count}", f"{thesis.wrinkles:.1f}", f"{own:.1f}")
        rows.append((name.replace("_", " "), f"{thesis.tau:g}", thesis.r_min.replace("%", " %"), *counts))
    heads = ("motion", "τ", "R_min", "triangles,\nthesis", "triangles,\nours", "wrinkles,\nthesis", "wrinkles,\nours")
    figure = canvas(8.0, 2.7)
    axes = figure.subplots()
    axes.set(xlim=(0, len(heads)), ylim=(-0.6, len(rows) + 0.9))
    axes.set_axis_off()
    for column, head in enumerate(heads):
        x, side = (column + 0.05, "left") if column == 0 else (column + 0.85, "right")
        axes.text(x, len(rows) + 0.1, head, ha=side, va="bottom", fontsize=8.5, color=MUTED)
        for line, row in enumerate(rows):
            axes.text(x, len(rows) - 1 - line, row[column], ha=side, va="bottom", fontsize=10, color=INK)
    axes.axhline(len(rows), color=MUTED, lw=0.6)
    return Drawing(
        figure,
        seen=f"The samples have exactly the numbers of triangles of the thesis, and {min(ratios):.1f} to "
        f"{max(ratios):.0f} times its numbers of wrinkles (median {np.median(ratios):.1f}), because garments and "
        "motions are our own, and bend the trunk further. 'ruckle bench stages' measures times.",
        parameters="the six samples at 60 fps; mean numbers of wrinkles, including those that rise or fade",
    )


def _densest(found: Distribution) -> list[tuple[str, float]]:
    return sorted(found.density.items(), key=lambda item: -item[1])
