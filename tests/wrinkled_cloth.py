"""Wrinkles made by hand on flat pieces of cloth, and animations with wrinkles, for the tests of the surface."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle import Animation, Frame, Topology, Wrinkle

Array = NDArray[Any]

R_MIN, KAPPA = 0.3, 0.3


def laid(topology: Topology, positions: Array, line: Array, *, number: int = 0, **shape: Any) -> Wrinkle:
    """Return a wrinkle along a polyline (n, 2) in the plane z = 0. Its vertices are the crossings with mesh edges."""
    ends = positions.astype(np.float64)[topology.edges][:, :, :2]
    crossings = []
    for i, (a, b) in enumerate(pairwise(np.asarray(line, np.float64))):
        along, sides = b - a, ends[:, 1] - ends[:, 0]
        area = along[0] * sides[:, 1] - along[1] * sides[:, 0]
        with np.errstate(all="ignore"):
            away = ends[:, 0] - a
            x = (away[:, 0] * sides[:, 1] - away[:, 1] * sides[:, 0]) / area
            y = (away[:, 0] * along[1] - away[:, 1] * along[0]) / area
        crossings += [(i + x[e], e, 1.0 - y[e]) for e in np.flatnonzero((x >= 0) & (x < 1) & (y > 0) & (y < 1))]
    crossings.sort()
    edges = np.array([edge for _, edge, _ in crossings], np.int32)
    t = np.array([t for _, _, t in crossings], np.float32)
    sides = [set(topology.edge_faces[edge]) - {-1} for edge in edges]
    faces = np.array([min(a & b) for a, b in pairwise(sides)], np.int32)
    first, second = (positions.astype(np.float32)[topology.edges[edges, k]] for k in (0, 1))
    points = first * t[:, None] + second * (1 - t[:, None])
    given = {"kappa": KAPPA, "r_min": R_MIN, "size": 1.0, "fade": 1.0} | shape
    width, height, perimeter = ruckle.wrinkle_shape(points, **given)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return Wrinkle(
        id=number, age=1.0, fading=False, edges=edges, t=t, faces=faces, points=points, width=width, height=height,
        perimeter=perimeter, cuts=np.asarray(shape.get("cuts", (0.0, 0.0)), np.float32),
        extent=np.array([0.0, length], np.float32), kappa=given["kappa"], size=given["size"], fade=given["fade"],
        crest=float(height.max()), full_width=2.0 * given["r_min"] * (1.0 - 2.0 / np.pi) / given["kappa"],
    )  # fmt: skip


def frame_of(topology: Topology, positions: Array, *wrinkles: Wrinkle, r_min: float = R_MIN) -> Frame:
    return Frame.of(positions, topology, wrinkles, r_min=r_min)


def wrinkling(animation: Animation, *, every: int, tau: float = 1.25) -> Iterator[Frame]:
    """Yield every `every`-th frame of the animation. Frames without wrinkles are skipped."""
    for frame in ruckle.run(animation, tau=tau):
        if frame.index % every == every - 1 and frame.stats["wrinkles"]:
            yield frame


def chords(random: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Return both ends (barycentric coordinates) of random straight lines between two different sides of a triangle."""
    first, turn = random.integers(0, 3, count), random.integers(1, 3, count)
    ends = []
    for side in (first, (first + turn) % 3):
        place = random.random(count)
        end = np.zeros((count, 3))
        end[np.arange(count), side] = 1.0 - place
        end[np.arange(count), (side + 1) % 3] = place
        ends.append(end)
    return ends[0], ends[1]


def points_in_space(topology: Any, positions: Array, wanted: Array) -> tuple[Array, Array]:
    """Return the faces and the barycentric coordinates of points (N, 2) on a flat sheet."""
    corners = positions.astype(np.float64)[topology.faces][:, :, :2]
    matrix = np.concatenate([corners.transpose(0, 2, 1), np.ones((len(corners), 1, 3))], axis=1)
    weights = np.einsum("tij,nj->nti", np.linalg.inv(matrix), np.column_stack([wanted, np.ones(len(wanted))]))
    faces = weights.min(axis=2).argmax(axis=1)
    return faces, weights[np.arange(len(wanted)), faces]
