"""The exhibit of a viewer as arrays, for windows that are in a browser."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.film.shot import coarse_picture
from ruckle.view.exhibit import Exhibit
from ruckle.view.renderer import Renderer

__all__ = ["ScenePicture"]


class ScenePicture:
    """Draws an exhibit into arrays.

    Parameters
    ----------
    exhibit : Exhibit
    size : (int, int), pixels
        Width and height, which may be changed.
    """

    def __init__(self, exhibit: Exhibit, size: tuple[int, int]) -> None:
        self.exhibit = exhibit
        self.renderer = Renderer(*size)
        self.size = size

    def resize(self, width: int, height: int) -> None:
        """Draw at another size."""
        self.size = (max(2, width), max(2, height))

    def picture(self) -> NDArray[np.uint8] | None:
        """Return the frame that is to be shown, (height, width, 3) uint8; None before the run has begun."""
        exhibit, (width, height) = self.exhibit, self.size
        frame = exhibit.frame
        if frame is None:
            return None
        positions, topology = exhibit.animation.positions[frame.index], exhibit.run.topology
        camera, panes = exhibit.viewpoint, []
        self.renderer.resize(width // 2 if exhibit.comparison == "both" else width, height)
        if exhibit.comparison != "after":
            panes.append(coarse_picture(self.renderer, positions, topology, camera))
        if exhibit.comparison != "before":
            panes.append(self.renderer.render(positions, topology, frame, camera=camera, mode=exhibit.mode))
        return np.concatenate(panes, axis=1)
