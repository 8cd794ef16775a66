# SPDX-License-Identifier: GPL-3.0-or-later
"""The library for C, `ruckle_c.h`, by ctypes: the wrinkles of one mesh and their surface, as NumPy arrays."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
VERSION = "0.1.0"


def _fields(kind: Any, names: str) -> list[tuple[str, Any]]:
    """Return consecutive members of a structure that are of one type."""
    return [(name, kind) for name in names.split()]


class Options(ctypes.Structure):
    """`ruckle_options`."""

    _fields_ = [
        *_fields(c_float, "r_min amplitude tau grow_tau least_aspect aspect"),
        *_fields(c_uint64, "seed"),
        *_fields(c_float, "path_alpha straightness length_change fade_in fade_out"),
        *_fields(c_int32, "coherent"),
        *_fields(c_float, "sigma alpha beta"),
        ("pairwise", 9 * c_float),
        *_fields(c_int32, "method"),
        *_fields(c_float, "relaxation"),
        *_fields(c_int32, "threads"),
    ]


class SurfaceOptions(ctypes.Structure):
    """`ruckle_surface_options`."""

    _fields_ = [("edge_length", c_float), *_fields(c_int32, "curved base_level"), ("edge_levels", POINTER(c_int32))]


class _FineMesh(ctypes.Structure):
    _fields_ = [
        *_fields(c_int32, "vertex_count face_count"),
        *_fields(POINTER(c_float), "positions normals heights"),
        ("coarse_faces", POINTER(c_int32)),
        ("barycentric", POINTER(c_float)),
        *_fields(POINTER(c_int32), "faces face_coarse_faces"),
    ]


@dataclass(frozen=True)
class FineMesh:
    """The wrinkled surface; its first vertices are those of the coarse mesh.

    Attributes
    ----------
    positions : (N, 3) float32
    faces : (M, 3) int32
    coarse_faces : (N,) int32 and barycentric : (N, 3) float32
        Where on the coarse mesh the vertices lie.
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

    def check(self, status: int) -> None:
        """Raise ValueError with the library's sentence where a call has failed."""
        if status:
            raise ValueError(self.calls.ruckle_error_message().decode())

    def default_options(self) -> Options:
        """Return the options as the library has them."""
        options = Options()
        self.calls.ruckle_default_options(byref(options))
        return options

    def weld(self, positions: Array, faces: Array) -> Array:
        """Return faces whose coincident vertices are one."""
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
    options : Options

    Raises
    ------
    ValueError
        Faces that are no manifold mesh, or an option out of its range.
    """

    def __init__(self, library: Library, faces: Array, vertex_count: int, options: Options) -> None:
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
        """Return all that has been made of the frames so far."""
        size = self._library.calls.ruckle_state_size(self._handle)
        content = ctypes.create_string_buffer(size)
        self._library.check(self._library.calls.ruckle_save_state(self._handle, content, c_size_t(size)))
        return content.raw

    def restore(self, state: bytes) -> None:
        """Go on from a state."""
        self._library.check(self._library.calls.ruckle_restore_state(self._handle, state, c_size_t(len(state))))

    def displace(self, positions: Array, edge_levels: Array) -> FineMesh:
        """Return the wrinkled surface over the positions of the last frame, edges divided into so many parts."""
        options, fine = SurfaceOptions(), _FineMesh()
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
