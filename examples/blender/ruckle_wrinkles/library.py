# SPDX-License-Identifier: GPL-3.0-or-later
"""The C library (`ruckle_c.h`) through ctypes: layers of one mesh and their surface, as NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
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
    normals : (N, 3) float32
    heights : (N,) float32
        Over the smooth base.
    faces : (M, 3) int32
    coarse_faces : (N,) int32 and barycentric : (N, 3) float32
        Positions of the vertices on the coarse mesh.
    face_coarse_faces : (M,) int32
    """

    positions: Array
    normals: Array
    heights: Array
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
        arrays = {"edges": POINTER(c_int32), "face_edges": POINTER(c_int32)}
        results = {"error_message": c_char_p, "version": c_char_p, **arrays}
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

    def default_options(self, system: str = "ruckle", structure: str = "ruckle_options") -> Any:
        """Return the default options of a system, such as "ruckle_waves", in its struct."""
        options = self.structures[structure]()
        getattr(self.calls, f"{system}_default_options")(byref(options))
        return options

    def weld(self, positions: Array, faces: Array) -> Array:
        """Return faces with coincident vertices merged."""
        welded = np.empty_like(faces)
        self.check(
            self.calls.ruckle_weld(_pointer(positions), len(positions), _pointer(faces), len(faces), _pointer(welded))
        )
        return welded


class Handle:
    """An object of the library with states; `PREFIX` begins the names of its functions.

    Parameters
    ----------
    library : Library
    vertex_count : int
    arguments
        Of the function that creates the object, without the last one.

    Raises
    ------
    ValueError
        An argument is wrong; the message is the library's sentence.
    """

    PREFIX = ""

    def __init__(self, library: Library, vertex_count: int, *arguments: Any) -> None:
        self._library, self._handle = library, c_void_p()
        self.vertex_count = vertex_count
        library.check(self._function("create")(*arguments, byref(self._handle)))

    def _function(self, name: str) -> Any:
        return getattr(self._library.calls, f"{self.PREFIX}_{name}")

    def _call(self, name: str, *arguments: Any) -> None:
        self._library.check(self._function(name)(self._handle, *arguments))

    def reset(self) -> None:
        """Forget every frame."""
        self._function("reset")(self._handle)

    def state(self) -> bytes:
        """Return the state after the frames so far."""
        size = self._function("state_size")
        size.restype = c_size_t
        content = ctypes.create_string_buffer(size(self._handle))
        self._call("save_state", content, c_size_t(len(content)))
        return content.raw

    def restore(self, state: bytes) -> None:
        """Continue from a state."""
        self._call("restore_state", state, c_size_t(len(state)))

    def __del__(self) -> None:
        self._function("destroy")(self._handle)


class Wrinkler(Handle):
    """Wrinkle paths of one mesh, and the fine mesh of all layers; with r_min 0 it has no wrinkles of its own.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    vertex_count : int
    options : ruckle_options
    """

    PREFIX = "ruckle"

    def __init__(self, library: Library, faces: Array, vertex_count: int, options: Any) -> None:
        super().__init__(library, vertex_count, _pointer(faces), len(faces), vertex_count, byref(options))
        count = library.calls.ruckle_edge_count(self._handle)
        self.edges = _copy(library.calls.ruckle_edges(self._handle), (count, 2))
        self.face_edges = _copy(library.calls.ruckle_face_edges(self._handle), (len(faces), 3))

    def set_rest(self, positions: Array) -> None:
        """Set the pose (V, 3) in which the cloth is uncompressed. Forgets every frame."""
        self._call("set_rest", _pointer(positions), len(positions))

    def step(self, positions: Array, dt: float) -> None:
        """Take the next frame: positions (V, 3) float32, seconds since the one before."""
        self._call("step", _pointer(positions), len(positions), c_float(dt))

    def displace(self, positions: Array, edge_levels: Array, sources: Sequence[Any] = ()) -> FineMesh:
        """Return the wrinkled surface over the positions of the last frame, with these parts per edge."""
        made = self._library.structures
        options, fine = made["ruckle_surface_options"](), made["ruckle_fine_mesh"]()
        self._library.calls.ruckle_default_surface_options(byref(options))
        options.curved, options.edge_levels = 1, edge_levels.ctypes.data_as(POINTER(c_int32))
        added = (made["ruckle_height_source"] * max(1, len(sources)))(*sources)
        self._call(
            "displace_layers", _pointer(positions), len(positions), byref(options), added, len(sources), byref(fine)
        )
        vertices, faces = (fine.vertex_count,), (fine.face_count,)
        return FineMesh(
            _copy(fine.positions, (*vertices, 3)),
            _copy(fine.normals, (*vertices, 3)),
            _copy(fine.heights, vertices),
            _copy(fine.faces, (*faces, 3)),
            _copy(fine.coarse_faces, vertices),
            _copy(fine.barycentric, (*vertices, 3)),
            _copy(fine.face_coarse_faces, faces),
        )


class Waves(Handle):
    """Wrinkle waves of one mesh.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    rest : (V, 3) float32
    options : ruckle_wave_options
    """

    PREFIX = "ruckle_waves"

    def __init__(self, library: Library, faces: Array, rest: Array, options: Any) -> None:
        super().__init__(
            library, len(rest), _pointer(faces), len(faces), _pointer(rest), len(rest), None, byref(options)
        )

    def step(self, positions: Array, dt: float, remaining: Array | None) -> None:
        """Take the next frame; remaining (T,) is the share of each triangle that other layers leave."""
        self._call("step", _pointer(positions), len(positions), c_float(dt), _pointer(remaining))

    def heights(self, positions: Array) -> Any:
        """Return the waves of the last frame as a source of heights."""
        source = self._library.structures["ruckle_height_source"]()
        self._call("heights", _pointer(positions), len(positions), byref(source))
        return source


class PatternGrid:
    """Nodes of a mesh at which a pattern has heights.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    rest : (V, 3) float32
    spacing : float
        Largest distance of nodes along an edge.
    """

    def __init__(self, library: Library, faces: Array, rest: Array, spacing: float) -> None:
        self.library, self.handle, self.vertex_count = library, c_void_p(), len(rest)
        calls = library.calls
        library.check(
            calls.ruckle_pattern_grid_create(
                _pointer(faces), len(faces), _pointer(rest), len(rest), c_float(spacing), byref(self.handle)
            )
        )
        count = calls.ruckle_pattern_grid_node_count(self.handle)
        calls.ruckle_pattern_grid_faces.restype = POINTER(c_int32)
        calls.ruckle_pattern_grid_barycentric.restype = POINTER(c_float)
        self.faces = _copy(calls.ruckle_pattern_grid_faces(self.handle), (count,))
        self.barycentric = _copy(calls.ruckle_pattern_grid_barycentric(self.handle), (count, 3))

    def __del__(self) -> None:
        self.library.calls.ruckle_pattern_grid_destroy(self.handle)


class Modulator(Handle):
    """A pattern whose heights follow the compression.

    Parameters
    ----------
    grid : PatternGrid
    heights : (N,) float32, at the nodes
    options : ruckle_modulator_options
    """

    PREFIX = "ruckle_modulator"

    def __init__(self, grid: PatternGrid, heights: Array, options: Any) -> None:
        super().__init__(grid.library, grid.vertex_count, grid.handle, _pointer(heights), 1, None, byref(options))

    def step(self, positions: Array, dt: float, remaining: Array | None) -> None:
        """Take the next frame; remaining (T,) is the share of each triangle that other layers leave."""
        self._call("step", _pointer(positions), len(positions), c_float(dt), None, _pointer(remaining))

    def heights(self, positions: Array) -> Any:
        """Return the pattern of the last frame as a source of heights."""
        source = self._library.structures["ruckle_height_source"]()
        self._call("heights", _pointer(positions), len(positions), byref(source))
        return source


def _pointer(array: Array | None) -> c_void_p:
    if array is None:
        return c_void_p()
    assert array.flags.c_contiguous
    return array.ctypes.data_as(c_void_p)


def _copy(pointer: Any, shape: tuple[int, ...]) -> Array:
    return np.ctypeslib.as_array(pointer, shape).copy()
