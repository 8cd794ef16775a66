"""Reads and writes one Wavefront OBJ file: a polygon mesh as text, with optional texture coordinates.

`read_mesh` reads the lines `v`, `vt` and `f`, and the names of `o`, `g` and `usemtl`. Normals and other lines are
skipped.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.obj_groups import MARKS, MOST_NAMES, Mark, obj_groups
from ruckle.io.polygons import triangle_corners
from ruckle.io.replacing import replacing
from ruckle.mesh.groups import VertexGroups

__all__ = ["Mesh", "parse_mesh", "read_groups", "read_mesh", "write_mesh"]

Corner = tuple[int, int | None]

# Largest number of characters of a line that an error message shows.
SHOWN = 60

# For the time limit: estimated nanoseconds per byte of text. Time must be limited, because a folder can contain many
# links to one file: the file is parsed for each link, but its bytes raise the limits only once.
PARSING_TIME = 500.0


@dataclass(frozen=True)
class Mesh:
    """The content of one file.

    Attributes
    ----------
    positions : (V, 3) float64, mesh units
    faces : (T, 3) int64, vertex indices that start at 0 and may exceed V
    uv : (U, 2) float64 and uv_faces : (T, 3) int64, or None unless every corner has a texture coordinate
    face_text : text of the face lines, or None if they contain negative indices
        If a later frame has the same text, its faces are copied instead of parsed.
    groups : names of the faces, or None
    """

    positions: NDArray[np.float64]
    faces: NDArray[np.int64]
    uv: NDArray[np.float64] | None = None
    uv_faces: NDArray[np.int64] | None = None
    face_text: bytes | None = None
    groups: VertexGroups | None = None


@dataclass
class Lines:
    """The words of the `v`, `vt` and `f` lines, and the lines that name faces.

    `precedents` has the numbers of `v` and `vt` lines before each face.
    """

    vertices: list[list[bytes]] = field(default_factory=list)
    coordinates: list[list[bytes]] = field(default_factory=list)
    faces: list[list[bytes]] = field(default_factory=list)
    precedents: list[tuple[int, int]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


def read_mesh(path: Path, budget: Budget, known: Mesh | None = None) -> Mesh:
    """Read and parse one OBJ file within the budget. See `parse_mesh`."""
    content = budget.read(path)
    budget.spend(PARSING_TIME * len(content), str(path))
    return parse_mesh(content, str(path), known, budget)


def parse_mesh(content: bytes, name: str, known: Mesh | None = None, budget: Budget | None = None) -> Mesh:
    """Return the mesh in the text of an OBJ file.

    Parameters
    ----------
    content : text of the file
    name : file name for error messages
    known : mesh of an earlier frame, whose faces, groups and texture coordinates are reused if the face lines are equal
    budget : budget for the groups, optional

    Raises
    ------
    FormatError
        A `v`, `vt` or `f` line is malformed.
    """
    lines = _split(content)
    positions = _numbers(lines.vertices, 3, name, content)
    text = b"\n".join(b" ".join(face) for face in lines.faces)
    if known is not None and known.face_text == text:
        return replace(known, positions=positions)
    corners, counts = _corners(lines, name, content, underscored=b"_" in text)
    vertices = _indices([vertex for vertex, _ in corners], name)
    if set(counts) <= {3}:
        found, polygons = np.arange(len(corners)).reshape(-1, 3), np.arange(len(counts))
    else:
        found = triangle_corners(np.array(counts, np.int64), vertices, positions)
        polygons = np.repeat(np.arange(len(counts)), counts)[found[:, 0]]
    faces = vertices[found]
    groups = None
    if lines.marks:
        hold = partial((budget or Budget()).hold, location=name)
        groups = obj_groups(lines.marks, faces, polygons, len(positions), hold)
        if known is None and any(len(names) > MOST_NAMES for _, _, names in lines.marks):
            warnings.warn(f"{name}: names after the first {MOST_NAMES} names of a line are ignored", stacklevel=2)
    face_text = None if b"-" in text else text
    coordinates = [coordinate for _, coordinate in corners if coordinate is not None]
    if not corners or len(coordinates) != len(corners):
        return Mesh(positions, faces, face_text=face_text, groups=groups)
    uv = _numbers([[*row, b"0"] for row in lines.coordinates], 2, name, content)
    return Mesh(positions, faces, uv, _indices(coordinates, name)[found], face_text, groups)


def read_groups(path: Path, budget: Budget) -> dict[str, NDArray[np.int64]]:
    """Return the vertices of each named group (`g`) of faces. Call `read_mesh` before, which checks the file."""
    groups: dict[str, set[int]] = {}
    current: list[set[int]] = []
    vertex_count = 0
    for line in _text(budget.read(path)).splitlines():
        kind, *words = line.split() or [b""]
        if kind == b"v":
            vertex_count += 1
        elif kind == b"g":
            current = [groups.setdefault(word.decode(errors="replace"), set()) for word in words]
        elif kind == b"f" and current:
            members = [_from_zero(word.split(b"/")[0], vertex_count) for word in words]
            for group in current:
                group.update(members)
    return {name: np.array(sorted(members), np.int64) for name, members in groups.items() if members}


def write_mesh(mesh: Mesh, path: Path) -> None:
    """Write a mesh with smooth shading. The text represents float32 positions exactly."""
    # without "s 1", Blender draws the faces of a mesh without normals flat
    lines = ["s 1", *(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.positions.tolist())]
    faces = (mesh.faces + 1).tolist()
    if mesh.uv is None:
        lines += [f"f {a} {b} {c}" for a, b, c in faces]
    else:
        texture = (mesh.faces if mesh.uv_faces is None else mesh.uv_faces) + 1
        lines += [f"vt {u:.9g} {v:.9g}" for u, v in mesh.uv.tolist()]
        lines += [
            "f " + " ".join(f"{vertex}/{coordinate}" for vertex, coordinate in zip(*face, strict=True))
            for face in zip(faces, texture.tolist(), strict=True)
        ]
    with replacing(path) as file:
        file.write(("\n".join(lines) + "\n").encode("ascii"))


def _text(content: bytes) -> bytes:
    """Return the text without byte order mark, with each statement on one line."""
    # remove the byte order mark, which programs on Windows may write
    content = content.removeprefix(codecs.BOM_UTF8)
    if b"\\" in content:
        # join a line that ends with a backslash and the next line
        content = content.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")
    return content


def _split(content: bytes) -> Lines:
    lines = Lines()
    for line in _text(content).splitlines():
        words = line.split()
        if not words:
            continue
        kind = words[0]
        if kind == b"v":
            lines.vertices.append(words)
        elif kind == b"f":
            lines.faces.append(words)
            lines.precedents.append((len(lines.vertices), len(lines.coordinates)))
        elif kind == b"vt":
            lines.coordinates.append(words)
        elif kind in MARKS:
            lines.marks.append((kind, len(lines.faces), words[1:]))
    return lines


def _numbered_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each statement as `_split` reads it, with its line number in the file."""
    begun, waiting = 1, b""
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).splitlines(keepends=True), start=1):
        continued = re.sub(rb"\\\r?\n\Z", b" ", line)
        waiting += continued.rstrip(b"\r\n") if continued == line else continued
        if continued == line:
            yield begun, waiting
            begun, waiting = number + 1, b""
    if waiting:
        yield begun, waiting


def _line(content: bytes, kind: bytes, index: int) -> str:
    """Return the number and the text of a line for an error message. `index` is the index among lines of its kind."""
    lines = ((number, line) for number, line in _numbered_lines(content) if line.split()[:1] == [kind])
    number, line = next(islice(lines, index, None))
    text = line.strip().decode(errors="replace")
    return f"line {number}, '{text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'}'"


def _numbers(rows: list[list[bytes]], width: int, name: str, content: bytes) -> NDArray[np.float64]:
    """Return the first `width` numbers of every row after its keyword."""
    try:
        values = [float(word) for words in rows for word in words[1 : width + 1]]
    except ValueError:
        values = []
    # Python reads 1_0 as 10, so underscores must be rejected; the first, fast test also finds underscores in object
    # names
    marked = b"_" in content and b"_" in b"".join(b"".join(words) for words in rows)
    if marked and not all(_are_numbers(words[1 : width + 1], width) for words in rows):
        values = []
    if len(values) != width * len(rows):
        row = next(index for index, words in enumerate(rows) if not _are_numbers(words[1 : width + 1], width))
        raise FormatError(f"{name}: {_line(content, rows[row][0], row)}: expected {width} numbers")
    return np.array(values, dtype=np.float64).reshape(-1, width)


def _are_numbers(words: list[bytes], count: int) -> bool:
    try:
        return len([float(word) for word in words]) == count and b"_" not in b"".join(words)
    except ValueError:
        return False


class KnownCorners(dict[bytes, Corner]):
    """Corners by their words in the file, because most words occur in several faces.

    `precedents` are the numbers of `v` and `vt` lines before the face; negative indices count from there.
    """

    precedents = 0, 0

    def __missing__(self, word: bytes) -> Corner:
        corner = _corner(word, self.precedents)
        if b"-" not in word:
            self[word] = corner
        return corner


def _corners(lines: Lines, name: str, content: bytes, *, underscored: bool) -> tuple[list[Corner], list[int]]:
    """Return a pair (vertex, texture coordinate) per face corner, and the number of corners per face.

    The indices start at 0. `name` and `content` are those of the file, for messages. If `underscored`, a face contains
    "_", which Python would accept in a number.
    """
    known = KnownCorners()
    corners: list[Corner] = []
    counts: list[int] = []
    for number, (words, known.precedents) in enumerate(zip(lines.faces, lines.precedents, strict=True), start=1):
        try:
            if underscored and any(b"_" in word for word in words):
                raise ValueError("an index holds '_'")
            polygon = [known[word] for word in words[1:]]
            if len(polygon) < 3:
                raise ValueError(f"{len(polygon)} corners, expected at least 3")
        except ValueError as error:
            at = _line(content, b"f", number - 1)
            raise FormatError(f"{name}: {at}: face {number} cannot be read ({error})") from error
        corners += polygon
        counts.append(len(polygon))
    return corners, counts


def _corner(word: bytes, precedents: tuple[int, int]) -> Corner:
    parts = word.split(b"/")
    if len(parts) > 3:
        raise ValueError(f"corner {word.decode(errors='replace')!r}, expected v, v/vt, v//vn or v/vt/vn")
    vertex = _from_zero(parts[0], precedents[0])
    has_coordinate = len(parts) > 1 and parts[1] != b""
    return vertex, _from_zero(parts[1], precedents[1]) if has_coordinate else None


def _from_zero(word: bytes, preceding: int) -> int:
    index = int(word)
    if index > 0:
        return index - 1
    if index == 0 or -index > preceding:
        raise ValueError(f"index {index}, allowed are 1 and above, or -{preceding} to -1")
    return preceding + index


def _indices(values: list[int], name: str) -> NDArray[np.int64]:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError as error:
        raise FormatError(f"{name}: face index {max(values)} is too large") from error
