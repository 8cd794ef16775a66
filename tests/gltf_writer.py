"""Writes small glTF documents for tests from arrays, according to the specification.

The result is JSON or GLB bytes.
"""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

COMPONENT_TYPES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Writer:
    """A glTF document under construction. `root` is its JSON object, which tests may change."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": []}
        self.binary = b""

    def view(self, content: bytes, **properties: Any) -> int:
        """Append bytes to the buffer, aligned to 4 bytes. Return the index of a new buffer view of these bytes."""
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content), **properties}
        self.root["bufferViews"].append(view)
        self.binary += content
        return len(self.root["bufferViews"]) - 1

    def accessor(self, values: ArrayLike, dtype: str = "f4", **properties: Any) -> int:
        """Append an array (count,) or (count, components), and return the index of its accessor."""
        array = np.asarray(values).astype(f"<{dtype}")
        components = 1 if array.ndim == 1 else array.shape[1]
        entry = {"bufferView": self.view(array.tobytes()), "componentType": COMPONENT_TYPES[dtype]}
        return self.add("accessors", entry | {"count": array.shape[0], "type": KINDS[components], **properties})

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Append an entry to the list `kind` of the document, and return its index in this list."""
        entries: list[Any] = self.root.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def mesh(self, *primitives: dict[str, Any], **properties: Any) -> int:
        return self.add("meshes", {"primitives": list(primitives), **properties})

    def animate(self, node: int, path: str, times: ArrayLike, values: ArrayLike, way: str = "LINEAR") -> int:
        """Append an animation with one channel. `values` has shape (rows, components), or (rows,) for morph weights."""
        sampler = {"input": self.accessor(times), "output": self.accessor(values), "interpolation": way}
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        return self.add("animations", {"samplers": [sampler], "channels": [channel]})

    def glb(self) -> bytes:
        root, chunks = self.root, b""
        if self.binary:
            root = {"buffers": [{"byteLength": len(self.binary)}], **root}
            body = self.binary + b"\0" * (-len(self.binary) % 4)
            chunks = struct.pack("<II", len(body), 0x004E4942) + body
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + chunks
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def gltf(self, uri: str | None = None) -> bytes:
        """Return the document as JSON text.

        `uri` is the address of its buffer; by default, the buffer is embedded as base64.
        """
        embedded = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        buffers = [{"byteLength": len(self.binary), "uri": embedded if uri is None else uri}]
        return json.dumps({**self.root, "buffers": buffers}).encode()

    def save(self, path: Path) -> Path:
        """Write the document to a file in the format of its extension, .glb or .gltf. Return the path."""
        path.write_bytes(self.glb() if path.suffix == ".glb" else self.gltf())
        return path


TRIANGLE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def still_triangle(**node: Any) -> Writer:
    """Return a document with one triangle and one node without animation. `node` contains properties of this node."""
    writer = Writer()
    writer.mesh({"attributes": {"POSITION": writer.accessor(TRIANGLE)}})
    writer.add("nodes", {"mesh": 0, **node})
    return writer


def skinned_triangle(weights: ArrayLike, weight_type: str = "f4", **weight_properties: Any) -> Writer:
    """Return a document of a skinned triangle with weights (3, 4).

    Its two joints are node 1 at the origin and node 2 at x = 10.
    """
    writer = Writer()
    attributes = {
        "POSITION": writer.accessor(TRIANGLE),
        "JOINTS_0": writer.accessor([[0, 1, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": writer.accessor(weights, weight_type, **weight_properties),
    }
    writer.mesh({"attributes": attributes})
    for node in ({"mesh": 0, "skin": 0, "translation": [100, 100, 100]}, {}, {"translation": [10, 0, 0]}):
        writer.add("nodes", node)
    writer.add("skins", {"joints": [1, 2]})
    return writer


DRACO = "KHR_draco_mesh_compression"
MESHOPT = ["EXT_meshopt_compression", "KHR_meshopt_compression"]

ROWS = 8
GRID = np.array([(x, y, 0.1 * x * y) for y in range(ROWS) for x in range(ROWS)], np.float32)
CORNERS = np.array(
    [
        (k + a, k + b, k + c)
        for k in range(ROWS * (ROWS - 1))
        if (k + 1) % ROWS
        for a, b, c in ((0, 1, ROWS), (1, ROWS + 1, ROWS))
    ]
)
WEIGHTS = np.column_stack([GRID[:, 0] / 7, 1 - GRID[:, 0] / 7, 0 * GRID[:, :2]]).astype(np.float32)
JOINTS = np.tile(np.array([0, 1, 0, 0], np.uint8), (len(GRID), 1))


def _skinned(writer: Writer, primitive: dict[str, Any]) -> Writer:
    """Add a mesh, its skin of two joints, and an animation of the first joint. Return the same writer."""
    writer.mesh(primitive)
    for node in ({"mesh": 0, "skin": 0}, {}, {}):
        writer.add("nodes", node)
    writer.add("skins", {"joints": [1, 2]})
    writer.animate(1, "translation", [0.0, 0.1], [[0, 0, 0], [5, 0, 0]])
    return writer


def compressible() -> Writer:
    """Return an uncompressed document of a skinned grid. `with_draco` and `with_meshopt` compress the same arrays."""
    writer = Writer()
    attributes = {
        "POSITION": writer.accessor(GRID),
        "TEXCOORD_0": writer.accessor(GRID[:, :2] / 7),
        "JOINTS_0": writer.accessor(JOINTS, "u1"),
        "WEIGHTS_0": writer.accessor(WEIGHTS),
    }
    return _skinned(writer, {"attributes": attributes, "indices": writer.accessor(CORNERS.ravel(), "u2")})


def with_draco() -> Writer:
    """Return the document of the grid, compressed by Draco.

    Its accessors do not have a buffer view, as in real exports.
    """
    import DracoPy

    arrays = {"TEXCOORD_0": (1, GRID[:, :2] / 7), "JOINTS_0": (2, JOINTS), "WEIGHTS_0": (3, WEIGHTS)}
    packed = DracoPy.encode(
        GRID,
        CORNERS.astype(np.uint32),
        quantization_bits=20,
        preserve_order=True,
        generic_attributes={number: np.ascontiguousarray(array) for number, array in arrays.values()},
    )
    writer = Writer()
    kinds = {"POSITION": ("VEC3", "f4"), "TEXCOORD_0": ("VEC2", "f4"), "JOINTS_0": ("VEC4", "u1")}
    attributes = {
        name: writer.add("accessors", {"componentType": COMPONENT_TYPES[dtype], "count": len(GRID), "type": kind})
        for name, (kind, dtype) in (kinds | {"WEIGHTS_0": ("VEC4", "f4")}).items()
    }
    indices = {"componentType": COMPONENT_TYPES["u2"], "count": CORNERS.size, "type": "SCALAR"}
    extension = {
        "bufferView": writer.view(packed),
        "attributes": {"POSITION": 4} | {name: number for name, (number, _) in arrays.items()},
    }
    writer.root["extensionsRequired"] = [DRACO]
    return _skinned(
        writer,
        {
            "attributes": attributes,
            "indices": writer.add("accessors", indices),
            "extensions": {DRACO: extension},
        },
    )


def with_meshopt(name: str = MESHOPT[0]) -> Writer:
    """Return the document of the grid with compressed arrays. The buffer for the uncompressed arrays is empty."""
    import meshoptimizer

    writer, packed = compressible(), Writer()
    for accessor in writer.root["accessors"]:
        view = writer.root["bufferViews"][accessor["bufferView"]]
        content = writer.binary[view["byteOffset"] :][: view["byteLength"]]
        count, stride = accessor["count"], view["byteLength"] // accessor["count"]
        if accessor["type"] == "SCALAR" and accessor["componentType"] == COMPONENT_TYPES["u2"]:
            mode = "TRIANGLES"
            numbers = np.frombuffer(content, "<u2").astype(np.uint32)
            encoded = meshoptimizer.encode_index_buffer(numbers, count, len(GRID))
        else:
            mode = "ATTRIBUTES"
            encoded = meshoptimizer.encode_vertex_buffer(np.frombuffer(content, np.uint8), count, stride)
        place = {"buffer": 0, "byteOffset": len(packed.binary), "byteLength": len(encoded)}
        packed.binary += bytes(encoded)
        view |= {"buffer": 1, "extensions": {name: place | {"byteStride": stride, "count": count, "mode": mode}}}
    length = len(writer.binary)
    writer.binary = packed.binary
    empty = {"byteLength": length, "extensions": {name: {"fallback": True}}}
    writer.root["buffers"] = [{"byteLength": len(packed.binary)}, empty]
    writer.root["extensionsRequired"] = [name]
    return writer
