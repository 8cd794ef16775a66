"""A finished run, with the interface of one in progress."""

from __future__ import annotations

from collections.abc import Sequence

from ruckle.mesh.animation import Animation
from ruckle.surface.frame import LayerFrame

__all__ = ["Recording"]


class Recording:
    """Frames of a finished run, with the interface of `Session`.

    Parameters
    ----------
    animation : Animation
    frames : sequence of LayerFrame
        One for each frame of the animation, as `ruckle.run` gives them.

    Raises
    ------
    ValueError
        Another number of frames.
    """

    def __init__(self, animation: Animation, frames: Sequence[LayerFrame]) -> None:
        if len(frames) != animation.frame_count:
            raise ValueError(
                f"frames: expected {animation.frame_count}, one for each of the animation, got {len(frames)}"
            )
        self.animation = animation
        self._frames = frames

    def frame(self, index: int) -> LayerFrame:
        """Return a frame."""
        return self._frames[index]

    def wait(self, index: int, timeout: float | None = None) -> LayerFrame:
        """Return a frame; nothing needs to be waited for."""
        return self._frames[index]

    def close(self) -> None:
        """Do nothing: no thread runs."""
