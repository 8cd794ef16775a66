"""`ruckle bench upsample`: learned upsampling, relative to reading the operator and to NumPy in the same run.

The times are measured twice: with the operator in the caches after the previous repeat, and with emptied caches, as in
a game's frame.

The garments have the sizes of Kavan et al. 2011, Table 1. Their operators are random, because the time of a matrix
product does not depend on its values.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from ruckle import _core
from ruckle.arrays import Float32
from ruckle.experiments.bench.report import Report, csv_option, json_option, least_seconds, publish, timed
from ruckle.experiments.figures.kavan2011.table_1 import TABLE_1
from ruckle.simulation.sheet import grid_faces

__all__ = ["bench_upsample"]

# Largest error of a product, relative to its largest entry, for operators in single and in half precision.
SINGLE_ERROR, HALF_ERROR = 1e-5, 1e-3

# Number of bytes that are written to replace all other data in the caches.
EVICTION_SIZE = 128 << 20

# The number of repeats with emptied caches is a tenth, because emptying takes a hundred times as long as the product.
COLD_SHARE = 10


class Garment:
    """A random operator of the same size as a garment's operator, and one frame of coarse positions."""

    def __init__(self, coarse: int, fine: int) -> None:
        random = np.random.default_rng(0)
        rows = random.normal(size=(fine, coarse)).astype(np.float32) / np.float32(np.sqrt(coarse))
        self.rows: Float32 = rows + (1.0 - rows.sum(axis=1, keepdims=True)) / np.float32(coarse)
        self.positions: Float32 = random.normal(size=(coarse, 3)).astype(np.float32)
        self.faces = grid_faces(2, fine // 2)

    def upsampler(self, precision: str, oscillations: int = 0) -> _core.Upsampler:
        """Return an upsampler with a number of oscillations, each of which has two shapes."""
        count = len(self.rows)
        shapes = np.full((2 * oscillations, count), 1e-3, np.float32)
        frequencies = np.ones(oscillations, np.float32)
        options = {"precision": precision, "threads": 1}
        return _core.Upsampler(self.rows, self.faces, np.zeros(count, np.float32), shapes, frequencies, options)

    def product(self) -> Float32:
        """Return the product of operator and positions, computed by NumPy."""
        return self.rows @ self.positions

    def check(self, precision: str, allowed: float) -> None:
        """Raise an error if a product differs from the product in double precision by more than `allowed`."""
        found = self.upsampler(precision).step(self.positions, 1.0, 1.0, None)[0]
        exact = self.rows.astype(np.float64) @ self.positions
        error = float(np.abs(found - exact).max() / np.abs(exact).max())
        if error > allowed:
            raise click.ClickException(
                f"wrong result: {precision} precision differs from double precision by {error:.2g}"
            )


def evicted(work: Callable[[], float], others: Float32) -> Callable[[], float]:
    """Return a function that empties the caches, calls `work` and returns the result of `work`."""

    def seconds() -> float:
        np.add(others, 1.0, out=others)
        return work()

    return seconds


@click.command("upsample")
@click.option("--repeats", default=300, show_default=True, help="Number of measurements; the least time is printed.")
@csv_option
@json_option
def bench_upsample(repeats: int, csv_path: Path | None, as_json: bool) -> None:
    """Measure learned upsampling of garments of the paper's sizes."""
    report = Report("operators, one thread")
    others = np.zeros(EVICTION_SIZE // 4, np.float32)
    for name, paper in TABLE_1.items():
        coarse, fine = paper.coarse, paper.fine
        garment = Garment(coarse, fine)
        garment.check("single", SINGLE_ERROR)
        garment.check("half", HALF_ERROR)
        flat = garment.rows.ravel()
        layers = [garment.upsampler("single"), garment.upsampler("half"), garment.upsampler("half", 1)]

        def stage(layer: _core.Upsampler, garment: Garment = garment) -> Callable[[], float]:
            return lambda: layer.step(garment.positions, 1e-3, 1.0, None)[1]["total"] / 1e3

        # only two functions alternate, so that each of them removes the other's operator from the caches
        single, read = least_seconds(repeats, stage(layers[0]), timed(flat.max))
        half, waves, peer = least_seconds(repeats, *map(stage, layers[1:]), timed(garment.product))
        size = f"{name}, {fine:,} x {coarse}"
        report.add(f"{size}: single", single, f"{4e-6 * fine * coarse:.2f} MB; the paper {1000 * paper.upsample:g} µs")
        report.add(f"{size}: half", half, f"{half / single:.2f} of single's")
        report.add(f"{size}: half with normals and an oscillation", waves)
        report.add(f"{size}: reading the operator, NumPy max", read, f"single takes {single / read:.2f} times as long")
        report.add(f"{size}: the product, NumPy", peer, f"{peer / single:.1f} times single's")
        cold = [evicted(work, others) for work in (stage(layers[0]), stage(layers[1]), timed(flat.max))]
        single, half, read = least_seconds(max(repeats // COLD_SHARE, 1), *cold)
        report.add(f"{size}: single, from memory", single, f"{single / read:.2f} of reading")
        report.add(f"{size}: half, from memory", half, f"{half / single:.2f} of single's")
        report.add(f"{size}: reading the operator, from memory", read)
    publish(report, as_json=as_json, csv_path=csv_path)
