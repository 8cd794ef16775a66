"""Playback time of an animation: the logic of the timeline, independent of the window."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SPEEDS", "Playback"]

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Playback speeds that the timeline offers."""

# Maximum time step in seconds. After sleep or dragging, a window reports several seconds at once; the limit avoids a
# jump.
LONGEST_STEP = 0.25


@dataclass
class Playback:
    """The playback time of an animation.

    Attributes
    ----------
    frame_count : int
    fps : float
        Frames per second of the animation.
    time : float, seconds
        Time since the first frame.
    playing : bool
    speed : float
        Speed factor; 1 is real time.
    loop : bool
        True starts again at the end; False stops there.
    """

    frame_count: int
    fps: float
    time: float = 0.0
    playing: bool = True
    speed: float = 1.0
    loop: bool = True

    @property
    def duration(self) -> float:
        """Total duration in seconds, including the display time of the last frame."""
        return self.frame_count / self.fps

    @property
    def frame(self) -> int:
        """Index of the current frame."""
        # the offset prevents rounding errors if the time was computed from a frame
        return min(int(self.time * self.fps + 1e-6), self.frame_count - 1)

    def advance(self, seconds: float) -> int:
        """Advance the time if the animation plays; `LONGEST_STEP` limits `seconds`. Return the current frame."""
        if self.playing:
            self.time += self.speed * min(max(seconds, 0.0), LONGEST_STEP)
            if self.time >= self.duration and self.loop:
                self.time %= self.duration
            elif self.time >= self.duration:
                self.seek(self.frame_count - 1)
                self.playing = False
        return self.frame

    def seek(self, frame: int) -> None:
        """Go to a frame; the index is clamped to the existing frames."""
        self.time = min(max(frame, 0), self.frame_count - 1) / self.fps

    def step(self, frames: int) -> None:
        """Pause, and move by `frames` frames: past an end to the other end if `loop` is True, otherwise to the end."""
        self.playing = False
        target = self.frame + frames
        self.seek(target % self.frame_count if self.loop else target)

    def toggle(self) -> None:
        """Play or pause. At the end of an animation without loop, start from the first frame."""
        if not self.playing and self.frame == self.frame_count - 1 and not self.loop:
            self.seek(0)
        self.playing = not self.playing
