"""Finds edges that cross faces by testing all pairs. Tests compare the fast search with this result."""

import numpy as np


def crossings(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return an array (N, 3) of edges and faces that cross: two vertices of the edge, one face. Sorted.

    A face is skipped for an edge if both share a vertex.
    """
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    x, found = points.astype(float), []
    lows, highs = x[faces].min(axis=1), x[faces].max(axis=1)
    for first, last in edges:
        p, d = x[first], x[last] - x[first]
        near = ((highs >= np.minimum(p, x[last])) & (lows <= np.maximum(p, x[last]))).all(axis=1)
        met = np.flatnonzero(near & ~((faces == first) | (faces == last)).any(axis=1))
        a, b, c = x[faces[met]].transpose(1, 0, 2)
        e1, e2 = b - a, c - a
        h = np.cross(d, e2)
        det = (e1 * h).sum(1)
        det[np.abs(det) < 1e-18] = np.inf
        u, q = ((p - a) * h).sum(1) / det, np.cross(p - a, e1)
        v, t = (q @ d) / det, (e2 * q).sum(1) / det
        through = np.isfinite(det) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)
        found += [(first, last, face) for face in met[through]]
    return np.array(found, np.int32).reshape(-1, 3)
