"""Figure 6.3: wrinkles by normals alone, by tessellated geometry alone, and by both.

The pictures come from `ruckle.Renderer`, which raises GraphicsError if the machine does not have OpenGL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, play_sample
from ruckle.experiments.figures.drawing import Drawing, canvas, panels
from ruckle.scene.camera import Camera
from ruckle.scene.framing import busiest_frame
from ruckle.scene.look import Look
from ruckle.scene.modes import ModeName
from ruckle.scene.renderer import Renderer

__all__ = ["MODES", "Variants", "draw", "measure"]

MODES: dict[str, ModeName] = {
    "normals only": "normals_only",
    "geometry only": "geometry_only",
    "both": "shaded",
}

# Compression above which wrinkles begin (τ), and camera angles (degrees) that show a sleeve from the side.
TAU, AZIMUTH, ELEVATION = 1.25, 60.0, 5.0
# Side length of a picture in pixels, and a background colour that does not occur in cloth.
SIZE, BACKGROUND = 480, "#ff00ff"
# Two colours are different if a channel differs by more than this (of 255).
DIFFERENT = 12


@dataclass(frozen=True, eq=False)
class Variants:
    """One frame of a sample, drawn in every mode.

    Attributes
    ----------
    sample : str
    frame : int
    pictures : dict of str to (SIZE, SIZE, 3) uint8
        Pictures by the names in `MODES`, and "coarse" without wrinkles.
    """

    sample: str
    frame: int
    pictures: dict[str, NDArray[np.uint8]]

    def covered(self, name: str) -> NDArray[np.bool_]:
        """Return the mask (SIZE, SIZE) of pixels that show cloth."""
        background = np.array([int(BACKGROUND[k : k + 2], 16) for k in (1, 3, 5)])
        return np.asarray((np.abs(self.pictures[name].astype(int) - background) > DIFFERENT).any(axis=2))

    def outline_change(self, name: str) -> int:
        """Return the number of pixels where cloth coverage differs from the coarse garment."""
        return int((self.covered(name) != self.covered("coarse")).sum())


def measure(sample: str = "chopping", *, wrinkled: bool = True) -> Variants:
    """Draw the sample's frame with the most wrinkles in every mode; `wrinkled=False` draws the coarse cloth instead."""
    clip = play_sample(sample, tau=TAU)
    number = busiest_frame(clip.frames)
    found = clip.frames[number]
    frame = found if wrinkled else found.coarse
    camera = Camera.framing(frame.positions, aspect=1.0, azimuth=AZIMUTH, elevation=ELEVATION)
    renderer = Renderer(SIZE, SIZE, samples=1, look=Look(background=BACKGROUND), detail=1.0)
    pictures = {name: renderer.render(frame, camera=camera, mode=mode) for name, mode in MODES.items()}
    pictures["coarse"] = renderer.render(found.coarse, camera=camera)
    return Variants(sample, number, pictures)


def draw() -> Drawing:
    """Draw the three variants, cropped to the cloth."""
    found = measure()
    figure = canvas(10.5, 3.7)
    for axes, name in zip(panels(figure, 1, 3)[0], MODES, strict=True):
        picture = found.pictures[name].copy()
        picture[~found.covered(name)] = 255
        rows, columns = np.nonzero(found.covered("both"))
        axes.imshow(picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1])
        axes.set_title(name, fontsize=9)
        axes.set_axis_off()
    changes = [found.outline_change(name) for name in MODES]
    return Drawing(
        figure,
        seen=f"Normals alone look like wrinkles from the front but do not change the outline: {changes[0]} of its "
        f"pixels change, {changes[2]} with geometry. Geometry alone shows its triangles; normals per pixel hide them.",
        parameters=f"sample {found.sample} at {RATE:g} fps, frame {found.frame}; τ = {TAU:g}",
    )
