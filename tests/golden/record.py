"""Hashes of the wrinkles and fine meshes that every sample gives with default options: `python tests/golden/record.py`.

Prints the table that `tests/golden/hashes.json` keeps. A change of a hash is a change of what users see, and belongs in
the changelog.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ruckle

TABLE = Path(__file__).with_name("hashes.json")
SETTINGS = ((1.4, "0.5%"), (1.25, "0.5%"), (1.15, "1%"))

# One frame in so many is displaced: the fine mesh depends on nothing but its frame.
DISPLACED = 12


def settings() -> Iterator[tuple[str, float, str]]:
    """Yield sample, tau and r_min of every row of the table."""
    for name in ruckle.samples():
        for tau, r_min in SETTINGS:
            yield name, tau, r_min


def row_name(name: str, tau: float, r_min: str) -> str:
    """Return what a row of the table is called."""
    return f"{name} tau {tau} r_min {r_min}"


def hash_sample(name: str, tau: float, r_min: str, *, threads: int = 1) -> dict[str, str]:
    """Return the hashes of a sample's wrinkles and of its fine meshes, both over the whole animation."""
    animation = ruckle.sample(name)
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=tau, r_min=r_min, threads=threads)
    surface = ruckle.Surface(wrinkler.topology, threads=threads)
    wrinkles, meshes = hashlib.sha256(), hashlib.sha256()
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, dt=1 / animation.fps)
        for wrinkle in frame.wrinkles:
            wrinkles.update(np.array([index, wrinkle.id]))
            for array in (wrinkle.edges, wrinkle.t, wrinkle.width, wrinkle.height):
                wrinkles.update(np.ascontiguousarray(array))
        if index % DISPLACED == 0:
            surface.update(frame)
            fine = surface.displace()
            for array in (fine.positions, fine.normals, fine.faces):
                meshes.update(np.ascontiguousarray(array))
    return {"wrinkles": wrinkles.hexdigest()[:16], "meshes": meshes.hexdigest()[:16]}


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
        values.update(np.array([function(x) for x in grid], np.float64))
    for name in ("atan2f", "powf"):
        function = getattr(library, name)
        function.argtypes, function.restype = [single, single], single
        values.update(np.array([function(abs(x) + 0.1, 1.7 - x) for x in grid], np.float64))
    thirds = (grid[:4096] / 3).reshape(4, 64, 4, 4)
    values.update(np.einsum("fvij,vj->fvi", thirds[:, :, :3], thirds[0, :, 3]))
    return values.hexdigest()[:16]


if __name__ == "__main__":
    rows = {row_name(*setting): hash_sample(*setting) for setting in settings()}
    print(json.dumps({"mathematics": hash_mathematics(), "hashes": rows}, indent=1))
