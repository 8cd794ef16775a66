"""Garments cut from a skin: cuts in a plane, meshes halved, and room for the wearer."""

import numpy as np

import ruckle
from meshes import sphere
from ruckle.simulation import Body
from ruckle.simulation.body import mesh_clearance
from ruckle.simulation.fitted import SNAP, Cut, clipped, fitted_sheets, halved, largest_piece
from ruckle.simulation.remeshing import boundary_loops

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
    # of a cap of height h cut from a ball of radius r, 2 π r h; triangles lie inside of the ball
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


def test_exact_fitted_cloth_leaves_room_and_is_pinned_at_its_first_cut() -> None:
    ball = sphere(2)
    skin = Body(
        (0.2 * ball.positions).astype(np.float32), ball.faces, np.ones((len(ball.positions), 2), np.float32) / 2
    )
    coarse, fine = fitted_sheets(skin, [Cut(0.1 * UP, -UP), Cut(-0.1 * UP, UP)], 0.02, 1)
    np.testing.assert_array_equal(fine.rest[: len(coarse.rest)], coarse.rest)
    distances, _ = mesh_clearance(fine.rest, skin.positions, skin.faces)
    assert 0.01 < distances.min() < distances.max() < 0.03
    assert len(boundary_loops(fine.faces)) == 2
    pinned = fine.attachment == 1
    assert pinned.any()
    # where it falls away from its pins it does so as the square of the distance
    np.testing.assert_array_equal(pinned[fine.rest[:, 1] > 0.1], True)
    assert fine.rest[pinned, 1].min() > 0.1 - 1e-4
    np.testing.assert_array_equal(fine.weights, np.float32([[0, 1]] * len(fine.rest)))
