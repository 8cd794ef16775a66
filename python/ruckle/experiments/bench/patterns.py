"""`ruckle bench patterns`: steps of a Modulator, as ratios against Newton's method and NumPy float64 in the same run.

Each of the two sheets has three wave patterns and is compressed, sheared and stretched from frame to frame. The last
rows show the time per fine point of a sample's fine mesh that wrinkle paths, patterns, or both displace.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import ModuleType

import click
import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.experiments.bench.peers import load_peer, peers_option
from ruckle.experiments.bench.report import Report, csv_option, json_option, least_seconds, least_stages, publish, timed
from ruckle.experiments.metrics.pattern_area import area_errors
from ruckle.patterns.modulator import Modulator

__all__ = ["bench_patterns"]

FRAMES = 8

# Name of the sample whose fine mesh is displaced, and the number of its frames that are used.
SAMPLE, SAMPLE_FRAMES = "sawing", 120

# Cells along both sides of a sheet; goals in µs per step, with two corrections and without corrections.
SHEETS = {(50, 50): (100.0, 60.0), (19, 19): (20.0, 20.0)}


class Sheet:
    """A sheet of cloth with three patterns, and the frames that deform the sheet."""

    def __init__(self, rows: int, columns: int) -> None:
        y, x = np.mgrid[0 : rows + 1, 0 : columns + 1]
        points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(np.float64)
        first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
        upper = first + columns + 1
        faces = np.concatenate([np.stack([first, first + 1, upper], 1), np.stack([first + 1, upper + 1, upper], 1)])
        self.rest = points + np.random.default_rng(0).normal(0.0, 0.08, points.shape)
        self.grid = ruckle.PatternGrid(ruckle.Topology(faces, len(points)), self.rest, spacing=0.125)
        self.patterns = [
            ruckle.function_pattern(
                self.grid, lambda p, _, a=a: np.sin(4 * (p[:, 0] * np.cos(a) + p[:, 1] * np.sin(a)))
            )
            for a in (0.0, 1.0, 2.0)
        ]
        moved = [points[:, [1, 2, 0]] * 0.3 + frame for frame in range(FRAMES)]
        self.frames = [(self.rest * [0.8, 1.02, 1.0] + 0.2 * np.sin(m)).astype(np.float32) for m in moved]

    def step_seconds(self, repeats: int, corrections: int) -> dict[str, NDArray[np.float64]]:
        """Return the shortest seconds of each stage in each frame."""
        modulator = Modulator(self.patterns, corrections=corrections)
        return least_stages(repeats, FRAMES, lambda index: modulator.step(self.frames[index]).timings)

    def newton_seconds(self) -> float:
        """Return the seconds of Newton's method for the area, which the Modulator replaces by a closed form."""
        moments = Modulator(self.patterns).moments
        current = ruckle.gram(self.frames[0], self.grid.topology.faces)
        weights = ruckle.fold_weights(moments.rest, current, moments)
        target = ruckle.target_area(moments.rest, current, moments, weights)
        moments.slopes  # noqa: B018 -- computed once per pattern, so not timed
        start = time.perf_counter()
        ruckle.modulation(current, moments, weights, target, self.grid.topology, method="exact")
        return time.perf_counter() - start

    def peer_seconds(self, oracle: ModuleType) -> float:
        """Return the seconds of a step in NumPy float64. Check before that both results agree."""
        modulator = Modulator(self.patterns)
        moments, faces = modulator.moments, self.grid.topology.faces
        rest = moments.rest.astype(np.float64)
        # on curved cloth, smooth normals are tilted relative to the triangles, which reduces slopes by this factor
        values = (moments.values * moments.core.upright[:, None, None]).astype(np.float64)
        largest = moments.largest().astype(np.float64)
        start = time.perf_counter()
        points = self.frames[0].astype(np.float64)
        e1, e2 = (points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2))
        current = np.stack([(e1 * e1).sum(1), (e1 * e2).sum(1), (e2 * e2).sum(1)], axis=1)
        weights = oracle.fold_weights(rest, current, values, moments.core.mean_square)
        target = oracle.target_area(rest, current, values, weights)
        factors = oracle.modulation(
            rest, current, values, moments.bend, weights, target, faces, len(points), largest=largest
        )
        seconds = time.perf_counter() - start
        error = float(abs(modulator.step(self.frames[0]).factors - factors).max())
        if error > 5e-3 * factors.max():
            raise click.ClickException(f"wrong result: factors differ from double precision by {error:g}")
        return seconds


def point_seconds(repeats: int) -> tuple[dict[str, float], int]:
    """Return the shortest seconds of displacing a fine mesh by paths, patterns and both, and its number of points."""
    animation = ruckle.sample(SAMPLE)
    patterns = ruckle.animation_patterns(animation, "strokes")
    paths, alone = ruckle.Wrinkler.for_animation(animation), Modulator.for_animation(animation, patterns)
    both = ruckle.Stack([ruckle.Wrinkler.for_animation(animation), Modulator.for_animation(animation, patterns)])
    for positions in animation.positions[:SAMPLE_FRAMES]:
        frames = [layer.step(positions, dt=1 / animation.fps) for layer in (both, paths, alone)]
    surfaces = [ruckle.Surface(frames[0].topology, base="curved", threads=1) for _ in frames]
    for surface, frame in zip(surfaces, frames, strict=True):
        # all surfaces have the same subdivision, which is fine enough for both layers
        surface.update(frame, edge_levels=surfaces[0].edge_levels if surface is not surfaces[0] else None)
    least = least_seconds(max(repeats // 4, 3), *(timed(surface.displace) for surface in surfaces))
    flat, *raised = (
        np.linalg.norm(surface.displace().positions - surfaces[1].displace().positions, axis=1).max()
        for surface in (surfaces[1], surfaces[0], surfaces[2])
    )
    if flat != 0.0 or not min(raised) > 0.0:
        raise click.ClickException("wrong result: patterns do not change the surface of wrinkle paths")
    return dict(zip(("both", "paths", "patterns"), least, strict=True)), len(surfaces[0].displace().positions)


@click.command("patterns")
@click.option(
    "--repeats",
    default=200,
    show_default=True,
    help="Number of runs of the frames; the least time of each frame is used.",
)
@peers_option
@csv_option
@json_option
@click.option(
    "--garment", "garments", multiple=True, metavar="FILE|SAMPLE",
    help="Also measure how well patterns keep the area of this garment; may be repeated.",
)  # fmt: skip
def bench_patterns(repeats: int, peers: Path, csv_path: Path | None, as_json: bool, garments: tuple[str, ...]) -> None:
    """Measure modulated patterns: 5,000 and 722 triangles with three patterns each."""
    report, oracle = Report("sheets, 3 patterns"), load_peer(peers, "float64_modulation")
    for (rows, columns), goals in SHEETS.items():
        sheet = Sheet(rows, columns)
        count = f"{2 * rows * columns:,} triangles"
        for corrections, goal in zip((2, 0), goals, strict=True):
            name = f"{count}, {corrections or 'no'} corrections"
            least = sheet.step_seconds(repeats, corrections)
            total = report.add(f"{name}: step", least.pop("total"), f"goal {goal:g} µs")
            for stage, seconds in least.items():
                report.add(f"{name}: {stage}", seconds)
            if corrections:
                ours = total
        newton = report.add(f"{count}: Newton's method, NumPy", sheet.newton_seconds())
        report.rows[-1].note = f"{newton / ours:.0f} times ours"
        if oracle is not None:
            plain = report.add(f"{count}: the same step, NumPy float64", sheet.peer_seconds(oracle))
            report.rows[-1].note = f"{plain / ours:.0f} times ours"
    raised, points = point_seconds(repeats)
    for name, each in raised.items():
        report.add(f"{SAMPLE}, a fine mesh of {points:,} points: {name}", each)
        report.rows[-1].note = f"{1e9 * each / points:.1f} ns each, {each / raised['paths']:.2f} of paths alone"
    publish(report, as_json=as_json, csv_path=csv_path)
    for name in garments:
        animation = ruckle.sample(name) if name in ruckle.samples() else ruckle.load(name)
        for error in area_errors(animation):
            line = f"{animation.name}, {error.name}: off by {error.triangles:.2%} per triangle, {error.regions:.2%} "
            click.echo(f"{line}per region, {error.garment:+.2%} in all", err=as_json)
