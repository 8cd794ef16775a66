"""Chooses the members of a crowd that step in a displayed frame, within a limit of processor time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import Float32, float32
from ruckle.paths.clock import WrinkleClock
from ruckle.paths.frame import Frame

__all__ = ["Crowd"]


class Crowd:
    """Characters whose wrinkles share a budget of processor time.

    The clock interval of a member depends on its distance from the viewer. A member is due if its interval is over. Due
    members step in descending order of (time since the last step / interval) x (distance that the cloth has moved since
    that step / distance from the viewer), until the budget is used up. The movement of the cloth is
    the sum, over displayed frames, of the largest change of a coordinate. The heights of members that do not step
    remain in this frame. Costs are estimated from triangle counts, not measured, so results have the same bits on every
    machine.

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
        The distances do not increase, or an interval is below 0.

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
        self.members = tuple(instance(f"members[{i}]", member, WrinkleClock) for i, member in enumerate(members))
        self._core = _core.Crowd(distances, intervals)
        self._last: list[Float32 | None] = [None] * len(self.members)
        self._moved = [0.0] * len(self.members)
        self._since_step = [0.0] * len(self.members)

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
            One array per member. Use new arrays for each frame, because they are compared with those of the next frame.
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
            The numbers of positions, distances and members differ, or a distance is below 0.
        MeshError, TypeError
            Raised as by `WrinkleClock.step`. Earlier members have then already stepped.
        """
        if not len(positions) == len(distances) == len(self.members):
            raise ValueError(
                f"positions, distances: expected {len(self.members)} of each, got {len(positions)} and {len(distances)}"
            )
        if not all(number("distances", distance) >= 0.0 for distance in distances):
            raise ValueError(f"distances: expected numbers of at least 0, got {min(distances)}")
        points = [float32("positions", each) for each in positions]
        step_cost, picture_cost = self._core.costs
        rows, needs = [], []
        for i, (member, distance) in enumerate(zip(self.members, distances, strict=True)):
            member.interval = self._core.interval(distance)
            if (last := self._last[i]) is not None:
                self._moved[i] += float(np.abs(points[i] - last).max())
            self._last[i] = points[i]
            self._since_step[i] += dt
            thousands = 1e-3 * member.topology.face_count
            budget -= picture_cost * thousands
            age = self._since_step[i] / max(member.interval, dt)
            rows.append((distance, self._moved[i], age, step_cost * thousands))
            needs.append((member.is_due(dt), last is None))
        steps = self._core.plan(rows, needs, budget)
        for i, steps_now in enumerate(steps):
            if steps_now:
                self._moved[i] = self._since_step[i] = 0.0

        def take(i: int) -> Frame:
            return self.members[i].step(points[i], dt, may_step=bool(steps[i]))

        return list(run(take, range(len(self.members))))

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next displayed frame is the first."""
        for member in self.members:
            member.reset()
        self._last = [None] * len(self.members)
        self._moved = [0.0] * len(self.members)
        self._since_step = [0.0] * len(self.members)

    def __repr__(self) -> str:
        return f"Crowd({len(self.members)} members)"
