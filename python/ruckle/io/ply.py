"""Reads PLY files: one mesh per file, text or binary. Polygons are split into triangles.

The reader uses x, y, z of the vertices; their texture coordinates with the names (s, t), (u, v) or (texture_u,
texture_v); the face list vertex_indices or vertex_index; and the face list texcoord with two numbers per corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.obj import Mesh
from ruckle.io.polygons import triangle_corners

__all__ = ["read_ply"]

TYPES = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}
ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
TEXTURES = (("s", "t"), ("u", "v"), ("texture_u", "texture_v"))
INDICES = ("vertex_indices", "vertex_index")

# For the time limit: estimated nanoseconds per byte and per row; bytes per row during parsing.
PARSING_TIME, ROW_TIME, ROW_BYTES = 40.0, 4e3, 500

# Largest number of rows of a table, because 32-bit indices refer to the rows.
MOST = 2**31 - 1

# A table: for each property of an element, a list with one array of values per row.
Table = dict[str, list[NDArray[np.float64]]]


@dataclass(frozen=True)
class Property:
    """One property of an element: a number, or a list with the type of its stored length."""

    name: str
    kind: str
    length: str | None = None


@dataclass
class Element:
    """One element of a PLY file, such as "vertex": a table of `count` rows with the columns `properties`."""

    name: str
    count: int
    properties: list[Property]


def read_ply(path: Path, budget: Budget) -> Mesh:
    """Read one file.

    Raises
    ------
    FormatError
        The file is not PLY, is truncated, or does not contain vertices and faces.
    """
    content = budget.read(path)
    budget.spend(PARSING_TIME * len(content), str(path))
    order, elements, body = _header(content, path)
    for element in elements:
        if len({one.name for one in element.properties}) < len(element.properties):
            raise FormatError(f"{path}: has two properties of the same name in the element '{element.name}'")
    rows = sum(element.count for element in elements)
    if rows > len(body):
        raise FormatError(f"{path}: states {rows} rows, but has only {len(body)} bytes for them")
    budget.hold(ROW_BYTES * rows, str(path))
    source = Words(body) if order == "" else Bytes(body, order)
    tables: dict[str, Table] = {}
    for element in elements:
        budget.spend(ROW_TIME * element.count, str(path))
        try:
            tables[element.name] = source.table(element)
        except (StopIteration, ValueError) as error:
            raise FormatError(
                f"{path}: is cut or damaged within the {element.count} rows of '{element.name}'"
            ) from error
    return _mesh(tables, path)


def _header(content: bytes, path: Path) -> tuple[str, list[Element], bytes]:
    head, mark, rest = content.partition(b"end_header")
    lines = head.decode("latin-1").split("\n")
    if not mark or lines[0].strip() != "ply":
        raise FormatError(f"{path}: is no PLY file")
    order, elements = None, list[Element]()
    for line in lines[1:]:
        match line.split():
            case ["format", name, _] if name in ORDERS:
                order = ORDERS[name]
            case ["element", name, count] if count.isdecimal() and int(count) <= MOST:
                elements.append(Element(name, int(count), []))
            case ["property", "list", length, kind, name] if elements and {length, kind} <= TYPES.keys():
                elements[-1].properties.append(Property(name, TYPES[kind], TYPES[length]))
            case ["property", kind, name] if elements and kind in TYPES:
                elements[-1].properties.append(Property(name, TYPES[kind]))
            case [] | ["comment" | "obj_info", *_]:
                continue
            case _:
                raise FormatError(f"{path}: has the line '{line.strip():.60}' in its header, which is not valid in PLY")
    if order is None:
        raise FormatError(f"{path}: does not state its format")
    return order, elements, rest[2:] if rest.startswith(b"\r\n") else rest[1:]


class Words:
    """Reads the tables of a text file."""

    def __init__(self, body: bytes) -> None:
        self._words = iter(body.split())

    def table(self, element: Element) -> Table:
        """Return the columns of the next element."""
        columns: Table = {one.name: [] for one in element.properties}
        for _ in range(element.count):
            for one in element.properties:
                length = 1 if one.length is None else int(next(self._words))
                if length < 0:
                    raise ValueError("a negative length")
                columns[one.name].append(np.array([float(next(self._words)) for _ in range(length)]))
        return columns


class Bytes:
    """Reads the tables of a binary file."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._offset = body, order, 0

    def table(self, element: Element) -> Table:
        """Return the columns of the next element."""
        rows = self._even_rows(element)
        if rows is not None:
            self._offset += rows.nbytes
            fields = {one.name: rows[one.name].astype(np.float64).reshape(len(rows), -1) for one in element.properties}
            return {name: list(values) for name, values in fields.items()}
        columns: Table = {one.name: [] for one in element.properties}
        for _ in range(element.count):
            for one in element.properties:
                length = 1 if one.length is None else int(self._numbers(one.length, 1)[0])
                columns[one.name].append(self._numbers(one.kind, length).astype(np.float64))
        return columns

    def _even_rows(self, element: Element) -> NDArray[np.void] | None:
        """Return all rows as one array if the lists in all rows have the lengths of the first row, else None."""
        start, fields = self._offset, list[tuple[str, str] | tuple[str, str, int]]()
        lengths: dict[str, int] = {}
        for one in element.properties if element.count else []:
            if one.length is not None:
                lengths[one.name] = int(self._numbers(one.length, 1)[0])
                fields.append((f"length of {one.name}", self._order + one.length))
            fields.append((one.name, self._order + one.kind, lengths.get(one.name, 1)))
            self._numbers(one.kind, lengths.get(one.name, 1))
        self._offset = start
        layout = np.dtype(fields)
        if element.count * layout.itemsize > len(self._body) - start:
            return None
        rows = np.frombuffer(self._body, layout, element.count, start)
        even = all((rows[f"length of {name}"] == length).all() for name, length in lengths.items())
        return rows if even else None

    def _numbers(self, kind: str, count: int) -> NDArray[np.generic]:
        """Return the next numbers. Raise ValueError if the file ends too early."""
        numbers = np.frombuffer(self._body, np.dtype(self._order + kind), max(count, 0), self._offset)
        self._offset += numbers.nbytes
        return numbers


def _mesh(tables: dict[str, Table], path: Path) -> Mesh:
    """Return the mesh with vertices, triangles and texture coordinates from the tables."""
    vertices, faces = tables.get("vertex", {}), tables.get("face", {})
    indices = next((faces[name] for name in INDICES if name in faces), None)
    if not {"x", "y", "z"} <= vertices.keys() or not indices:
        raise FormatError(f"{path}: holds no faces and vertices with x, y and z")
    positions = _columns(vertices, "xyz", path)
    named = np.concatenate(indices)
    if (named != np.floor(named)).any():
        raise FormatError(f"{path}: has a face with a vertex index that is not a whole number")
    vertices_of = named.astype(np.int64)
    fans = triangle_corners(np.array([len(face) for face in indices], np.int64), vertices_of, positions)
    triangles = vertices_of[fans]
    coordinates = faces.get("texcoord")
    if coordinates is not None and all(len(uv) == 2 * len(face) for uv, face in zip(coordinates, indices, strict=True)):
        return Mesh(positions, triangles, np.concatenate(coordinates).reshape(-1, 2), fans)
    for names in TEXTURES:
        if set(names) <= vertices.keys():
            return Mesh(positions, triangles, _columns(vertices, names, path), triangles)
    return Mesh(positions, triangles)


def _columns(vertices: Table, names: Sequence[str], path: Path) -> NDArray[np.float64]:
    """Return the columns `names` of the vertices as (V, len(names)) numbers. FormatError if a column has lists."""
    for name in names:
        if any(len(row) != 1 for row in vertices[name]):
            raise FormatError(f"{path}: has vertices with more or fewer than one {name}")
    return np.stack([np.concatenate([np.empty(0), *vertices[name]]) for name in names], axis=1)
