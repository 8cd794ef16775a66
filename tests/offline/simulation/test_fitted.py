"""Garments that are cut from the skin of a body: cuts along planes, subdivision, and distance to the body."""

import numpy as np

import ruckle
from meshes import sphere
from ruckle.offline.simulation.fitted import (
    COARSE_COUNT,
    FINE_COUNT,
    SNAP,
    Cut,
    clipped,
    evenly_spaced,
    fitted_sheets,
    halved,
    largest_piece,
)
from ruckle.offline.simulation.remeshing import boundary_loops
from ruckle.simulation import Body
from ruckle.simulation.body import mesh_clearance

UP = np.array([0.0, 1.0, 0.0])


def area(points: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = points[faces].transpose(1, 0, 2)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def test_exact_a_cut_ends_in_its_plane_and_leaves_no_slivers() -> None:
    ball = sphere(3)
    cut = Cut(0.31 * UP, -UP)
    points, faces = clipped(ball.positions.astype(float), ball.faces, cut)
    [rim] = boundary_loops(faces)
    np.testing.assert_allclose(points[rim, 1], 0.31, atol=1e-12)
    assert points[:, 1].max() == points[rim, 1].max()
    # a ball with radius 1 and a cut-off cap has the area 2 π h with the height h = 1.31; its triangles are slightly
    # smaller
    np.testing.assert_allclose(area(points, faces), 2 * np.pi * 1.31, rtol=0.02)
    a, b = ruckle.Topology(faces, len(points)).edges.T
    assert np.linalg.norm(points[a] - points[b], axis=1).min() > 0.5 * SNAP


def test_exact_halves_keep_the_surface_and_its_vertices() -> None:
    ball = sphere(1)
    points = ball.positions.astype(float)
    fine, faces = halved(points, ball.faces)
    np.testing.assert_array_equal(fine[: len(points)], points)
    assert len(faces) == 4 * len(ball.faces)
    assert len(fine) == len(points) + len(ruckle.Topology(ball.faces, len(points)).edges)
    np.testing.assert_allclose(area(fine, faces), area(points, ball.faces), rtol=1e-12)


def test_exact_the_largest_piece_is_kept_alone() -> None:
    small, large = sphere(0), sphere(1)
    points = np.concatenate([small.positions + 3, large.positions]).astype(float)
    kept, faces = largest_piece(points, np.concatenate([small.faces, len(small.positions) + large.faces]))
    np.testing.assert_array_equal(kept, large.positions.astype(float))
    np.testing.assert_array_equal(faces, large.faces)


def ball_skin() -> Body:
    """Return a ball with a radius of 20 cm as a body. Its upper half follows bone 1, its lower half bone 0."""
    ball = sphere(2)
    upper = (ball.positions[:, 1] > 0.0).astype(np.float32)
    return Body((0.2 * ball.positions).astype(np.float32), ball.faces, np.stack([1 - upper, upper], 1))


def test_exact_fitted_cloth_leaves_room_and_is_pinned_at_its_first_cut() -> None:
    skin, ends = ball_skin(), [Cut(0.1 * UP, -UP), Cut(-0.1 * UP, UP)]
    coarse, fine = fitted_sheets(skin, ends, 0.02)
    assert 0.9 < len(coarse.rest) / COARSE_COUNT < 1.15
    assert 0.9 < len(fine.rest) / FINE_COUNT < 1.15
    for sheet in (coarse, fine):
        distances, _ = mesh_clearance(sheet.rest, skin.positions, skin.faces)
        assert 0.009 < distances.min() < distances.max() < 0.03
        # the hems are at y = -0.1 and y = 0.1, and all vertices are between them
        lower, upper = sorted(boundary_loops(sheet.faces), key=lambda loop: float(sheet.rest[loop, 1].mean()))
        np.testing.assert_allclose(sheet.rest[lower, 1], -0.1, atol=1e-6)
        np.testing.assert_allclose(sheet.rest[upper, 1], 0.1, atol=1e-6)
        assert np.abs(sheet.rest[:, 1]).max() < 0.1 + 1e-6
        # the collar is pinned and moves rigidly; below it, the attachment decreases with the square of the distance
        np.testing.assert_array_equal(sheet.attachment[upper], 1.0)
        assert sheet.rest[sheet.attachment == 1.0, 1].min() > 0.1 - 1e-4
        np.testing.assert_allclose(sheet.weights, [[0, 1]] * len(sheet.rest), atol=1e-6)


def test_exact_fitted_cloth_has_even_triangles_and_hems() -> None:
    _, fine = fitted_sheets(ball_skin(), [Cut(0.1 * UP, -UP), Cut(-0.1 * UP, UP)], 0.02)
    a, b, c = fine.rest[fine.faces].astype(float).transpose(1, 0, 2)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    squares = sum(((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a)))
    # a quality measure of triangles, which is 1 for equilateral triangles
    assert np.percentile(4 * np.sqrt(3) * areas / squares, 0.1) > 0.6
    lengths = [
        np.linalg.norm(fine.rest[loop] - fine.rest[np.roll(loop, 1)], axis=1) for loop in boundary_loops(fine.faces)
    ]
    for rim in lengths:
        assert rim.min() > 0.4 * rim.mean()
        # the cut through the body has a radius of 0.17 m; the hem has a distance of some centimetres from the body
        assert 2 * np.pi * 0.18 < rim.sum() < 2 * np.pi * 0.22


def test_exact_points_of_a_polygon_are_spread_evenly() -> None:
    square = np.array([[0, 0, 0], [3, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [0, 2, 0], [0, 1, 0], [0, 0.5, 0]], float)
    np.testing.assert_allclose(
        evenly_spaced(square), [[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 2, 0], [4, 4, 0], [2, 4, 0], [0, 4, 0], [0, 2, 0]]
    )
