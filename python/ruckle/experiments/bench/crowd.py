"""`ruckle bench crowd`: cost of many characters in one garment, stepped and packed into tables as in an engine.

200 and 1,000 characters wear the samples' shirt, at different times of one motion. All begin from one pose and share a
topology. One thread, or several threads of the caller, step them through the interface for C. The first frames are
steps only; later frames include the table for the graphics card of each character (`ruckle_make_table`). The results
of a few characters are compared, byte for byte, with wrinklers that were stepped alone.

Rows of waves use `ruckle_waves_step` and the texels of each frame (`ruckle_waves_write_texels`).
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

import ruckle
from ruckle import _core
from ruckle.c_structures import structures
from ruckle.experiments.bench.report import csv_option, new_table, print_table, write_csv

__all__ = ["bench_crowd"]

# Offset from one character to the next, in frames of the motion.
PHASE = 7

# Number of characters that are compared with a wrinkler stepped alone.
CHECKED = 5

# Goals of waves: KB per further character, µs of processor time per step, ms per frame of 1,000 with tables on 8 cores.
WAVE_MEMORY, WAVE_STEP, WAVE_FRAME = 16.0, 40.0, 6.0

# Goals: KB and µs to add a character, µs of processor time per step, ms per frame of 1,000 with tables on 8 cores.
MEMORY, CREATION, STEP, FRAME = 150.0, 100.0, 50.0, 16.7


class Garment:
    """Motion of a sample, and its wrinklers through the interface for C."""

    layer = "paths"

    def __init__(self, name: str) -> None:
        self.name = name
        animation = ruckle.sample(name)
        self.positions = np.ascontiguousarray(animation.positions, np.float32)
        self.faces = np.ascontiguousarray(ruckle.weld(animation.positions[0], animation.faces), np.int32)
        self.dt = ctypes.c_float(1.0 / animation.fps)
        self.library = ctypes.CDLL(_core.__file__)
        self.library.ruckle_error_message.restype = ctypes.c_char_p
        self.library.ruckle_state_size.restype = ctypes.c_size_t
        self.structures = structures(self.library)
        self.options = self.structures["ruckle_options"]()
        self.library.ruckle_default_options(ctypes.byref(self.options))
        self.options.r_min = 0.005 * animation.height
        # computed once: the address of a NumPy array takes a considerable part of the time of a step
        frames = [frame.ctypes.data_as(ctypes.c_void_p) for frame in self.positions]
        self.frames = frames + frames[-2:0:-1]
        self.topology = ctypes.c_void_p()
        shape = ctypes.c_int32(len(self.faces)), ctypes.c_int32(self.positions.shape[1])
        faces = self.faces.ctypes.data_as(ctypes.c_void_p)
        self.call("ruckle_create_topology", faces, *shape, ctypes.byref(self.topology))

    def call(self, function: str, *arguments: Any) -> None:
        """Call a function that returns a status; raise its error message if it fails."""
        if getattr(self.library, function)(*arguments):
            raise click.ClickException(self.library.ruckle_error_message().decode())

    def wrinkler(self) -> ctypes.c_void_p:
        """Return a new wrinkler whose rest pose is the first frame of the motion."""
        made = ctypes.c_void_p()
        self.call("ruckle_create_shared", self.topology, ctypes.byref(self.options), ctypes.byref(made))
        self.call("ruckle_set_rest", made, self.frames[0], self.positions.shape[1])
        return made

    def reset(self, wrinkler: ctypes.c_void_p) -> None:
        """Return to the state before the first frame."""
        self.library.ruckle_reset(wrinkler)

    def step(self, wrinkler: ctypes.c_void_p, frame: int) -> None:
        """Step a wrinkler to a frame of the motion, which plays forward and backward."""
        at = self.frames[frame % len(self.frames)]
        self.call("ruckle_step", wrinkler, at, self.positions.shape[1], self.dt)

    def table(self, wrinkler: ctypes.c_void_p, frame: int) -> Any:
        """Return the table of a wrinkler's last step, to this frame; valid until the thread's next table."""
        table, at = self.structures["ruckle_table"](), self.frames[frame % len(self.frames)]
        self.call("ruckle_make_table", wrinkler, at, self.positions.shape[1], None, ctypes.byref(table))
        return table

    def uploaded(self, wrinkler: ctypes.c_void_p, frame: int) -> bytes:
        """Return the bytes of a table."""
        table = self.table(wrinkler, frame)
        return ctypes.string_at(table.texels, 16 * table.texel_count)

    def state(self, wrinkler: ctypes.c_void_p) -> bytes:
        """Return the saved state of a wrinkler."""
        size = self.library.ruckle_state_size(wrinkler)
        state = (ctypes.c_char * size)()
        self.call("ruckle_save_state", wrinkler, state, ctypes.c_size_t(size))
        return bytes(state.raw)

    def wrinkles(self, wrinkler: ctypes.c_void_p) -> int:
        """Return the number of wrinkles."""
        return int(self.library.ruckle_wrinkle_count(wrinkler))

    def destroy(self, wrinklers: list[ctypes.c_void_p]) -> None:
        """Destroy wrinklers."""
        for wrinkler in wrinklers:
            self.library.ruckle_destroy(wrinkler)


class WaveGarment(Garment):
    """The same motion, and its waves through the interface for C."""

    layer = "waves"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.library.ruckle_waves_state_size.restype = ctypes.c_size_t
        self._first = ctypes.c_void_p()
        faces = self.faces.ctypes.data_as(ctypes.c_void_p)
        shape = len(self.faces), self.frames[0], self.positions.shape[1]
        self.call("ruckle_waves_create", faces, *shape, None, None, ctypes.byref(self._first))

    def wrinkler(self) -> ctypes.c_void_p:
        """Return new waves that share the data of the rest pose."""
        made = ctypes.c_void_p()
        self.call("ruckle_waves_clone", self._first, ctypes.byref(made))
        return made

    def reset(self, wrinkler: ctypes.c_void_p) -> None:
        """Return to the state before the first frame."""
        self.library.ruckle_waves_reset(wrinkler)

    def step(self, wrinkler: ctypes.c_void_p, frame: int) -> None:
        """Step waves to a frame of the motion, which plays forward and backward."""
        at = self.frames[frame % len(self.frames)]
        self.call("ruckle_waves_step", wrinkler, at, self.positions.shape[1], self.dt, None)

    def table(self, wrinkler: ctypes.c_void_p, frame: int) -> Any:
        """Write the texels of the last step into memory of this thread."""
        room = _room(self.positions.shape[1])
        self.call("ruckle_waves_write_texels", wrinkler, room)
        return SimpleNamespace(texels=room, texel_count=self.positions.shape[1])

    def state(self, wrinkler: ctypes.c_void_p) -> bytes:
        """Return the saved state of waves."""
        size = self.library.ruckle_waves_state_size(wrinkler)
        state = (ctypes.c_char * size)()
        self.call("ruckle_waves_save_state", wrinkler, state, ctypes.c_size_t(size))
        return bytes(state.raw)

    def wrinkles(self, wrinkler: ctypes.c_void_p) -> int:
        """Return 0: waves are a field and cannot be counted."""
        return 0

    def destroy(self, wrinklers: list[ctypes.c_void_p]) -> None:
        """Destroy waves."""
        for wrinkler in wrinklers:
            self.library.ruckle_waves_destroy(wrinkler)


_THREAD = threading.local()


def _room(texels: int) -> Any:
    """Return this thread's memory for texels of 16 bytes."""
    if not hasattr(_THREAD, "room"):
        _THREAD.room = (ctypes.c_char * (16 * texels))()
    return _THREAD.room


@dataclass
class Row:
    """Measurements of a crowd: µs per character, ms per frame, memory in KB."""

    layer: str
    characters: int
    threads: int
    wrinkles: float
    memory: float
    creation: float
    step: float
    alone: float
    listed: float  # a step with its table
    upload: float  # KB of a table
    frame_p50: float  # of frames with tables
    frame_p99: float

    @property
    def of_8_cores(self) -> float:
        """Milliseconds of a frame with tables if 8 cores share the processor time of the fastest frame."""
        return self.characters * self.listed / 8e3


def resident() -> float:
    """Return the resident memory of this process in KB; NaN if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def measure(garment: Garment, characters: int, threads: int, warm_up: int, frames: int) -> Row:
    """Step a crowd, check its results and return the measurements."""
    lone = garment.wrinkler()
    alone = least_alone(garment, lone, warm_up, frames)
    before, start = resident(), time.process_time()
    crowd = [garment.wrinkler() for _ in range(characters)]
    creation = time.process_time() - start
    parts = [range(first, characters, threads) for first in range(threads)]
    # first steps only, then steps with tables
    took, processor = np.zeros(warm_up + 2 * frames), np.zeros(warm_up + 2 * frames)
    texels = np.zeros(characters)

    def run_part(part: range, frame: int) -> None:
        for index in part:
            garment.step(crowd[index], frame + PHASE * index)
            # as in an engine, which uploads a table before its thread makes the next one
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
    step, listed = (1e6 * float(part.min()) / characters for part in np.split(processor[warm_up:], 2))
    p50, p99 = (float(each) for each in 1e3 * np.percentile(took[warm_up + frames :], [50, 99]))
    upload = 16 / 1024 * float(texels.mean())
    made = 1e6 * creation / characters
    return Row(garment.layer, characters, threads, found, memory, made, step, alone, listed, upload, p50, p99)


def least_alone(garment: Garment, wrinkler: ctypes.c_void_p, warm_up: int, frames: int) -> float:
    """Return the µs of a step of one wrinkler at several times of the crowd: minimum of three, mean over frames."""
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
    """Raise an error if a character of the crowd differs from a wrinkler that was stepped alone."""
    for index in range(0, len(crowd), max(1, len(crowd) // CHECKED)):
        garment.reset(lone)
        for frame in range(frames):
            garment.step(lone, frame + PHASE * index)
            # as the crowd: lists of a table depend on the tables before (ruckle/paths/kept_reach.h)
            if frame >= tables_from:
                garment.table(lone, frame + PHASE * index)
        last = frames - 1 + PHASE * index
        results = [(garment.state(one), garment.uploaded(one, last)) for one in (lone, crowd[index])]
        if results[0] != results[1]:
            raise click.ClickException(f"wrong result: character {index} of {len(crowd)} is not as alone")


def columns() -> dict[str, Callable[[Row], str]]:
    """Return the columns of the table: headings, and functions from a row to its text."""
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
@click.option("--warm-up", default=60, show_default=True, type=click.IntRange(1), help="Frames before those measured.")
@click.option("--frames", default=60, show_default=True, type=click.IntRange(1))
@csv_option
def bench_crowd(characters: tuple[int, ...], threads: int, warm_up: int, frames: int, csv_path: Path | None) -> None:
    """Measure many characters in one garment, by one thread and by several, and with a clock."""
    # it imports this module
    from ruckle.experiments.bench.crowd_clock import clock_columns, measure_clocks

    rows = []
    for kind in (Garment, WaveGarment):
        garment = kind("sawing")
        rows += [
            measure(garment, count, workers, warm_up, frames)
            for count in characters
            for workers in dict.fromkeys([1, threads])
        ]
        garment.library.ruckle_destroy_topology(garment.topology)
    if csv_path:
        write_csv(csv_path, [asdict(row) for row in rows])
    table = new_table(f"sawing, {len(garment.faces)} triangles", columns(), named=False)
    for row in rows:
        table.add_row(*(fill(row) for fill in columns().values()))
    print_table(table)
    paths, waves = (next(row for row in rows[::-1] if row.layer == layer) for layer in ("paths", "waves"))
    click.echo(
        f"A character has {paths.wrinkles:.1f} wrinkles and a table of {paths.upload:.1f} KB, "
        f"or waves of {waves.upload:.1f} KB. Frames hold steps and tables."
    )
    click.echo(
        f"Goals: {MEMORY:g} KB, made in {CREATION:g} µs, a step of {STEP:g} µs, and {FRAME:g} ms for 1,000 on 8 cores."
    )
    # 8 pictures are an interval of the farthest
    clocks = [
        row
        for name in ("sawing", "chopping")
        for row in measure_clocks(name, max(characters), 8 * (-(-warm_up // 8)), 8 * (-(-frames // 8)))
    ]
    table = new_table(
        "pictures with a clock, 60 per second, tables in memory of the caller", clock_columns(), named=False
    )
    for clocked in clocks:
        table.add_row(*(write(clocked) for write in clock_columns().values()))
    print_table(table)
    click.echo(f"Of waves: {WAVE_MEMORY:g} KB, a step of {WAVE_STEP:g} µs, and {WAVE_FRAME:g} ms.")
    click.echo("Of 8 cores: the processor time of the least frame, divided by 8; no such machine measured it.")
