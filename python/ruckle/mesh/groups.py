"""Named groups of an animation's vertices: the meshes, materials and bones of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["KINDS", "Group", "VertexGroups", "joined_groups"]

# In the order of messages and tables.
KINDS = ("mesh", "material", "bone", "group")

Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """The name of a group and its kind: "mesh", "material", "bone" or "group" (an attribute of the file)."""

    kind: str
    name: str


@dataclass(frozen=True, eq=False)
class VertexGroups:
    """Which vertices belong to which group, and by which weight.

    Attributes
    ----------
    groups : tuple of Group
        All different.
    vertices : (N,) int64
        Entries of one vertex and group add up.
    numbers : (N,) int64
        Index into `groups` of each entry.
    weights : (N,) float32, in (0, 1]
        Influence of a bone; share of the faces around a vertex that have a material; 1 for a mesh.
    """

    groups: tuple[Group, ...]
    vertices: Int64
    numbers: Int64
    weights: Float32

    @classmethod
    def of(cls, parts: Sequence[tuple[str, Sequence[str], Int64, Int64, NDArray[np.floating]]]) -> VertexGroups:
        """Return the groups of several kinds.

        Parameters
        ----------
        parts : sequence of tuples
            Kind; names; vertices (N,); indices into the names (N,); weights (N,). Names that no entry uses are left
            out, and so are weights of 0.
        """
        groups: dict[Group, int] = {}
        rows = []
        for kind, names, vertices, numbers, weights in parts:
            used = weights > 0.0
            counts = np.bincount(numbers[used], minlength=len(names))
            table = np.zeros(len(names), np.int64)
            for index in np.flatnonzero(counts).tolist():
                table[index] = groups.setdefault(Group(kind, names[index]), len(groups))
            rows.append((vertices[used], table[numbers[used]], weights[used].astype(np.float32)))
        return cls(tuple(groups), *(np.concatenate(columns) for columns in zip(*rows, strict=True)))

    def weight(self, numbers: Sequence[int], vertex_count: int) -> Float32:
        """Return the summed weight of some groups at each vertex, (V,) float32, at most 1."""
        chosen = np.isin(self.numbers, np.asarray(numbers, np.int64))
        total = np.bincount(self.vertices[chosen], self.weights[chosen], vertex_count)
        return np.minimum(total, 1.0).astype(np.float32)

    def of_kind(self, kind: str) -> list[tuple[int, str]]:
        """Return number and name of each group of a kind."""
        return [(number, group.name) for number, group in enumerate(self.groups) if group.kind == kind]

    def with_copies(self, sources: Int64, first: int) -> VertexGroups:
        """Return the groups of a mesh to which copies of vertices were appended, from number `first` on."""
        order = np.argsort(self.vertices, kind="stable")
        begin = np.searchsorted(self.vertices[order], sources, "left")
        end = np.searchsorted(self.vertices[order], sources, "right")
        entries = np.concatenate([order[a:b] for a, b in zip(begin, end, strict=True)] or [np.empty(0, np.int64)])
        copies = np.repeat(np.arange(len(sources)) + first, end - begin)
        return VertexGroups(
            self.groups,
            np.concatenate([self.vertices, copies]),
            np.concatenate([self.numbers, self.numbers[entries]]),
            np.concatenate([self.weights, self.weights[entries]]),
        )

    def __repr__(self) -> str:
        counts = {kind: len(self.of_kind(kind)) for kind in KINDS}
        plurals = {"mesh": "meshes"}
        listed = ", ".join(f"{n} {plurals.get(k, k + 's') if n != 1 else k}" for k, n in counts.items() if n)
        return f"VertexGroups({listed})"


def joined_groups(
    parts: Sequence[VertexGroups | None], names: Sequence[str], vertex_counts: Sequence[int]
) -> VertexGroups:
    """Return the groups of several meshes in one; a mesh without groups becomes a group of its name."""
    shifts = np.cumsum([0, *vertex_counts[:-1]])
    rows: list[tuple[str, Sequence[str], Int64, Int64, NDArray[np.floating]]] = []
    for part, name, shift, count in zip(parts, names, shifts, vertex_counts, strict=True):
        if part is None:
            rows.append(("mesh", [name], np.arange(count) + shift, np.zeros(count, np.int64), np.ones(count)))
            continue
        kinds = np.array([KINDS.index(group.kind) for group in part.groups])
        for number, kind in enumerate(KINDS):
            chosen = kinds[part.numbers] == number
            every = [group.name for group in part.groups]
            rows.append((kind, every, part.vertices[chosen] + shift, part.numbers[chosen], part.weights[chosen]))
    return VertexGroups.of(rows)
