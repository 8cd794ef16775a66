"""Chooses the members of a crowd that step in a displayed frame, within a limit of processor time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import found, instance, mistyped, number, sequence
from ruckle.arrays import float32, shaped
from ruckle.paths.clock import WrinkleClock, clock_interval
from ruckle.paths.frame import Frame

__all__ = ["Crowd"]

# Largest time between two displayed frames, in seconds, as for `WrinkleClock.step`.
LONGEST_TIME = 1e6


class Crowd:
    """Characters whose wrinkles share a budget of processor time.

    The clock interval of a member depends on its distance from the viewer. Members that have no frame yet also get
    different offsets. A member is due if its interval is over. Due members step in descending order of (time since the
    last step / interval) x (distance that the cloth has moved since that step / distance from the viewer), until the
    budget is used up. The movement of the cloth is the sum, over displayed frames, of the largest distance that one of
    about 16 vertices has moved. The heights of members that do not step remain in this frame. Costs are estimated from
    triangle counts, not measured. `ruckle_crowd_step` in C chooses the same members, on every machine.

    Parameters
    ----------
    members : sequence of WrinkleClock
    distances : two floats, m
        Distance up to which a member is near, and distance up to which it is in the middle range.
    intervals : three floats, s
        Time between two steps for near, middle and far members.

    Raises
    ------
    TypeError
        A member is not a `WrinkleClock`.
    ValueError
        A member occurs twice, the distances do not increase, or an interval is outside [0, 1] s.

    Examples
    --------
    >>> animation = ruckle.sample("sawing")
    >>> clocks = [ruckle.WrinkleClock(ruckle.Wrinkler.for_animation(animation)) for _ in range(3)]
    >>> crowd = ruckle.Crowd(clocks)
    >>> frames = crowd.step([animation.positions[0]] * 3, dt=1 / 60, distances=[2.0, 20.0, 60.0], budget=1e4)
    >>> [round(1 / clock.interval, 1) for clock in clocks]
    [30.0, 15.0, 7.5]
    """

    def __init__(
        self,
        members: Sequence[WrinkleClock],
        *,
        distances: Sequence[float] = (10.0, 30.0),
        intervals: Sequence[float] = (1.0 / 30.0, 1.0 / 15.0, 2.0 / 15.0),
    ) -> None:
        clocks = enumerate(sequence("members", members))
        self.members = tuple(instance(f"members[{i}]", clock, WrinkleClock) for i, clock in clocks)
        if len(set(map(id, self.members))) != len(self.members):
            raise ValueError("members: expected different clocks, got one of them twice")
        times = [clock_interval(f"intervals[{i}]", time) for i, time in enumerate(_numbers("intervals", intervals, 3))]
        self._core = _core.Crowd(_numbers("distances", distances, 2), times)

    def step(
        self,
        positions: Sequence[ArrayLike],
        dt: float = 1.0 / 60.0,
        *,
        distances: Sequence[float],
        budget: float,
        run: Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]] = map,
    ) -> list[Frame]:
        """Compute the next displayed frame of all members.

        Parameters
        ----------
        positions : sequence of (V, 3) float, mesh units
            One array per member.
        dt : float, seconds
            Time since the previous displayed frame.
        distances : sequence of float, m
            Distance between the viewer and each member.
        budget : float, µs
            Processor time of the frame. The cost of a frame without a step is subtracted for every member; the rest is
            for steps. The first step of a member may exceed the budget.
        run : callable
            `map`, or the `map` method of an executor, which then runs the members in its threads.

        Returns
        -------
        list of Frame

        Raises
        ------
        ValueError
            The numbers of positions, distances and members differ, an array has a wrong shape, or a distance, the
            budget or `dt` is out of its range. The crowd is then unchanged.
        MeshError, TypeError
            Raised as by `WrinkleClock.step`. Earlier members have then already stepped.
        """
        if not callable(run):
            raise mistyped("run", "a function such as map", run)
        if not len(sequence("positions", positions)) == len(sequence("distances", distances)) == len(self.members):
            raise ValueError(
                f"positions, distances: expected {len(self.members)} of each, got {len(positions)} and {len(distances)}"
            )
        far = _numbers("distances", distances, len(self.members))
        for distance in far:
            if not distance >= 0.0:
                raise ValueError(f"distances: expected numbers of at least 0, got {distance}")
        microseconds, seconds = number("budget", budget), number("dt", dt)
        if not microseconds >= 0.0:
            raise ValueError(f"budget: expected a number of at least 0, got {found(budget)}")
        if not 0.0 < seconds <= LONGEST_TIME:
            raise ValueError(f"dt: expected a number of seconds in (0, 1e6], got {found(dt)}")
        points = [
            shaped(f"positions[{i}]", float32(f"positions[{i}]", each), (member.topology.vertex_count, 3))
            for i, (member, each) in enumerate(zip(self.members, positions, strict=True))
        ]
        states = []
        for i, (member, distance) in enumerate(zip(self.members, far, strict=True)):
            member._begin(self._core.interval(distance), self._core.offset(i))
            before = member.frame
            motion = 0.0 if before is None else _core.cloth_motion(before.positions, points[i])
            states.append((distance, motion, member.topology.face_count, member.is_due(seconds), before is None))
        steps = self._core.plan(states, seconds, microseconds)

        def take(i: int) -> Frame:
            return self.members[i].step(points[i], seconds, may_step=bool(steps[i]))

        return list(run(take, range(len(self.members))))

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next displayed frame is the first."""
        for member in self.members:
            member.reset()
        self._core.reset()

    def __repr__(self) -> str:
        return f"Crowd({len(self.members)} members)"


def _numbers(name: str, values: Sequence[float], count: int) -> list[float]:
    if len(sequence(name, values, f"{count} numbers")) != count:
        raise ValueError(f"{name}: expected {count} numbers, got {len(values)}")
    return [number(f"{name}[{i}]", value) for i, value in enumerate(values)]
