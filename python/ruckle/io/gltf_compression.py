"""Decodes compressed parts of glTF: primitives by Draco, buffer views by meshoptimizer. Requires the extra `gltf`.

Draco runs in a separate process. meshoptimizer runs in this process: the library is made for untrusted files, and
writes only to arrays of known size, whose bytes the budget counts.
"""

from __future__ import annotations

from base64 import b64encode
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ruckle.io.budget import Budget
from ruckle.io.gltf_entry import Entry

if TYPE_CHECKING:
    from ruckle.io.library_process import LibraryProcess

__all__ = ["DRACO_EXTENSION", "MESHOPT_EXTENSIONS", "decoded_primitive", "decoded_view"]

DRACO_EXTENSION = "KHR_draco_mesh_compression"
MESHOPT_EXTENSIONS = ("EXT_meshopt_compression", "KHR_meshopt_compression")

REMEDY = 'which is not installed: pip install "ruckle[gltf]"'

# For the time limit: estimated nanoseconds per byte that meshoptimizer decodes, and per mesh that Draco decodes.
MESHOPT_TIME, DRACO_TIME = 2.0, 4e5

# Filters of meshoptimizer, and the allowed sizes of an element in bytes for each.
FILTER_STRIDES = {"OCTAHEDRAL": (4, 8), "QUATERNION": (8,), "EXPONENTIAL": range(4, 257, 4)}


def decoded_primitive(
    primitive: Entry, compressed: Entry, content: bytes, budget: Budget
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Return the triangles (T, 3) of a Draco primitive, and its attributes (V, K) by name.

    Raises
    ------
    FormatError
        The primitive is damaged, or DracoPy is not installed.
    """
    # import on use, because few files are compressed by Draco
    from ruckle.io.library_process import DRACO, read_with

    if DRACO.is_missing:
        raise primitive.fault(f"is compressed by {DRACO_EXTENSION}, which needs {DRACO.remedy}")
    encoded = b64encode(content).decode()
    part = primitive.location.removeprefix(f"{primitive.path}: ")

    def decode(draco: LibraryProcess) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = draco.ask_arrays("decode", content=encoded, part=part)["arrays"]
        return arrays

    arrays = read_with(DRACO, primitive.path, budget, decode)
    faces = arrays.pop("faces")
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise primitive.fault("its Draco mesh does not have triangles")
    attributes, numbers = {}, compressed.entry("attributes") or compressed
    for name in numbers.keys() if "attributes" in compressed else ():
        number = str(numbers.integer(name))
        if number not in arrays:
            raise primitive.fault(f"its Draco mesh does not have {name}, attribute {number}")
        attributes[name] = arrays[number].reshape(len(arrays[number]), -1)
    budget.spend(DRACO_TIME, primitive)
    size = sum(array.nbytes for array in attributes.values())
    budget.count_decoded(len(content), faces.nbytes + size)
    # reserve memory for the conversion of faces to int64
    budget.hold(3 * faces.nbytes + size, primitive)
    return faces, attributes


def decoded_view(compressed: Entry, encoded: bytes, budget: Budget) -> bytes:
    """Return the decoded bytes of a buffer view. `compressed` is the JSON of its meshoptimizer extension.

    Raises
    ------
    FormatError
        The view is damaged, or meshoptimizer is not installed.
    """
    if find_spec("meshoptimizer") is None:
        raise compressed.fault(f"needs meshoptimizer, {REMEDY}")
    count, stride = compressed.integer("count", least=1), compressed.integer("byteStride", least=1)
    mode, filtered = compressed.text("mode"), compressed.text("filter", "NONE")
    budget.count_decoded(len(encoded), count * stride)
    budget.hold(2 * count * stride, compressed)
    budget.spend(MESHOPT_TIME * count * stride, compressed)
    content = np.frombuffer(encoded, np.uint8)
    is_vertex, is_index = mode == "ATTRIBUTES", mode in ("TRIANGLES", "INDICES")
    if is_index and (stride not in (2, 4) or (mode == "TRIANGLES" and count % 3)):
        raise compressed.fault(f"{mode.lower()}: {count} indices of {stride} bytes cannot be decoded")
    if (is_vertex and (stride % 4 or stride > 256)) or not (is_vertex or is_index):
        raise compressed.fault(f"mode '{mode:.80}' with {stride} bytes cannot be decoded")
    if filtered != "NONE" and (not is_vertex or stride not in FILTER_STRIDES.get(filtered, ())):
        raise compressed.fault(f"filter '{filtered:.80}' with {stride} bytes cannot be decoded")
    import meshoptimizer

    try:
        if is_vertex:
            vertices = meshoptimizer.decode_vertex_buffer(count, stride, content).view(np.uint8).reshape(-1)
            return _filtered(vertices, filtered, count, stride).tobytes()
        # decode indices of two bytes as four bytes, because the library would return them packed in an array of
        # four-byte numbers
        decode = meshoptimizer.decode_index_buffer if mode == "TRIANGLES" else meshoptimizer.decode_index_sequence
        indices = decode(count, 4, content)
    except (ValueError, RuntimeError) as error:
        raise compressed.fault(f"cannot be decoded ({error})") from error
    return np.asarray(indices).astype(f"<u{stride}").tobytes()


def _filtered(vertices: NDArray[np.uint8], name: str, count: int, stride: int) -> NDArray[np.uint8]:
    """Return vertex data after the filter `name`; unchanged if it is not one. A vertex has `stride` bytes."""
    import meshoptimizer

    filters = {
        "OCTAHEDRAL": meshoptimizer.decode_filter_oct,
        "QUATERNION": meshoptimizer.decode_filter_quat,
        "EXPONENTIAL": meshoptimizer.decode_filter_exp,
    }
    found: NDArray[np.uint8] = filters[name](vertices, count, stride) if name in filters else vertices
    return found
