"""One film or picture of an animation: drawing, writing, and reporting."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ruckle.cli.console import Voice
from ruckle.cli.notes import Findings
from ruckle.film import Shot, film_rate, film_writer, scout, shoot
from ruckle.film.writing import is_still
from ruckle.mesh.animation import Animation
from ruckle.scene.framing import view_direction
from ruckle.stack import Layer

__all__ = ["Reel"]

# By default, the camera of a film turns around the garment: degrees per second, and maximum degrees per film.
TURN_RATE, MOST_TURN = 7.0, 28.0


@dataclass(frozen=True)
class Reel:
    """An animation to draw, with its output.

    Attributes
    ----------
    animation : Animation
    output : path of a film, a picture, or a folder of pictures
    shot : Shot
    layer : Layer
        The layers to draw.
    parameters : mapping
        Parameters of the layer, for the report.
    frames : slice
        Frames to draw; earlier frames are also computed.
    frame : int, optional
        Frame of a picture; default: the frame in which the camera sees most wrinkles.
    speed : float
        Speed of a film: 1 is the speed of the animation.
    rate : float, pictures per second, optional
        Maximum number of pictures per second of a film; default: the limit of the format.
    body : Animation, optional
        Body under the garment, with the same frames.
    others : sequence of Layer
        Layers that are drawn next to `layer`, in the order of the shot.
    findings : Findings
        Counts of visible wrinkles in the frames that `perform` has run.
    """

    animation: Animation
    output: Path
    shot: Shot
    layer: Layer
    parameters: Mapping[str, Any]
    frames: slice = field(default_factory=lambda: slice(None))
    frame: int | None = None
    speed: float = 1.0
    rate: float | None = None
    body: Animation | None = None
    others: Sequence[Layer] = ()
    findings: Findings = field(default_factory=Findings)

    def perform(self, voice: Voice) -> dict[str, Any]:
        """Draw, write and report; return the report as plain values.

        Raises
        ------
        ModuleNotFoundError, GraphicsError
            The extra `render` or OpenGL is missing; then nothing is written.
        ValueError
            The frames do not exist, or the format does not allow the size.
        """
        chosen = self.chosen_range()
        rate, every = film_rate(self.output, self.animation.fps * self.speed, self.rate)
        if not is_still(self.output):
            chosen = chosen[::every]
        writer = film_writer(self.output, size=self.shot.size, fps=rate, first_frame=chosen.start, every=chosen.step)
        chosen, shot = self._staged(chosen)
        start = time.perf_counter()
        with writer, voice.progress(f"drawing {self.animation.name}", len(chosen)) as advance:
            for picture in shoot(
                self.animation,
                shot,
                frames=chosen,
                layer=self.layer,
                others=self.others,
                body=self.body,
                watch=self.findings.add,
            ):
                writer.append(picture)
                advance(1)
            writer.finish()
        milliseconds = 1000 * (time.perf_counter() - start) / len(chosen)
        voice.say(self._line(chosen, rate, milliseconds))
        return self._value(chosen, rate, milliseconds)

    def chosen_range(self) -> range:
        """Return the requested frames; raise ValueError if they do not exist."""
        count = self.animation.frame_count
        chosen = range(*self.frames.indices(count))
        if not chosen:
            bounds = ":".join("" if bound is None else str(bound) for bound in (self.frames.start, self.frames.stop))
            raise ValueError(f"frames: {bounds} selects none of the {count} frames")
        if self.frame is not None and not -count <= self.frame < count:
            raise ValueError(f"frame: expected a frame from 0 to {count - 1}, got {self.frame}")
        return chosen

    def _staged(self, chosen: range) -> tuple[range, Shot]:
        """Return the frames to draw (a single one for a picture), and the shot with its final view and turn.

        For the view "folds", and for a picture without a frame number, this runs the layer up to the last chosen frame.
        """
        shot, still, number = self.shot, is_still(self.output), self.frame
        if number is not None:
            number %= self.animation.frame_count
            chosen = range(number, number + 1)
        watch = self.findings.add if still and number is None else None
        if shot.view == "folds" or (still and number is None):
            best, view = scout(self.animation, shot, frames=chosen, layer=self.layer, watch=watch)
            chosen, shot = range(best, best + 1) if still else chosen, replace(shot, view=view)
        if shot.turn is not None:
            return chosen, shot
        # the camera of a film turns slowly, and reaches the chosen direction in the middle
        turn = 0.0 if still else min(MOST_TURN, TURN_RATE * len(chosen) * chosen.step / self.animation.fps)
        azimuth, elevation = view_direction(shot.view)
        return chosen, replace(shot, turn=turn, view=(azimuth - turn / 2, elevation) if turn else shot.view)

    def _value(self, chosen: range, rate: float, milliseconds: float) -> dict[str, Any]:
        return {
            "animation": self.animation.name,
            "output": str(self.output),
            "pictures": len(chosen),
            "first_frame": chosen[0],
            "last_frame": chosen[-1],
            "pictures_per_second": None if is_still(self.output) else rate,
            "size": list(self.shot.size),
            "mode": self.shot.mode,
            "body": None if self.body is None else self.body.name,
            "milliseconds_per_picture": milliseconds,
            "parameters": dict(self.parameters),
        }

    def _line(self, chosen: range, rate: float, milliseconds: float) -> str:
        width, height = self.shot.size
        if is_still(self.output):
            return f"picture  {self.output} (frame {chosen[0]}, {width}x{height})"
        return (
            f"film     {self.output} ({len(chosen)} pictures of {width}x{height}, {rate:g} per second, "
            f"{milliseconds:.0f} ms to draw and write one)"
        )
