"""Builds GLB files from arrays."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_compression import MESHOPT_EXTENSIONS
from ruckle.io.gltf_container import Document

__all__ = ["GlbDocument", "require_room"]

COMPONENTS = {"float32": 5126, "uint32": 5125, "uint16": 5123}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
ARRAY_BUFFER, ELEMENT_BUFFER = 34962, 34963

MIME_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}

# Rotation by -90° about x as a quaternion, for meshes with Z up. In glTF, Y points up.
FROM_Z_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]


# Largest GLB file in bytes: the file stores its size as a 32-bit number. The second number of these bytes is reserved
# for the JSON text.
LARGEST_FILE, LONGEST_TEXT = 2**32 - 1, 2**26


def require_room(size: float) -> None:
    """Raise ValueError if arrays with `size` bytes do not fit into a GLB file."""
    if size > LARGEST_FILE - LONGEST_TEXT:
        raise ValueError(
            f"a GLB file holds at most 4 GB, and this one would have {size / 1e9:.1f} GB; use a smaller budget"
        )


class GlbDocument:
    """A glTF document to which arrays are added. It is new, or a copy of a file.

    Parameters
    ----------
    generator : str
        Name of the program, for a new document.
    notes : mapping of str to str
        Provenance of the result: version, source and settings.
    original : Document, optional
        File to copy. Its buffers are copied byte by byte, and compressed buffer views are also stored decoded.

    Attributes
    ----------
    root : dict
        The JSON value, which callers may change.
    """

    def __init__(self, generator: str, notes: Mapping[str, str], *, original: Document | None = None) -> None:
        self._parts: list[memoryview | bytes] = []
        self._size = 0
        self.root: dict[str, Any] = {"asset": {"version": "2.0", "generator": generator}, "scene": 0}
        if original is not None:
            self.root = original.root.copied()
            self._keep_buffers(original)
        self.root["asset"].setdefault("extras", {})
        if not isinstance(self.root["asset"]["extras"], dict):
            self.root["asset"]["extras"] = {"original": self.root["asset"]["extras"]}
        self.root["asset"]["extras"]["ruckle"] = dict(notes)

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Append an entry to a list of the document, such as "materials", and return its index."""
        entries: list[Any] = self.root.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def view(self, content: memoryview | bytes, **properties: int) -> int:
        """Add bytes, and return the index of their buffer view."""
        start = self._append(content)
        return self.add("bufferViews", {"buffer": 0, "byteOffset": start, "byteLength": len(content), **properties})

    def accessor(self, values: NDArray[Any], *, target: int | None = None, bounds: bool = False) -> int:
        """Add a float32, uint32 or uint16 array (count,) or (count, components), and return its accessor's index."""
        array = np.ascontiguousarray(values)
        entry: dict[str, Any] = {
            "bufferView": self.view(array.data.cast("B"), **({} if target is None else {"target": target})),
            "componentType": COMPONENTS[array.dtype.name],
            "count": len(array),
            "type": KINDS[1 if array.ndim == 1 else array.shape[1]],
        }
        if bounds:
            table = array.reshape(len(array), -1)
            entry |= {"min": table.min(axis=0).tolist(), "max": table.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def write(self, file: BinaryIO) -> None:
        """Write the file."""
        if self._size:
            self.root["buffers"] = [{"byteLength": self._size}]
        text = json.dumps(self.root, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + self._size))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", self._size, b"BIN\0"))
        for part in self._parts:
            file.write(part)

    def _append(self, content: memoryview | bytes) -> int:
        """Append bytes at the next multiple of four, the alignment of all accessors. Return their position."""
        start = self._size
        require_room(start + len(content) + 3)
        padding = -len(content) % 4
        self._parts.append(content)
        if padding:
            self._parts.append(bytes(padding))
        self._size += len(content) + padding
        return start

    def _keep_buffers(self, original: Document) -> None:
        """Append the buffers of a file one after another, and then the pictures from other files.

        Compressed buffer views are decoded, and all references in the JSON are adapted.
        """
        # buffers without bytes are only for compressed views, which are stored without compression
        numbers = [index for index in range(original.root.count("buffers")) if original.has_buffer(index)]
        starts = {index: self._append(original.buffer(index)) for index in numbers}
        for index, view in enumerate(self.root.get("bufferViews", [])):
            decoded = original.decoded_view(index)
            if decoded is not None:
                stride = {name: view[name] for name in ("byteStride", "target") if name in view}
                view.clear()
                view.update(stride, buffer=0, byteOffset=self._append(decoded), byteLength=len(decoded))
                continue
            start = starts[int(view["buffer"])]
            view["buffer"] = 0
            if start:
                view["byteOffset"] = start + int(view.get("byteOffset", 0))
        for names in (self.root.get(kind, []) for kind in ("extensionsUsed", "extensionsRequired")):
            names[:] = [name for name in names if name not in MESHOPT_EXTENSIONS]
        for index, image in enumerate(self.root.get("images", [])):
            if "uri" in image and not image["uri"].startswith("data:"):
                suffix = PurePosixPath(image["uri"]).suffix.lower()
                content = original.image(index)
                del image["uri"]
                image.setdefault("mimeType", MIME_TYPES.get(suffix, "image/png"))
                image["bufferView"] = self.view(content)
