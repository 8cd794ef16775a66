"""Wrinkled cloth in a notebook: a picture to turn with the mouse, with a timeline under it.

>>> ruckle.view.notebook.show(ruckle.sample("sawing"), tau=1.3)

A notebook without a kernel (a page, a print or a shared copy) shows a still picture instead. A restarted kernel does
not know old widgets: run the cell again.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np
from IPython.display import Image as StillPicture
from numpy.typing import NDArray
from PIL import Image

from ruckle.arguments import number, pair
from ruckle.mesh.animation import Animation, require_animation
from ruckle.scene.framing import busiest_frame
from ruckle.scene.modes import ModeName
from ruckle.surface.frame import LayerFrame
from ruckle.view.exhibit import Comparison, Exhibit
from ruckle.view.recording import Recording
from ruckle.view.scene_picture import ScenePicture
from ruckle.view.session import Session

__all__ = ["show"]


def show(
    animation: Animation,
    frames: Sequence[LayerFrame] | None = None,
    *,
    frame: int | None = None,
    size: tuple[int, int] = (720, 540),
    mode: ModeName = "shaded",
    comparison: Comparison = "after",
    body: Animation | None = None,
    **parameters: Any,
) -> Any:
    """Show an animation's wrinkled cloth.

    Parameters
    ----------
    animation : Animation
    frames : sequence of LayerFrame, optional
        Frames from `ruckle.run` or any layer; without them the animation is run here.
    frame : int, optional
        First frame to show; by default the frame with the most wrinkles.
    size : (int, int), pixels
        Width and height.
    mode : str
        Mode of `ruckle.Renderer.render`.
    comparison : {"after", "before", "both"}
        The wrinkled cloth, the coarse mesh, or both side by side.
    body : Animation, optional
        Drawn under the cloth, such as `ruckle.sample_body`; its frames are the animation's.
    **parameters
        Parameters of `Wrinkler.for_animation`, used if `frames` is not given.

    Returns
    -------
    ipywidgets.VBox or IPython.display.Image
        A still picture if jupyter_rfb or ipywidgets is not installed.

    Raises
    ------
    GraphicsError
        OpenGL is missing; the message names the package to install.
    ValueError
        `frames` do not belong to the animation, or are given together with parameters; or the frame does not exist.
    """
    if frames is not None and parameters:
        raise ValueError(f"frames: have been found already, expected no {', '.join(parameters)} beside them")
    count = require_animation(animation).frame_count
    pair("size", size)
    if frame is not None and not -count <= number("frame", frame, "a frame") < count:
        raise ValueError(f"frame: expected a frame from 0 to {count - 1}, got {frame}")
    run = Session(animation, **parameters) if frames is None else Recording(animation, frames)
    exhibit = Exhibit.of(run, aspect=size[0] / size[1], body=body)
    exhibit.mode, exhibit.comparison, exhibit.playback.playing = mode, comparison, False
    exhibit.playback.seek(busiest_frame(run.wait(k) for k in range(count)) if frame is None else frame % count)
    scene = ScenePicture(exhibit, size)
    # for readers of a page, who cannot turn the scene
    run.wait(exhibit.playback.frame)
    still = _png(scene.picture())
    try:
        from ruckle.view.player import Player
    except ModuleNotFoundError as missing:
        if missing.name not in ("jupyter_rfb", "ipywidgets"):
            raise
        still_picture: Any = StillPicture
        return still_picture(still)
    return Player(scene, still)


def _png(picture: NDArray[np.uint8] | None) -> bytes:
    assert picture is not None
    file = BytesIO()
    Image.fromarray(picture).save(file, "PNG", optimize=True)
    return file.getvalue()
