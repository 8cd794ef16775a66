"""Compression of soft flesh: skinned thighs and elbows intersect and leave no space for cloth between them.

This module requires scipy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.topology import Topology
from ruckle.simulation.body import Body, Motion

__all__ = ["compressed_skins"]

Float64 = NDArray[np.float64]

# In metres: maximum distance between facing parts of the skin that are moved apart; maximum depth of intersections that
# are resolved; maximum tangential distance between a point and its opposite point.
REACH, DEEPEST, ACROSS = 0.08, 0.06, 0.045

# Two points face each other if the cosine of the angle between their normals is below this value.
FACING = -0.2

# In metres. A point that is deeper than this behind another point's tangent plane at rest is on the other side of a
# thin part, such as a hand; these two points are not moved apart.
BACK = 0.005

# Rounds of averaging over neighbouring vertices; standard deviation of smoothing over time, in frames.
ROUNDS, CALM = 2, 1.5


def compressed_skins(motion: Motion, body: Body, room: float) -> Float32:
    """Return the vertices (F, B, 3) of a body in metres, with space for cloth between facing parts.

    Each of two facing parts is moved back along its normals by at most half of the missing distance: by less if the
    normals are not opposite, or if the parts are opposite only at a distance sideways (`ACROSS`).

    Parameters
    ----------
    motion : Motion
        F frames.
    body : Body
    room : float, metres
        Required distance between facing parts.
    """
    from scipy.ndimage import gaussian_filter1d

    count = len(body.positions)
    edges = np.asarray(Topology(body.faces, count).edges)
    samples = _samples(body.faces, edges, count)
    rest = _Points(body.positions, body.faces, samples)
    posed = [_Points(body.posed(bones), body.faces, samples) for bones in motion.bones]
    ways = gaussian_filter1d([points.missing(rest, room, count) for points in posed], CALM, axis=0, mode="nearest")
    a, b = np.concatenate([edges, edges[:, ::-1]]).T
    valences = np.maximum(np.bincount(a, minlength=count), 1)
    for _ in range(ROUNDS):
        ways = np.maximum(ways, [np.bincount(a, way[b], count) / valences for way in ways])
    moved = [points.at[:count] - way[:, None] * points.out[:count] for points, way in zip(posed, ways, strict=True)]
    return float32("skins", moved)


def _samples(faces: Int32, edges: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Return vertex indices (S, 3) of samples of the skin. A sample is the mean of its three vertices.

    Samples are all vertices, two points on each edge, and all face centres.
    """
    ends = [np.c_[edges, edges[:, k]] for k in range(2)]
    return np.concatenate([np.repeat(np.arange(count)[:, None], 3, axis=1), *ends, faces])


class _Points:
    """The samples of a skin in one pose: positions `at` (S, 3) and unit normals `out` (S, 3)."""

    def __init__(self, skin: Float32, faces: Int32, samples: NDArray[np.int64]) -> None:
        points = skin.astype(np.float64)
        x = points[faces]
        crosses = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        normals = np.zeros_like(points)
        for k in range(3):
            np.add.at(normals, faces[:, k], crosses)
        self.at = points[samples].mean(axis=1)
        self.out = _unit(_unit(normals)[samples].mean(axis=1))

    def missing(self, rest: _Points, room: float, count: int) -> Float64:
        """Return the distance (B,), metres, by which each of the first `count` points must move against its normal."""
        from scipy.spatial import KDTree

        near = KDTree(self.at[:count]).sparse_distance_matrix(KDTree(self.at), REACH, output_type="coo_matrix")
        v, u = near.row, near.col
        opposed = -(self.out[v] * self.out[u]).sum(axis=1)
        v, u, opposed = (values[opposed > -FACING] for values in (v, u, opposed))
        height, across = self.seen_from(u, v)
        was, _ = rest.seen_from(u, v)
        thin = (was < -BACK) & ((rest.out[v] * rest.out[u]).sum(axis=1) < FACING)
        share = np.clip(2.0 - across / (0.5 * ACROSS), 0.0, 1.0) * opposed
        wanted = np.where(thin | (height < -DEEPEST), 0.0, 0.5 * share * np.maximum(room - height, 0.0))
        ways = np.zeros(count)
        np.maximum.at(ways, v, wanted)
        return ways

    def seen_from(self, u: NDArray[np.int32], v: NDArray[np.int32]) -> tuple[Float64, Float64]:
        """Return heights of points v above the tangent planes of points u, and their distances along these planes."""
        way = self.at[v] - self.at[u]
        height = (way * self.out[u]).sum(axis=1)
        return height, np.linalg.norm(way - height[:, None] * self.out[u], axis=1)


def _unit(vectors: Float64) -> Float64:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))
