"""A base surface whose triangles match its drawn normals, for programs that compute normals from triangles.

The "curved" base passes through the coarse vertices. It bends too little to match the normals that are interpolated
between them, so other programs show the coarse edges. This "smooth" base differs from it along these normals by

    h(b) = sum_i b_i s_i x_i + sum_ij b_i b_j s_i s_j x_ij,

with an unknown x for each vertex and edge, and s the roundness of a vertex, 0 at folds. The unknowns minimise, over the
edges e of a regular division of all triangles, sum (m . e')^2 + stiffness sum h^2. Here m is the mean normal of the
small triangle and e' the moved edge (Nehab et al. 2005, Efficiently combining positions and normals, section 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32, Int32

__all__ = ["Fairing"]

# Parts of each coarse edge in the division. More parts hardly change the result.
PARTS = 4

# Weight of the displacement against the normals. A tenth of it brings normals 20 % closer, and doubles the
# displacement.
STIFFNESS = 0.3

# Largest displacement, as a share of the mean length of the coarse edges: half of a typical fold.
FARTHEST = 0.1

# Most steps of the conjugate gradient method, and the share of the first residual at which it stops.
STEPS, RESIDUAL = 60, 1e-4

Float64 = NDArray[np.float64]


class Fairing:
    """Displacements of the base, for one frame after another.

    Parameters
    ----------
    topology : Topology
        Topology of the coarse mesh.
    """

    def __init__(self, topology: _core.Topology) -> None:
        self._topology = topology
        points, triangles = _division(PARTS)
        self._points = points
        self._triangles = triangles
        ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        self._starts, self._ends = ends.T
        # the six functions of a triangle: one per vertex, one per edge from vertex k to k + 1
        following = points[:, [1, 2, 0]]
        self._functions = np.concatenate([points, points * following], axis=1)
        self._unknowns = np.concatenate([topology.faces, topology.vertex_count + topology.face_edges], axis=1)
        self._count = topology.vertex_count + topology.edge_count
        self._vertices = np.zeros(topology.vertex_count)
        self._edges = np.zeros(topology.edge_count)
        self._base = _core.Surface(topology, threads=1)

    def update(self, positions: Float32, shares: Float64) -> None:
        """Compute the displacements of a frame.

        Parameters
        ----------
        positions : (V, 3) float32, mesh units
        shares : (V,) float64, in [0, 1]
            Roundness of each vertex: 0 where the base must not be displaced.
        """
        topology = self._topology
        count, samples = topology.face_count, len(self._points)
        faces = np.repeat(np.arange(count, dtype=np.int32), samples)
        self._base.update(
            positions, [], edge_length=0.0, curved=True, base_level=1, viewpoint=None, edge_levels=None,
            coarse_positions=None,
        )  # fmt: skip
        placed, normals, _ = self._base.evaluate(faces, np.tile(self._points.astype(np.float32), (count, 1)))
        points = placed.reshape(count, samples, 3).astype(np.float64)
        directions = normals.reshape(count, samples, 3).astype(np.float64)
        matrices, sides = self._equations(points, directions, self._scaled(shares))
        found = _solve(matrices, sides, self._unknowns, self._count)
        lengths = positions[topology.edges].astype(np.float64)
        farthest = FARTHEST * float(np.linalg.norm(lengths[:, 1] - lengths[:, 0], axis=1).mean())
        # the function of an edge has a maximum of a quarter of its coefficient
        self._vertices = np.clip(found[: topology.vertex_count], -farthest, farthest) * shares
        ends = shares[topology.edges].prod(axis=1)
        self._edges = np.clip(found[topology.vertex_count :], -4.0 * farthest, 4.0 * farthest) * ends

    def movements(self, faces: Int32, barycentric: Float32, normals: Float32) -> Float32:
        """Return the displacements (N, 3) of points; `normals` (V, 3) are those of the coarse vertices."""
        used = np.where(faces < 0, 0, faces)
        corners, weights = self._topology.faces[used], barycentric.astype(np.float64)
        heights = (weights * self._vertices[corners]).sum(axis=1)
        bends = self._edges[self._topology.face_edges[used]]
        heights += (weights * weights[:, [1, 2, 0]] * bends).sum(axis=1)
        along = np.einsum("nk,nkc->nc", weights, normals[corners].astype(np.float64))
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-30)
        moved: Float32 = (np.where(faces < 0, 0.0, heights)[:, None] * along).astype(np.float32)
        return moved

    def _scaled(self, shares: Float64) -> Float64:
        """Return the factors (T, 6) of the six functions of each triangle."""
        corners = shares[self._topology.faces]
        return np.concatenate([corners, corners * corners[:, [1, 2, 0]]], axis=1)

    def _equations(self, points: Float64, directions: Float64, shares: Float64) -> tuple[Float64, Float64]:
        """Return the matrices (T, 6, 6) and right-hand sides (T, 6) of the triangles."""
        middle = directions[:, self._triangles].sum(axis=2)
        middle /= np.maximum(np.linalg.norm(middle, axis=2, keepdims=True), 1e-30)
        normals = np.repeat(middle, 3, axis=1)
        starts, ends = self._starts, self._ends
        slopes = -np.einsum("tec,tec->te", normals, points[:, ends] - points[:, starts])
        rows = np.einsum("tec,tec->te", normals, directions[:, ends])[:, :, None] * self._functions[ends]
        rows -= np.einsum("tec,tec->te", normals, directions[:, starts])[:, :, None] * self._functions[starts]
        rows *= shares[:, None]
        matrices = np.einsum("tek,tel->tkl", rows, rows)
        stiff = STIFFNESS * self._functions.T @ self._functions
        matrices += stiff * shares[:, :, None] * shares[:, None]
        return matrices, np.einsum("tek,te->tk", rows, slopes)


def _division(parts: int) -> tuple[Float64, NDArray[np.intp]]:
    """Return barycentric points and triangles of a regular division of a triangle."""
    numbers, points = dict[tuple[int, int], int](), list[tuple[float, float, float]]()
    for i in range(parts + 1):
        for j in range(parts + 1 - i):
            numbers[i, j] = len(points)
            points.append((i / parts, j / parts, (parts - i - j) / parts))
    triangles = []
    for i, j in numbers:
        if i + j < parts:
            triangles.append((numbers[i, j], numbers[i + 1, j], numbers[i, j + 1]))
        if i + j < parts - 1:
            triangles.append((numbers[i + 1, j], numbers[i + 1, j + 1], numbers[i, j + 1]))
    return np.array(points), np.array(triangles)


def _solve(matrices: Float64, sides: Float64, unknowns: NDArray[np.integer], count: int) -> Float64:
    """Solve the sum of the equations of all triangles by conjugate gradients."""
    where = unknowns.ravel()

    def gather(values: Float64) -> Float64:
        sums: Float64 = np.bincount(where, values.ravel(), count).astype(np.float64)
        return sums

    diagonal = gather(np.einsum("tkk->tk", matrices))
    # unknowns without equations remain 0
    inverse = np.divide(1.0, diagonal, out=np.zeros(count), where=diagonal > 0.0)
    result = np.zeros(count)
    residual = gather(sides)
    direction = scaled = inverse * residual
    product = first = float((residual * scaled).sum())
    for _ in range(STEPS):
        if not product > RESIDUAL**2 * first:
            break
        applied = gather(np.einsum("tkl,tl->tk", matrices, direction[unknowns]))
        step = product / float((direction * applied).sum())
        result = result + step * direction
        residual = residual - step * applied
        scaled = inverse * residual
        before, product = product, float((residual * scaled).sum())
        direction = scaled + (product / before) * direction
    return result
