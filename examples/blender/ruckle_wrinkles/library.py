# SPDX-License-Identifier: GPL-3.0-or-later
"""The C library (`ruckle_c.h`) through ctypes: the wrinkles of one mesh and their surface, as NumPy arrays."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .structures import structures

Array = NDArray[Any]
VERSION = "0.1.0"


@dataclass(frozen=True)
class FineMesh:
    """The wrinkled surface; its first vertices are those of the coarse mesh.

    Attributes
    ----------
    positions : (N, 3) float32
    faces : (M, 3) int32
    coarse_faces : (N,) int32 and barycentric : (N, 3) float32
        Positions of the vertices on the coarse mesh.
    face_coarse_faces : (M,) int32
    """

    positions: Array
    faces: Array
    coarse_faces: Array
    barycentric: Array
    face_coarse_faces: Array


class Library:
    """The functions of the shared library.

    Parameters
    ----------
    path : str

    Raises
    ------
    OSError
        No library, or one of another version.
    """

    def __init__(self, path: str) -> None:
        self.calls = ctypes.CDLL(path)
        results = {"error_message": c_char_p, "version": c_char_p, "edges": POINTER(c_int32), "state_size": c_size_t}
        for name, kind in results.items():
            getattr(self.calls, f"ruckle_{name}").restype = kind
        found = self.calls.ruckle_version().decode()
        if found != VERSION:
            raise OSError(f"{path}: is version {found} of ruckle, expected {VERSION}")
        self.structures = structures(self.calls)

    def check(self, status: int) -> None:
        """Raise ValueError with the library's sentence if a call has failed."""
        if status:
            raise ValueError(self.calls.ruckle_error_message().decode())

    def default_options(self) -> Any:
        """Return the library's default options."""
        options = self.structures["ruckle_options"]()
        self.calls.ruckle_default_options(byref(options))
        return options

    def weld(self, positions: Array, faces: Array) -> Array:
        """Return faces with coincident vertices merged."""
        welded = np.empty_like(faces)
        self.check(
            self.calls.ruckle_weld(_pointer(positions), len(positions), _pointer(faces), len(faces), _pointer(welded))
        )
        return welded


class Wrinkler:
    """The wrinkles of one mesh, frame after frame.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    vertex_count : int
    options : ruckle_options

    Raises
    ------
    ValueError
        Faces that are not a manifold mesh, or an option out of its range.
    """

    def __init__(self, library: Library, faces: Array, vertex_count: int, options: Any) -> None:
        self._library, self._handle = library, c_void_p()
        self.vertex_count = vertex_count
        create = library.calls.ruckle_create
        library.check(create(_pointer(faces), len(faces), vertex_count, byref(options), byref(self._handle)))
        count = library.calls.ruckle_edge_count(self._handle)
        self.edges = np.ctypeslib.as_array(library.calls.ruckle_edges(self._handle), (count, 2)).copy()

    def step(self, positions: Array, dt: float) -> None:
        """Take the next frame: positions (V, 3) float32, seconds since the one before."""
        step = self._library.calls.ruckle_step
        self._library.check(step(self._handle, _pointer(positions), len(positions), c_float(dt)))

    def reset(self) -> None:
        """Forget every frame."""
        self._library.calls.ruckle_reset(self._handle)

    def state(self) -> bytes:
        """Return the state after the frames so far."""
        size = self._library.calls.ruckle_state_size(self._handle)
        content = ctypes.create_string_buffer(size)
        self._library.check(self._library.calls.ruckle_save_state(self._handle, content, c_size_t(size)))
        return content.raw

    def restore(self, state: bytes) -> None:
        """Continue from a state."""
        self._library.check(self._library.calls.ruckle_restore_state(self._handle, state, c_size_t(len(state))))

    def displace(self, positions: Array, edge_levels: Array) -> FineMesh:
        """Return the wrinkled surface over the positions of the last frame, with these parts per edge."""
        made = self._library.structures
        options, fine = made["ruckle_surface_options"](), made["ruckle_fine_mesh"]()
        self._library.calls.ruckle_default_surface_options(byref(options))
        options.curved, options.edge_levels = 1, edge_levels.ctypes.data_as(POINTER(c_int32))
        displace = self._library.calls.ruckle_displace
        self._library.check(displace(self._handle, _pointer(positions), len(positions), byref(options), byref(fine)))
        vertices, faces = (fine.vertex_count,), (fine.face_count,)
        return FineMesh(
            _copy(fine.positions, (*vertices, 3)),
            _copy(fine.faces, (*faces, 3)),
            _copy(fine.coarse_faces, vertices),
            _copy(fine.barycentric, (*vertices, 3)),
            _copy(fine.face_coarse_faces, faces),
        )

    def __del__(self) -> None:
        self._library.calls.ruckle_destroy(self._handle)


def _pointer(array: Array) -> c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(c_void_p)


def _copy(pointer: Any, shape: tuple[int, ...]) -> Array:
    return np.ctypeslib.as_array(pointer, shape).copy()
