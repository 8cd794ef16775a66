"""`ruckle bench crowd`: cost of many characters in one garment, stepped and packed into tables as in a game engine.

200 and 1,000 characters wear the shirt of the samples, at different times of one motion. All characters share one rest
pose and one mesh topology. One or several threads of the caller step the characters through the C interface. The first
frames only step. The later frames also pack each character's wrinkles into a table for the graphics card
(`ruckle_make_table`). The results of a few characters are compared, byte for byte, with wrinklers that were stepped
alone.

The rows for wrinkle waves use `ruckle_waves_step` and write texels with `ruckle_waves_write_texels`.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import ruckle
from ruckle.experiments.bench.crowd_clock import GOALS, ClockRow, clock_columns, measure_clocks
from ruckle.experiments.bench.crowd_garments import PHASE, Garment, WaveGarment, in_new_process, resident
from ruckle.experiments.bench.crowd_pictures import BEGUN, measure_pictures, picture_columns
from ruckle.experiments.bench.report import csv_option, new_table, print_table, write_csv

__all__ = ["bench_crowd"]

# Number of characters whose results are compared with the results of a separate wrinkler.
CHECKED = 5

# Goals for waves: KB per additional character, µs of processor time per step, ms per frame of 1,000 characters with
# tables on 8 cores.
WAVE_MEMORY, WAVE_STEP, WAVE_FRAME = 16.0, 40.0, 6.0

# Goals for paths: KB per character, µs to create a character, µs of processor time per step, ms per frame of 1,000
# characters with tables on 8 cores.
MEMORY, CREATION, STEP, FRAME = 150.0, 100.0, 50.0, 16.7


@dataclass
class Row:
    """Measurements of one crowd.

    Memory is in KB per character. `creation` and `step` are µs of processor time per character; `alone` is the µs of a
    step of a single wrinkler.
    """

    layer: str
    characters: int
    threads: int
    wrinkles: float
    memory: float
    creation: float
    step: float
    alone: float
    listed: float  # µs of a step that also packs the table
    upload: float  # KB of a table
    frame_p50: float  # ms of a frame with tables, median
    frame_p99: float

    @property
    def of_8_cores(self) -> float:
        """Milliseconds of a frame with tables if 8 cores share the processor time equally."""
        return self.characters * self.listed / 8e3


def measure(kind: type[Garment], characters: int, threads: int, warm_up: int, frames: int) -> Row:
    """Step a crowd, check the results and return the measurements."""
    garment = kind("sawing")
    lone = garment.wrinkler()
    alone = least_alone(garment, lone, warm_up, frames)
    before, start = resident(), time.process_time()
    crowd = [garment.wrinkler() for _ in range(characters)]
    creation = time.process_time() - start
    parts = [range(first, characters, threads) for first in range(threads)]
    # first frames contain only steps, later frames contain steps and tables
    took, processor = np.zeros(warm_up + 2 * frames), np.zeros(warm_up + 2 * frames)
    texels = np.zeros(characters)

    def run_part(part: range, frame: int) -> None:
        for index in part:
            garment.step(crowd[index], frame + PHASE * index)
            # pack the table directly after the step, because an engine uploads a table before it makes the next one
            if frame >= warm_up + frames:
                texels[index] = garment.table(crowd[index], frame + PHASE * index).texel_count

    with ThreadPoolExecutor(threads) as pool:
        for frame in range(warm_up + 2 * frames):
            wall, busy = time.perf_counter(), time.process_time()
            list(pool.map(run_part, parts, [frame] * threads))
            took[frame], processor[frame] = time.perf_counter() - wall, time.process_time() - busy
    memory = (resident() - before) / characters
    require_as_alone(garment, crowd, lone, warm_up + 2 * frames, warm_up + frames)
    found = sum(map(garment.wrinkles, crowd)) / characters
    garment.destroy([*crowd, lone])
    garment.library.ruckle_destroy_topology(garment.topology)
    step, listed = (1e6 * float(part.min()) / characters for part in np.split(processor[warm_up:], 2))
    p50, p99 = (float(each) for each in 1e3 * np.percentile(took[warm_up + frames :], [50, 99]))
    upload = 16 / 1024 * float(texels.mean())
    made = 1e6 * creation / characters
    return Row(garment.layer, characters, threads, found, memory, made, step, alone, listed, upload, p50, p99)


def least_alone(garment: Garment, wrinkler: ctypes.c_void_p, warm_up: int, frames: int) -> float:
    """Return the mean µs of a step of one wrinkler, over seven start frames; a frame's time is the least of 3 runs."""
    means = []
    for first in range(0, 35 * PHASE, 5 * PHASE):
        least = np.full(frames, np.inf)
        for _ in range(3):
            garment.reset(wrinkler)
            for frame in range(warm_up + frames):
                start = time.perf_counter()
                garment.step(wrinkler, frame + first)
                if frame >= warm_up:
                    least[frame - warm_up] = min(least[frame - warm_up], time.perf_counter() - start)
        means.append(least.mean())
    return 1e6 * float(np.mean(means))


def require_as_alone(
    garment: Garment, crowd: list[ctypes.c_void_p], lone: ctypes.c_void_p, frames: int, tables_from: int
) -> None:
    """Raise an error if a checked character has another result than a separate wrinkler for the same frames."""
    for index in range(0, len(crowd), max(1, len(crowd) // CHECKED)):
        garment.reset(lone)
        for frame in range(frames):
            garment.step(lone, frame + PHASE * index)
            # build tables as in the crowd, because each depends on the previous tables (ruckle/paths/kept_reach.h)
            if frame >= tables_from:
                garment.table(lone, frame + PHASE * index)
        last = frames - 1 + PHASE * index
        results = [(garment.state(one), garment.uploaded(one, last)) for one in (lone, crowd[index])]
        if results[0] != results[1]:
            raise click.ClickException(
                f"wrong result: character {index} of {len(crowd)} differs from the same character alone"
            )


def columns() -> dict[str, Callable[[Row], str]]:
    """Return the columns of the table: each heading, and the function that formats the cell of a row."""
    return {
        "layer": lambda row: row.layer,
        "crowd": lambda row: f"{row.characters:,}",
        "threads": lambda row: str(row.threads),
        "KB each": lambda row: f"{row.memory:.0f}",
        "µs made": lambda row: f"{row.creation:.0f}",
        "µs step": lambda row: f"{row.step:.1f}",
        "of one alone": lambda row: f"{row.step / row.alone:.2f}",
        "µs with table": lambda row: f"{row.listed:.1f}",
        "ms p50": lambda row: f"{row.frame_p50:.1f}",
        "ms p99": lambda row: f"{row.frame_p99:.1f}",
        "ms on 8 cores": lambda row: f"{row.of_8_cores:.1f}",
    }


@click.command("crowd")
@click.option("--characters", multiple=True, default=(200, 1000), show_default=True, type=click.IntRange(1))
@click.option("--threads", default=os.cpu_count() or 1, show_default="all", type=click.IntRange(1))
@click.option(
    "--warm-up",
    default=60,
    show_default=True,
    type=click.IntRange(1),
    help="Number of frames before the measured frames.",
)
@click.option("--frames", default=60, show_default=True, type=click.IntRange(1))
@csv_option
def bench_crowd(characters: tuple[int, ...], threads: int, warm_up: int, frames: int, csv_path: Path | None) -> None:
    """Measure many characters in one garment, by one thread and by several, and with a clock."""
    rows = [
        in_new_process(measure, kind, count, workers, warm_up, frames)
        for kind in (Garment, WaveGarment)
        for count in characters
        for workers in dict.fromkeys([1, threads])
    ]
    if csv_path:
        write_csv(csv_path, [asdict(row) for row in rows])
    print_rows(f"sawing, {ruckle.sample('sawing').face_count} triangles", columns(), rows)
    paths, waves = (next(row for row in rows[::-1] if row.layer == layer) for layer in ("paths", "waves"))
    click.echo(
        f"A character has {paths.wrinkles:.1f} wrinkles and a table of {paths.upload:.1f} KB, "
        f"or waves of {waves.upload:.1f} KB. Frames hold steps and tables."
    )
    click.echo(
        f"Goals: {MEMORY:g} KB, made in {CREATION:g} µs, a step of {STEP:g} µs, and {FRAME:g} ms for 1,000 on 8 cores; "
        f"of waves a step of {WAVE_STEP:g} µs."
    )
    # steps of far garments are 8 pictures apart, so numbers of frames are rounded up to a multiple of 8
    clocks = [
        row
        for name in ("sawing", "chopping")
        for row in measure_clocks(name, max(characters), 8 * (-(-warm_up // 8)), 8 * (-(-frames // 8)))
    ]
    print_rows("pictures with a clock, 60 per second, tables in memory of the caller", clock_columns(), clocks)
    pictures = measure_pictures("sawing", max(2 * BEGUN, warm_up + frames))
    print_rows("heights from picture to picture, 60 per second, r_min", picture_columns(), pictures)
    print_rows("1,000 garments, 60 pictures per second, 8 cores", GOAL_COLUMNS, reached(clocks, waves))
    click.echo("Of 8 cores: the processor time of the least frame, divided by 8; no such machine measured it.")


def print_rows(title: str, columns: Mapping[str, Callable[[Any], str]], rows: Iterable[Any]) -> None:
    """Print rows as a table."""
    table = new_table(title, columns, named=False)
    for row in rows:
        table.add_row(*(write(row) for write in columns.values()))
    print_table(table)


GOAL_COLUMNS: dict[str, Callable[[tuple[str, float, float]], str]] = {
    "quantity": lambda row: row[0],
    "measured": lambda row: f"{row[1]:.1f}",
    "goal": lambda row: f"{row[2]:g}",
}


def reached(clocks: Sequence[ClockRow], waves: Row) -> list[tuple[str, float, float]]:
    """Return measured values of a crowd with a clock as (quantity, value, goal)."""
    near = next(row for row in clocks if row.distances == "near")
    return [
        *(
            (f"ms, paths, {row.motion}, {row.distances}", row.of_8_cores, GOALS[row.motion, row.distances])
            for row in clocks
            if (row.motion, row.distances) in GOALS
        ),
        ("ms, waves", waves.of_8_cores, WAVE_FRAME),
        ("KB of a further garment: paths with a clock", near.memory, MEMORY),
        ("KB of a further garment: waves", waves.memory, WAVE_MEMORY),
    ]
