"""Common parts of the figures of Kavan et al. 2011: garments rendered in rows, each picture with a title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from ruckle.arrays import Float32, Int32
from ruckle.experiments.figures.drawing import canvas, panels
from ruckle.scene.camera import Camera
from ruckle.surface.frame import CoarseFrame

__all__ = ["draw_rows"]

# Width and height of a picture, pixels.
SIZE = (300, 330)

# Camera azimuth and elevation for each garment, degrees.
VIEWS = {"skirt": (30.0, 6.0), "cape": (205.0, 6.0), "flag": (-12.0, 4.0), "curtain": (-15.0, 4.0)}

Shown = tuple[Float32, Int32]


def draw_rows(name: str, rows: Mapping[str, Sequence[tuple[str, Shown]]]) -> Figure:
    """Render meshes of one garment in rows; all pictures of a row have the same camera.

    Parameters
    ----------
    name : str
        Name of the garment.
    rows : mapping of str to sequence of (str, (positions, faces))
        Titles and meshes of the pictures in each row, by the name of the row.
    """
    from ruckle.scene.renderer import Renderer

    columns = max(len(row) for row in rows.values())
    figure = canvas(2.1 * columns, 2.5 * len(rows))
    grid = panels(figure, len(rows), columns)
    azimuth, elevation = VIEWS[name]
    with Renderer(*SIZE, base="flat") as renderer:
        for line, (title, row) in enumerate(rows.items()):
            points = np.concatenate([positions for _, (positions, _) in row])
            camera = Camera.framing(points, aspect=SIZE[0] / SIZE[1], azimuth=azimuth, elevation=elevation)
            for column in range(columns):
                axes = grid[line, column]
                axes.set_axis_off()
                if column >= len(row):
                    continue
                label, (positions, faces) = row[column]
                axes.imshow(renderer.render(CoarseFrame(positions, faces), camera=camera))
                axes.set_title(f"{title}: {label}" if title else label, fontsize=8)
    return figure
