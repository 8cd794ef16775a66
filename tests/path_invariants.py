"""Checks the invariants of the paths of each frame with NumPy, independently of the C++ core.

The functions check all paths of a frame at once. A check of one path at a time would take thirty times as long as the
computation of the paths.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle import Topology, Wrinkle

Array = NDArray[Any]
Path = tuple[Array, Array]


def check_paths(topology: Topology, paths: Sequence[Path]) -> Array:
    """Assert that paths (edges, t) are valid and do not cross.

    Return the triangle of each segment of all paths, (n,).
    """
    if not paths:
        return np.empty(0, np.int64)
    lengths = np.array([len(edges) for edges, _ in paths])
    assert (lengths >= 2).all()
    assert [len(t) for _, t in paths] == lengths.tolist()
    edges = np.concatenate([edges for edges, _ in paths]).astype(np.int64)
    t = np.concatenate([t for _, t in paths]).astype(np.float64)
    assert ((t >= 0.0) & (t <= 1.0)).all()
    path = np.repeat(np.arange(len(paths)), lengths)
    assert not any_twice(path, edges), "a path crosses an edge twice"
    start = np.flatnonzero(path[1:] == path[:-1])
    faces = shared_faces(topology, edges[start], edges[start + 1])
    assert not any_twice(path[start], faces), "a path passes a triangle twice"
    chords = np.stack([boundary_coordinates(topology, faces, edges[end], t[end]) for end in (start, start + 1)], axis=1)
    crossed = crossed_faces(faces, chords)
    assert len(crossed) == 0, f"two paths cross in triangle {crossed[0]}"
    return faces


def any_twice(path: Array, element: Array) -> bool:
    """Return True if a path contains the same element (edge or triangle) twice."""
    keys = path << 32 | element
    return len(np.unique(keys)) < len(keys)


def shared_faces(topology: Topology, a: Array, b: Array) -> Array:
    """Return the triangle (n,) that contains both edges of each pair. Assert that there is exactly one."""
    sides = topology.edge_faces[a]
    common = (sides >= 0) & (sides[:, :, None] == topology.edge_faces[b][:, None, :]).any(axis=2)
    wrong = np.flatnonzero(common.sum(axis=1) != 1)
    assert len(wrong) == 0, (
        f"edges {a[wrong[0]]} and {b[wrong[0]]} do not share exactly one triangle: {sides[wrong[0]]}"
    )
    return sides[common].astype(np.int64)


def boundary_coordinates(topology: Topology, faces: Array, edges: Array, t: Array) -> Array:
    """Return places of points on the boundaries of triangles, 0 to 3: index of the side plus position on the side."""
    side = (topology.face_edges[faces] == edges[:, None]).argmax(axis=1)
    forward = topology.faces[faces, side] == topology.edges[edges, 0]
    return side + np.where(forward, 1.0 - t, t)


def crossed_faces(faces: Array, chords: Array) -> Array:
    """Return the triangles in which two chords (n, 2) cross. Chords cross if their ends alternate or coincide."""
    order = np.argsort(faces, kind="stable")
    faces, chords = faces[order], np.sort(chords[order], axis=1)
    crossed = [np.empty(0, faces.dtype)]
    # Within each triangle, compare chord i with chord i + 1, then with chord i + 2, and so on.
    step = 1
    while (pairs := np.flatnonzero(faces[step:] == faces[:-step])).size:
        (low, high), (first, second) = chords[pairs].T, chords[pairs + step].T
        touching = (first == low) | (first == high) | (second == low) | (second == high)
        alternate = ((low < first) & (first < high)) != ((low < second) & (second < high))
        crossed.append(faces[pairs[touching | alternate]])
        step += 1
    return np.concatenate(crossed)


def check_wrinkles(topology: Topology, wrinkles: Sequence[Wrinkle]) -> None:
    """Assert that the paths of all wrinkles of a frame are valid, and that widths and heights are possible."""
    faces = check_paths(topology, [(wrinkle.edges, wrinkle.t) for wrinkle in wrinkles])
    if not wrinkles:
        return
    assert len({wrinkle.id for wrinkle in wrinkles}) == len(wrinkles)
    np.testing.assert_array_equal(np.concatenate([wrinkle.faces for wrinkle in wrinkles]), faces)
    for wrinkle in wrinkles:
        assert len(wrinkle.points) == len(wrinkle.width) == len(wrinkle.height) == len(wrinkle.edges)
        assert wrinkle.height[0] == wrinkle.height[-1] == 0.0
        assert 0.0 <= wrinkle.fade <= 1.0
        assert wrinkle.length >= 0.0
    lengths = [len(wrinkle) for wrinkle in wrinkles]
    height, width = (np.concatenate([getattr(w, name) for w in wrinkles]) for name in ("height", "width"))
    crest, perimeter = (np.repeat([getattr(w, name) for w in wrinkles], lengths) for name in ("crest", "perimeter"))
    cuts = np.concatenate([wrinkle.cuts for wrinkle in wrinkles])
    for values in (np.concatenate([wrinkle.points for wrinkle in wrinkles]), crest, perimeter):
        assert np.isfinite(values).all()
    for values, most in ((height, crest * 1.0001 + 1e-9), (width, perimeter * 1.0001), (cuts, 1.0)):
        assert ((values >= 0.0) & (values <= most)).all()
