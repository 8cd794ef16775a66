"""Playback time of an animation: the logic of the timeline, without a window."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SPEEDS", "Playback"]

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Playback speeds in the timeline."""

# Longest time step: after a pause (sleep, dragging) a window reports several seconds at once; the limit avoids a jump.
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
        1 means real time.
    loop : bool
        True: begin again at the end; False: stop there.
    """

    frame_count: int
    fps: float
    time: float = 0.0
    playing: bool = True
    speed: float = 1.0
    loop: bool = True

    @property
    def duration(self) -> float:
        """Total display time, including that of the last frame, seconds."""
        return self.frame_count / self.fps

    @property
    def frame(self) -> int:
        """The current frame."""
        # rounding must not change a frame from which the time was set
        return min(int(self.time * self.fps + 1e-6), self.frame_count - 1)

    def advance(self, seconds: float) -> int:
        """Advance the time if the animation plays; return the current frame."""
        if self.playing:
            self.time += self.speed * min(max(seconds, 0.0), LONGEST_STEP)
            if self.time >= self.duration and self.loop:
                self.time %= self.duration
            elif self.time >= self.duration:
                self.seek(self.frame_count - 1)
                self.playing = False
        return self.frame

    def seek(self, frame: int) -> None:
        """Go to a frame, limited to the existing ones."""
        self.time = min(max(frame, 0), self.frame_count - 1) / self.fps

    def step(self, frames: int) -> None:
        """Pause, and move by `frames` frames; wraps around if `loop` is set."""
        self.playing = False
        target = self.frame + frames
        self.seek(target % self.frame_count if self.loop else target)

    def toggle(self) -> None:
        """Play or pause; at the end of an animation without loop, start again."""
        if not self.playing and self.frame == self.frame_count - 1 and not self.loop:
            self.seek(0)
        self.playing = not self.playing
