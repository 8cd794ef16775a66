"""The container format of glTF 2.0: a JSON document, read with checked types, and its buffers.

The JSON is read by Python's standard library. The package pygltflib 1.16 creates an object for every entry of the
document, which takes 11 s instead of 0.03 s for a character with 8,828 accessors. It also raises arbitrary exceptions
for damaged files.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.gltf_compression import MESHOPT_EXTENSIONS, decoded_view
from ruckle.io.gltf_entry import Entry, digits
from ruckle.io.reading import parse_json

__all__ = ["Document", "Entry"]

# Largest number of skipped parts that a warning lists by name for each reason.
NAMED = 3

GLB_MAGIC = b"glTF"
GLB_HEADER = struct.Struct("<4sII")
CHUNK_HEADER = struct.Struct("<II")
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942

# Required extensions that are supported, or that do not affect geometry and motion. Any other extension is an error.
KNOWN_EXTENSIONS = re.compile(
    r"KHR_(mesh_quantization|materials_.*|texture_.*|lights_.*|xmp.*|animation_pointer|node_visibility)"
    r"|KHR_draco_mesh_compression|(EXT|KHR)_meshopt_compression|EXT_(texture_.*|mesh_gpu_instancing)"
    r"|VRM|VRMC_.*"
)


class Document:
    """A glTF or GLB file: its JSON document and its buffers. A buffer is loaded on first use.

    Attributes
    ----------
    root : Entry
        The JSON document.
    budget : Budget
        Limits of memory and time. The file size does not limit the work, because accessors may overlap or consist of
        zeros without bytes, and joints and nodes may occur several times.
    left_out : dict
        Names of parts that are not read, by reason. One warning lists all reasons, with some names for each.
    decoded : dict
        Decoded numbers (count, components) of compressed primitives, by accessor index.
    """

    def __init__(self, path: Path, budget: Budget) -> None:
        content = budget.read(path)
        if not content:
            raise FormatError(f"{path}: is empty")
        self.path = path
        self.budget = budget
        text, self._binary = _split_glb(content, path) if content.startswith(GLB_MAGIC) else (content, None)
        self.root = Entry(parse_json(text, str(path)), path)
        self._buffers: dict[int, bytes] = {}
        self._decoded_views: dict[int, bytes] = {}
        self.decoded: dict[int, NDArray[Any]] = {}
        self.left_out: dict[str, dict[str, None]] = {}
        version = (self.root.entry("asset") or self.root).text("version")
        if not re.fullmatch(r"2\.\d+", version):
            raise FormatError(f"{path}: is glTF version '{version}', only 2.x can be read")

    def require_supported(self) -> None:
        """Raise FormatError for the first required extension that is not supported."""
        for extension in self.root.texts("extensionsRequired"):
            if not KNOWN_EXTENSIONS.fullmatch(extension):
                raise FormatError(f"{self.path}: requires the extension {extension}, which is not supported")

    def leave_out(self, reason: str, name: str) -> None:
        """Record the name of a part that is not read, for the warning."""
        self.left_out.setdefault(reason, {})[name] = None

    def remark(self) -> None:
        """Warn once about all parts that `leave_out` has recorded, and delete the record."""
        parts = []
        for reason, names in self.left_out.items():
            shown = [f"{name:.80}" for name in list(names)[:NAMED]]
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            parts.append(f"{reason} ({', '.join(shown)}{more})")
        if parts:
            warnings.warn(f"{self.path}: {'; '.join(parts)}", stacklevel=2)
        self.left_out.clear()

    def view(self, index: int) -> tuple[bytes, int, int, int | None]:
        """Return buffer, offset, length and stride (in bytes) of a buffer view."""
        view = self.root.element("bufferViews", index)
        stride = view.integer("byteStride", least=1) if "byteStride" in view else None
        decoded = self.decoded_view(index) if "extensions" in view else None
        if decoded is not None:
            return decoded, 0, len(decoded), stride
        buffer, offset, length = self._range(view)
        return buffer, offset, length, stride

    def decoded_view(self, index: int) -> bytes | None:
        """Return the decoded bytes of a buffer view that is only available compressed; None for other views."""
        compressed = self._compressed(self.root.element("bufferViews", index))
        if compressed is None:
            return None
        if index not in self._decoded_views:
            self._decoded_views[index] = decoded_view(compressed, self.part(compressed), self.budget)
        return self._decoded_views[index]

    def has_buffer(self, index: int) -> bool:
        """Return True if a buffer has bytes. The fallback buffer of a compressed view may be without bytes."""
        buffer = self.root.element("buffers", index)
        marks = [(buffer.entry("extensions") or buffer).entry(name) for name in MESHOPT_EXTENSIONS]
        is_empty = any(mark is not None and mark.flag("fallback") for mark in marks)
        return "uri" in buffer or (index == 0 and self._binary is not None and not is_empty)

    def part(self, entry: Entry) -> bytes:
        """Return the bytes that an object specifies by `buffer`, `byteOffset` and `byteLength`."""
        buffer, offset, length = self._range(entry)
        return buffer[offset : offset + length]

    def _range(self, entry: Entry) -> tuple[bytes, int, int]:
        buffer = self.buffer(entry.integer("buffer", below=self.root.count("buffers")))
        offset, length = entry.integer("byteOffset", 0), entry.integer("byteLength", least=1)
        if offset + length > len(buffer):
            raise entry.fault(f"ends at byte {digits(offset + length)} of a buffer of {len(buffer)}")
        return buffer, offset, length

    def is_image_missing(self, index: int) -> bool:
        """Return True if an image is in an external file that does not exist."""
        image = self.root.element("images", index)
        return "uri" in image and not image.text("uri").startswith("data:") and not _neighbour(image).exists()

    def buffer(self, index: int) -> bytes:
        """Return the bytes of a buffer. It is read on first use."""
        if index not in self._buffers:
            self._buffers[index] = self._load_buffer(index)
        return self._buffers[index]

    def image(self, index: int) -> bytes:
        """Return the encoded bytes of an image, such as PNG."""
        image = self.root.element("images", index)
        view = image.index("bufferView", self.root.count("bufferViews"))
        if view is not None:
            buffer, offset, length, _ = self.view(view)
            return buffer[offset : offset + length]
        if "uri" not in image:
            raise image.fault("has neither a uri nor a bufferView")
        return _decode_data_uri(image) if image.text("uri").startswith("data:") else self.budget.read(_neighbour(image))

    def _compressed(self, view: Entry) -> Entry | None:
        """Return the compression extension of a view; None if there is none, or if the file also has decoded bytes."""
        extensions = view.entry("extensions")
        found = [name for name in MESHOPT_EXTENSIONS if extensions is not None and name in extensions]
        if extensions is None or not found:
            return None
        index = view.integer("buffer", below=self.root.count("buffers"))
        return None if self.has_buffer(index) else extensions.entry(found[0])

    def _load_buffer(self, index: int) -> bytes:
        buffer = self.root.element("buffers", index)
        length = buffer.integer("byteLength", least=1)
        if "uri" not in buffer:
            if index != 0 or self._binary is None:
                raise buffer.fault("has no uri, and the file has no binary chunk for it")
            content = self._binary
        elif buffer.text("uri").startswith("data:"):
            content = _decode_data_uri(buffer)
        else:
            content = self.budget.read(_neighbour(buffer), length)
        self.budget.hold(len(content), buffer)
        if len(content) < length:
            raise buffer.fault(f"states {digits(length)} bytes, but has only {len(content)}")
        return content[:length]


def _split_glb(content: bytes, path: Path) -> tuple[bytes, bytes | None]:
    """Return the JSON chunk of a GLB file, and its binary chunk (None if missing). FormatError if it is damaged."""
    if len(content) < GLB_HEADER.size:
        raise FormatError(f"{path}: is truncated within the GLB header")
    _, version, length = GLB_HEADER.unpack_from(content)
    if version != 2:
        raise FormatError(f"{path}: is GLB version {version}, only version 2 can be read")
    if length > len(content):
        raise FormatError(f"{path}: states {length} bytes, but has only {len(content)}")
    chunks: list[tuple[int, bytes]] = []
    offset = GLB_HEADER.size
    while offset < length:
        if offset + CHUNK_HEADER.size > length:
            raise FormatError(f"{path}: chunk {len(chunks)} is truncated")
        size, kind = CHUNK_HEADER.unpack_from(content, offset)
        offset += CHUNK_HEADER.size
        if size > length - offset:
            raise FormatError(f"{path}: chunk {len(chunks)} states {size} bytes, but {length - offset} are left")
        chunks.append((kind, content[offset : offset + size]))
        offset += size
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise FormatError(f"{path}: does not begin with a JSON chunk")
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BINARY_CHUNK else None
    return chunks[0][1], binary


def _decode_data_uri(entry: Entry) -> bytes:
    head, comma, body = entry.text("uri").partition(",")
    if not comma or not head.endswith(";base64"):
        raise entry.fault("uri: data is not base64")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise entry.fault(f"uri: is not valid base64 ({error})") from error


def _neighbour(entry: Entry) -> Path:
    """Return the path of an external buffer or image. The path must be inside the document's folder."""
    uri = entry.text("uri")
    folder = entry.path.parent
    try:
        target = (folder / unquote(uri)).resolve()
        inside = target.is_relative_to(folder.resolve())
        target.exists()
    except (OSError, ValueError, RuntimeError) as error:
        # the path is too long, contains a NUL character, or a loop of symbolic links
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise entry.fault(f"uri: {uri!r:.80} is not a usable path ({reason})") from error
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri) or not inside:
        raise entry.fault(f"uri: {uri!r:.80} does not lie in the document's folder")
    return target
