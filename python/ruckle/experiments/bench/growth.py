"""Growth of the time of the path stages with their input: copies of one garment, and decreasing thresholds.

Copies of a garment in one mesh, side by side, multiply the wrinkles but do not change their density. The time per
wrinkle must remain constant. A lower threshold makes the wrinkles of one garment more numerous, longer, wider and
denser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

import ruckle
from ruckle.experiments.bench.report import new_table, print_table
from ruckle.mesh.animation import Animation
from ruckle.mesh.joining import join

__all__ = ["Growth", "Load", "exponent", "measure_growth", "print_growth", "side_by_side"]

COPIES = (1, 2, 4, 8)
TAUS = (1.4, 1.3, 1.2, 1.15)


@dataclass(frozen=True)
class Load:
    """Size of the input of the path stages in a median frame, and the time that these stages take."""

    copies: int
    tau: float
    wrinkles: float
    vertices: float
    microseconds: float


@dataclass(frozen=True)
class Growth:
    """Loads for several numbers of copies and for several thresholds, and the exponents with which the time grows."""

    copies: list[Load]
    taus: list[Load]

    @property
    def wrinkle_exponent(self) -> float:
        """Exponent of the time over the number of wrinkles, for copies of a garment; 1 means proportional."""
        return exponent([load.wrinkles for load in self.copies], [load.microseconds for load in self.copies])

    @property
    def vertex_exponent(self) -> float:
        """Exponent of the time over the number of path vertices, for several thresholds; 1 means proportional."""
        return exponent([load.vertices for load in self.taus], [load.microseconds for load in self.taus])


def measure_growth(
    animation: Animation, repeats: int, tau: float, parameters_of: Callable[[float], dict[str, Any]]
) -> Growth:
    """Measure a garment and its copies at one threshold, and the garment alone at several thresholds.

    Parameters
    ----------
    animation : Animation
    repeats : int
        Runs of each case. A frame's time is the minimum over the runs.
    tau : float
        Threshold for the copies.
    parameters_of : callable
        Function from a threshold to the parameters of `Wrinkler.for_animation`.
    """
    copies = [(side_by_side(animation, count), parameters_of(tau)) for count in COPIES]
    alone = [(animation, parameters_of(lower)) for lower in TAUS]
    return Growth(
        [Load(count, tau, *load) for count, load in zip(COPIES, _loads(copies, repeats), strict=True)],
        [Load(1, lower, *load) for lower, load in zip(TAUS, _loads(alone, repeats), strict=True)],
    )


def side_by_side(animation: Animation, count: int) -> Animation:
    """Return an animation of several copies of a garment in one mesh, side by side along x, with the same motion."""
    step = 1.1 * float(np.ptp(animation.positions[..., 0]))
    shifts = np.array([[k * step, 0.0, 0.0] for k in range(count)], dtype=np.float32)
    return join([replace(animation, positions=animation.positions + shift) for shift in shifts], name=animation.name)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the slope of the regression line of log(times) over log(sizes).

    NaN if all sizes are equal, or if a size is not positive.
    """
    if min(sizes) <= 0.0 or min(sizes) == max(sizes):
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def print_growth(growth: Growth, name: str) -> None:
    """Print both series of loads as one table."""
    headings = ("copies", "tau", "wrinkles", "vertices", "µs p50", "µs per\nwrinkle", "ns per\nvertex")
    table = new_table(f"growth of the path stages, {name}", headings, named=False)
    for series in (growth.copies, growth.taus):
        for load in series:
            table.add_row(f"{load.copies}", f"{load.tau:g}", *_cells(load))
        table.add_section()
    print_table(table)
    click.echo(
        f"time ~ wrinkles^{growth.wrinkle_exponent:.2f} over copies, vertices^{growth.vertex_exponent:.2f} over tau"
    )


def _cells(load: Load) -> Iterator[str]:
    yield f"{load.wrinkles:.1f}"
    yield f"{load.vertices:.0f}"
    yield f"{load.microseconds:.1f}"
    yield f"{load.microseconds / load.wrinkles:.2f}" if load.wrinkles else "-"
    yield f"{1e3 * load.microseconds / load.vertices:.0f}" if load.vertices else "-"


def _loads(cases: Sequence[tuple[Animation, dict[str, Any]]], repeats: int) -> list[tuple[float, float, float]]:
    """Return the number of wrinkles, the number of vertices and the microseconds of each case's median frame.

    A frame's time is the minimum over the repeats. The cases alternate, so a temporary slowdown of the machine affects
    all of them.
    """
    wrinklers = [ruckle.Wrinkler.for_animation(animation, **parameters) for animation, parameters in cases]
    seen = [np.full((3, animation.frame_count), np.inf) for animation, _ in cases]
    for _ in range(repeats):
        for (animation, _), wrinkler, rows in zip(cases, wrinklers, seen, strict=True):
            wrinkler.reset()
            for index, positions in enumerate(animation.positions):
                frame = wrinkler.step(positions, 1.0 / animation.fps)
                found = len(frame.wrinkles), sum(len(wrinkle) for wrinkle in frame.wrinkles)
                # path stages only: the earlier stages process triangles, not wrinkles
                spent = 1e3 * (frame.timings["persist"] + frame.timings["trace"] + frame.timings["shape"])
                rows[:, index] = *found, min(rows[2, index], spent)
    return [tuple(np.median(rows, axis=1).tolist()) for rows in seen]
