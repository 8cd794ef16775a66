"""Continuity of the surface: heights along straight lines do not jump, even near bends of paths."""

from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from ruckle import Animation, Surface, Topology
from sanitized import garments
from wrinkled_cloth import R_MIN, chords, frame_of, laid, points_in_space, wrinkling

STEPS = 10_000
MOST = 0.01
"""Largest change of height between neighbours of `STEPS` samples along a line, in least radii."""


def jumps(surface: Surface, random: np.random.Generator, count: int, r_min: float) -> Any:
    """Return the largest change of height between neighbouring points of random lines, (count,), in units of r_min.

    The lines are chords of triangles with wrinkles.
    """
    reached = np.flatnonzero(np.diff(surface.frame.path_heights.face_offsets))
    faces = np.repeat(random.choice(reached, count), STEPS + 1).astype(np.int32)
    first, second = chords(random, count)
    x = np.linspace(0.0, 1.0, STEPS + 1)[None, :, None]
    weights = (first[:, None] * (1.0 - x) + second[:, None] * x).reshape(-1, 3)
    heights = surface.evaluate(faces, weights).heights.reshape(count, -1)
    return np.abs(np.diff(heights, axis=1)).max(axis=1) / r_min


def largest_jump(animation: Animation, *, every: int, lines: int) -> float:
    random = np.random.default_rng(7)
    largest, r_min = 0.0, 0.005 * animation.height
    seen = 0
    for frame in wrinkling(animation, every=every):
        surface = Surface(frame.topology, base="flat")
        surface.update(frame)
        if len(surface.frame.path_heights.face_points):
            largest = max(largest, jumps(surface, random, lines, r_min).max())
            seen += 1
    assert seen >= 2
    return largest


@pytest.mark.parametrize("name", garments())
def test_property_heights_do_not_jump_on_samples(name: str) -> None:
    animation = ruckle.sample(name)
    assert largest_jump(animation, every=animation.frame_count // 3, lines=60) < MOST


def test_property_heights_do_not_jump_in_valleys() -> None:
    positions, topology, row = pleats()
    surface = Surface(topology, base="flat")
    surface.update(frame_of(topology, positions, *row))
    assert jumps(surface, np.random.default_rng(0), 200, R_MIN).max() < MOST


def bends(angle: float) -> tuple[Any, Topology, Any]:
    """Return a flat sheet (positions, topology) and a wrinkle with a bend of `angle` degrees in its middle."""
    positions, faces = grid(8, 8, seed=4)
    topology = Topology(faces, len(positions))
    turn = np.deg2rad(angle)
    line = np.array([[1.1, 4.2], [4.1, 4.2], [4.1 + 3 * np.cos(turn), 4.2 + 3 * np.sin(turn)]])
    return positions, topology, laid(topology, positions, line)


@pytest.mark.parametrize("angle", [10, 45, 80, 100, 120])
def test_property_heights_do_not_jump_in_bends(angle: float) -> None:
    positions, topology, wrinkle = bends(angle)
    surface = Surface(topology, base="flat")
    surface.update(frame_of(topology, positions, wrinkle))
    assert jumps(surface, np.random.default_rng(0), 200, R_MIN).max() < MOST


@pytest.mark.parametrize("angle", [0, 45, 80])
def test_property_the_crest_is_as_high_as_its_samples(angle: float) -> None:
    """The mean over samples must not lower the crest, and must not vary between samples."""
    positions, topology, wrinkle = bends(angle)
    surface = Surface(topology, base="flat")
    surface.update(frame_of(topology, positions, wrinkle))
    samples = surface.frame.path_heights.curve_points.astype(np.float64)
    x = np.linspace(0.0, 1.0, 50)[:, None]
    points = (samples[1:-2, None, 0, :2] * (1 - x) + samples[2:-1, None, 0, :2] * x).reshape(-1, 2)
    heights = surface.evaluate(*points_in_space(topology, positions, points)).heights
    given = samples[:, 2, 1]
    expected = (given[1:-2, None] * (1 - x[:, 0]) + given[2:-1, None] * x[:, 0]).ravel()
    inner = expected > 0.5 * given.max()
    assert (np.abs(heights / expected - 1)[inner] < 0.12).all()


def pleats() -> tuple[Any, Topology, list[Any]]:
    """Return a flat sheet (positions, topology) and three parallel wrinkles with valleys between them."""
    positions, faces = grid(8, 8, seed=4)
    topology = Topology(faces, len(positions))
    lines = [np.array([[1.1, y], [6.9, y + 0.1]]) for y in (3.8, 4.2, 4.65)]
    return positions, topology, [laid(topology, positions, line, number=k) for k, line in enumerate(lines)]


@pytest.mark.parametrize("row", [False, True])
def test_property_gradients_are_those_of_the_heights(row: bool) -> None:
    """Gradients agree with finite differences of the heights. Near bends, small terms of the gradient are omitted."""
    positions, topology, found = pleats() if row else bends(0)
    surface = Surface(topology, base="flat")
    surface.update(frame_of(topology, positions, *(found if isinstance(found, list) else [found])))
    random = np.random.default_rng(0)
    faces = random.choice(np.flatnonzero(np.diff(surface.frame.path_heights.face_offsets)), 4000).astype(np.int32)
    inside = 0.05 + 0.85 * random.dirichlet((1.0, 1.0, 1.0), 4000)
    step = 1e-3
    corners = positions.astype(np.float64)[topology.faces[faces]][:, :, :2]
    matrix = np.concatenate([corners.transpose(0, 2, 1), np.ones((len(faces), 1, 3))], axis=1)
    slopes = []
    for direction in np.eye(2):
        change = np.linalg.solve(matrix, np.tile([*direction, 0.0], (len(faces), 1))[..., None])[..., 0] * step
        high, low = (surface.evaluate(faces, inside + sign * change).heights for sign in (0.5, -0.5))
        slopes.append((high.astype(np.float64) - low) / step)
    points = surface.evaluate(faces, inside)
    expected = np.column_stack([-slopes[0], -slopes[1], np.ones(len(faces))])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    raised = points.heights > 0.02 * R_MIN
    assert raised.sum() > 300
    # near the ends of a wrinkle, shading ignores the change of its width, which turns normals by a few degrees
    cosine = (points.normals * expected).sum(axis=1)[raised]
    assert np.quantile(cosine, 0.02) > np.cos(np.deg2rad(12))
    assert np.median(cosine) > np.cos(np.deg2rad(2))
