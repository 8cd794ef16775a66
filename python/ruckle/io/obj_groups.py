"""Vertex groups of an OBJ file, named by its objects (`o`), groups (`g`) and materials (`usemtl`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.groups import GroupKind, VertexGroups, groups_of_faces

__all__ = ["MARKS", "MOST_NAMES", "Mark", "obj_groups"]

# Keywords of lines that name the faces after them, and the kinds of groups.
MARKS = {b"o": "mesh", b"g": "mesh", b"usemtl": "material"}

# Number of names of one line that count. Lines have a few; the time is proportional to lines times names.
MOST_NAMES = 8

Mark = tuple[bytes, int, list[bytes]]
"""Keyword, number of faces before this line, and names."""

Indices = NDArray[np.int64]


def obj_groups(
    marks: Sequence[Mark], faces: Indices, polygons: Indices, vertex_count: int, hold: Callable[[float], None]
) -> VertexGroups | None:
    """Return the groups that the faces are in; None if the file does not name any.

    Parameters
    ----------
    marks : sequence of Mark
        The `o`, `g` and `usemtl` lines.
    faces : (T, 3) int64
    polygons : (T,) int64
        Face line of each triangle.
    vertex_count : int
    hold : function
        Gets the bytes of a table before it is allocated.
    """
    kinds = dict[str, GroupKind]()
    if not len(faces) or faces.max() >= vertex_count:
        return None
    for kind in dict.fromkeys(MARKS.values()):
        parts = [
            groups_of_faces(names, labels[polygons], faces, vertex_count, hold)
            for keyword in MARKS
            if MARKS[keyword] == kind
            for names, labels in _columns([mark for mark in marks if mark[0] == keyword], int(polygons.max()) + 1)
        ]
        if parts:
            starts = np.cumsum([0, *(len(part.names) for part in parts)])
            kinds[kind] = GroupKind(
                tuple(name for part in parts for name in part.names),
                np.concatenate([part.numbers + start for part, start in zip(parts, starts, strict=False)], axis=1),
                np.concatenate([part.weights for part in parts], axis=1),
            )
    return VertexGroups(kinds) if kinds else None


def _columns(marks: Sequence[Mark], polygon_count: int) -> list[tuple[tuple[str, ...], Indices]]:
    """Return the names and the label (P,) of each face line, -1 without a name, for each position in the lines."""
    if not marks:
        return []
    # faces before the first line, and after each line
    counts = np.diff([first for _, first, _ in marks], prepend=0, append=polygon_count)
    named = [names for (_, _, names), count in zip(marks, counts[1:].tolist(), strict=True) if count]
    columns = []
    for column in range(min(MOST_NAMES, max(map(len, named), default=0))):
        every: dict[str, int] = {}
        own = [
            every.setdefault(names[column].decode(errors="replace"), len(every)) if column < len(names) else -1
            for names in named
        ]
        if every:
            columns.append((tuple(every), np.repeat([-1, *own], [counts[0], *counts[1:][counts[1:] > 0]])))
    return columns
