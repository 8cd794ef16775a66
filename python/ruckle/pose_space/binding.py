"""Binds fine meshes to coarse meshes: closest points, details in rotating frames, and the transfer of the paper."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance, whole_number
from ruckle.arrays import Float32, Int32, finite_rows, float32, int32, triangles_of
from ruckle.mesh.closest import closest_weights
from ruckle.mesh.topology import Topology, mesh_topology

__all__ = ["Binding", "apply", "bind", "closest_triangles", "details", "transfer", "vertex_means"]

# Number of coarse triangles that are tested first for each fine vertex. Another triangle is tested only if the lower
# bound of its distance is below the least distance found.
CANDIDATES = 12

# Number of distances between points and triangle centers that are in memory at one time.
DISTANCES = 2**21

# If the mean of unit vectors is shorter than this, its direction is undefined. The core has the same limit.
LEAST_LENGTH = 1e-6

# Barycentric weights are stored and used in steps of 1/65535.
WEIGHT_STEPS = 65535

# Largest number of passes that average over neighbours. Far fewer passes already remove all details of a garment.
MOST_PASSES = 1000

Float64 = NDArray[np.float64]


class Binding:
    """The position of each fine vertex on a coarse mesh. `bind` computes it.

    Parameters
    ----------
    topology : Topology
        Topology of the coarse mesh.
    rest : (C, 3) float, mesh units
        Positions of the coarse mesh at rest.
    coarse_faces : (V,) int
        The coarse face of each fine vertex.
    barycentric : (V, 3) float
        Barycentric coordinates in that face, rounded to multiples of 1/65535, as in files.

    Raises
    ------
    ValueError
        An array has a wrong shape, a number is not finite, or a face does not exist.
    """

    def __init__(
        self, topology: _core.Topology, rest: ArrayLike, coarse_faces: ArrayLike, barycentric: ArrayLike
    ) -> None:
        self.topology = mesh_topology(topology)
        self.rest = float32("rest", rest).copy()
        self.coarse_faces = int32("coarse_faces", coarse_faces).copy()
        self.barycentric = _rounded(float32("barycentric", barycentric))
        self.core = _core.Binding(self.topology, self.rest, self.coarse_faces, self.barycentric)

    def __reduce__(self) -> tuple[type[Binding], tuple[Any, ...]]:
        return Binding, (self.topology, self.rest, self.coarse_faces, self.barycentric)

    @property
    def vertex_count(self) -> int:
        """Number of fine vertices V."""
        return len(self.coarse_faces)

    @cached_property
    def corners(self) -> Int32:
        """(V, 3) int32: vertices of each fine vertex's coarse face."""
        return self.topology.faces[self.coarse_faces]

    def up(self, values: ArrayLike) -> Float64:
        """Interpolate values (C, n) of the coarse vertices at the fine vertices: (V, n) float64."""
        weighted = self.barycentric[..., None] * np.asarray(values, np.float64)[self.corners]
        result: Float64 = weighted.sum(axis=1)
        return result

    def down(self, values: ArrayLike) -> Float64:
        """Return the mean (C, n) of fine vertex values (V, n) around each coarse vertex, weighted barycentrically.

        The mean is 0 for a coarse vertex without fine vertices around it.
        """
        given = np.asarray(values, np.float64)
        sums, shares = np.zeros((self.topology.vertex_count, given.shape[1])), np.zeros(self.topology.vertex_count)
        for corner in range(3):
            weights = self.barycentric[:, corner].astype(np.float64)
            np.add.at(sums, self.corners[:, corner], weights[:, None] * given)
            np.add.at(shares, self.corners[:, corner], weights)
        result: Float64 = sums / np.where(shares > 0, shares, 1)[:, None]
        return result

    def turns(self, coarse: ArrayLike) -> Float64:
        """Return the rotation of the cloth at each fine vertex, from the rest pose to a pose of the coarse mesh.

        Parameters
        ----------
        coarse : (C, 3) float, mesh units

        Returns
        -------
        (V, 3, 3) float64
            Rotation matrices; the identity if all triangles around the vertex have collapsed, or if the rotations at
            the corners of its face cancel.
        """
        rows = self.core.measure(float32("coarse", coarse))
        tangents, normals = self.up(rows[:, 1, :3]), self.up(rows[:, 2, :3])
        normals, sound = _normalized(normals)
        tangents, also = _normalized(tangents - (tangents * normals).sum(1, keepdims=True) * normals)
        turned = np.stack([tangents, np.cross(normals, tangents), normals], axis=-1)
        return np.where((sound & also)[:, None, None], turned, np.eye(3))

    def __repr__(self) -> str:
        return f"Binding({self.vertex_count} vertices on {self.topology.face_count} coarse triangles)"


def bind(fine: ArrayLike, coarse: ArrayLike, coarse_faces: ArrayLike) -> Binding:
    """Find the closest point of the coarse mesh for each fine vertex, with both meshes at rest.

    Parameters
    ----------
    fine : (V, 3) float, mesh units
    coarse : (C, 3) float, mesh units
    coarse_faces : (T, 3) int

    Returns
    -------
    Binding

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is not finite.
    MeshError
        The coarse faces do not form a manifold mesh.

    Examples
    --------
    >>> square, faces = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]
    >>> binding = ruckle.bind([[0.5, 0.25, 0.1]], square, faces)
    >>> raised = ruckle.details([[0.5, 0.25, 0.1]], square, binding)
    >>> ruckle.apply(square, binding, 2 * raised).round(3).tolist()
    [[0.5, 0.25, 0.2]]
    """
    points, corners = np.asarray(float32("fine", fine), np.float64), np.asarray(float32("coarse", coarse), np.float64)
    for name, array in (("fine", points), ("coarse", corners)):
        if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite positions of shape (V, 3), got {array.shape}")
    topology = Topology(coarse_faces, len(corners))
    faces, weights = closest_triangles(points, corners[topology.faces])
    return Binding(topology, coarse, faces, weights)


def details(fine: ArrayLike, coarse: ArrayLike, binding: Binding) -> Float64:
    """Return the details of a fine shape: (V, 3) float64, mesh units.

    Details are offsets from the coarse cloth, in frames that rotate with the cloth. `apply` is the inverse.

    Parameters
    ----------
    fine : (V, 3) float, mesh units
    coarse : (C, 3) float, mesh units
        The coarse cloth in the same pose.
    binding : Binding

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is not finite in float32.
    """
    posed, shape = _coarse(coarse, binding), _fine("fine", fine, binding)
    return np.asarray(np.einsum("vji,vj->vi", binding.turns(posed), shape - binding.up(posed)))


def apply(coarse: ArrayLike, binding: Binding, details: ArrayLike) -> Float64:
    """Return the fine shape for details and a pose of the coarse cloth. This is the inverse of `details`.

    Parameters
    ----------
    coarse : (C, 3) float, mesh units
    binding : Binding
    details : (V, 3) float, mesh units

    Returns
    -------
    (V, 3) float64, mesh units

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is not finite in float32.
    """
    posed, relative = _coarse(coarse, binding), _fine("details", details, binding)
    return np.asarray(binding.up(posed) + np.einsum("vij,vj->vi", binding.turns(posed), relative))


def transfer(
    fine: ArrayLike, coarse: ArrayLike, binding: Binding, fine_faces: ArrayLike, *, smoothing: int = 8
) -> Float64:
    """Move a posed fine mesh so that its large-scale shape is that of the coarse cloth (equations 5, 6).

    The offset of a coarse vertex is its position minus the mean of the fine vertices around it (`Binding.down`). The
    offsets are interpolated at the fine vertices, smoothed, and added.

    Parameters
    ----------
    fine : (V, 3) float, mesh units
        Positions in the same pose as `coarse`.
    coarse : (C, 3) float, mesh units
    binding : Binding
    fine_faces : (F, 3) int
    smoothing : int
        Number of passes that smooth the offsets. Without smoothing, the offsets have creases along coarse edges.

    Returns
    -------
    (V, 3) float64, mesh units

    Raises
    ------
    ValueError
        An array has a wrong shape, a number is not finite in float32, or a vertex index is out of range.
    """
    shape, faces = _fine("fine", fine, binding), triangles_of("fine_faces", fine_faces, binding.vertex_count)
    offsets = binding.up(_coarse(coarse, binding) - binding.down(shape))
    for _ in range(whole_number("smoothing", smoothing, 0, MOST_PASSES)):
        offsets = vertex_means(offsets, faces)
    return np.asarray(shape + offsets)


def _fine(name: str, values: ArrayLike, binding: Binding) -> Float64:
    """Return `values` as (V, 3) float64, V fine vertices; ValueError if the shape is wrong or a number not finite."""
    return finite_rows(name, values, (_required(binding).vertex_count, 3))


def _coarse(positions: ArrayLike, binding: Binding) -> Float64:
    """Return a pose as (C, 3) float64, C coarse vertices; ValueError if the shape is wrong or a number not finite."""
    return finite_rows("coarse", positions, (_required(binding).topology.vertex_count, 3))


def _required(binding: object) -> Binding:
    return instance("binding", binding, Binding, "ruckle.bind makes one")


def vertex_means(values: ArrayLike, faces: ArrayLike) -> Float64:
    """Return the mean of the values at each vertex and its neighbours, (V, n) float64. `faces` has shape (T, 3)."""
    given, corners = np.asarray(values, np.float64), int32("faces", faces)
    edges = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    sums, counts = given.copy(), np.ones(len(given))
    for a, b in (edges.T, edges.T[::-1]):
        np.add.at(sums, a, given[b])
        np.add.at(counts, a, 1)
    result: Float64 = sums / counts[:, None]
    return result


def mean_of_neighbors(faces: ArrayLike, count: int) -> Any:
    """Return the averaging of `vertex_means` as a sparse (V, V) matrix, for many passes. Requires scipy."""
    import scipy.sparse as sparse

    corners = int32("faces", faces)
    edges = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    rows = np.concatenate([edges[:, 0], edges[:, 1], np.arange(count)])
    columns = np.concatenate([edges[:, 1], edges[:, 0], np.arange(count)])
    return sparse.csr_matrix((1.0 / np.bincount(rows)[rows], (rows, columns)), (count, count))


def closest_triangles(points: Float64, triangles: Float64) -> tuple[Int32, Float64]:
    """For each point (V, 3), return the index of the closest triangle (T, 3, 3) and barycentric coordinates there.

    Of equally close triangles, the first one is returned. Triangles without area are ignored.
    """
    centers = triangles.mean(axis=1)
    radii = np.linalg.norm(triangles - centers[:, None], axis=2).max(axis=1)
    faces, weights = np.empty(len(points), np.int32), np.empty((len(points), 3))
    step = max(1, DISTANCES // len(triangles))
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        # lower bound of the distance from a point to a triangle
        least = np.linalg.norm(points[part, None] - centers, axis=2) - radii
        faces[part], weights[part] = _closest(points[part], triangles, least)
    return faces, weights


def _closest(points: Float64, triangles: Float64, least: Float64) -> tuple[NDArray[np.intp], Float64]:
    """Return the closest triangle of each point, and barycentric coordinates of the closest position in the triangle.

    `least` (V, T) is a lower bound of each distance; the function overwrites this array.
    """
    count = min(CANDIDATES, len(triangles))
    near = np.argpartition(least, count - 1, axis=1)[:, :count]
    best, weights, gaps = _nearest_of(points, triangles, near)
    if count == len(triangles):
        return best, weights
    # also test every other triangle whose lower bound is below the distance found
    np.put_along_axis(least, near, np.inf, axis=1)
    for point in np.flatnonzero(least.min(axis=1) < gaps):
        others = np.flatnonzero(least[point] < gaps[point])
        other, found, gap = _nearest_of(points[point : point + 1], triangles, others[None])
        if gap[0] < gaps[point]:
            best[point], weights[point] = other[0], found[0]
    return best, weights


def _nearest_of(
    points: Float64, triangles: Float64, candidates: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Float64, Float64]:
    """Return the closest of the triangles `candidates` (V, K) of each point, barycentric coordinates, and distance."""
    shape = candidates.shape
    a, b, c = triangles[candidates.ravel()].transpose(1, 0, 2)
    repeated = np.repeat(points, shape[1], axis=0)
    weights = closest_weights(repeated, a, b, c)
    found = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c
    gaps = np.linalg.norm(repeated - found, axis=1).reshape(shape)
    # if several triangles have the same distance, choose the triangle with the lowest index
    nearest = np.lexsort((candidates, gaps), axis=1)[:, 0] if shape[1] > 1 else np.zeros(len(points), np.intp)
    rows = np.arange(len(points))
    return candidates[rows, nearest], weights.reshape(*shape, 3)[rows, nearest], gaps[rows, nearest]


def _normalized(vectors: Float64) -> tuple[Float64, NDArray[np.bool_]]:
    lengths = np.linalg.norm(vectors, axis=1)
    sound = lengths > LEAST_LENGTH
    return vectors / np.where(sound, lengths, 1)[:, None], sound


def _rounded(weights: Float32) -> Float32:
    """Return barycentric coordinates as files store them: two rounded to 1/65535, the third 1 minus their sum."""
    if weights.ndim != 2 or weights.shape[1] != 3 or not np.isfinite(weights).all():
        raise ValueError(f"barycentric: expected finite weights of shape (V, 3), got {weights.shape}")
    steps = np.rint(weights[:, :2].astype(np.float64) * WEIGHT_STEPS).astype(np.int64)
    # the third weight must not become negative if the first two are rounded up
    steps[:, 1] = np.minimum(steps[:, 1], WEIGHT_STEPS - steps[:, 0])
    return unpacked_weights(steps)


def unpacked_weights(steps: ArrayLike) -> Float32:
    """Return barycentric coordinates (V, 3) float32 from the first two in steps of 1/65535."""
    two = np.asarray(steps, np.int64)
    return (np.concatenate([two, WEIGHT_STEPS - two.sum(axis=1, keepdims=True)], axis=1) / WEIGHT_STEPS).astype(
        np.float32
    )
