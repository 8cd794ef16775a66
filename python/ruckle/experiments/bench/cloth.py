"""`ruckle bench cloth`: the time of a frame of 1/60 s, by number of vertices, substeps and kind of contact.

A sheet hangs from one edge and swings, or forms a heap. If PositionBasedDynamics (pypbd) is installed, it simulates the
same mesh with the same number of substeps and a distance constraint on every edge. All cases are measured alternately,
and the table shows the fastest frame of each case. The gain of two threads is measured against two cloths of one thread
each that run at the same time. Busy or hyper-threaded processors slow down both measurements equally.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from ruckle.experiments.bench.report import Report, csv_option, json_option, publish
from ruckle.offline.simulation import Tracker
from ruckle.simulation import ClothSimulation
from ruckle.simulation.material import COARSE_COMPRESSION, coarse_material
from ruckle.simulation.sheet import grid_sheet

__all__ = ["bench_cloth"]

# Vertices along the two sides of the sheet: cloth of a game, and fine cloth.
COARSE, FINE = (20, 10), (84, 84)

# Numbers of vertices along each side of square sheets, to measure how the time grows with the number of vertices.
SIDES = (14, 20, 40, 60, 84)

# Number of harmonics that constrain fine cloth to the coarse cloth; distance between cloth layers in metres.
TESTS, LAYERS = 60, 0.006

# Number of frames in which an upright sheet falls and becomes a heap.
FALL = 60

# Number of vertices of the ball around its axis, and from pole to pole. The sheet swings over this ball.
BALL = (32, 20)


def hanging(columns: int, rows: int) -> tuple[Any, Any, Any]:
    """Return a sheet of 1 by 1 m that hangs from its upper edge: rest positions, faces and mask of pinned vertices."""
    rest, faces = grid_sheet(columns, rows, lambda u, v: np.stack([u, 1 - v, 0 * u], 1))
    return rest, faces, rest[:, 1] > 1 - 1e-6


def ball() -> tuple[Any, Any]:
    """Return positions and faces of a ball behind the sheet's lower half."""

    def surface(u: Any, v: Any) -> Any:
        around, down = 2 * np.pi * u, np.pi * (0.02 + 0.96 * v)
        points = np.stack([np.cos(around) * np.sin(down), np.cos(down), np.sin(around) * np.sin(down)], 1)
        return 0.25 * points + [0.5, 0.35, -0.26]

    return grid_sheet(*BALL, surface, closed=True, inside_out=True)


def cloth_frames(frames: int, columns: int, rows: int, substeps: int = 16, **options: Any) -> Callable[[], float]:
    """Return a function that simulates `frames` frames and returns the shortest time of a frame in ms."""
    rest, faces, pinned = hanging(columns, rows)
    body = options.pop("body", None)
    cloth = ClothSimulation(rest, faces, pinned, substeps=substeps, **options)
    if body is not None:
        cloth.collide_with(body[1], len(body[0]))

    def least() -> float:
        inputs: dict[str, Any] = {"wind": [0.0, 0.0, 2.0]} if body is None else {"body": body[0]}
        return min(cloth.step(**inputs).timings["total"] for _ in range(frames))

    return least


def scaling(frames: int, turns: int) -> tuple[Any, Any]:
    """Return ms per frame in each turn: of one cloth with two threads, and of two cloths at once with a thread each."""
    rest, faces, pinned = hanging(*FINE)
    shared, *alone = [ClothSimulation(rest, faces, pinned, threads=threads) for threads in (2, 1, 1)]

    def median(cloth: ClothSimulation) -> float:
        return float(np.median([cloth.step(wind=[0.0, 0.0, 2.0]).timings["total"] for _ in range(frames)]))

    together, beside = [], []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(turns):
            together.append(median(shared))
            # ms per frame at the mean frame rate of both cloths
            beside.append(2.0 / sum(1.0 / frame for frame in pool.map(median, alone)))
    for cloth in alone:
        if not np.array_equal(shared.positions, cloth.positions):
            raise click.ClickException("wrong result: two threads disagree with one")
    return np.array(together), np.array(beside)


def heap_frames(frames: int) -> Callable[[], float]:
    """Return a function that simulates a heap of fine cloth and returns the shortest time of a frame in ms."""
    rest, faces, _ = hanging(*FINE)
    cloth = ClothSimulation(rest, faces, self_distance=LAYERS)
    # slightly bent at the start, because exactly flat cloth would not buckle
    cloth.place(rest + np.stack([0.01 * np.sin(7 * rest[:, 1]), 0 * rest[:, 1], 0.02 * np.sin(9 * rest[:, 1])], 1))
    floor = [[0.5, -10.05, 0.0, 10.0, 0.5, -10.05, 0.0, 10.0]]
    for _ in range(FALL):
        cloth.step(cones=floor)
    return lambda: min(cloth.step(cones=floor).timings["total"] for _ in range(frames))


def tracked_frames(frames: int, threads: int = 1) -> Callable[[], float]:
    """Return a function that simulates fine cloth with tracking and returns the shortest time of a frame in ms."""
    few, fine = hanging(*COARSE), hanging(*FINE)
    tracker = Tracker(few[0], few[1], fine[0], fine[1], count=TESTS)
    coarse = ClothSimulation(
        *few, material=coarse_material("cotton"), compression=COARSE_COMPRESSION, strain_sweeps=1, record_substeps=True
    )
    cloth = ClothSimulation(*fine, threads=threads)
    cloth.track(tracker.tests)

    def least() -> float:
        times = []
        for _ in range(frames):
            coarse.step(wind=[0.0, 0.0, 2.0])
            targets = tracker.targets(coarse.substep_positions)
            times.append(cloth.step(wind=[0.0, 0.0, 2.0], targets=targets).timings["total"])
        return min(times)

    return least


def pypbd_frames(frames: int, substeps: int = 16) -> Callable[[], float]:
    """Return a function that simulates cloth with PositionBasedDynamics, and returns the shortest frame time in ms.

    The simulation has distance constraints only. It runs one sweep per substep on one thread.
    """
    # OpenMP reads this variable only once, when the library is loaded
    os.environ["OMP_NUM_THREADS"] = "1"
    import pypbd as pbd  # type: ignore[import-not-found]

    rest, faces, pinned = hanging(*FINE)
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    model.addTriangleModel(list(rest.astype(float)), faces.ravel().tolist())
    for vertex in np.flatnonzero(pinned).tolist():
        model.getParticles().setMass(vertex, 0.0)
    for a, b in np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0).tolist():
        model.addDistanceConstraint_XPBD(a, b, 600.0)
    pbd.TimeManager.getCurrent().setTimeStepSize(1 / 60)
    stepper = simulation.getTimeStep()
    stepper.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
    stepper.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)

    def least() -> float:
        times = []
        for _ in range(frames):
            start = time.perf_counter()
            stepper.step(model)
            times.append(1e3 * (time.perf_counter() - start))
        return min(times)

    return least


@click.command("cloth")
@click.option("--frames", default=40, show_default=True, help="Number of frames in each repetition.")
@click.option(
    "--repeats", default=3, show_default=True, help="Number of repetitions; the shortest frame time is printed."
)
@csv_option
@json_option
def bench_cloth(frames: int, repeats: int, csv_path: Path | None, as_json: bool) -> None:
    """Measure frames of simulated cloth."""
    coarse: dict[str, Any] = {"material": coarse_material("cotton"), "compression": COARSE_COMPRESSION}
    coarse["strain_sweeps"] = 1
    works: dict[str, tuple[Callable[[], float], str]] = {}
    for substeps in (4, 8, 16):
        goal = "goal 0.15 ms" if substeps == 8 else ""
        works[f"200 vertices, {substeps} substeps"] = cloth_frames(frames, *COARSE, substeps, **coarse), goal
    for side in SIDES:
        works[f"{side * side:,} vertices, free"] = cloth_frames(frames, side, side), ""
    works["7,056 vertices, tracked"] = tracked_frames(frames), "goal 18 ms"
    works["7,056 vertices, over a mesh"] = cloth_frames(frames, *FINE, body=ball()), "goal 8 ms more than free"
    works["7,056 vertices, layers apart"] = cloth_frames(frames, *FINE, self_distance=LAYERS), "goal twice free"
    works["7,056 vertices, in a heap"] = heap_frames(frames), "goal twice free"
    if find_spec("pypbd") is not None:
        works["7,056 vertices, pypbd, edges alone"] = pypbd_frames(frames), ""
    least = dict.fromkeys(works, np.inf)
    for _ in range(repeats):
        for name, (work, _) in works.items():
            least[name] = min(least[name], work())
    report = Report("frames of 1/60 s, 16 substeps where not said")
    free = least["7,056 vertices, free"]
    for name, (_, goal) in works.items():
        ratio = f"{least[name] / free:.2f} of free" if name.startswith("7,056") and least[name] != free else ""
        report.add(name, least[name] / 1e3, ", ".join(part for part in (goal, ratio) if part))
    together, beside = scaling(frames // 2, 4 * repeats)
    report.add("7,056 vertices, one thread beside another cloth's", beside / 1e3)
    gain = f"goal 1.7 times as fast: {np.median(beside / together):.2f} (medians)"
    report.add("7,056 vertices, two threads", together / 1e3, gain)
    publish(report, as_json=as_json, csv_path=csv_path)
