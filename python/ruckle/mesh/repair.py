"""Repairs faces of files: removes degenerate and duplicate faces, and cuts edges with more than two faces.

Files contain such faces because exporters write collapsed triangles, or because a lining shares an edge with a shirt.
Computations require a manifold mesh, with or without boundary. Vertices keep their indices. Copies of vertices come
after all other vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Repair", "repair_faces"]

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Repair:
    """Repaired faces, and how they correspond to the arrays of the file.

    Attributes
    ----------
    faces : (T', 3) int64
        Indices below V are vertices of the file. Index V + k is a copy of vertex `copied[k]`.
    kept : (T',) int64
        Index in the file of each repaired face.
    copied : (K,) int64
        Index of the original of each added vertex.
    remark : str
        One sentence for the user; empty if nothing has changed.
    """

    faces: Indices
    kept: Indices
    copied: Indices
    remark: str


def repair_faces(faces: NDArray[np.integer], vertex_count: int) -> Repair:
    """Remove degenerate and duplicate faces, and cut the mesh along edges with more than two faces.

    A face is a duplicate if an earlier face has the same vertices in the same cyclic order. A copy with the opposite
    orientation is removed only if one of its edges has more than two faces. Otherwise the two triangles remain, as in a
    cushion. If an edge has more than two faces, two of them remain joined: the first face, and the first other face
    with consistent winding. The other faces get copies of the vertices.

    Parameters
    ----------
    faces : (T, 3) integers
    vertex_count : int
        Number V of vertices in the file. Faces with invalid vertices are kept; the caller checks them.
    """
    given = faces.astype(np.int64)
    if _is_sound(given):
        return Repair(given, np.arange(len(given)), np.empty(0, np.int64), "")
    distinct = (given[:, 0] != given[:, 1]) & (given[:, 1] != given[:, 2]) & (given[:, 2] != given[:, 0])
    kept = np.flatnonzero(distinct)
    kept = kept[_first_of_each(given[kept])]
    crowded = _crowded_edges(given[kept])
    if crowded.any():
        # the reversed copy of a face is a duplicate only at an edge with more than two faces
        same = np.sort(given[kept], axis=1)
        _, first, group = np.unique(same, axis=0, return_index=True, return_inverse=True)
        copies = first[group.reshape(-1)] != np.arange(len(kept))
        kept = kept[~(copies & crowded.any(axis=1))]
    sound, copied, cut = _cut_crowded_edges(given[kept], vertex_count)
    dropped = int((~distinct).sum()), len(given) - len(kept) - int((~distinct).sum())
    parts = [
        _counted(count, f"{kind} face")
        for count, kind in zip(dropped, ("degenerate", "duplicate"), strict=True)
        if count
    ]
    remarks = ["dropped " + " and ".join(parts)] if parts else []
    remarks += [f"cut the mesh along {_counted(cut, 'edge')} of more than two faces"] if cut else []
    return Repair(sound, kept, copied, ", ".join(remarks))


def _is_sound(faces: Indices) -> bool:
    """Return True if windings are consistent, no face repeats a vertex, and no edge has more than two faces."""
    begins, ends = faces.reshape(-1), faces[:, [1, 2, 0]].reshape(-1)
    if (begins == ends).any():
        return False
    # if each directed edge occurs only once, an edge has at most two faces
    sides = np.sort(begins << 32 | ends)
    return not (sides[1:] == sides[:-1]).any()


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"


def _first_of_each(faces: Indices) -> NDArray[np.bool_]:
    """Return a mask of faces without an earlier face that has the same vertices in the same cyclic order."""
    start = faces.argmin(axis=1)
    turned = np.take_along_axis(faces, (start[:, None] + np.arange(3)) % 3, axis=1)
    first: NDArray[np.bool_] = np.zeros(len(faces), bool)
    first[np.unique(turned, axis=0, return_index=True)[1]] = True
    return first


def _edge_numbers(faces: Indices) -> Indices:
    """Return (T, 3): the index of the undirected edge of each side of a face, corner k to k + 1."""
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1), axis=-1).reshape(-1, 2)
    return np.unique(sides, axis=0, return_inverse=True)[1].reshape(-1, 3).astype(np.int64)


def _crowded_edges(faces: Indices) -> NDArray[np.bool_]:
    """Return a mask (T, 3) of the sides whose edge has more than two faces."""
    edges = _edge_numbers(faces)
    crowded: NDArray[np.bool_] = (np.bincount(edges.reshape(-1)) > 2)[edges] if edges.size else np.zeros((0, 3), bool)
    return crowded


def _cut_crowded_edges(faces: Indices, vertex_count: int) -> tuple[Indices, Indices, int]:
    """Cut edges with more than two faces. Return the new faces, the original of each copy, and the number of cut edges.

    Index `vertex_count` + k in the faces is copy k.
    """
    edges = _edge_numbers(faces)
    crowded = np.flatnonzero(np.bincount(edges.reshape(-1)) > 2) if edges.size else np.empty(0, np.int64)
    if not len(crowded):
        return faces, np.empty(0, np.int64), 0
    # faces that remain joined at each such edge: the first, and the first other face with consistent winding
    together: dict[int, set[int]] = {}
    for edge in crowded.tolist():
        members, sides = np.nonzero(edges == edge)
        begins = faces[members, sides]
        consistent = members[begins != begins[0]][:1]
        together[edge] = {int(members[0]), *consistent.tolist()}
    result, copied = faces.copy(), list[int]()
    cut = np.isin(edges, crowded)
    for vertex in np.unique([faces[cut], np.roll(faces, -1, axis=1)[cut]]).tolist():
        fan = np.flatnonzero((faces == vertex).any(axis=1)).tolist()
        sectors = _sectors(fan, edges, together)
        # the faces of the first sector keep the original vertex; each other sector gets its own copy
        for sector in sectors[1:]:
            at = result[sector]
            at[faces[sector] == vertex] = vertex_count + len(copied)
            result[sector] = at
            copied.append(vertex)
    return _with_faces_cut_off(result, vertex_count, copied), np.array(copied, np.int64), len(crowded)


def _with_faces_cut_off(faces: Indices, vertex_count: int, copied: list[int]) -> Indices:
    """Return the faces, with new copies of the vertices in the third and every further face at an edge.

    The function appends the original of each copy to `copied`.

    `_sectors` cannot separate such faces if they are also connected around a vertex.
    """
    edges = _edge_numbers(faces)
    excess: dict[int, None] = {}
    for edge in np.flatnonzero(np.bincount(edges.reshape(-1)) > 2).tolist():
        excess |= dict.fromkeys(np.nonzero(edges == edge)[0][2:].tolist())
    result = faces.copy()
    for face in excess:
        for corner, vertex in enumerate(faces[face].tolist()):
            result[face, corner] = vertex_count + len(copied)
            copied.append(vertex if vertex < vertex_count else copied[vertex - vertex_count])
    return result


def _sectors(fan: list[int], edges: Indices, together: dict[int, set[int]]) -> list[list[int]]:
    """Return the sectors of the faces `fan` around a vertex: groups that are connected by edges that are not cut.

    `together` contains, for each edge with more than two faces, the faces that remain joined there. The sectors are
    ordered by their first face in `fan`.
    """
    sectors, left = list[list[int]](), dict.fromkeys(fan)
    while left:
        sector, pending = list[int](), [next(iter(left))]
        while pending:
            face = pending.pop()
            if face not in left:
                continue
            del left[face]
            sector.append(face)
            own = set(edges[face].tolist())
            for other in left:
                shared = own & set(edges[other].tolist())
                if any(edge not in together or {face, other} <= together[edge] for edge in shared):
                    pending.append(other)
        sectors.append(sorted(sector))
    return sectors
