"""Counts intersections between layers of cloth, independently of the code that limits heights to avoid them."""

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import ruckle


def layers_of(topology: Any) -> Any:
    """Return the number of the connected component of each vertex, (V,). Each component is one layer of cloth."""
    ends = np.concatenate([topology.faces[:, :2], topology.faces[:, 1:]])
    count = topology.vertex_count
    return connected_components(coo_matrix((np.ones(len(ends)), ends.T), (count, count)), directed=False)[1]


def pierced(frame: Any, **options: Any) -> int:
    """Return the number of fine vertices that a wrinkle pushes through the displaced surface of another layer.

    The line from the coarse cloth to such a fine vertex crosses a fine triangle of another component.
    """
    layer, topology = layers_of(frame.topology), frame.topology
    fine = ruckle.displace(frame, base="flat", **options)
    corners = topology.faces[fine.coarse_faces]
    own = layer[corners[:, 0]]
    starts = np.einsum("nk,nkc->nc", fine.barycentric.astype(float), frame.positions[corners].astype(float))
    points, faces = fine.positions.astype(float), fine.faces
    moved = np.flatnonzero(np.linalg.norm(points - starts, axis=1) > 1e-6 * np.ptp(points, axis=0).max())
    found = np.zeros(len(points), bool)
    for one in np.unique(own[moved]):
        asked, others = moved[own[moved] == one], points[faces[own[faces[:, 0]] != one]]
        found[asked] = crosses(starts[asked], points[asked], others)
    return int(found.sum())


def crosses(starts: Any, ends: Any, triangles: Any) -> Any:
    """Return a mask of the segments that cross at least one triangle (Möller and Trumbore 1997)."""
    result = np.zeros(len(starts), bool)
    middles = triangles.mean(axis=1)
    radii = np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1)
    tree = cKDTree(0.5 * (starts + ends))
    reach = 0.5 * np.linalg.norm(ends - starts, axis=1).max(initial=0.0)
    # Search around each triangle with its own radius, so that one large triangle does not slow down all other searches.
    near = tree.query_ball_point(middles, radii + reach)
    triangle = np.repeat(np.arange(len(near)), [len(one) for one in near])
    if not len(triangle):
        return result
    segment = np.concatenate([np.array(one, int) for one in near])
    way, first = (ends - starts)[segment], triangles[triangle, 0]
    sides = triangles[triangle, 1] - first, triangles[triangle, 2] - first
    across = np.cross(way, sides[1])
    scale = (sides[0] * across).sum(axis=1)
    scale[scale == 0.0] = np.inf
    from_first = starts[segment] - first
    turned = np.cross(from_first, sides[0])
    u, v = (from_first * across).sum(axis=1) / scale, (way * turned).sum(axis=1) / scale
    t = (sides[1] * turned).sum(axis=1) / scale
    result[segment[(u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0) & (t <= 1)]] = True
    return result
