"""State of the viewer without its window: run, time, camera and mode. The widgets change this state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, get_args

from ruckle.mesh.animation import Animation
from ruckle.scene.camera import Camera
from ruckle.scene.framing import camera_path
from ruckle.scene.modes import ModeName
from ruckle.surface.frame import LayerFrame
from ruckle.view.playback import Playback

__all__ = ["Comparison", "Exhibit", "Run"]

Comparison = Literal["after", "before", "both"]

# Degrees by which the camera turns if the mouse moves by the height of the picture.
DEGREES_PER_HEIGHT = 270.0
# Zoom factor of one notch of the mouse wheel.
ZOOM_PER_NOTCH = 1.12


class Run(Protocol):
    """The frames of an animation, some of which may not be computed yet, such as a `Session`."""

    animation: Animation

    def frame(self, index: int) -> LayerFrame | None:
        """Return a frame, or an earlier one if this frame has not been computed yet."""


@dataclass
class Exhibit:
    """The state of an animation in the viewer.

    Attributes
    ----------
    run : Run
        The computed frames.
    playback : Playback
        The playback time.
    camera : Camera
        Camera for the first frame. In later frames, it also moves with the garment.
    mode : str
        Mode of `ruckle.Renderer.render`.
    comparison : {"after", "before", "both"}
        Visible cloth: wrinkled, coarse, or both side by side.
    follow : bool
        True if the camera follows a moving garment.
    body : Animation or None
        Body that is drawn under the cloth.
    """

    run: Run
    playback: Playback
    camera: Camera
    mode: ModeName = "shaded"
    comparison: Comparison = "after"
    follow: bool = True
    body: Animation | None = None
    _aspect: float = 1.6
    _step_back: float = 1.0
    _path: list[Camera] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, run: Run, *, aspect: float = 1.3, body: Animation | None = None) -> Exhibit:
        """Create the viewer state for a run, with a camera distance at which everything is visible.

        Parameters
        ----------
        run : Run
        aspect : float
            Width over height of the picture.
        body : Animation, optional
            Body under the cloth, with the same frames.
        """
        playback = Playback(run.animation.frame_count, run.animation.fps)
        exhibit = cls(run, playback, Camera(), body=body)
        exhibit.stand_back(aspect)
        return exhibit

    def stand_back(self, aspect: float) -> None:
        """Reset the camera to the view "three-quarter", at a distance at which everything is visible.

        `aspect` is the width of the picture divided by its height.
        """
        path, narrow = (self._path_from("three-quarter", width) for width in (aspect, aspect / 2))
        self.camera, self._path, self._aspect = path[0], path, aspect
        self._step_back = narrow[0].distance / path[0].distance

    @property
    def animation(self) -> Animation:
        """The displayed animation."""
        return self.run.animation

    @property
    def frame(self) -> LayerFrame | None:
        """The current frame, or an earlier one if the current frame has not been computed yet."""
        return self.run.frame(self.playback.frame)

    @property
    def viewpoint(self) -> Camera:
        """The camera for the current frame: it follows the garment, and is further away for two panes."""
        # side by side, each pane has half the width, so the camera is further away
        camera = self.camera.zoom(1 / self._step_back) if self.comparison == "both" else self.camera
        if not self.follow:
            return camera
        first, now = self._path[0].target, self._path[self.playback.frame].target
        x, y, z = (at + b - a for at, a, b in zip(camera.target, first, now, strict=True))
        return replace(camera, target=(x, y, z))

    def look_from(self, view: str) -> None:
        """Turn the camera to a view in `ruckle.film.VIEWS`, at a distance at which everything is visible."""
        self.camera = self._path_from(view, self._aspect)[0]

    def _path_from(self, view: str, aspect: float) -> list[Camera]:
        """Return the cameras of all frames for a view and an aspect (width / height)."""
        frames = range(self.animation.frame_count)
        return camera_path(self.animation, frames, aspect=aspect, view=view, body=self.body)

    def drag(self, right: float, down: float) -> None:
        """Turn the camera by a mouse motion, relative to the picture's height."""
        self.camera = self.camera.orbit(-DEGREES_PER_HEIGHT * right, DEGREES_PER_HEIGHT * down)

    def shift(self, right: float, down: float) -> None:
        """Move the garment by a mouse motion, relative to the picture's height."""
        self.camera = self.camera.pan(-right, down)

    def wheel(self, notches: float) -> None:
        """Zoom the camera by notches of the mouse wheel; positive values bring it nearer."""
        self.camera = self.camera.zoom(ZOOM_PER_NOTCH**notches)

    def compare_next(self) -> None:
        """Switch to the next comparison, in the order wrinkled, coarse, both."""
        order: tuple[Comparison, ...] = get_args(Comparison)
        self.comparison = order[(order.index(self.comparison) + 1) % len(order)]
