"""GLB files from arrays: a document under construction, and its bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["GlbDocument", "require_room"]

COMPONENTS = {"float32": 5126, "uint32": 5125}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3"}
ARRAY_BUFFER, ELEMENT_BUFFER = 34962, 34963

# A quarter turn about x: glTF prescribes that Y points up.
FROM_Z_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]


# Bytes of a GLB file, which counts them with 32 bits, and of the text in it, most.
LARGEST_FILE, LONGEST_TEXT = 2**32 - 1, 2**26


def require_room(size: float) -> None:
    """Raise ValueError if a GLB file cannot hold so many bytes of arrays."""
    if size > LARGEST_FILE - LONGEST_TEXT:
        raise ValueError(
            f"a GLB file holds 4 GB, and this one would take {size / 1e9:.1f}; write fewer frames or longer edges"
        )


class GlbDocument:
    """One mesh on one node, to which arrays are added.

    Parameters
    ----------
    generator : str
    notes : mapping of str to str
        The provenance in the file.
    """

    def __init__(self, generator: str, notes: Mapping[str, str]) -> None:
        self.root: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": generator, "extras": {"ruckle": dict(notes)}},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "accessors": [],
            "bufferViews": [],
        }
        self._parts: list[NDArray[Any]] = []
        self._size = 0

    def accessor(self, values: NDArray[Any], *, target: int | None = None, bounds: bool = False) -> int:
        """Add an array of (count,) or (count, components), float32 or uint32; return the number of its accessor."""
        array = np.ascontiguousarray(values)
        require_room(self._size + array.nbytes)
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": array.nbytes}
        self.root["bufferViews"].append(view if target is None else view | {"target": target})
        entry: dict[str, Any] = {
            "bufferView": len(self.root["bufferViews"]) - 1,
            "componentType": COMPONENTS[array.dtype.name],
            "count": len(array),
            "type": KINDS[1 if array.ndim == 1 else array.shape[1]],
        }
        if bounds:
            table = array.reshape(len(array), -1)
            entry |= {"min": table.min(axis=0).tolist(), "max": table.max(axis=0).tolist()}
        self.root["accessors"].append(entry)
        # all are of four bytes, and so every one is aligned
        self._parts.append(array)
        self._size += array.nbytes
        return len(self.root["accessors"]) - 1

    def write(self, file: BinaryIO) -> None:
        """Write the file."""
        text = json.dumps({**self.root, "buffers": [{"byteLength": self._size}]}).encode()
        text += b" " * (-len(text) % 4)
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + self._size))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", self._size, b"BIN\0"))
        for part in self._parts:
            file.write(part.data)
