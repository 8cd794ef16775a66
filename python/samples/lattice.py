"""One half of a garment as strips of vertices that are sewn together, as in a sewing pattern.

A garment is symmetric, so only the half x >= 0 is built. Every row of a tube or panel is a strip. Two neighbouring
strips of n and m segments are connected by exactly n + m triangles. So the numbers of segments determine the triangle
count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lattice", "Mesh", "Strip", "Trim"]

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Strip:
    """A row of vertices, with their texture coordinates in this row's part of the sewing pattern.

    A closed ring repeats its first vertex at the end, with another texture coordinate.
    """

    vertices: tuple[int, ...]
    uv: tuple[int, ...]

    def __getitem__(self, part: slice) -> Strip:
        """Return a slice of the strip."""
        return Strip(self.vertices[part], self.uv[part])


@dataclass(frozen=True)
class Trim:
    """A strip of cloth with a thickness: positions (V, 3) in metres, outward faces (T, 3)."""

    positions: NDArray[np.float64]
    faces: NDArray[np.int64]


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh: positions (V, 3) in metres, faces (T, 3), uv (U, 2), uv_faces (T, 3).

    Patches are outlines (N, 2), counterclockwise, and buttons are points (B, 2); both are in coordinates of the sewing
    pattern. The collar is a separate mesh.
    """

    positions: NDArray[np.float64]
    faces: NDArray[np.int32]
    uv: NDArray[np.float64]
    uv_faces: NDArray[np.int32]
    patches: Sequence[NDArray[np.float64]] = ()
    buttons: Sequence[tuple[float, float]] = ()
    collar: Trim | None = None

    def sewn(self, patches: Sequence[NDArray[np.float64]], buttons: Sequence[tuple[float, float]] = ()) -> Mesh:
        """Return the mesh with the given patches and buttons."""
        return replace(self, patches=patches, buttons=buttons)

    def with_collar(self, collar: Trim | None) -> Mesh:
        """Return the mesh with the given collar."""
        return replace(self, collar=collar)


@dataclass
class Lattice:
    """Vertices and triangles of the half garment, in the order in which they were sewn."""

    points: list[Point] = field(default_factory=list)
    uv: list[tuple[float, float]] = field(default_factory=list)
    faces: list[tuple[int, int, int]] = field(default_factory=list)
    uv_faces: list[tuple[int, int, int]] = field(default_factory=list)

    def vertices(self, points: Sequence[Sequence[float]]) -> tuple[int, ...]:
        """Add vertices at approximate positions; return their indices."""
        first = len(self.points)
        self.points.extend((float(x), float(y), float(z)) for x, y, z in points)
        return tuple(range(first, len(self.points)))

    def place(self, vertices: Sequence[int], points: Sequence[Sequence[float]]) -> None:
        """Move vertices to other approximate positions."""
        for vertex, (x, y, z) in zip(vertices, points, strict=True):
            self.points[vertex] = (float(x), float(y), float(z))

    def strip(self, vertices: Sequence[int], u: tuple[float, float], v: float) -> Strip:
        """Place vertices in a row of the sewing pattern, evenly from u[0] to u[1] at height v, metres.

        Return the strip.
        """
        first = len(self.uv)
        self.uv.extend((float(s), v) for s in np.linspace(u[0], u[1], len(vertices)))
        return Strip(tuple(vertices), tuple(range(first, len(self.uv))))

    def sew(self, lower: Strip, upper: Strip) -> None:
        """Connect two strips by triangles. Seen from outside, `upper` is above, and both strips run to the right."""
        i, j = 0, 0
        last_i, last_j = len(lower.vertices) - 1, len(upper.vertices) - 1
        while i < last_i or j < last_j:
            # continue on the strip that is behind, as a fraction of its length; if both are equal, on the lower strip
            if j == last_j or (i < last_i and (2 * i + 1) * last_j <= (2 * j + 1) * last_i):
                corners = ((lower, i), (lower, i + 1), (upper, j))
                i += 1
            else:
                corners = ((lower, i), (upper, j + 1), (upper, j))
                j += 1
            a, b, c = corners
            self.faces.append((a[0].vertices[a[1]], b[0].vertices[b[1]], c[0].vertices[c[1]]))
            self.uv_faces.append((a[0].uv[a[1]], b[0].uv[b[1]], c[0].uv[c[1]]))

    def half(self) -> Mesh:
        """Return the mesh of everything that has been sewn."""
        return Mesh(
            np.array(self.points),
            np.array(self.faces, dtype=np.int32),
            np.array(self.uv),
            np.array(self.uv_faces, dtype=np.int32),
        )
