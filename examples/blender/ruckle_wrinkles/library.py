# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls the C library (`ruckle_c.h`) with ctypes. Results are NumPy arrays."""

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
    """The wrinkled surface. Its first vertices are the coarse vertices.

    Attributes
    ----------
    positions : (N, 3) float32
    normals : (N, 3) float32
    heights : (N,) float32
        Heights of the folds above the smooth base surface.
    faces : (M, 3) int32
    coarse_faces : (N,) int32 and barycentric : (N, 3) float32
        Coarse face of each vertex, and its barycentric coordinates in this face.
    face_coarse_faces : (M,) int32
        Coarse face of each fine face.
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
        The library cannot be loaded or has another version.
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
        """Return a struct with the default options. `system` is a prefix of C functions, such as "ruckle_waves"."""
        options = self.structures[structure]()
        getattr(self.calls, f"{system}_default_options")(byref(options))
        return options


class Handle:
    """An object of the C library whose state can be saved. `PREFIX` is the prefix of its functions.

    Parameters
    ----------
    library : Library
    arguments
        Arguments of the function that creates the object, without the last one, the pointer to the result.

    Raises
    ------
    ValueError
        An argument is wrong; the message is the library's sentence.
    """

    PREFIX = ""

    def __init__(self, library: Library, *arguments: Any) -> None:
        self._library, self.handle = library, c_void_p()
        library.check(self._function("create")(*arguments, byref(self.handle)))

    def _function(self, name: str) -> Any:
        return getattr(self._library.calls, f"{self.PREFIX}_{name}")

    def _call(self, name: str, *arguments: Any) -> None:
        self._library.check(self._function(name)(self.handle, *arguments))

    def reset(self) -> None:
        """Return to the state before the first frame."""
        self._function("reset")(self.handle)

    def state(self) -> bytes:
        """Return the current state as bytes."""
        size = self._function("state_size")
        size.restype = c_size_t
        content = ctypes.create_string_buffer(size(self.handle))
        self._call("save_state", content, c_size_t(len(content)))
        return content.raw

    def restore(self, state: bytes) -> None:
        """Return to a saved state."""
        self._call("restore_state", state, c_size_t(len(state)))

    def __del__(self) -> None:
        self._function("destroy")(self.handle)


class LayeredGarment(Handle):
    """Wrinkle paths, waves and a pattern on one mesh. A layer folds the length that earlier layers have not folded.

    Parameters
    ----------
    library : Library
    rest : (V, 3) float32
    faces : (T, 3) int32
        Vertices at the same position are joined.
    paths : ruckle_options, optional
        None for no wrinkle paths.
    waves : ruckle_wave_options, optional
        None for no waves.
    paint : (V,) float32, in [0, 1], optional
        Multiplies the heights of paths and waves.
    """

    PREFIX = "ruckle_garment"

    def __init__(
        self, library: Library, rest: Array, faces: Array, paths: Any, waves: Any, paint: Array | None = None
    ) -> None:
        mesh = library.structures["ruckle_garment_mesh"](
            rest=_pointer(rest), vertex_count=len(rest), indices=_pointer(faces), face_count=len(faces),
            index_size=faces.itemsize, weld=1,
        )  # fmt: skip
        super().__init__(library, *(None if one is None else byref(one) for one in (mesh, paths, waves)))
        if paint is not None:
            self._call("set_paint", _pointer(paint))
        calls, shape = library.calls, (len(faces), 3)
        wrinkler = self._array("wrinkler", c_void_p)
        count = calls.ruckle_edge_count(c_void_p(wrinkler))
        self._vertex_count = len(rest)
        self.faces = _copy(self._array("faces", POINTER(c_int32)), shape)
        self.edges = _copy(calls.ruckle_edges(c_void_p(wrinkler)), (count, 2))
        self.face_edges = _copy(calls.ruckle_face_edges(c_void_p(wrinkler)), shape)
        self._pattern: Modulator | None = None

    def _array(self, name: str, kind: Any) -> Any:
        function = self._function(name)
        function.restype = kind
        return function(self.handle)

    def set_pattern(self, pattern: Modulator) -> None:
        """Add a pattern of the same mesh."""
        self._call("set_pattern", pattern.handle)
        # the library stores only its address, so it must not be destroyed
        self._pattern = pattern

    def step(self, positions: Array, dt: float) -> None:
        """Step to the next frame: positions (V, 3) float32, and the seconds since the previous frame."""
        if positions.shape != (self._vertex_count, 3):
            raise ValueError(f"positions: expected {self._vertex_count} vertices, got {len(positions)}")
        self._call("step", _pointer(positions), 0, c_float(dt))

    def displace(self, edge_levels: Array) -> FineMesh:
        """Return the wrinkled surface of the last frame; `edge_levels` (E,) int32 is the number of parts per edge."""
        made = self._library.structures
        options, fine = made["ruckle_surface_options"](), made["ruckle_fine_mesh"]()
        self._library.calls.ruckle_default_surface_options(byref(options))
        options.curved, options.edge_levels = 1, edge_levels.ctypes.data_as(POINTER(c_int32))
        self._call("displace", byref(options), byref(fine))
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


class PatternGrid:
    """The points on a mesh at which a pattern stores its heights.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    rest : (V, 3) float32
    spacing : float
        Largest distance between two nodes along an edge.
    """

    def __init__(self, library: Library, faces: Array, rest: Array, spacing: float) -> None:
        self.library, self.handle = library, c_void_p()
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
    """A pattern of folds whose heights are scaled by the compression of the cloth.

    Parameters
    ----------
    grid : PatternGrid
    heights : (N,) float32, at the nodes
    paint : (V,) float32, in [0, 1], optional
        Multiplies the heights.
    options : ruckle_modulator_options
    """

    PREFIX = "ruckle_modulator"

    def __init__(self, grid: PatternGrid, heights: Array, paint: Array | None, options: Any) -> None:
        super().__init__(grid.library, grid.handle, _pointer(heights), 1, _pointer(paint), byref(options))


def _pointer(array: Array | None) -> c_void_p:
    if array is None:
        return c_void_p()
    assert array.flags.c_contiguous
    return array.ctypes.data_as(c_void_p)


def _copy(pointer: Any, shape: tuple[int, ...]) -> Array:
    return np.ctypeslib.as_array(pointer, shape).copy()
