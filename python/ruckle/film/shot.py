"""Drawing of an animation with its wrinkles, frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ruckle.film.writing import drawing_packages
from ruckle.mesh.animation import Animation
from ruckle.paths.wrinkler import Wrinkler
from ruckle.scene.body import Dressing
from ruckle.scene.framing import FOLD_VIEWS, camera_path, fold_score, view_direction
from ruckle.scene.looks import plain_look
from ruckle.stack import Layer, step_frame
from ruckle.surface.frame import LayerFrame

if TYPE_CHECKING:
    from ruckle.scene.detail import Detail
    from ruckle.scene.look import Look
    from ruckle.scene.modes import ModeName
    from ruckle.surface.surface import Base

__all__ = ["Shot", "scout", "shoot", "telling_frame"]

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Shot:
    """Settings for drawing an animation.

    Attributes
    ----------
    size : (int, int), pixels
        Width and height of the pictures.
    mode : str
        Mode of `ruckle.Renderer.render`.
    view : str or (float, float)
        Camera direction: a name in `ruckle.film.VIEWS`, or azimuth and elevation in degrees.
    turn : float, degrees, optional
        Angle by which the camera turns around the garment during the film. None means 0, or 360 for the view "orbit".
    before_after : bool
        True shows the coarse mesh and the wrinkled cloth side by side, in two panes.
    base : {"curved", "flat"}
        Base surface of the wrinkles.
    detail : float in [0, 1], or "distance"
        Level of detail of wrinkles; see `ruckle.Renderer`.
    look : Look, optional
        Colours, lights and fabric.
    others : tuple of str
        Captions of additional panes, one for each layer in `others` of `shoot`. They require `before_after`.
    titles : bool
        True writes captions into the panes.
    """

    size: tuple[int, int] = (1280, 720)
    mode: ModeName = "shaded"
    view: str | tuple[float, float] = "three-quarter"
    turn: float | None = None
    before_after: bool = False
    base: Base = "curved"
    detail: Detail = "distance"
    look: Look | None = None
    others: tuple[str, ...] = ()
    titles: bool = True

    @property
    def pane(self) -> tuple[int, int]:
        """Width and height of one pane, pixels."""
        width, height = self.size
        return width // (1 + self.before_after + len(self.others)), height


def shoot(
    animation: Animation,
    shot: Shot,
    *,
    frames: range | None = None,
    layer: Layer | None = None,
    others: Sequence[Layer] = (),
    body: Animation | None = None,
    watch: Callable[[LayerFrame], object] | None = None,
) -> Iterator[Picture]:
    """Draw frames of an animation. Layers are reset, and stepped from the first frame, even if it is not drawn.

    This function is a generator, so errors are raised when the first picture is requested.

    Parameters
    ----------
    animation : Animation
    shot : Shot
    frames : range, optional
        Frames to draw, in ascending order; default: all frames.
    layer : Layer, optional
        Layers on the cloth; default: wrinkle paths.
    others : sequence of Layer
        Layers of additional panes, one for each caption of the shot.
    body : Animation, optional
        Body under the cloth, with the same frames. It is drawn without wrinkles, and fits into the picture except for
        long bare legs.
    watch : callable, optional
        Function that is called with every computed frame of `layer`.

    Yields
    ------
    (height, width, 3) uint8
        Pictures in sRGB, top row first.

    Raises
    ------
    ModuleNotFoundError
        The extra `render` is not installed.
    GraphicsError
        OpenGL is missing; the message names the package to install.
    ValueError
        See `ruckle.Renderer` and the layer.
    """
    with drawing_packages():
        from ruckle.film.caption import captioned
        from ruckle.scene.renderer import Renderer

    chosen = range(animation.frame_count) if frames is None else frames
    width, height = shot.pane
    path = camera_path(animation, chosen, aspect=width / height, view=shot.view, turn=shot.turn or 0.0, body=body)
    if layer is None:
        layer = Wrinkler.for_animation(animation)
    dressing = Dressing(animation, body)
    look = plain_look(animation.height) if shot.look is None else shot.look
    with Renderer(width, height, base=shot.base, detail=shot.detail, look=look) as renderer:
        runs = [_stepped(animation, one, chosen, watch if one is layer else None) for one in (layer, *others)]
        for *steps, camera in zip(*runs, path, strict=True):
            (number, frame), *_ = steps
            extras = dressing.extras(number, look)
            after, *beside = (renderer.render(one, camera=camera, mode=shot.mode, **extras) for _, one in steps)
            if not shot.before_after:
                yield after
                continue
            panes = {"before": renderer.render_coarse(frame, camera=camera, **extras), "after": after}
            if shot.others:
                panes = {"before": panes["before"], **dict(zip(("paths", *shot.others), (after, *beside), strict=True))}
            titled = [captioned(pane, title) if shot.titles else pane for title, pane in panes.items()]
            joined = np.concatenate(titled, axis=1)
            missing = shot.size[0] - joined.shape[1]
            yield np.pad(joined, ((0, 0), (0, missing), (0, 0)), mode="edge")


def scout(
    animation: Animation,
    shot: Shot,
    *,
    frames: range,
    layer: Layer,
    watch: Callable[[LayerFrame], object] | None = None,
) -> tuple[int, str | tuple[float, float]]:
    """Return the number of the frame that shows most wrinkles to the camera of a shot, and the view of the camera.

    The view is that of the shot. If the shot's view is "folds", the view is the one that shows most wrinkles in the
    returned frame; views near the front are preferred (`fold_score`).

    Parameters
    ----------
    animation, shot, frames, layer, watch
        See `shoot`; `layer` is reset.
    """
    views = FOLD_VIEWS if shot.view == "folds" else (view_direction(shot.view),)
    scores = np.array(
        [
            [fold_score(frame, view, up=animation.up) for view in views]
            for _, frame in _stepped(animation, layer, frames, watch)
        ]
    )
    best = scores.max(axis=1).argmax()
    view = views[int(scores[best].argmax())] if shot.view == "folds" else shot.view
    return frames[int(best)], view


def telling_frame(
    animation: Animation,
    shot: Shot,
    *,
    frames: range,
    layer: Layer,
    watch: Callable[[LayerFrame], object] | None = None,
) -> int:
    """Return the number of the frame that shows most wrinkles to the camera of a shot; see `scout` for parameters."""
    return scout(animation, shot, frames=frames, layer=layer, watch=watch)[0]


def _stepped(
    animation: Animation, layer: Layer, chosen: range, watch: Callable[[LayerFrame], object] | None
) -> Iterator[tuple[int, LayerFrame]]:
    """Step a layer from the first frame of the animation; yield the chosen frames with their numbers."""
    layer.reset()
    for number in range(chosen[-1] + 1):
        frame = step_frame(layer, animation, number)
        if watch is not None:
            watch(frame)
        if number in chosen:
            yield number, frame
