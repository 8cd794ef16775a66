"""The exhibit of a viewer as arrays, for windows that are in a browser."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.scene.body import Dressing
from ruckle.scene.looks import plain_look
from ruckle.scene.renderer import Renderer
from ruckle.view.exhibit import Exhibit
from ruckle.view.quality import FINE, Quality

__all__ = ["ScenePicture"]


class ScenePicture:
    """Draws an exhibit into arrays.

    Parameters
    ----------
    exhibit : Exhibit
    size : (int, int), pixels
        Width and height, which may be changed.

    Raises
    ------
    GraphicsError
        OpenGL 4.1 is missing; the message names the package to install.
    """

    def __init__(self, exhibit: Exhibit, size: tuple[int, int]) -> None:
        self.exhibit = exhibit
        self.size = size
        self._dressing = Dressing(exhibit.animation, exhibit.body)
        # one renderer per quality, so that a change of quality creates nothing
        self._look = plain_look(exhibit.animation.height)
        self._renderers = {FINE: Renderer(*size, samples=FINE.samples, look=self._look)}

    def picture(self, quality: Quality = FINE) -> NDArray[np.uint8] | None:
        """Draw the frame that is to be shown.

        Parameters
        ----------
        quality : Quality

        Returns
        -------
        (height, width, 3) uint8 or None
            As large as the quality wants it; None before the run has begun.
        """
        exhibit, frame = self.exhibit, self.exhibit.frame
        if frame is None:
            return None
        width, height = quality.size(*self.size)
        renderer = self._renderer(quality)
        renderer.resize(width // 2 if exhibit.comparison == "both" else width, height)
        camera, panes, extras = exhibit.viewpoint, [], self._dressing.extras(frame.index, self._look)
        if exhibit.comparison != "after":
            panes.append(renderer.render_coarse(frame, camera=camera, **extras))
        if exhibit.comparison != "before":
            panes.append(renderer.render(frame, camera=camera, mode=exhibit.mode, **extras))
        return np.concatenate(panes, axis=1)

    def _renderer(self, quality: Quality) -> Renderer:
        if quality not in self._renderers:
            self._renderers[quality] = Renderer(*quality.size(*self.size), samples=quality.samples, look=self._look)
        return self._renderers[quality]
