"""Calls the upsampler of the C interface, which it creates from the bytes of a model file."""

from ctypes import POINTER, byref, c_float, c_int32, c_size_t, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from c_library import LIBRARY, STRUCTS, address, call

__all__ = ["UpsamplerInC"]

PRECISIONS = ("half", "single")
COUNTS = ("coarse_vertex_count", "coarse_face_count", "fine_vertex_count", "fine_face_count")


class UpsamplerInC:
    """An upsampler in C. Each method raises RuntimeError with the library's message if a call fails."""

    def __init__(self, file: bytes, precision: str = "half") -> None:
        options = STRUCTS["ruckle_upsampler_options"]()
        LIBRARY.ruckle_upsampler_default_options(byref(options))
        options.precision = PRECISIONS.index(precision)
        self._upsampler = c_void_p()
        self._call("create_from_memory", file, c_size_t(len(file)), byref(options), byref(self._upsampler))
        counts = [getattr(LIBRARY, f"ruckle_upsampler_{name}")(self._upsampler) for name in COUNTS]
        self.coarse_count = counts[0]
        self._shapes = {
            "coarse_faces": (counts[1], 3),
            "fine_faces": (counts[3], 3),
            "holders": (counts[2],),
            "barycentric": (counts[2], 3),
            "positions": (counts[2], 3),
        }

    def step(self, positions: NDArray[np.float32], dt: float, gain: float) -> NDArray[np.float32]:
        """Step to the next frame, and return the fine positions."""
        given = address(positions), len(positions), c_float(dt), c_float(gain), None
        self._call("step", self._upsampler, *given)
        return self.array("positions")

    def array(self, name: str) -> NDArray[Any]:
        """Return a copy of the array of the C function ruckle_upsampler_`name`."""
        question = getattr(LIBRARY, f"ruckle_upsampler_{name}")
        question.restype = POINTER(c_float if name in ("barycentric", "positions") else c_int32)
        return np.ctypeslib.as_array(question(self._upsampler), self._shapes[name]).copy()

    def _call(self, name: str, *arguments: Any) -> None:
        call(f"ruckle_upsampler_{name}", *arguments)

    def __del__(self) -> None:
        LIBRARY.ruckle_upsampler_destroy(self._upsampler)
