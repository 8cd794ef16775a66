"""`ruckle bench bits`: hashes of the results of every sample, next to the published hashes.

One version of ruckle computes the same bits on any machine, with any number of threads, with GCC and Clang, and in a
browser. C libraries round some functions differently, so the core has its own versions of these functions. `--record`
writes the hashes of this machine. A changed hash means that results changed, and the changelog must say so.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypedDict

import click
import numpy as np

import ruckle
from ruckle import _core
from ruckle.io.replacing import replacing

__all__ = ["Hashes", "Setting", "bench_bits", "hash_sample", "published", "settings"]

TABLE = Path(__file__).with_name("hashes.json")

PARAMETERS = ((1.4, "0.5%"), (1.25, "0.5%"), (1.15, "1%"))

# Only the fine mesh of every 12th frame is hashed. The skipped meshes do not affect it, because a fine mesh depends
# only on its own frame.
DISPLACED = 12


class Setting(NamedTuple):
    """One row of the table: the name of a sample, and the parameters that differ from the defaults."""

    sample: str
    tau: float
    r_min: str

    def __str__(self) -> str:
        return f"{self.sample} tau {self.tau} r_min {self.r_min}"


class Hashes(TypedDict):
    """First 16 hex digits of SHA-256 over a whole animation: all wrinkles, and the fine mesh of every 12th frame."""

    wrinkles: str
    meshes: str


def settings() -> Iterator[Setting]:
    """Yield the rows of the table: each sample with each pair of parameters."""
    for sample in ruckle.samples():
        for tau, r_min in PARAMETERS:
            yield Setting(sample, tau, r_min)


@cache
def published() -> dict[str, Hashes]:
    """Return the published hashes; the keys are `str(setting)`."""
    table: dict[str, Hashes] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def hash_sample(sample: str, tau: float, r_min: str, *, threads: int = 1) -> Hashes:
    """Return the hashes of a sample's wrinkles and of its fine meshes, each over the whole animation."""
    animation = ruckle.sample(sample)
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=tau, r_min=r_min, threads=threads)
    surface = ruckle.Surface(wrinkler.topology, base="curved", threads=threads)
    wrinkles, meshes = hashlib.sha256(), hashlib.sha256()
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, dt=1 / animation.fps)
        for wrinkle in frame.wrinkles:
            wrinkles.update(np.array([index, wrinkle.id]).tobytes())
            for array in (wrinkle.edges, wrinkle.t, wrinkle.width, wrinkle.height, wrinkle.points):
                wrinkles.update(np.asarray(array).tobytes())
        if index % DISPLACED == 0:
            surface.update(frame)
            fine = surface.displace()
            for array in (fine.positions, fine.normals, fine.faces):
                meshes.update(array.tobytes())
    return {"wrinkles": wrinkles.hexdigest()[:16], "meshes": meshes.hexdigest()[:16]}


@click.command("bits")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Number of threads; the hashes do not depend on it.",
)
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Write the hashes of this machine to a file."
)
def bench_bits(threads: int, record: Path | None) -> None:
    """Print the hash of every sample on this machine, and compare it with the published hash.

    The exit status is 1 if a hash differs.
    """
    table = published()
    found: dict[str, Hashes] = {}
    click.echo(f"ruckle {ruckle.__version__}, {_core.instruction_set()}; sample, tau, r_min, wrinkles, fine meshes")
    for setting in settings():
        hashes = found[str(setting)] = hash_sample(*setting, threads=threads)
        same = hashes == table.get(str(setting))
        values = f"{setting.sample:14} {setting.tau:<5} {setting.r_min:>5}  {hashes['wrinkles']}  {hashes['meshes']}"
        click.echo(values + ("" if same else "  differs"))
    if record:
        with replacing(record) as file:
            file.write(f"{json.dumps(found, indent=1)}\n".encode())
    differing = sum(hashes != table.get(name) for name, hashes in found.items())
    if differing:
        click.echo(f"{differing} of {len(found)} differ from the published ones on this machine")
        sys.exit(1)
    click.echo(f"all {len(found)} are the published ones")
