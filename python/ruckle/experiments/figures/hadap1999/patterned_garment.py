"""Figures 12 to 17: a garment, its compression, its pattern, three frames with and without pattern, and its area."""

from __future__ import annotations

from functools import cache

import numpy as np

from ruckle.experiments.figures.drawing import Drawing, canvas, panels, share, show_cloth, window_around
from ruckle.experiments.metrics.pattern_area import area_errors
from ruckle.experiments.plot.colors import compression_colors
from ruckle.experiments.plot.space import Projection
from ruckle.io.samples import sample
from ruckle.mesh.animation import Animation
from ruckle.offline.patterns.sources import animation_patterns
from ruckle.patterns.modulator import Modulation, Modulator
from ruckle.surface.frame import LayerFrame

__all__ = ["draw_frames", "draw_strain", "draw_table", "frames"]

SAMPLE = "chopping"
# Numbers of the drawn frames; width and height of a rendered picture in pixels.
NUMBERS = (8, 24, 44)
SIZE = (360, 420)

# Root mean square slope of the pattern in a picture of the cloth at rest.
SHOWN_SLOPE = 0.5


@cache
def frames() -> tuple[Animation, list[Modulation], Modulation]:
    """Return the sample, all of its frames with a noise pattern, and the cloth at rest with the raised pattern.

    The folds of the noise run across the usual compression of the sample.
    """
    animation = sample(SAMPLE)
    made = animation_patterns(animation, "noise")
    modulator = Modulator.for_animation(animation, made)
    run = [modulator.step(positions, 1.0 / animation.fps) for positions in animation.positions]
    return animation, run, Modulator(made, rest_slope=SHOWN_SLOPE).step(modulator.grid.rest)


def draw_strain() -> Drawing:
    """Draw the compression of the garment, and its pattern at rest (figures 12, 13, 14)."""
    from ruckle.scene.renderer import Renderer

    animation, run, shown = frames()
    frame = run[NUMBERS[1]]
    projection = Projection(20.0, 8.0)
    figure = canvas(7.5, 3.8)
    strain, pattern = panels(figure, 1, 2)[0]
    lost = 1.0 / np.maximum(1.0 - frame.missing, 0.05) * (1.0 + frame.area_gains)
    show_cloth(
        strain, frame.positions, frame.topology.faces, colors=compression_colors(lost, 1.6), projection=projection,
        window=window_around(frame.positions, projection),
    )  # fmt: skip
    strain.set_title(f"area that is lost in frame {NUMBERS[1]}")
    with Renderer(*SIZE) as renderer:
        pattern.imshow(renderer.render(shown))
    pattern.set_axis_off()
    pattern.set_title("the pattern, raised at rest")
    return Drawing(
        figure,
        seen=f"Folds are needed where cloth is compressed: {share(float((frame.area_gains > 0.05).mean()))} of the "
        "triangles are enlarged by more than 5 %. The pattern covers the garment, across its usual compression.",
        parameters=f"{animation.name}, {frame.topology.face_count} triangles, noise of 2.5 % of the height.",
    )


def draw_frames() -> Drawing:
    """Draw three frames without and with the pattern (figures 15, 16, 17)."""
    from ruckle.scene.camera import Camera
    from ruckle.scene.renderer import Renderer

    animation, run, _ = frames()
    camera = Camera.framing(animation.positions[list(NUMBERS)].reshape(-1, 3), aspect=SIZE[0] / SIZE[1])
    figure = canvas(8.0, 6.4)
    grid = panels(figure, 2, 3)
    with Renderer(*SIZE) as renderer:
        for column, number in enumerate(NUMBERS):
            shown: tuple[LayerFrame, LayerFrame] = run[number].coarse, run[number]
            for row, frame in enumerate(shown):
                grid[row, column].imshow(renderer.render(frame, camera=camera))
                grid[row, column].set_axis_off()
            grid[0, column].set_title(f"frame {number}")
    gains = [float(run[number].area_gains.mean()) for number in NUMBERS]
    return Drawing(
        figure,
        seen=f"Folds rise where the motion compresses cloth and are absent elsewhere; they add "
        f"{', '.join(share(gain) for gain in gains)} of area in the three frames.",
        parameters=f"{animation.name}, {run[0].topology.face_count} triangles, noise of 2.5 % of the height.",
    )


def draw_table() -> Drawing:
    """Draw the table of area errors: per triangle, per region, and of the whole garment."""
    errors = list(area_errors(sample(SAMPLE), frames=4))
    figure = canvas(7.5, 0.4 + 0.35 * len(errors))
    axes = panels(figure, 1, 1)[0, 0]
    axes.set_axis_off()
    rows = [[e.name, f"{e.triangles:.2%}", f"{e.regions:.2%}", f"{e.garment:+.2%}"] for e in errors]
    table = axes.table(rows, colLabels=["", "triangle", "region", "garment"], loc="center", edges="horizontal")
    table.auto_set_column_width([0, 1, 2, 3])
    table.set_fontsize(9)
    best = min(errors, key=lambda error: error.regions)
    return Drawing(
        figure,
        seen=f"Flat, {-errors[-1].garment:.1%} of the area is missing; with {best.name} regions are off by "
        f"{best.regions:.2%} in the mean.",
        parameters=f"{SAMPLE}, 4 frames, each by itself; 40 regions.",
    )
