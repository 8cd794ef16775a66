"""Animations and executors for tests of parameter sweeps. The executors record calls."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from ruckle import Animation, sample
from ruckle.experiments.sweeps.table import TIMES, Row

GRID: dict[str, Any] = {"tau": [1.2, 1.4], "r_min": "0.5%,1%"}
"""Values of the parameters of a sweep with four runs."""


def clip(name: str = "sawing", frames: int = 12) -> Animation:
    """Return every sixth frame of a part of a sample.

    The cloth moves in all frames, and has wrinkles in the second half.
    """
    animation = sample(name)
    return replace(animation, positions=animation.positions[30 : 30 + 6 * frames : 6], fps=10.0)


def timeless(rows: Sequence[Row]) -> list[Row]:
    """Return rows of a sweep's table without columns of times, which differ between two runs."""
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


class Here:
    """An executor that runs each call at once in this thread, and records the call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        self.calls.append(args)
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class Scattering(Here):
    """An executor that receives animations before the calls, like Dask's client, whose method is `scatter`."""

    def __init__(self) -> None:
        super().__init__()
        self.scattered: list[Animation] = []

    def scatter(self, animation: Animation, *, broadcast: bool) -> int:
        assert broadcast
        self.scattered.append(animation)
        return len(self.scattered) - 1

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        return super().submit(fn, self.scattered[args[0]], *args[1:])
