"""Depths of points in a body: known distances, and bodies for which the nearest normal gives a wrong sign."""

import numpy as np
import pytest

from meshes import sphere
from ruckle.experiments.metrics import depths_inside, winding_numbers
from ruckle.simulation.body import mesh_clearance

BALL = sphere(3)


def test_exact_depths_in_a_ball() -> None:
    directions = np.random.default_rng(1).normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = np.linspace(0.2, 1.8, 300)
    depths = depths_inside(radii[:, None] * directions, BALL.positions, BALL.faces)
    # The faces of the ball are up to 1.1 % inside the unit sphere, so only points with a radius below 0.985 are safely
    # inside.
    sunk = radii < 0.985
    np.testing.assert_allclose(depths[sunk], 1.0 - radii[sunk], atol=0.015)
    assert np.count_nonzero(depths[radii > 1.0]) == 0
    assert depths_inside(np.zeros((0, 3)), BALL.positions, BALL.faces).shape == (0,)


def test_exact_windings_of_parts_that_cut_into_each_other() -> None:
    positions = np.concatenate([BALL.positions, BALL.positions + np.array([1.0, 0.0, 0.0])])
    faces = np.concatenate([BALL.faces, BALL.faces + len(BALL.positions)])
    points = np.array([[-0.5, 0, 0], [0.5, 0, 0], [1.5, 0, 0], [2.5, 0, 0]])
    np.testing.assert_allclose(winding_numbers(points, positions, faces), [1, 2, 1, 0], atol=1e-9)
    # the nearest skin belongs to the second ball and faces the point, although the point is inside the first ball
    deep = np.array([[-0.02, 0.0, 0.0]])
    assert mesh_clearance(deep, positions, faces)[0] > 0.0
    assert depths_inside(deep, positions, faces) == pytest.approx(0.02, abs=0.01)


def test_exact_skin_that_is_folded_inside_out_has_no_inside() -> None:
    outside = np.array([[1.1, 0.0, 0.0]])
    inside_out = BALL.faces[:, ::-1]
    assert mesh_clearance(outside, BALL.positions, inside_out)[0] < 0.0
    assert depths_inside(outside, BALL.positions, inside_out) == 0.0


def test_exact_a_hole_is_closed_as_by_a_film() -> None:
    # remove the faces at x > 0.8 from the ball; the rim of the hole is a circle around the x axis
    open_ball = BALL.faces[BALL.positions[BALL.faces].mean(axis=1)[:, 0] < 0.8]
    rim = BALL.positions[np.unique(open_ball)][:, 0].max()
    points = np.array([[rim - 0.1, 0, 0], [rim + 0.1, 0, 0]])
    assert (depths_inside(points, BALL.positions, open_ball) > 0.0).tolist() == [True, False]


def test_property_depths_move_with_the_body() -> None:
    points = np.random.default_rng(2).normal(size=(200, 3))
    depths = depths_inside(points, BALL.positions, BALL.faces)
    assert 10 < np.count_nonzero(depths) < 190
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    moved = depths_inside(points @ turned.T + 3.0, BALL.positions @ turned.T + 3.0, BALL.faces)
    np.testing.assert_allclose(moved, depths, atol=1e-9)


def test_reject_what_has_no_depth() -> None:
    point, positions, faces = np.zeros((1, 3)), BALL.positions, BALL.faces
    with pytest.raises(ValueError, match=r"points: expected an array of shape \(V, 3\), got \(3,\)"):
        depths_inside(point[0], positions, faces)
    # positions with NaN or infinity are an error; they must not count as points outside the body
    for name, given in (("points", (point + np.nan, positions)), ("body_positions", (point, positions + np.inf))):
        with pytest.raises(ValueError, match=f"{name}: .*finite"):
            depths_inside(*given, faces)
    with pytest.raises(ValueError, match=f"body_faces: face 0 names vertex {len(positions)}"):
        depths_inside(point, positions, [[0, 1, len(positions)]])
    assert depths_inside(point, positions, np.zeros((0, 3), np.int32)) == 0.0
