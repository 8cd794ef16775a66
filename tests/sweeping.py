"""Inputs of sweeps, and executors that watch them."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from ruckle import Animation, sample
from ruckle.experiments.sweeps.table import TIMES, Row

GRID: dict[str, Any] = {"tau": [1.2, 1.4], "r_min": "0.5%,1%"}
"""Four runs."""


def clip(name: str = "sawing", frames: int = 12) -> Animation:
    """Return a short part of a sample at a low rate, so that there is motion, and wrinkles in the second half."""
    animation = sample(name)
    return replace(animation, positions=animation.positions[30 : 30 + 6 * frames : 6], fps=10.0)


def timeless(rows: Sequence[Row]) -> list[Row]:
    """Return rows without the columns that may differ when a sweep is repeated."""
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


class Here:
    """An executor that runs everything at once in this thread, and counts."""

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
    """An executor that takes animations beforehand, as Dask's client does."""

    def __init__(self) -> None:
        super().__init__()
        self.scattered: list[Animation] = []

    def scatter(self, animation: Animation, *, broadcast: bool) -> int:
        assert broadcast
        self.scattered.append(animation)
        return len(self.scattered) - 1

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        return super().submit(fn, self.scattered[args[0]], *args[1:])
