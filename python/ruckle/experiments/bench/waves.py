"""`ruckle bench waves`: all goals of wrinkle waves in one run, compared with paths and patterns.

The rows about agreement with fine cloth require scenes: files of `ruckle simulate GARMENT --skinned`, or folders of
simulated pairs. For simulated pairs, waves use their preset for simulated cloth. All other rows work without a file.
Ratios compare times of one process, measured alternately.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

import ruckle
from ruckle.arrays import Float32, Int32
from ruckle.experiments.bench.crowd import measure
from ruckle.experiments.bench.crowd_garments import Garment, WaveGarment, in_new_process
from ruckle.experiments.bench.methods import METHODS, Method, of_layer, waves
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    least_seconds,
    machine,
    new_table,
    print_table,
    timed,
    without_nan,
    write_csv,
)
from ruckle.experiments.bench.truth import read_scenes
from ruckle.experiments.metrics.truth import Truth
from ruckle.mesh.animation import Animation
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.paths.frame import Frame
from ruckle.simulation.sheet import grid_sheet
from ruckle.stack import Layer
from ruckle.waves.wave_field import WaveField

__all__ = ["LAYERS", "Figure", "bench_waves"]

LAYERS = ("paths", "patterns", "waves")
SURFACES = ("coarse mesh, bare", "patterns", "paths", "paths, from the bind pose", "waves")

# Sample whose times are measured, and number of points per coarse face at which heights are evaluated.
SAMPLE, POINTS = "sawing", 32

# Cells along a side of the sheets (800, 20,000 and 100,352 triangles), and number of frames.
SHEET_CELLS, SHEET_FRAMES = (20, 100, 224), 8

# Stages that compute the compression field, which several layers can share. "Step after the field" excludes their time.
FIELD_STAGES = ("stretch", "label", "reference", "field")

# Smallest and largest allowed value of each measure for skinned garments; `SIMULATED` is for simulated coarse meshes.
AGREEMENT = {
    "recall": (0.75, math.inf),
    "precision": (0.75, math.inf),
    "slope": (0.85, 1.15),
    "space": (0.8, math.inf),
    "time": (0.65, math.inf),
    "angle": (0.0, 28.0),
    "along": (-math.inf, math.inf),
}
SIMULATED = {**AGREEMENT, "recall": (0.85, math.inf), "slope": (0.9, 1.1)}


@dataclass(frozen=True)
class Figure:
    """One quantity: its value for each surface, NaN if not measured, and the goal (a range) of the value for waves."""

    quantity: str
    values: Mapping[str, float]
    least: float = -math.inf
    most: float = math.inf

    @property
    def goal(self) -> str:
        """The range of the goal as text."""
        if math.isfinite(self.least) and math.isfinite(self.most) and self.least > 0.0:
            return f"{self.least:g} to {self.most:g}"
        return f"<= {self.most:g}" if math.isfinite(self.most) else f">= {self.least:g}" * math.isfinite(self.least)

    @property
    def met(self) -> bool:
        """True if the value of waves is within the range of its goal."""
        return self.least <= self.values["waves"] <= self.most

    def texts(self, surfaces: Iterable[str]) -> Iterator[str]:
        """Yield the cells of a table row: quantity, values, goal and verdict."""
        values = [self.values.get(surface, math.nan) for surface in surfaces]
        yield from (self.quantity, *("-" if math.isnan(value) else f"{value:.3g}" for value in values))
        yield from (self.goal, "" if not self.goal else "met" if self.met else "missed")


def agreement(scene: TruthScene) -> dict[str, dict[str, float]]:
    """Return the measures of every surface on one scene; the outer keys are the names of the surfaces."""
    truth, methods = Truth(scene), dict(METHODS)
    if is_simulated(scene):
        methods["waves"] = of_layer(partial(waves, preset="simulated"))
    found: dict[str, Method] = {surface: methods[surface] for surface in SURFACES}
    return {surface: asdict(truth.measure(method(scene))) for surface, method in found.items()}


def is_simulated(scene: TruthScene) -> bool:
    """Return True if the coarse mesh of a scene was simulated."""
    return scene.coarse.bones is None


def mean_figures(name: str, scenes: Sequence[dict[str, dict[str, float]]], goals: Mapping[str, Any]) -> list[Figure]:
    """Return the mean of each measure over scenes, and the smallest recall and precision of a scene."""

    def over(measured: str, mean: Callable[[list[float]], Any]) -> dict[str, float]:
        return {surface: float(mean([scene[surface][measured] for scene in scenes])) for surface in SURFACES}

    figures = [Figure(f"{name}, {word}", over(word, np.mean), *bounds) for word, bounds in goals.items()]
    least = [Figure(f"{name}, least {word}", over(word, min), 0.6) for word in ("recall", "precision")]
    return figures + least


def layers_of(animation: Animation) -> dict[str, Layer]:
    """Return the three layers (paths, patterns, waves) with their default options."""
    noise = ruckle.animation_patterns(animation, "noise")
    makers = ruckle.Wrinkler.for_animation, partial(ruckle.Modulator.for_animation, patterns=noise)
    return dict(zip(LAYERS, [*(make(animation) for make in makers), WaveField.for_animation(animation)], strict=True))


def step_costs(animation: Animation, repeats: int) -> list[Figure]:
    """Return the µs of a step of each layer: shortest time over the repeats, then median over the frames."""
    layers = layers_of(animation)
    least = {name: np.full((2, animation.frame_count), np.inf) for name in layers}
    for _ in range(repeats):
        for name, layer in layers.items():
            layer.reset()
            for index, positions in enumerate(animation.positions):
                timings: dict[str, float] = dict(layer.step(positions, 1.0 / animation.fps).timings)
                before = sum(timings.get(stage, 0.0) for stage in FIELD_STAGES)
                spent = 1e3 * np.array([timings["total"] - before, timings["total"]])
                least[name][:, index] = np.minimum(least[name][:, index], spent)
    after, whole = ({name: float(np.median(times[row])) for name, times in least.items()} for row in (0, 1))
    where = f"{animation.vertex_count} vertices"
    return [
        Figure(f"step after the field, {where}, µs", after, most=25.0),
        Figure("whole step, µs", whole, most=40.0),
    ]


def evaluation_costs(animation: Animation, repeats: int) -> list[Figure]:
    """Return the ns of an evaluation of height and slope, on faces with paths and on all faces."""
    layers = layers_of(animation)
    frames: dict[str, Any] = {}
    for positions in animation.positions[: animation.frame_count // 2]:
        frames = {name: layer.step(positions, 1.0 / animation.fps) for name, layer in layers.items()}
    path_frame: Frame = frames["paths"]
    listed = np.flatnonzero(np.diff(path_frame.path_heights.face_offsets))
    figures = []
    for where, faces in (("where paths are", listed), ("all faces", np.arange(animation.face_count))):
        points = points_on(faces)
        works = [timed(partial(frame.heights, *points)) for frame in frames.values()]
        seconds = least_seconds(repeats, *works)
        ns = {name: 1e9 * least / len(points[0]) for name, least in zip(frames, seconds, strict=True)}
        figures.append(Figure(f"height and slope of a point, {where}, ns", ns))
        share = {name: time / ns["paths"] for name, time in ns.items()}
        goal = {"most": 0.5} if faces is listed else {}
        figures.append(Figure(f"over that of paths, {where}", share, **goal))
    return figures


def points_on(faces: Any, count: int = POINTS) -> tuple[Int32, Float32]:
    """Return `count` random points on each face as face indices and barycentric coordinates, sorted by face."""
    weights = np.random.default_rng(1).dirichlet((0.6, 0.6, 0.6), count * len(faces))
    return np.repeat(faces, count).astype(np.int32), weights.astype(np.float32)


def largest_changes(names: Sequence[str]) -> list[Figure]:
    """Return the largest height change of fixed cloth points per 1/30 s, in least wrinkle radii, over whole motions."""
    largest = dict.fromkeys(LAYERS, 0.0)
    calm = 0.0
    for name in names:
        animation = ruckle.sample(name)
        points = points_on(np.arange(animation.face_count), 4)
        for layer_name, layer in layers_of(animation).items():
            before = None
            for positions in animation.positions:
                frame: Any = layer.step(positions, 1.0 / animation.fps)
                heights = np.asarray(frame.heights(*points)[0])
                if before is not None:
                    change = float(abs(heights - before).max()) / frame.length_unit * animation.fps / 30.0
                    largest[layer_name] = max(largest[layer_name], change)
                before = heights
            if isinstance(layer, WaveField):
                calm = layer.options["calm"]
    return [Figure(f"largest change per 1/30 s, r_min, {len(names)} samples", largest, most=calm * 1.0001)]


def crowd_costs(characters: int, frames: int) -> list[Figure]:
    """Return memory, upload and time of a crowd in one garment, for paths and for waves."""
    rows = {kind.layer: in_new_process(measure, kind, characters, 1, 60, frames) for kind in (Garment, WaveGarment)}

    def of(value: Callable[[Any], float]) -> dict[str, float]:
        return {layer: value(row) for layer, row in rows.items()}

    return [
        Figure("1,000 garments stepped and packed on 8 cores, ms", of(lambda r: 1e3 * r.listed / 8e3), most=6.0),
        Figure("memory of a further garment, KB", of(lambda row: row.memory), most=16.0),
        Figure("upload, KB", of(lambda row: row.upload), most=10.0),
    ]


def growth(repeats: int) -> list[Figure]:
    """Return ns per triangle of a step on finer and finer sheets, and the speedup by a second thread on the finest."""
    figures, costs = [], []
    for cells in SHEET_CELLS:
        rest, faces = grid_sheet(cells + 1, cells + 1, lambda u, v: np.stack([u, v, 0.0 * u], axis=1))
        frames = [pushed(rest, frame / 60.0) for frame in range(SHEET_FRAMES)]
        topology = ruckle.Topology(faces, len(rest))
        alone, shared = (WaveField(topology, rest, r_min=0.005, threads=threads) for threads in (1, 2))
        least = np.full((3, SHEET_FRAMES), np.inf)
        for _ in range(repeats):
            for index, positions in enumerate(frames):
                busy = time.process_time()
                first = alone.step(positions, 1.0 / 60.0).timings["total"]
                busy = time.process_time() - busy
                second = shared.step(positions, 1.0 / 60.0).timings["total"]
                least[:, index] = np.minimum(least[:, index], [busy, first, second])
        # exclude the first frame, in which waves are created
        busy, first, second = least[:, 1:].min(axis=1)
        costs.append(1e9 * busy / len(faces))
        figures.append(Figure(f"step of {len(faces):,} triangles, ns of processor time each", {"waves": costs[-1]}))
    return [
        *figures,
        Figure("the finest over the coarsest", {"waves": costs[-1] / costs[0]}, most=1.5),
        Figure(f"two threads, {len(faces):,} triangles, times as fast", {"waves": first / second}, 1.7),
    ]


def pushed(rest: Float32, seconds: float) -> Float32:
    """Return the positions, at the time `seconds`, of a sheet that is slowly bent and compressed."""
    x, y, z = rest.T
    push = 0.15 * (1.0 - np.cos(2.0 * seconds))
    moved = [x * (1.0 - push), y + 0.1 * np.sin(1.5 * seconds + 4.0 * x), z + 0.2 * push * np.sin(5.0 * y)]
    return np.stack(moved, axis=1).astype(np.float32)


@click.command("waves")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR]...", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--repeats",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of measurements; the least time is printed.",
)
@click.option(
    "--characters", default=1000, show_default=True, type=click.IntRange(1), help="Number of characters in the crowd."
)
@csv_option
@json_option
def bench_waves(paths: tuple[Path, ...], repeats: int, characters: int, csv_path: Path | None, as_json: bool) -> None:
    """Measure wrinkle waves against each of their targets, and paths and patterns for comparison.

    FILE is a scene of 'ruckle simulate --skinned', DIR a pair or a folder of pairs of 'ruckle simulate'. Without FILE
    and DIR, agreement with fine cloth is not measured.
    """
    scenes = read_scenes(paths)
    found = {scene.name: agreement(scene) for scene in scenes}
    animation = ruckle.sample(SAMPLE)
    figures: list[Figure] = []
    for name, goals, simulated in (("skinned", AGREEMENT, False), ("simulated", SIMULATED, True)):
        kind = [found[scene.name] for scene in scenes if is_simulated(scene) == simulated]
        if kind:
            figures += mean_figures(f"{name}, mean of {len(kind)}", kind, goals)
    figures += largest_changes(ruckle.samples())
    figures += step_costs(animation, repeats)
    figures += growth(max(repeats // 2, 2))
    figures += crowd_costs(characters, max(repeats, 2))
    figures += evaluation_costs(animation, repeats)
    if csv_path:
        write_csv(csv_path, list(_rows(found, figures)))
    if as_json:
        click.echo(json.dumps({**machine(), "rows": [without_nan(row) for row in _rows(found, figures)]}))
        return
    if found:
        table = new_table("agreement with fine cloth, folds", ["scene", "surface", *AGREEMENT])
        for scene_name, surfaces in found.items():
            for surface, measures in surfaces.items():
                table.add_row(scene_name, surface, *(f"{measures[word]:.2f}" for word in AGREEMENT))
            table.add_section()
        print_table(table)
    table = new_table("targets of waves", ["", *SURFACES, "goal", ""])
    for figure in figures:
        table.add_row(*figure.texts(SURFACES))
    print_table(table)


def _rows(
    found: Mapping[str, Mapping[str, Mapping[str, float]]], figures: Sequence[Figure]
) -> Iterator[dict[str, Any]]:
    for scene, surfaces in found.items():
        for surface, measures in surfaces.items():
            for word in AGREEMENT:
                yield {"scene": scene, "quantity": word, "surface": surface, "value": measures[word], "goal": ""}
    for figure in figures:
        for surface, value in figure.values.items():
            goal = figure.goal if surface == "waves" else ""
            yield {"scene": "", "quantity": figure.quantity, "surface": surface, "value": value, "goal": goal}
