"""`ruckle bench labels`: stretch, labels and references, as ratios against peers in the same run.

A frame's time is the minimum over the repeats. The table shows the median and the maximum over the frames. Peers are
measured the same way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.experiments.bench.peers import load_peer, peers_option
from ruckle.experiments.bench.report import Report, csv_option, json_option, least_over_repeats, open_scene, publish
from ruckle.mesh.animation import Animation

__all__ = ["bench_labels"]


def tile(animation: Animation, face_count: int, frame_count: int = 60) -> Animation:
    """Return the first frames of an animation, whose mesh is repeated until it has at least `face_count` triangles."""
    copies = -(-face_count // animation.face_count)
    positions = np.concatenate([animation.positions[:frame_count]] * copies, axis=1)
    faces = np.concatenate([animation.faces + k * animation.vertex_count for k in range(copies)])
    name = f"{copies} x {animation.name}"
    return Animation(positions, faces, fps=animation.fps, name=name, height=animation.height)


def step_seconds(animation: Animation, repeats: int, threads: int = 1) -> dict[str, NDArray[np.float64]]:
    """Return the seconds of each frame: of each stage, measured by the core, and of the whole call from Python."""
    wrinkler = ruckle.Wrinkler.for_animation(animation, r_min=0.0, threads=threads)
    stages = {stage: np.full(animation.frame_count, np.inf) for stage in ("stretch", "label", "reference", "total")}

    def measure(index: int) -> float:
        start = time.perf_counter()
        frame = wrinkler.step(animation.positions[index], 1.0 / animation.fps)
        elapsed = time.perf_counter() - start
        for stage, seconds in stages.items():
            seconds[index] = min(seconds[index], frame.timings[stage] * 1e-3)  # type: ignore[literal-required]
        return elapsed

    call = least_over_repeats(repeats, animation.frame_count, measure, wrinkler.reset)
    return {**stages, "call": call}


def load_labelings(folder: Path) -> ModuleType | None:
    """Return the module of labelings with PyMaxflow; None if PyMaxflow is not installed."""
    try:
        return load_peer(folder, "pymaxflow_labeling")
    except ModuleNotFoundError as error:
        if error.name != "maxflow":
            raise
        click.echo('no labeling peer: pip install "PyMaxflow"', err=True)
        return None


@dataclass
class LabelProblems:
    """The labeling problems of all frames: costs and previous labels; and the labels of a Wrinkler, frame by frame."""

    topology: ruckle.Topology
    costs: list[NDArray[np.float32]]
    previous: list[NDArray[np.uint8] | None]
    labels: list[NDArray[np.uint8]]

    @classmethod
    def of(cls, animation: Animation) -> LabelProblems:
        """Compute the label costs of all frames by the stage functions, and the labels by a Wrinkler."""
        faces = ruckle.weld(animation.positions[0], animation.faces)
        matrices = [ruckle.edge_matrices(positions, faces) for positions in animation.positions]
        before = [matrices[0], *matrices[:-1]]
        dt = 1.0 / animation.fps
        costs = [
            ruckle.label_costs(ruckle.stretch(a, b), dt=dt if k else 1.0 / 30.0)
            for k, (a, b) in enumerate(zip(before, matrices, strict=True))
        ]
        labels = [frame.labels for frame in ruckle.run(animation, r_min=0.0)]
        return cls(ruckle.Topology(faces, animation.vertex_count), costs, [None, *labels[:-1]], labels)


def expansion_seconds(
    problems: LabelProblems, pipeline: ModuleType, maxflow: ModuleType, repeats: int
) -> NDArray[np.float64]:
    """Return the seconds of alpha-expansion with PyMaxflow in each frame. Check that the core's labels are optimal.

    The time includes only the calls that build the graph and compute the maximum flow.
    """
    pairs = pipeline.links(problems.topology)
    unary = []
    for costs, previous in zip(problems.costs, problems.previous, strict=True):
        temporal = 0.0 if previous is None else ruckle.PAIRWISE[previous].astype(np.float64)
        unary.append(costs.astype(np.float64) + temporal)

    def measure(index: int) -> float:
        clock = maxflow.Clock()
        maxflow.expansion(unary[index], pairs, ruckle.PAIRWISE, unary[index].argmin(axis=1), clock)
        return float(clock.seconds)

    for frame_costs, labels in zip(unary, problems.labels, strict=True):
        ours = pipeline.energy(frame_costs, pairs, ruckle.PAIRWISE, labels)
        best = pipeline.energy(frame_costs, pairs, ruckle.PAIRWISE, maxflow.exact(frame_costs, pairs, ruckle.PAIRWISE))
        if abs(ours - best) > 1e-5:
            raise click.ClickException(f"wrong result: energy {ours} where the optimum is {best}")
    return least_over_repeats(repeats, len(unary), measure, lambda: None)


def numpy_step_seconds(
    animation: Animation, pipeline: ModuleType, labels: list[NDArray[np.uint8]], repeats: int
) -> NDArray[np.float64]:
    """Return the seconds of each frame in NumPy float64: stretch, costs, independent labels, and references.

    The references are updated with the given `labels` instead of the independent labels.
    """
    faces = ruckle.weld(animation.positions[0], animation.faces)
    state: dict[str, Any] = {}

    def measure(index: int) -> float:
        start = time.perf_counter()
        current = pipeline.edge_matrices(animation.positions[index], faces)
        if index == 0:
            state["previous"] = state["reference"] = current
        minimum, maximum, _ = pipeline.stretch(state["previous"], current)
        pipeline.label_costs(1.0 / minimum, maximum, dt=1.0 / animation.fps).argmin(axis=1)
        reference = pipeline.update_reference(state["reference"], current, labels[index], 0.05, 1.0 / animation.fps)
        pipeline.stretch(reference, current)
        state.update(previous=current, reference=reference)
        return time.perf_counter() - start

    return least_over_repeats(repeats, animation.frame_count, measure, lambda: None)


def bench_sequence(report: Report, problems: LabelProblems) -> None:
    """Measure the labeling of 1,000 frames by one call (`solve_label_sequence`), and add a row to the report."""
    costs = np.concatenate([np.stack(problems.costs)] * (-(-1000 // len(problems.costs))))[:1000]
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        ruckle.solve_label_sequence(costs, problems.topology)
        seconds.append(time.perf_counter() - start)
    report.add(f"sequence of {costs.shape[0]} x {costs.shape[1]}", min(seconds), "goal 0.5 s")


def bench_tiled(report: Report, animation: Animation, repeats: int) -> None:
    """Measure 100,000 triangles on one and two threads, check that the labels are equal, and add two rows."""
    large = tile(animation, 100_000)
    one = report.add("100,000 triangles, 1 thread", step_seconds(large, repeats)["total"], "goal 3.5 ms")
    two = step_seconds(large, repeats, threads=2)["total"]
    report.add("100,000 triangles, 2 threads", two, f"{one / np.median(two):.2f} times as fast (goal 1.5)")
    alone = ruckle.Wrinkler.for_animation(large, r_min=0.0)
    shared = ruckle.Wrinkler.for_animation(large, r_min=0.0, threads=2)
    for positions in large.positions:
        if not np.array_equal(alone.step(positions).labels, shared.step(positions).labels):
            raise click.ClickException("wrong result: two threads disagree with one")


def import_seconds() -> float:
    """Return the shortest time of `import ruckle` in a new interpreter, in seconds."""
    command = "import time; start = time.perf_counter(); import ruckle; print(time.perf_counter() - start)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with TemporaryDirectory() as folder:
        # the first process compiles bytecode into this folder, as pip does during an installation
        environment["PYTHONPYCACHEPREFIX"] = folder
        runs = [subprocess.check_output([sys.executable, "-c", command], env=environment) for _ in range(5)]
    return min(map(float, runs))


@click.command("labels")
@click.argument("scene", default="sawing")
@click.option(
    "--repeats",
    default=50,
    show_default=True,
    help="Number of runs of the animation; the least time of each frame is used.",
)
@peers_option
@csv_option
@json_option
def bench_labels(scene: str, repeats: int, peers: Path, csv_path: Path | None, as_json: bool) -> None:
    """Measure the times of stretch, labels and reference triangles of SCENE (a sample's name or a file)."""
    animation = open_scene(scene)
    report = Report(f"{animation.name}, {animation.face_count} triangles, {animation.frame_count} frames")
    problems = LabelProblems.of(animation)

    seconds = step_seconds(animation, repeats)
    report.add("stretch", seconds["stretch"])
    label = report.add("label costs and labels", seconds["label"])
    report.add("reference and field", seconds["reference"])
    total = report.add("whole step", seconds["total"], "goal 15 µs, stretch goal 10 µs at 730 triangles")
    report.add("whole step from Python", seconds["call"], "goal 40 µs")

    pipeline = load_peer(peers, "float64_pipeline")
    if pipeline is not None:
        reference = numpy_step_seconds(animation, pipeline, problems.labels, max(1, repeats // 10))
        plain = report.add("NumPy float64, labels not counted", reference)
        report.rows[-1].note = f"{plain / total:.0f} times our whole step"
        maxflow = load_labelings(peers)
        if maxflow is not None:
            expansion = expansion_seconds(problems, pipeline, maxflow, max(1, repeats // 10))
            theirs = report.add("alpha-expansion, PyMaxflow's calls", expansion)
            report.rows[-1].note = f"{theirs / label:.1f} times our costs and labels (goal 7)"
    bench_sequence(report, problems)
    bench_tiled(report, animation, max(2, repeats // 20))
    report.add("import ruckle", import_seconds(), "goal 0.2 s")
    publish(report, as_json=as_json, csv_path=csv_path)
