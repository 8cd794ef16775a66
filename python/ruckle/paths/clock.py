"""Runs a `Wrinkler` at a lower rate than the display, and interpolates heights between its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import float32
from ruckle.paths.frame import Curves, Frame
from ruckle.paths.wrinkler import Wrinkler

__all__ = ["ClockState", "WrinkleClock", "clock_interval"]

# Largest time between two steps, in seconds. The C interface has the same limit, RUCKLE_LONGEST_INTERVAL.
LONGEST_INTERVAL = 1.0


@dataclass(frozen=True, eq=False)
class ClockState:
    """State of a `WrinkleClock`.

    Attributes
    ----------
    wrinkler : bytes
        State of the Wrinkler.
    times : tuple
        State of the clock's timer.
    earlier : Curves or None
        Drawn lines of the step before the last step.
    frame : Frame or None
        Result of the last step.
    index : int
        Number of displayed frames.
    """

    wrinkler: bytes
    times: tuple[Any, ...]
    earlier: Curves | None
    frame: Frame | None
    index: int


class WrinkleClock:
    """Steps a `Wrinkler` once per interval, and interpolates heights between its last two steps for the display.

    The display is one interval late, so that heights change continuously. A step causes most of the cost of a displayed
    frame. Therefore 30 steps per second cost about half of 60 steps. The clock is a layer, like the Wrinkler.

    Parameters
    ----------
    wrinkler : Wrinkler
        A Wrinkler before its first step.
    interval : float, seconds, in [0, 1]
        Time between two steps. If 0, each displayed frame is a step and is shown without delay.
    offset : float, in [0, 1)
        The second step comes earlier by this share of an interval. Different offsets spread the steps of a crowd over
        time.

    Attributes
    ----------
    wrinkler : Wrinkler
    has_stepped : bool
        True if the Wrinkler has stepped for the last displayed frame.

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
            raise ValueError(
                f"wrinkler: expected a wrinkler before its first frame, got one after {wrinkler.frame_count} frames"
            )
        self._times = _core.StepClock(clock_interval("interval", interval), _offset(offset))
        self._earlier: Curves | None = None
        self._frame: Frame | None = None
        self._shown: Frame | None = None
        self._index = 0
        self.has_stepped = False

    @property
    def interval(self) -> float:
        """Seconds between two steps, as last set.

        A shorter value takes effect gradually: each step at most halves the interval in use.
        """
        return self._times.interval

    @interval.setter
    def interval(self, interval: float) -> None:
        self._times.interval = clock_interval("interval", interval)

    @property
    def share(self) -> float:
        """Weight of the last step's heights in the last displayed frame; the step before has the remaining weight."""
        return self._times.share

    @property
    def frame(self) -> Frame | None:
        """The last displayed frame; None before the first. After `restore`, the last step of the saved state."""
        return self._shown

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self.wrinkler.topology

    def _begin(self, interval: float, offset: float) -> None:
        """Set the interval, and before the first displayed frame also the offset; a `Crowd` calls this method."""
        self.interval = interval
        if self._frame is None:
            self._times = _core.StepClock(clock_interval("interval", interval), _offset(offset))

    def is_due(self, dt: float) -> bool:
        """Return True if the clock must step for a displayed frame `dt` seconds after the last one."""
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
            See `Wrinkler.step`; used only if the Wrinkler steps.
        may_step : bool
            If False, a due step is postponed and heights do not change. The first displayed frame always steps.

        Returns
        -------
        Frame
            Frame at the given positions, with interpolated heights. The wrinkles are those of the last step.

        Raises
        ------
        MeshError, ValueError, TypeError
            See `Wrinkler.step`. After an error the state is unchanged.
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
        self._shown = frame.changed(earlier=self._earlier, share=self._times.share, index=index)
        return self._shown

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next displayed frame is the first."""
        self.wrinkler.reset()
        self._times.reset()
        self._earlier = self._frame = self._shown = None
        self._index = 0

    def state(self) -> ClockState:
        """Return the state after the last displayed frame, for `restore`."""
        return ClockState(self.wrinkler.state(), self._times.times, self._earlier, self._frame, self._index)

    def restore(self, state: ClockState) -> None:
        """Continue with the same bits from a saved state of this clock, or of a clock with the same arguments.

        Raises
        ------
        ValueError
            The state comes from another Wrinkler; the clock is then unchanged.
        TypeError
            The object is not a ClockState.
        """
        instance("state", state, ClockState)
        self.wrinkler.restore(state.wrinkler)
        self._times.times = state.times
        self._earlier, self._frame, self._index = state.earlier, state.frame, state.index
        self._shown = state.frame

    def __repr__(self) -> str:
        return f"WrinkleClock({self.wrinkler!r}, interval={self.interval:.4g})"


def clock_interval(name: str, interval: float) -> float:
    """Return the time between two steps, s; ValueError outside [0, 1]."""
    if not 0.0 <= number(name, interval) <= LONGEST_INTERVAL:
        raise ValueError(f"{name}: expected seconds in [0, {LONGEST_INTERVAL:g}], got {interval}")
    return interval


def _offset(offset: float) -> float:
    if not 0.0 <= number("offset", offset) < 1.0:
        raise ValueError(f"offset: expected a share in [0, 1), got {offset}")
    return offset
