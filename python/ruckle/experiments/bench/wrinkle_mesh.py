"""Wrinkle meshes (Müller, Chentanez 2010): a fine mesh that is attached loosely to animated cloth.

Each fine vertex remains within a maximum distance of its point on the animated surface. Distance constraints preserve
the rest lengths of edges. Distance constraints between opposite corners of neighbouring faces resist bending. The
solver is static: each frame starts from the result of the previous frame, moved with the animated surface, and runs a
fixed number of sweeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.experiments.metrics.rest_surface import RestSurface
from ruckle.mesh.geometry import unit
from ruckle.mesh.topology import Topology

__all__ = ["wrinkle_mesh"]

Float64 = NDArray[np.float64]

REACH = 0.015
"""Largest distance of a fine vertex from its point on the animated surface, metres; folds can be 15 mm high."""

BEND_STIFFNESS = 0.3
"""Fraction of the error of a bending constraint that one sweep corrects."""

# In metres: size of random initial offsets, because a flat mesh does not buckle under compression.
NOISE = 5e-4

Batch = tuple[NDArray[np.int64], NDArray[np.int64], Float64]


def wrinkle_mesh(
    rest: Float32, faces: Int32, bases: Iterable[Float64], *, sweeps: int = 20, reach: float = REACH
) -> Iterator[Float64]:
    """Yield the wrinkle mesh (N, 3) of each frame, metres.

    Parameters
    ----------
    rest : (N, 3) float, metres
    faces : (S, 3) int
    bases : iterable of (N, 3) float, metres
        Points of the animated surface that belong to the fine vertices, frame by frame.
    sweeps : int
        Gauss-Seidel sweeps per frame; the paper uses 10 to 40.
    reach : float, metres
        Each fine vertex remains in a ball of radius reach / 2. The centre of the ball is reach / 2 outside the
        point of the vertex, so cloth folds outward, away from the body.
    """
    surface = RestSurface(rest, faces)
    topology = Topology(faces, len(rest))
    edges = np.asarray(topology.edges)
    batches = [(batch, 1.0) for batch in _batches(edges, rest)]
    batches += [(batch, BEND_STIFFNESS) for batch in _batches(_opposite_corners(topology, faces), rest)]
    local: Float64 | None = None
    for base in bases:
        normals = surface.normals_of(base)
        frames = _frames(base, normals, edges)
        if local is None:
            local = np.random.default_rng(1).normal(scale=NOISE, size=base.shape)
        points = base + np.einsum("nij,ni->nj", frames, local)
        # the ball is on the outside of the surface and touches the surface
        centers = base + 0.5 * reach * normals
        for _ in range(sweeps):
            for (a, b, lengths), stiffness in batches:
                ways = points[b] - points[a]
                found = np.sqrt((ways**2).sum(axis=1))
                ways *= (0.5 * stiffness * (1.0 - lengths / np.maximum(found, 1e-9)))[:, None]
                points[a] += ways
                points[b] -= ways
            offsets = points - centers
            far = np.sqrt((offsets**2).sum(axis=1, keepdims=True))
            points = centers + offsets * np.minimum(1.0, 0.5 * reach / np.maximum(far, 1e-9))
        local = np.einsum("nij,nj->ni", frames, points - base)
        yield points


def _frames(base: Float64, normals: Float64, edges: NDArray[np.integer]) -> Float64:
    """Return an orthonormal frame (N, 3, 3) at each vertex: along an edge, across the edge, along the normal."""
    neighbour = np.zeros(len(base), np.int64)
    neighbour[edges[:, 1]], neighbour[edges[:, 0]] = edges[:, 0], edges[:, 1]
    along = base[neighbour] - base
    along = unit(along - (along * normals).sum(axis=1, keepdims=True) * normals)
    return np.stack([along, np.cross(normals, along), normals], axis=1)


def _opposite_corners(topology: Topology, faces: Int32) -> NDArray[np.int64]:
    """Return the two corners (K, 2) opposite to each inner edge."""
    edges, sides = np.asarray(topology.edges), np.asarray(topology.edge_faces)
    inner = (sides >= 0).all(axis=1)
    # sum of a face's corners minus the edge's vertices
    sums = faces[sides[inner]].sum(axis=2) - edges[inner].sum(axis=1, keepdims=True)
    return np.asarray(sums, np.int64)


def _batches(pairs: NDArray[np.integer], rest: Float32) -> list[Batch]:
    """Return pairs in batches with their rest lengths. The pairs of a batch do not share vertices."""
    used = np.zeros(len(rest), np.int64)
    colors = np.empty(len(pairs), np.int64)
    for index, (a, b) in enumerate(pairs.tolist()):
        taken = int(used[a] | used[b])
        # the color is the lowest free bit
        color = (~taken & (taken + 1)).bit_length() - 1
        colors[index] = color
        used[a] |= 1 << color
        used[b] |= 1 << color
    found = []
    for color in range(int(colors.max(initial=-1)) + 1):
        a, b = pairs[colors == color].T.astype(np.int64)
        found.append((a, b, np.linalg.norm(rest[a].astype(np.float64) - rest[b], axis=1)))
    return found
