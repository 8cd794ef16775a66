"""The clock of an animation: the timeline's logic, without a window."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SPEEDS", "Playback"]

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0)
"""Playback speeds that the timeline offers."""

# A window that slept or was dragged reports several seconds at once. This limit makes the animation resume without a
# jump.
LONGEST_STEP = 0.25


@dataclass
class Playback:
    """The clock of an animation.

    Attributes
    ----------
    frame_count : int
    fps : float
        Frames per second of the animation.
    time : float, seconds
        Since the first frame.
    playing : bool
    speed : float
        1 plays in real time.
    loop : bool
        Begin again at the end, or stop there.
    """

    frame_count: int
    fps: float
    time: float = 0.0
    playing: bool = True
    speed: float = 1.0
    loop: bool = True

    @property
    def duration(self) -> float:
        """Time for which the animation is seen, the last frame included, seconds."""
        return self.frame_count / self.fps

    @property
    def frame(self) -> int:
        """The frame to show."""
        # a time that was set from a frame must give that frame back
        return min(int(self.time * self.fps + 1e-6), self.frame_count - 1)

    def advance(self, seconds: float) -> int:
        """Let time pass, if it plays, and return the frame to show."""
        if self.playing:
            self.time += self.speed * min(max(seconds, 0.0), LONGEST_STEP)
            if self.time >= self.duration and self.loop:
                self.time %= self.duration
            elif self.time >= self.duration:
                self.seek(self.frame_count - 1)
                self.playing = False
        return self.frame

    def seek(self, frame: int) -> None:
        """Go to a frame, or to the nearest one that exists."""
        self.time = min(max(frame, 0), self.frame_count - 1) / self.fps

    def step(self, frames: int) -> None:
        """Stop and move by `frames` frames; wrap around the end if playback loops."""
        self.playing = False
        target = self.frame + frames
        self.seek(target % self.frame_count if self.loop else target)

    def toggle(self) -> None:
        """Play or pause; at the end of an animation that does not loop, begin again."""
        if not self.playing and self.frame == self.frame_count - 1 and not self.loop:
            self.seek(0)
        self.playing = not self.playing
