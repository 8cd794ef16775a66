"""What must hold for the paths of every frame (design section 6), checked independently of the core."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle import Topology, Wrinkle

Path = tuple[NDArray[Any], NDArray[Any]]


def paths_of(wrinkles: Iterable[Wrinkle]) -> list[Path]:
    return [(wrinkle.edges, wrinkle.t) for wrinkle in wrinkles]


def segment_faces(topology: Topology, edges: NDArray[Any]) -> list[int]:
    """Return the triangle that each pair of consecutive vertices shares."""
    faces = []
    for a, b in pairwise(edges):
        shared = (set(topology.edge_faces[a]) & set(topology.edge_faces[b])) - {-1}
        assert a != b, f"two vertices in a row on edge {a}"
        assert len(shared) == 1, f"edges {a} and {b} share the triangles {shared}"
        faces.append(int(shared.pop()))
    return faces


def boundary_place(topology: Topology, face: int, edge: int, t: float) -> float:
    """Return where t of an edge lies around a triangle, in [0, 3)."""
    side = int(np.flatnonzero(topology.face_edges[face] == edge)[0])
    forward = topology.faces[face][side] == topology.edges[edge][0]
    return side + (1.0 - float(t) if forward else float(t))


def cross(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return whether two chords of a triangle cross: their ends alternate around its boundary, or touch."""
    low, high = min(a), max(a)
    if set(a) & set(b):
        return True
    return (low < b[0] < high) != (low < b[1] < high)


def check_paths(topology: Topology, paths: Iterable[Path]) -> None:
    chords: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for edges, t in paths:
        assert len(edges) == len(t) >= 2
        assert np.isfinite(t).all()
        assert (t >= 0.0).all()
        assert (t <= 1.0).all()
        faces = segment_faces(topology, edges)
        assert len(set(faces)) == len(faces), "a path passes a triangle twice"
        assert len(set(edges)) == len(edges), "a path crosses an edge twice"
        for i, face in enumerate(faces):
            chords[face].append(
                (
                    boundary_place(topology, face, edges[i], t[i]),
                    boundary_place(topology, face, edges[i + 1], t[i + 1]),
                )
            )
    for face, inside in chords.items():
        for i, a in enumerate(inside):
            for b in inside[:i]:
                assert not cross(a, b), f"two paths cross in triangle {face}"


def check_wrinkles(topology: Topology, wrinkles: list[Wrinkle]) -> None:
    check_paths(topology, paths_of(wrinkles))
    assert len({wrinkle.id for wrinkle in wrinkles}) == len(wrinkles)
    for wrinkle in wrinkles:
        assert list(wrinkle.faces) == segment_faces(topology, wrinkle.edges)
        for values in (wrinkle.points, wrinkle.width, wrinkle.height):
            assert np.isfinite(values).all()
        assert (wrinkle.height >= 0.0).all()
        assert (wrinkle.height <= wrinkle.crest * 1.0001 + 1e-9).all()
        assert (wrinkle.width >= 0.0).all()
        assert (wrinkle.width <= wrinkle.perimeter * 1.0001).all()
        assert wrinkle.height[0] == wrinkle.height[-1] == 0.0
        assert 0.0 <= wrinkle.fade <= 1.0
        assert (wrinkle.cuts >= 0.0).all()
        assert (wrinkle.cuts <= 1.0).all()
        assert wrinkle.length >= 0.0
