"""Wrinkles that step at a lower rate than pictures, with blended heights in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import float32
from ruckle.paths.frame import Curves, Frame
from ruckle.paths.wrinkler import Wrinkler

__all__ = ["ClockState", "WrinkleClock"]

# Seconds, as RUCKLE_LONGEST_INTERVAL.
LONGEST_INTERVAL = 1.0


@dataclass(frozen=True, eq=False)
class ClockState:
    """State of a `WrinkleClock`.

    Attributes
    ----------
    wrinkler : bytes
        State of the Wrinkler.
    times : tuple
        State of the clock.
    earlier : Curves or None
        Drawn lines of the step before the last one.
    frame : Frame or None
        The last step.
    """

    wrinkler: bytes
    times: tuple[Any, ...]
    earlier: Curves | None
    frame: Frame | None


class WrinkleClock:
    """Steps a `Wrinkler` once per interval, and blends the heights of its last two steps in the pictures in between.

    A picture is one interval late. Heights are continuous in time; a step takes most of the time of a picture, so that
    30 steps per second cost about half of 60. The clock is a layer, as the Wrinkler is.

    Parameters
    ----------
    wrinkler : Wrinkler
        Before its first frame.
    interval : float, seconds, in [0, 1]
        Time between two steps; 0: a step for each picture, shown at once.
    offset : float, in [0, 1)
        Share of an interval by which the second step is early: spreads the steps of a crowd.

    Attributes
    ----------
    wrinkler : Wrinkler

    Raises
    ------
    ValueError
        An interval or an offset out of its range, or a Wrinkler that has frames.
    TypeError
        Another object than a Wrinkler.

    Examples
    --------
    >>> animation = ruckle.sample("sawing").cut(0, 30)
    >>> clock = ruckle.WrinkleClock(ruckle.Wrinkler.for_animation(animation), interval=1 / 30)
    >>> frames = [clock.step(positions, dt=1 / 60) for positions in animation.positions]
    >>> [round(frame.share, 3) for frame in frames[:4]]
    [0.0, 0.5, 0.0, 0.5]
    """

    def __init__(self, wrinkler: Wrinkler, *, interval: float = 1.0 / 30.0, offset: float = 0.0) -> None:
        self.wrinkler = instance("wrinkler", wrinkler, Wrinkler)
        if wrinkler.frame_count:
            raise ValueError(f"wrinkler: expected one before its first frame, got one after {wrinkler.frame_count}")
        if not 0.0 <= number("offset", offset) < 1.0:
            raise ValueError(f"offset: expected a share in [0, 1), got {offset}")
        self._times = _core.StepClock(_interval(interval), offset)
        self._earlier: Curves | None = None
        self._frame: Frame | None = None
        self._index = 0
        self.has_stepped = False

    @property
    def interval(self) -> float:
        """Seconds between two steps. A shorter one is approached by at most half per step."""
        return self._times.interval

    @interval.setter
    def interval(self, interval: float) -> None:
        self._times.interval = _interval(interval)

    @property
    def share(self) -> float:
        """Share of the last step's heights in the last picture; the others are those of the step before."""
        return self._times.share

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self.wrinkler.topology

    def is_due(self, dt: float) -> bool:
        """Return True if a picture `dt` seconds after the last one needs a step."""
        return self._times.is_due(dt)

    def step(
        self,
        positions: ArrayLike,
        dt: float = 1.0 / 60.0,
        *,
        remaining: ArrayLike | None = None,
        may_step: bool = True,
    ) -> Frame:
        """Take the next picture.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous picture, above 0.
        remaining : (T,) float, in (0, 1], optional
            As for `Wrinkler.step`; read if the Wrinkler steps.
        may_step : bool
            False: a step that is due waits, and heights are held. The first picture always steps.

        Returns
        -------
        Frame
            Positions are those of the picture, and heights are blended. The wrinkles are those of the last step.

        Raises
        ------
        MeshError, ValueError, TypeError
            As of `Wrinkler.step`. A refused picture leaves the state unchanged.
        """
        last = self._frame
        if last is not None and not (may_step and self._times.is_due(dt)):
            if not 0.0 < number("dt", dt) <= 1e6:
                raise ValueError(f"dt: expected a number of seconds in (0, 1e6], got {dt}")
            frame = last.moved(float32("positions", positions))
            self._times.advance(dt, False)
            self.has_stepped = False
        else:
            frame = self.wrinkler.step(
                positions, dt if last is None else self._times.step_time(dt), remaining=remaining
            )
            self._times.advance(dt, True)
            self._earlier = (frame if last is None else last).curves if self._times.blends else None
            self._frame = frame
            self.has_stepped = True
        index, self._index = self._index, self._index + 1
        return frame.changed(earlier=self._earlier, share=self._times.share, index=index)

    def reset(self) -> None:
        """Forget every frame: the next picture is the first."""
        self.wrinkler.reset()
        self._times.reset()
        self._earlier = self._frame = None
        self._index = 0

    def state(self) -> ClockState:
        """Return everything that the pictures so far have changed, for `restore`."""
        return ClockState(self.wrinkler.state(), self._times.times, self._earlier, self._frame)

    def restore(self, state: ClockState) -> None:
        """Continue from a state of this object, or of another one made with the same arguments, with the same bits.

        Raises
        ------
        ValueError
            A state of another Wrinkler; the clock is then unchanged.
        TypeError
            Not a state.
        """
        instance("state", state, ClockState)
        self.wrinkler.restore(state.wrinkler)
        self._times.times = state.times
        self._earlier, self._frame = state.earlier, state.frame

    def __repr__(self) -> str:
        return f"WrinkleClock({self.wrinkler!r}, interval={self.interval:.4g})"


def _interval(interval: float) -> float:
    if not 0.0 <= number("interval", interval) <= LONGEST_INTERVAL:
        raise ValueError(f"interval: expected seconds in [0, {LONGEST_INTERVAL:g}], got {interval}")
    return interval
