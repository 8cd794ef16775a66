"""Reads glTF accessors: typed arrays in buffers; dense, interleaved or sparse; integer, float or normalised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_container import Document
from ruckle.io.gltf_entry import Entry

__all__ = ["accessor_count", "read_floats", "read_integers"]

COMPONENT_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
COMPONENT_COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

# For the memory limit: bytes per number while an accessor is decoded to float64 or int64, including temporary arrays.
DECODED_BYTES = 20

# For the time limit: estimated nanoseconds per accessor, and per number of an accessor.
ACCESSOR_TIME, NUMBER_TIME = 3e4, 10.0


def accessor_count(document: Document, index: int) -> int:
    """Return the element count of an accessor without reading it; for a compressed primitive, the decoded count."""
    if index in document.decoded:
        return len(document.decoded[index])
    return document.root.element("accessors", index).integer("count", least=1)


def read_floats(document: Document, index: int, *kinds: str) -> NDArray[np.float64]:
    """Return an accessor as (count, components) finite float64. Normalised integers are converted to [-1, 1] or [0, 1].

    Raises
    ------
    FormatError
        The accessor's type is not in `kinds` (if `kinds` is not empty), its elements exceed the buffer, or a value is
        not finite.
    """
    entry, raw = _read(document, index, kinds)
    # NumPy warns if it converts a signalling NaN; the check below reports this value instead
    with np.errstate(invalid="ignore"):
        values = raw.astype(np.float64)
    if entry.flag("normalized") and raw.dtype.kind in "iu":
        # the lowest signed value is converted to slightly less than -1, and then clamped (glTF 2.0, 3.11)
        values = np.maximum(values / np.iinfo(raw.dtype).max, -1.0)
    finite = np.isfinite(values).all(axis=1)
    if not finite.all():
        raise entry.fault(f"element {int(np.argmin(finite))} is not finite")
    return values


def read_integers(document: Document, index: int, kind: str) -> NDArray[np.int64]:
    """Return an accessor of unsigned integers as (count, components) int64."""
    entry, raw = _read(document, index, (kind,))
    if raw.dtype.kind != "u":
        raise entry.fault(f"componentType: expected unsigned integers, found {raw.dtype}")
    return raw.astype(np.int64)


def _read(document: Document, index: int, kinds: tuple[str, ...]) -> tuple[Entry, NDArray[Any]]:
    entry = document.root.element("accessors", index)
    kind, count = entry.text("type"), accessor_count(document, index)
    if kind not in (kinds or COMPONENT_COUNTS):
        raise entry.fault(f"type: expected {' or '.join(kinds or COMPONENT_COUNTS)}, found '{kind}'")
    dtype, components = _component_type(entry), COMPONENT_COUNTS[kind]
    document.budget.hold(count * components * DECODED_BYTES, entry)
    document.budget.spend(ACCESSOR_TIME + count * components * NUMBER_TIME, entry)
    if index in document.decoded:
        values = _converted(entry, document.decoded[index], dtype, (count, components))
    elif "bufferView" in entry:
        values = _elements(document, entry, dtype, count, components)
    else:
        values = np.zeros((count, components), dtype)
    sparse = entry.entry("sparse")
    return entry, values if sparse is None else _substitute(document, sparse, values)


def _converted(entry: Entry, decoded: NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """Return the decoded numbers of a compressed primitive, converted to the type in the accessor's JSON."""
    if decoded.shape != shape or (decoded.dtype.kind == "f") != (dtype.kind == "f"):
        raise entry.fault(f"states {dtype} numbers of shape {shape}, and holds {decoded.dtype} of {decoded.shape}")
    return decoded.astype(dtype)


def _component_type(entry: Entry) -> np.dtype[Any]:
    code = entry.integer("componentType")
    if code not in COMPONENT_TYPES:
        raise entry.fault(f"componentType: expected one of {', '.join(map(str, COMPONENT_TYPES))}, found {code}")
    return np.dtype(COMPONENT_TYPES[code])


def _elements(document: Document, entry: Entry, dtype: np.dtype[Any], count: int, components: int) -> NDArray[Any]:
    """Return a view (count, components) of the elements in a buffer.

    Raises
    ------
    FormatError
        Elements overlap, or the last element exceeds the buffer view.
    """
    buffer, start, length, stride = document.view(entry.integer("bufferView", below=document.root.count("bufferViews")))
    offset, size = entry.integer("byteOffset", 0), dtype.itemsize * components
    step = size if stride is None else stride
    if step < size:
        raise entry.fault(f"elements of {size} bytes overlap at a stride of {step}")
    if offset + step * (count - 1) + size > length:
        raise entry.fault(f"{count} elements of {size} bytes reach beyond their buffer view of {length} bytes")
    return np.ndarray((count, components), dtype, buffer, start + offset, (step, dtype.itemsize))


def _substitute(document: Document, sparse: Entry, values: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of `values` with the sparse elements replaced."""
    count = sparse.integer("count", least=1, below=values.shape[0] + 1)
    indices_entry, values_entry = sparse.entry("indices"), sparse.entry("values")
    if indices_entry is None or values_entry is None:
        raise sparse.fault("expected indices and values")
    kind = _component_type(indices_entry)
    if kind.kind != "u":
        raise indices_entry.fault(f"componentType: expected unsigned integers, found {kind}")
    indices = _elements(document, indices_entry, kind, count, 1)[:, 0].astype(np.int64)
    if int(indices.max()) >= values.shape[0]:
        raise indices_entry.fault(f"refers to element {int(indices.max())} of {values.shape[0]}")
    result = values.copy()
    result[indices] = _elements(document, values_entry, values.dtype, count, values.shape[1])
    return result
