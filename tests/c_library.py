"""Calls the C interface through ctypes, as a C program would.

The package's compiled core also exports the C functions.
"""

import ctypes
from collections.abc import Iterator
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.c_structures import structures

Array = NDArray[Any]

LIBRARY = ctypes.CDLL(_core.__file__)
LIBRARY.ruckle_error_message.restype = c_char_p
LIBRARY.ruckle_labels.restype = c_void_p

# ctypes classes of the C structs, by the name of the struct
STRUCTS = structures(LIBRARY)

# Only frames whose index is a multiple of 60 get a fine mesh, because fine meshes take longer than wrinkles.
DISPLACED = 60


def address(array: Array) -> Any:
    """Return a ctypes pointer to the memory of an array. Its type matches the dtype: int64, int32 or float32."""
    kinds = {np.dtype(np.int64): c_int64, np.dtype(np.int32): c_int32, np.dtype(np.float32): c_float}
    return array.ctypes.data_as(POINTER(kinds[array.dtype]))


def call(function: str, *arguments: Any) -> None:
    """Call a C function that returns a status.

    If the status is not 0, raise RuntimeError with the library's message.
    """
    if getattr(LIBRARY, function)(*arguments):
        raise RuntimeError(f"{function}: {LIBRARY.ruckle_error_message().decode()}")


def parameters() -> Iterator[Any]:
    """Yield the C struct that describes each option of the library."""
    for index in range(LIBRARY.ruckle_parameter_count()):
        described = STRUCTS["ruckle_parameter"]()
        call("ruckle_get_parameter", index, byref(described))
        yield described


def play(positions: Array, faces: Array, dt: float, *, default_options: bool) -> Iterator[dict[str, Array]]:
    """Compute wrinkles with the default options in C; yield arrays by name for each frame, some with a fine mesh.

    If `default_options` is True, the options are the result of ruckle_default_options, otherwise NULL.
    """
    count, welded, wrinkler = positions.shape[1], np.empty_like(faces), c_void_p()
    options = STRUCTS["ruckle_options"]()
    LIBRARY.ruckle_default_options(byref(options))
    call("ruckle_weld", address(positions[0]), count, address(faces), len(faces), address(welded))
    given = byref(options) if default_options else None
    call("ruckle_create", address(welded), len(faces), count, given, byref(wrinkler))
    try:
        for index, frame in enumerate(positions):
            call("ruckle_step", wrinkler, address(frame), count, c_float(dt))
            yield _wrinkles(wrinkler) | (_fine_mesh(wrinkler, frame) if index % DISPLACED == 0 else {})
    finally:
        LIBRARY.ruckle_destroy(wrinkler)


def _wrinkles(wrinkler: c_void_p) -> dict[str, Array]:
    wrinkles, points = LIBRARY.ruckle_wrinkle_count(wrinkler), LIBRARY.ruckle_point_count(wrinkler)
    found = {
        "ids": np.empty(wrinkles, np.int64),
        "offsets": np.empty(wrinkles + 1, np.int32),
        "edges": np.empty(points, np.int32),
        "t": np.empty(points, np.float32),
        "points": np.empty((points, 3), np.float32),
        "widths": np.empty(points, np.float32),
        "heights": np.empty(points, np.float32),
    }
    arrays = STRUCTS["ruckle_wrinkle_arrays"](wrinkles, points, *map(address, found.values()))
    call("ruckle_copy_wrinkles", wrinkler, byref(arrays))
    return found


def _fine_mesh(wrinkler: c_void_p, positions: Array) -> dict[str, Array]:
    mesh = STRUCTS["ruckle_fine_mesh"]()
    call("ruckle_displace", wrinkler, address(positions), len(positions), None, byref(mesh))
    return {
        "fine_positions": np.ctypeslib.as_array(mesh.positions, (mesh.vertex_count, 3)).copy(),
        "fine_faces": np.ctypeslib.as_array(mesh.faces, (mesh.face_count, 3)).copy(),
    }
