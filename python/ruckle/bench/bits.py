"""`ruckle bench bits`: hashes of what every sample gives, beside those that are published.

The same version gives the same bits on any processor and with any number of threads, as far as the C library and NumPy
round as those of the table. `--record` writes what this machine gives; a change of a hash is a change of what users
see, and belongs in the changelog.
"""

from __future__ import annotations

import ctypes
import ctypes.util
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

__all__ = ["Hashes", "Setting", "bench_bits", "hash_mathematics", "hash_sample", "published", "settings"]

TABLE = Path(__file__).with_name("hashes.json")

PARAMETERS = ((1.4, "0.5%"), (1.25, "0.5%"), (1.15, "1%"))

# One frame in so many is displaced: the fine mesh depends on nothing but its frame.
DISPLACED = 12


class Setting(NamedTuple):
    """A row of the table: a sample, and what is not at its default."""

    sample: str
    tau: float
    r_min: str

    def __str__(self) -> str:
        return f"{self.sample} tau {self.tau} r_min {self.r_min}"


class Hashes(TypedDict):
    """First digits of SHA-256 over a whole animation: of all wrinkles, and of every 12th frame's fine mesh."""

    wrinkles: str
    meshes: str


class Table(TypedDict):
    """What is published: how the machine rounded that made it, and the hashes by the names of their settings."""

    mathematics: str
    hashes: dict[str, Hashes]


def settings() -> Iterator[Setting]:
    """Yield the rows of the table."""
    for sample in ruckle.samples():
        for tau, r_min in PARAMETERS:
            yield Setting(sample, tau, r_min)


@cache
def published() -> Table:
    """Return the published table."""
    table: Table = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def hash_sample(sample: str, tau: float, r_min: str, *, threads: int = 1) -> Hashes:
    """Return the hashes of a sample's wrinkles and of its fine meshes, both over the whole animation."""
    animation = ruckle.sample(sample)
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=tau, r_min=r_min, threads=threads)
    surface = ruckle.Surface(wrinkler.topology, threads=threads)
    wrinkles, meshes = hashlib.sha256(), hashlib.sha256()
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, dt=1 / animation.fps)
        for wrinkle in frame.wrinkles:
            wrinkles.update(np.array([index, wrinkle.id]).tobytes())
            for array in (wrinkle.edges, wrinkle.t, wrinkle.width, wrinkle.height, wrinkle.curve):
                wrinkles.update(np.asarray(array).tobytes())
        if index % DISPLACED == 0:
            surface.update(frame)
            fine = surface.displace()
            for array in (fine.positions, fine.normals, fine.faces):
                meshes.update(array.tobytes())
    return {"wrinkles": wrinkles.hexdigest()[:16], "meshes": meshes.hexdigest()[:16]}


@cache
def hash_mathematics() -> str:
    """Return a hash of how this machine rounds what is not the core's own.

    That are the functions of the C library that the core calls, and NumPy's sums, which pose the samples.
    """
    library = ctypes.CDLL(ctypes.util.find_library("m") or "ucrtbase")
    values = hashlib.sha256()
    grid = np.linspace(-3.0, 3.0, 4097)
    single, double = ctypes.c_float, ctypes.c_double
    for name, kind in {"sinf": single, "cosf": single, "expf": single, "asinh": double}.items():
        function = getattr(library, name)
        function.argtypes, function.restype = [kind], kind
        values.update(np.array([function(x) for x in grid], np.float64).tobytes())
    for name in ("atan2f", "powf"):
        function = getattr(library, name)
        function.argtypes, function.restype = [single, single], single
        values.update(np.array([function(abs(x) + 0.1, 1.7 - x) for x in grid], np.float64).tobytes())
    thirds = (grid[:4096] / 3).reshape(4, 64, 4, 4)
    values.update(np.einsum("fvij,vj->fvi", thirds[:, :, :3], thirds[0, :, 3]).tobytes())
    return values.hexdigest()[:16]


@click.command("bits")
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Which change no bit.")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Write what this machine gives to a file."
)
def bench_bits(threads: int, record: Path | None) -> None:
    """Print hashes of what every sample gives here, and say whether they are the published ones.

    Ends with 1 where they are not.
    """
    table = published()
    found: dict[str, Hashes] = {}
    click.echo(f"ruckle {ruckle.__version__}, {_core.instruction_set()}; sample, tau, r_min, wrinkles, fine meshes")
    for setting in settings():
        hashes = found[str(setting)] = hash_sample(*setting, threads=threads)
        same = hashes == table["hashes"].get(str(setting))
        values = f"{setting.sample:14} {setting.tau:<5} {setting.r_min:>5}  {hashes['wrinkles']}  {hashes['meshes']}"
        click.echo(values + ("" if same else "  differs"))
    if record:
        with replacing(record) as file:
            made: Table = {"mathematics": hash_mathematics(), "hashes": found}
            file.write(f"{json.dumps(made, indent=1)}\n".encode())
    differing = sum(hashes != table["hashes"].get(name) for name, hashes in found.items())
    if differing:
        reason = "" if hash_mathematics() == table["mathematics"] else ", whose C library or NumPy rounds otherwise"
        click.echo(f"{differing} of {len(found)} differ from the published ones on this machine{reason}")
        sys.exit(1)
    click.echo(f"all {len(found)} are the published ones")
