"""Named groups of an animation's vertices: the meshes, materials and bones of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["KINDS", "GroupKind", "VertexGroups", "groups_of_faces", "joined_groups"]

# Kinds of groups, in the order in which messages and tables show them.
KINDS = ("mesh", "material", "bone")

Integers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class GroupKind:
    """The groups of one kind. A vertex is in at most K groups.

    Attributes
    ----------
    names : tuple of str
    numbers : (V, K) int
        Index into `names` of each group of a vertex.
    weights : (V, K) float
        Skin weight of a bone; share of the faces around the vertex that have a material; 1 for a mesh. 0 in columns
        that a vertex does not need.
    """

    names: tuple[str, ...]
    numbers: Integers
    weights: NDArray[np.floating]

    def weight(self, chosen: NDArray[np.bool_]) -> Float32:
        """Return the sum (V,) float32 of each vertex's weights in the groups that the mask `chosen` (N,) selects."""
        if not chosen.any() or not self.numbers.size:
            return np.zeros(len(self.numbers), np.float32)
        total: Float32 = (self.weights * chosen[self.numbers]).sum(axis=1).astype(np.float32)
        return total

    def used(self) -> NDArray[np.bool_]:
        """Return a mask (N,) of the groups that contain at least one vertex."""
        return self._used

    @cached_property
    def _used(self) -> NDArray[np.bool_]:
        found = np.zeros(len(self.names), bool)
        found[self.numbers[self.weights > 0.0]] = True
        return found


@dataclass(frozen=True, eq=False)
class VertexGroups:
    """Named groups of vertices with weights.

    Attributes
    ----------
    kinds : mapping of str to GroupKind
        The kinds "mesh", "material" and "bone", as far as the file contains them.
    metals : frozenset of str
        Names of the materials that are metal everywhere.
    origins : (V,) int, optional
        Vertex of the file of each vertex; None if no vertex is a copy that the repair of faces has added.
    """

    kinds: Mapping[str, GroupKind]
    metals: frozenset[str] = frozenset()
    origins: Integers | None = None

    def names(self, kind: str) -> list[str]:
        """Return the names of the groups of one kind that contain a vertex, without repetition."""
        if kind not in self.kinds:
            return []
        group = self.kinds[kind]
        return list(dict.fromkeys(name for name, used in zip(group.names, group.used().tolist(), strict=True) if used))

    def of_vertices(self, vertices: Integers) -> VertexGroups:
        """Return the groups for a mesh that has only the vertices `vertices`, in this order; names do not change."""
        return VertexGroups(
            {
                name: GroupKind(kind.names, kind.numbers[vertices], kind.weights[vertices])
                for name, kind in self.kinds.items()
            },
            self.metals,
            vertices if self.origins is None else self.origins[vertices],
        )

    def of_file(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return one value per vertex from one value per vertex of the file. Arrays of other lengths do not change."""
        if self.origins is None or values.shape != (self.origins.max() + 1,):
            return values
        return values[self.origins]

    def __repr__(self) -> str:
        counts = {kind: len(self.names(kind)) for kind in KINDS}
        plurals = {"mesh": "meshes"}
        listed = ", ".join(f"{n} {plurals.get(k, k + 's') if n != 1 else k}" for k, n in counts.items() if n)
        return f"VertexGroups({listed})"


def groups_of_faces(
    names: tuple[str, ...],
    labels: Integers,
    faces: Integers,
    vertex_count: int,
    hold: Callable[[float], None] | None = None,
) -> GroupKind:
    """Return vertex groups by labels of faces: each vertex is in the groups of its faces.

    Parameters
    ----------
    names : tuple of str
    labels : (T,) int
        Index into `names` of each face; -1 for a face without a group.
    faces : (T, 3) int
    vertex_count : int
    hold : function, optional
        Gets the bytes of the result before it is allocated.
    """
    first, last = int(labels.min()), int(labels.max())
    if first == last:
        return GroupKind(names, np.full((vertex_count, 1), first), np.ones((vertex_count, 1)))
    # if parts do not share vertices, all faces of a vertex have one label
    corners, own = faces.ravel(), np.repeat(labels, 3)
    numbers = np.zeros(vertex_count, np.int64)
    numbers[corners] = own
    if (numbers[corners] == own).all():
        return GroupKind(names, np.maximum(numbers, 0)[:, None], (numbers >= 0)[:, None].astype(np.float32))
    keys, faces_around = np.unique(corners * (len(names) + 1) + own + 1, return_counts=True)
    vertices, own = keys // (len(names) + 1), keys % (len(names) + 1) - 1
    columns = np.arange(len(keys)) - np.searchsorted(vertices, vertices)
    if hold is not None:
        hold(16.0 * vertex_count * (int(columns.max()) + 1))
    table, weights = (np.zeros((vertex_count, columns.max() + 1), kind) for kind in (np.int64, np.float64))
    table[vertices, columns] = np.maximum(own, 0)
    weights[vertices, columns] = np.where(own >= 0, faces_around, 0)
    weights /= np.maximum(np.bincount(corners, minlength=vertex_count), 1)[:, None]
    return GroupKind(names, table, weights)


def joined_groups(
    parts: Sequence[VertexGroups | None], names: Sequence[str], vertex_counts: Sequence[int]
) -> VertexGroups:
    """Return the groups of several concatenated meshes.

    A mesh without groups becomes a group of kind "mesh" with its own name.
    """
    filled = [
        part or VertexGroups({"mesh": GroupKind((name,), np.zeros((count, 1), np.int64), np.ones((count, 1)))})
        for part, name, count in zip(parts, names, vertex_counts, strict=True)
    ]
    return VertexGroups(
        {kind: _joined(kind, filled, vertex_counts) for kind in KINDS if _has(kind, filled)},
        frozenset().union(*(part.metals for part in filled)),
        _joined_origins(filled, vertex_counts),
    )


def _joined_origins(parts: Sequence[VertexGroups], vertex_counts: Sequence[int]) -> Integers | None:
    if all(part.origins is None for part in parts):
        return None
    origins, first = list[Integers](), 0
    for part, count in zip(parts, vertex_counts, strict=True):
        own = np.arange(count) if part.origins is None else part.origins
        origins.append(own + first)
        first += int(own.max()) + 1
    return np.concatenate(origins)


def _has(kind: str, parts: Sequence[VertexGroups]) -> bool:
    return any(kind in part.kinds for part in parts)


def _joined(kind: str, parts: Sequence[VertexGroups], vertex_counts: Sequence[int]) -> GroupKind:
    """Return the groups of one kind for concatenated meshes. Groups with the same name become one group."""
    every: dict[str, int] = {}
    width = max(part.kinds[kind].numbers.shape[1] for part in parts if kind in part.kinds)
    numbers, weights = np.zeros((sum(vertex_counts), width), np.int64), np.zeros((sum(vertex_counts), width))
    first = 0
    for part, count in zip(parts, vertex_counts, strict=True):
        if kind in part.kinds:
            own = part.kinds[kind]
            table = np.array([every.setdefault(name, len(every)) for name in own.names], np.int64)
            columns = own.numbers.shape[1]
            numbers[first : first + count, :columns] = table[own.numbers]
            weights[first : first + count, :columns] = own.weights
        first += count
    return GroupKind(tuple(every), numbers, weights)
