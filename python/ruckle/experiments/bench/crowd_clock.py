"""Rows of `ruckle bench crowd` for garments with a clock, which steps far garments less often than near garments.

`ruckle_crowd_step` steps the crowd. The crowd draws 60 pictures per second. One row is measured without a clock: it
steps all paths and writes all tables in every picture. The other rows of the same run show their time relative to this
row. Each row checks that no garment had to wait for its step.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from ruckle.experiments.bench.crowd_garments import PHASE, Garment, in_new_process, resident

__all__ = ["GOALS", "ClockRow", "clock_columns", "measure_clocks"]

# Seconds between two path steps of near, middle and far garments, with and without a clock; largest distance (m) of
# near and of middle garments.
CLOCKED, UNCLOCKED, DISTANCES = (1 / 30, 1 / 15, 2 / 15), (0.0, 0.0, 0.0), (10.0, 30.0)

# Number of 32-bit words in a row of a table; a number of rows that is enough for every table of these motions.
ROW_WORDS, MOST_ROWS = 512, 96

# Goals for 1,000 garments on 8 cores, ms per picture, by motion and distances.
GOALS = {("sawing", "near"): 16.0, ("sawing", "mixed"): 7.0, ("chopping", "near"): 30.0}


@dataclass
class ClockRow:
    """Measurements of a crowd that draws 60 pictures per second."""

    motion: str
    distances: str
    characters: int
    picture: float  # µs of processor time per garment and picture
    memory: float  # KB per additional garment, without its table
    written: float  # KB of tables per garment and picture
    today: float = 0.0  # `picture` of the row without a clock

    @property
    def of_8_cores(self) -> float:
        """Milliseconds of a picture of 1,000 garments if 8 cores share the processor time equally."""
        return 1000 * self.picture / 8e3


def distances_of(kind: str, characters: int) -> Any:
    """Return the distances of a crowd in m: all near, or 10 % near, 30 % in the middle, and the rest far."""
    shares = np.arange(characters) * 7 % 10 / 10
    mixed = np.where(shares < 0.1, 5.0, np.where(shares < 0.4, 20.0, 50.0))
    return np.ascontiguousarray(mixed if kind == "mixed" else np.full(characters, 5.0), np.float32)


def measure_clocks(name: str, characters: int, warm_up: int, pictures: int) -> list[ClockRow]:
    """Measure one motion three times: without a clock, with all garments near, and with mixed distances.

    Each row is measured in a new process. Raise ClickException if a garment had to wait for its step.
    """
    measured = [
        in_new_process(_measure, name, kind, characters, warm_up, pictures) for kind in ("none", "near", "mixed")
    ]
    return [replace(row, today=measured[0].picture) for row in measured]


def _measure(name: str, kind: str, characters: int, warm_up: int, pictures: int) -> ClockRow:
    """Measure a crowd with distances of a `kind`, without a clock if it is "none"."""
    garment = Garment(name)
    library, structures = garment.library, garment.structures
    options, crowd = structures["ruckle_crowd_options"](), ctypes.c_void_p()
    library.ruckle_default_crowd_options(ctypes.byref(options))
    options.distances[:] = DISTANCES
    options.intervals[:] = UNCLOCKED if kind == "none" else CLOCKED
    garment.call("ruckle_crowd_create", ctypes.byref(options), ctypes.byref(crowd))
    mesh = structures["ruckle_garment_mesh"](
        garment.frames[0].value, 0, garment.positions.shape[1], garment.faces.ctypes.data, 4, len(garment.faces), 0
    )
    first = ctypes.c_void_p()
    garment.call("ruckle_garment_create", ctypes.byref(mesh), ctypes.byref(garment.options), None, ctypes.byref(first))
    frames = (structures["ruckle_garment_frame"] * characters)()
    texels = np.zeros((characters, MOST_ROWS, ROW_WORDS), np.uint32)
    texels += 1  # touch every memory page before the measurement of memory
    after_texels = resident()
    for index, frame in enumerate(frames):
        made = first
        if index:
            made = ctypes.c_void_p()
            garment.call("ruckle_garment_clone", first, ctypes.byref(made))
        frame.garment, frame.dt, frame.keeps_texels = made.value, garment.dt.value, 1
        frame.texels = texels[index].ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
        frame.row_capacity = texels.shape[1]
    addresses = np.array([frame.value for frame in garment.frames], np.uintp)
    positions = _member(frames, "positions", np.uintp)
    written = _member(frames, "written_count", np.int32)
    at = distances_of(kind, characters)
    took, rows, waits = [], [], 0
    for picture in range(warm_up + pictures):
        positions[:] = addresses[(picture + PHASE * np.arange(characters)) % len(addresses)]
        start = time.process_time()
        garment.call(
            "ruckle_crowd_step",
            crowd,
            frames,
            at.ctypes.data_as(ctypes.c_void_p),
            characters,
            ctypes.c_float(1e9),
            None,
            None,
        )
        took.append(time.process_time() - start)
        rows.append(float(written.mean()))
        waits += library.ruckle_crowd_wait_count(crowd)
    if waits:
        raise click.ClickException(f"wrong result: {waits} steps waited without need")
    memory = (resident() - after_texels) / characters
    for frame in frames:
        library.ruckle_garment_destroy(ctypes.c_void_p(frame.garment))
    library.ruckle_crowd_destroy(crowd)
    library.ruckle_destroy_topology(garment.topology)
    # mean over 8 pictures, the step interval of far garments; then the minimum, because other processes disturb some
    # means
    groups = 1e6 / characters * np.array(took[warm_up:]).reshape(-1, 8).mean(axis=1)
    kilobytes = 4 * ROW_WORDS / 1024 * float(np.mean(rows[warm_up:]))
    return ClockRow(garment.name, kind, characters, float(groups.min()), memory, kilobytes)


def _member(frames: Any, name: str, dtype: Any) -> Any:
    """Return a view of one field of all structs in a ctypes array. Writing to the view changes the structs."""
    field, size = getattr(type(frames[0]), name), ctypes.sizeof(type(frames[0]))
    return np.ndarray(len(frames), dtype, frames, field.offset, (size,))


def clock_columns() -> dict[str, Callable[[ClockRow], str]]:
    """Return the columns of the table: each heading, and the function that formats the cell of a row."""
    return {
        "motion": lambda row: row.motion,
        "distances": lambda row: "60 Hz, no clock" if row.distances == "none" else row.distances,
        "crowd": lambda row: f"{row.characters:,}",
        "KB each": lambda row: f"{row.memory:.0f}",
        "KB written": lambda row: f"{row.written:.0f}",
        "µs per picture": lambda row: f"{row.picture:.1f}",
        "of no clock": lambda row: f"{row.picture / row.today:.2f}",
        "ms on 8 cores": lambda row: f"{row.of_8_cores:.1f}",
    }
