"""Remeshing of surfaces with regular triangles. Subdivision alone would preserve slivers, which simulate badly.

The method is from Botsch and Kobbelt, A Remeshing Approach to Multiresolution Modeling, 2004. Long edges are split,
short edges are collapsed, edges are flipped for equal valences, and vertices move along the surface. This module
requires scipy.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.mesh.closest import closest_points
from ruckle.mesh.geometry import triangle_areas
from ruckle.mesh.topology import Topology

__all__ = ["boundary_loops", "remesh"]

# Number of rounds of splits, collapses, flips and relaxation.
ROUNDS = 6

# Limits relative to the target length: longer edges are split, shorter edges are collapsed. Between the limits is a
# gap, so that a collapse does not undo a split.
LONGEST, SHORTEST = 4.0 / 3.0, 4.0 / 5.0

# Smallest cosine between the old and the new normal of a face. A smaller cosine would mean that the surface is folded.
LEAST_COSINE = 0.5

Triangle = tuple[int, int, int]
Point = tuple[float, float, float]


def remesh(positions: ArrayLike, faces: ArrayLike, vertex_count: int) -> tuple[Float32, Int32]:
    """Return a mesh of the same surface with nearly equilateral triangles: positions (N, 3), metres, and faces (S, 3).

    Parameters
    ----------
    positions : (V, 3) float, metres
    faces : (T, 3) int
        Manifold triangles, with or without boundary.
    vertex_count : int
        Approximate number N of vertices, at least 4. If N is below V, details of the surface are lost.

    Raises
    ------
    MeshError
        The faces are not a manifold mesh.
    """
    points, corners = np.asarray(positions, np.float64), triangles("faces", faces)
    Topology(corners, len(points))
    count = whole_number("vertex_count", vertex_count, 4)
    area = triangle_areas(points, corners).sum()
    # a mesh has about two triangles per vertex
    length = float(np.sqrt(2.0 * area / (np.sqrt(3.0) * count)))
    surface = _Surface(points, corners)
    for _ in range(ROUNDS):
        surface.split_edges_over(LONGEST * length)
        surface.collapse_edges_under(SHORTEST * length, LONGEST * length)
        surface.flip_edges()
        surface.relax(points, corners)
    return surface.arrays()


def boundary_loops(faces: ArrayLike) -> list[NDArray[np.int64]]:
    """Return the boundary loops of a mesh as ordered lists of vertices. The loop with the most vertices is first.

    Each loop starts at its lowest vertex index, and has the direction of the faces' edges.
    """
    corners = triangles("faces", faces)
    directed = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    inner = {(b, a) for a, b in directed.tolist()}
    following = {a: b for a, b in directed.tolist() if (a, b) not in inner}
    loops = []
    while following:
        start, loop = min(following), []
        at = start
        while at in following:
            loop.append(at)
            at = following.pop(at)
        loops.append(np.array(loop))
    return sorted(loops, key=lambda loop: (-len(loop), int(loop[0])))


class _Surface:
    """A mesh under change: points, faces by number (None if removed), and the face numbers around each point."""

    def __init__(self, points: NDArray[np.float64], faces: Int32) -> None:
        self.points: list[Point] = [tuple(p) for p in points.tolist()]
        self.faces: list[Triangle | None] = [tuple(f) for f in faces.tolist()]
        self.around: list[set[int]] = [set() for _ in self.points]
        for number, face in enumerate(self.faces):
            for vertex in face or ():
                self.around[vertex].add(number)

    def sides(self) -> NDArray[np.int64]:
        """Return all current edges (E, 2), sorted. The smaller vertex index of each edge is first."""
        faces = np.array([face for face in self.faces if face], np.int64)
        sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        # each edge becomes one number, because numbers are sorted faster than pairs
        numbers = np.unique(sides @ [len(self.points), 1])
        return np.stack(np.divmod(numbers, len(self.points)), axis=1)

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield all current edges, sorted. The smaller vertex index of each edge is first."""
        lower, upper = self.sides().T.tolist()
        return zip(lower, upper, strict=True)

    def replace(self, number: int, face: Triangle | None) -> None:
        """Replace a face by another face, or remove it if `face` is None."""
        for vertex in self.faces[number] or ():
            self.around[vertex].discard(number)
        self.faces[number] = face
        for vertex in face or ():
            self.around[vertex].add(number)

    def neighbors(self, vertex: int) -> set[int]:
        return {v for number in self.around[vertex] for v in self.faces[number] or ()} - {vertex}

    def is_boundary(self, vertex: int) -> bool:
        return len(self.neighbors(vertex)) != len(self.around[vertex])

    def split_edges_over(self, length: float) -> None:
        """Split edges longer than `length` at their midpoints, longest first, until no edge is longer."""
        waiting = sorted((-dist(self.points[a], self.points[b]), a, b) for a, b in self.edges())
        while waiting:
            longer = []
            for minus, a, b in waiting:
                if -minus <= length:
                    break
                # skip edges that an earlier split has removed
                if not (self.around[a] & self.around[b]):
                    continue
                longer += self.split(a, b)
            waiting = sorted((-dist(self.points[a], self.points[b]), a, b) for a, b in longer)

    def split(self, a: int, b: int) -> list[tuple[int, int]]:
        """Split an edge at its midpoint. Return the new edges."""
        middle = len(self.points)
        self.points.append(_between(self.points[a], self.points[b]))
        self.around.append(set())
        made = [(a, middle), (b, middle)]
        for number in sorted(self.around[a] & self.around[b]):
            face = self.faces[number]
            assert face is not None
            made.append((next(v for v in face if v not in (a, b)), middle))
            self.faces.append(None)
            self.replace(len(self.faces) - 1, _with(face, a, middle))
            self.replace(number, _with(face, b, middle))
        return made

    def collapse_edges_under(self, length: float, longest: float) -> None:
        """Collapse edges shorter than `length` if the surface remains a manifold and keeps its shape.

        An edge is not collapsed if a new edge would be longer than `longest`.
        """
        for a, b in self.edges():
            if self.around[a] & self.around[b] and dist(self.points[a], self.points[b]) < length:
                self.collapse(a, b, longest)

    def collapse(self, a: int, b: int, longest: float) -> None:
        """Replace an edge by one vertex `a`: at the boundary vertex if only one of both is, otherwise at the midpoint.

        The mesh is not changed if it would become non-manifold, a normal would turn, or an edge would exceed `longest`.
        """
        shared, near_a, near_b = self.around[a] & self.around[b], self.neighbors(a), self.neighbors(b)
        rims = self.is_boundary(a), self.is_boundary(b)
        # The mesh would become non-manifold if a and b have another common neighbour, or if an inner edge connects two
        # boundary points.
        if len(near_a & near_b) != len(shared) or (all(rims) and len(shared) == 2):
            return
        # boundary points do not move
        at = self.points[a] if rims[0] and not rims[1] else self.points[b] if rims[1] and not rims[0] else None
        at = at or _between(self.points[a], self.points[b])
        if any(dist(at, self.points[v]) > longest for v in near_a | near_b):
            return
        for vertex in (a, b):
            for number in self.around[vertex] - shared:
                if not self.stays_turned(number, vertex, at):
                    return
        for number in sorted(shared):
            self.replace(number, None)
        for number in sorted(self.around[b]):
            face = self.faces[number]
            assert face is not None
            self.replace(number, _with(face, b, a))
        self.points[a] = at

    def stays_turned(self, number: int, vertex: int, at: Point) -> bool:
        """Return True if the normal of a face changes little when one of its vertices moves."""
        face = self.faces[number]
        assert face is not None
        corners = [self.points[v] for v in face]
        return _cosine(_normal(corners), _normal([at if v == vertex else self.points[v] for v in face])) > LEAST_COSINE

    def _face_alike(self, *pairs: tuple[Triangle, Triangle]) -> bool:
        """Return True if the normals of all old faces are similar to the normals of all new faces."""
        old, new = ([_normal([self.points[v] for v in face]) for face in pair] for pair in pairs)
        return all(_cosine(one, other) > LEAST_COSINE for one in old for other in new)

    def flip_edges(self) -> None:
        """Flip edges if valences become more equal. The target is 6 for inner vertices and 4 for boundary vertices."""
        valences = np.bincount(self.sides().ravel(), minlength=len(self.points))
        # a boundary vertex has one neighbour more than faces
        inside = valences == [len(faces) for faces in self.around]
        excess = np.where(inside, valences - 6, valences - 4).tolist()
        for a, b in self.edges():
            shared = sorted(self.around[a] & self.around[b])
            if len(shared) != 2:
                continue
            first, second = self.faces[shared[0]], self.faces[shared[1]]
            assert first is not None
            assert second is not None
            c, d = next(v for v in first if v not in (a, b)), next(v for v in second if v not in (a, b))
            # half of the change of the sum of squared excesses: a and b lose a neighbour, c and d gain one
            growth = excess[c] + excess[d] - excess[a] - excess[b] + 2
            if growth >= 0 or c == d or self.around[c] & self.around[d]:
                continue
            turned = _with(first, a, d), _with(second, b, c)
            if self._face_alike((first, second), turned):
                for number, face in zip(shared, turned, strict=True):
                    self.replace(number, face)
                for v, change in ((a, -1), (b, -1), (c, 1), (d, 1)):
                    excess[v] += change

    def relax(self, surface: NDArray[np.float64], surface_faces: Int32) -> None:
        """Move inner vertices to the mean of their neighbours, then to the nearest point of the original surface."""
        sides = self.sides()
        both = np.concatenate([sides, sides[:, ::-1]])
        of, neighbors = both[np.lexsort((both[:, 1], both[:, 0]))].T
        used, starts, valences = np.unique(of, return_index=True, return_counts=True)
        middles = np.add.reduceat(np.array(self.points)[neighbors], starts) / valences[:, None]
        inside = valences == [len(self.around[v]) for v in used.tolist()]
        holders, weights = closest_points(surface, surface_faces, middles[inside])
        found = np.einsum("nk,nkx->nx", weights, surface[surface_faces[holders]])
        for vertex, at in zip(used[inside].tolist(), found.tolist(), strict=True):
            point = (at[0], at[1], at[2])
            if all(self.stays_turned(number, vertex, point) for number in self.around[vertex]):
                self.points[vertex] = point

    def arrays(self) -> tuple[Float32, Int32]:
        """Return positions and faces of the current mesh, with unused vertices removed."""
        faces = np.array([face for face in self.faces if face], np.int64)
        used, compact = np.unique(faces, return_inverse=True)
        return float32("positions", np.array(self.points)[used]), compact.reshape(-1, 3).astype(np.int32)


def _with(face: Triangle, old: int, new: int) -> Triangle:
    a, b, c = (new if v == old else v for v in face)
    return a, b, c


def _between(a: Point, b: Point) -> Point:
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


def _normal(corners: list[Point]) -> Point:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def _cosine(a: Point, b: Point) -> float:
    sizes = dist(a, (0.0, 0.0, 0.0)) * dist(b, (0.0, 0.0, 0.0))
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / sizes if sizes > 0.0 else -1.0
