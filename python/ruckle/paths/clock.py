"""Runs a `Wrinkler` at a lower rate than the display, and blends heights in between."""

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

# Largest interval in seconds, equal to RUCKLE_LONGEST_INTERVAL.
LONGEST_INTERVAL = 1.0


@dataclass(frozen=True, eq=False)
class ClockState:
    """State of a `WrinkleClock`.

    Attributes
    ----------
    wrinkler : bytes
        State of the Wrinkler.
    times : tuple
        State of the clock's times.
    earlier : Curves or None
        Drawn lines of the step before the last one.
    frame : Frame or None
        Result of the last step.
    """

    wrinkler: bytes
    times: tuple[Any, ...]
    earlier: Curves | None
    frame: Frame | None


class WrinkleClock:
    """Steps a `Wrinkler` once per interval, and blends the heights of its last two steps in displayed frames between.

    The display is one interval late. Heights change continuously. A step is most of the cost of a displayed frame, so
    30 steps per second cost about half of 60. The clock is a layer, like the Wrinkler.

    Parameters
    ----------
    wrinkler : Wrinkler
        A Wrinkler without frames.
    interval : float, seconds, in [0, 1]
        Time between two steps. 0: one step per displayed frame, shown without delay.
    offset : float, in [0, 1)
        Share of an interval by which the second step comes earlier; different offsets spread the steps of a crowd.

    Attributes
    ----------
    wrinkler : Wrinkler

    Raises
    ------
    ValueError
        The interval or the offset is out of its range, or the Wrinkler already has frames.
    TypeError
        The object is not a Wrinkler.

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
        """Seconds between two steps. After a shorter value is set, the interval falls by at most half per step."""
        return self._times.interval

    @interval.setter
    def interval(self, interval: float) -> None:
        self._times.interval = _interval(interval)

    @property
    def share(self) -> float:
        """Share of the last step's heights in the last displayed frame; the rest is from the step before."""
        return self._times.share

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self.wrinkler.topology

    def is_due(self, dt: float) -> bool:
        """Return True if a displayed frame `dt` seconds after the last one needs a step."""
        return self._times.is_due(dt)

    def step(
        self,
        positions: ArrayLike,
        dt: float = 1.0 / 60.0,
        *,
        remaining: ArrayLike | None = None,
        may_step: bool = True,
    ) -> Frame:
        """Compute the next displayed frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous displayed frame, above 0.
        remaining : (T,) float, in (0, 1], optional
            As for `Wrinkler.step`; used only if the Wrinkler steps.
        may_step : bool
            If False, a due step waits and heights do not change. The first displayed frame always steps.

        Returns
        -------
        Frame
            Positions as given, with blended heights. The wrinkles are those of the last step.

        Raises
        ------
        MeshError, ValueError, TypeError
            As `Wrinkler.step`. After an error the state is unchanged.
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
        """Forget all frames: the next displayed frame is the first."""
        self.wrinkler.reset()
        self._times.reset()
        self._earlier = self._frame = None
        self._index = 0

    def state(self) -> ClockState:
        """Return the state after the displayed frames so far, for `restore`."""
        return ClockState(self.wrinkler.state(), self._times.times, self._earlier, self._frame)

    def restore(self, state: ClockState) -> None:
        """Continue with the same bits from a state of this clock, or of one made with the same arguments.

        Raises
        ------
        ValueError
            The state belongs to another Wrinkler; the clock is then unchanged.
        TypeError
            The object is not a ClockState.
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
