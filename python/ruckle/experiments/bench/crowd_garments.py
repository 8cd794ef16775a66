"""Garments of the crowd benchmark, stepped and packed into tables through the C interface."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import click
import numpy as np

import ruckle
from ruckle import _core
from ruckle.c_structures import structures

__all__ = ["PHASE", "Garment", "WaveGarment", "in_new_process", "resident"]

Result = TypeVar("Result")

# Number of frames by which each character is ahead of the character before in the motion.
PHASE = 7


class Garment:
    """Motion of a sample, and functions that create, step and read wrinklers for it through the C interface."""

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
        # The addresses are computed only once, because NumPy needs a considerable part of the time of a step for an
        # address.
        frames = [frame.ctypes.data_as(ctypes.c_void_p) for frame in self.positions]
        self.frames = frames + frames[-2:0:-1]
        self.topology = ctypes.c_void_p()
        shape = ctypes.c_int32(len(self.faces)), ctypes.c_int32(self.positions.shape[1])
        faces = self.faces.ctypes.data_as(ctypes.c_void_p)
        self.call("ruckle_create_topology", faces, *shape, ctypes.byref(self.topology))

    def call(self, function: str, *arguments: Any) -> None:
        """Call a C function that returns a status; raise its error message if the function fails."""
        if getattr(self.library, function)(*arguments):
            raise click.ClickException(self.library.ruckle_error_message().decode())

    def wrinkler(self) -> ctypes.c_void_p:
        """Return a new wrinkler whose rest pose is the first frame of the motion."""
        made = ctypes.c_void_p()
        self.call("ruckle_create_shared", self.topology, ctypes.byref(self.options), ctypes.byref(made))
        self.call("ruckle_set_rest", made, self.frames[0], self.positions.shape[1])
        return made

    def reset(self, wrinkler: ctypes.c_void_p) -> None:
        """Reset a wrinkler to its state before the first frame."""
        self.library.ruckle_reset(wrinkler)

    def step(self, wrinkler: ctypes.c_void_p, frame: int) -> None:
        """Step a wrinkler to a frame of the motion. The motion plays forward and then backward."""
        at = self.frames[frame % len(self.frames)]
        self.call("ruckle_step", wrinkler, at, self.positions.shape[1], self.dt)

    def table(self, wrinkler: ctypes.c_void_p, frame: int) -> Any:
        """Return the table of a wrinkler's last step, for the positions of `frame`.

        The table is valid until this thread makes another table.
        """
        table, at = self.structures["ruckle_table"](), self.frames[frame % len(self.frames)]
        self.call("ruckle_make_table", wrinkler, at, self.positions.shape[1], None, ctypes.byref(table))
        return table

    def uploaded(self, wrinkler: ctypes.c_void_p, frame: int) -> bytes:
        """Return the texels of the table of a wrinkler's last step, as bytes; see `table`."""
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
    """Motion of a sample, and functions that create, step and read its wrinkle waves through the C interface."""

    layer = "waves"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.library.ruckle_waves_state_size.restype = ctypes.c_size_t
        self._first = ctypes.c_void_p()
        faces = self.faces.ctypes.data_as(ctypes.c_void_p)
        shape = len(self.faces), self.frames[0], self.positions.shape[1]
        self.call("ruckle_waves_create", faces, *shape, None, None, ctypes.byref(self._first))

    def wrinkler(self) -> ctypes.c_void_p:
        """Return new waves. They share the data of the rest pose with all other waves of this garment."""
        made = ctypes.c_void_p()
        self.call("ruckle_waves_clone", self._first, ctypes.byref(made))
        return made

    def reset(self, wrinkler: ctypes.c_void_p) -> None:
        """Reset waves to their state before the first frame."""
        self.library.ruckle_waves_reset(wrinkler)

    def step(self, wrinkler: ctypes.c_void_p, frame: int) -> None:
        """Step waves to a frame of the motion. The motion plays forward and then backward."""
        at = self.frames[frame % len(self.frames)]
        self.call("ruckle_waves_step", wrinkler, at, self.positions.shape[1], self.dt, None)

    def table(self, wrinkler: ctypes.c_void_p, frame: int) -> Any:
        """Write the texels of the last step into a buffer of the calling thread. Return them with their number."""
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
        """Return 0, because waves are a field and cannot be counted."""
        return 0

    def destroy(self, wrinklers: list[ctypes.c_void_p]) -> None:
        """Destroy waves."""
        for wrinkler in wrinklers:
            self.library.ruckle_waves_destroy(wrinkler)


_THREAD = threading.local()


def _room(texels: int) -> Any:
    """Return a buffer for texels of 16 bytes each, which the calls of this thread share."""
    if not hasattr(_THREAD, "room"):
        _THREAD.room = (ctypes.c_char * (16 * texels))()
    return _THREAD.room


def in_new_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a function that runs in a new process, in which `resident` measures only its own memory.

    In the process of an earlier measurement, garments would use freed memory without an increase of the resident
    memory.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def resident() -> float:
    """Return the resident memory of this process in KB; NaN if the system does not report it."""
    # glibc keeps freed memory, which the next garments would use without an increase of the resident memory
    getattr(ctypes.CDLL(None), "malloc_trim", lambda _: 0)(0)
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024
