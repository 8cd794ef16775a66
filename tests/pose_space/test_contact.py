"""Contact of shapes with the body: fine vertices inside the body are moved out."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ruckle
from posed_arm import database, moving_arm
from ruckle.pose_space.contact import bring_outside
from ruckle.simulation.body import mesh_clearance
from ruckle.simulation.sheet import grid_faces

# a cube with sides of length 2 around the origin; its normals point outward
POINTS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SQUARES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
FACES = np.array([[a, *ends] for a, b, c, d in SQUARES for ends in ((b, c), (c, d))])


def test_exact_points_inside_or_near_move_to_the_gap() -> None:
    low, high = POINTS.min(axis=0), POINTS.max(axis=0)
    middle, top = (low + high) / 2, high[1]
    inside = [middle[0], top - 0.01, middle[2]]
    outside = [middle[0], top + 0.5, middle[2]]
    close = [middle[0], top + 0.01, middle[2]]
    found = ruckle.push_out([inside, outside, close], POINTS, FACES, gap=0.02)
    assert_allclose(found, [[middle[0], top + 0.02, middle[2]], outside, [middle[0], top + 0.02, middle[2]]], atol=1e-9)
    kept = ruckle.push_out([inside, inside], POINTS, FACES, only=[True, False])
    assert_allclose(kept, [[middle[0], top, middle[2]], inside], atol=1e-9)


def test_property_no_point_remains_inside_and_points_outside_stay() -> None:
    points = np.random.default_rng(0).uniform(POINTS.min() - 0.3, POINTS.max() + 0.3, (200, 3))
    found = ruckle.push_out(points, POINTS, FACES)
    low, high = POINTS.min(axis=0), POINTS.max(axis=0)
    assert not ((found > low + 1e-6) & (found < high - 1e-6)).all(axis=1).any()
    outside = ~((points >= low) & (points <= high)).all(axis=1)
    assert_array_equal(found[outside], points[outside])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"positions": [[0, 0, np.nan]]}, r"positions: expected finite positions of shape \(V, 3\), got \(1, 3\)"),
        ({"body": [1.0, 2.0]}, r"body: expected finite positions of shape \(V, 3\), got \(2,\)"),
        ({"body_faces": [[0, 1, 99]]}, "body_faces: expected triangles of the 8 vertices of the body"),
        ({"only": [True, False]}, r"only: expected one flag for each of 1 vertices, got \(2,\)"),
    ],
)
def test_reject(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ruckle.push_out(**{"positions": [[0, 0, 0]], "body": POINTS, "body_faces": FACES} | change)


def test_exact_sunken_points_move_to_where_their_path_from_home_meets_the_body() -> None:
    # Six points and their points on the coarse cloth (`homes`): deep inside with the cloth above; deep inside with the
    # cloth below; behind the far side; near a side; beyond an edge; outside.
    points = np.array([[0.1, -0.5, 0.2], [0.1, -0.5, 0.2], [0, -1.5, 0], [0.99, 0.7, 0], [1.02, 0.9, 0], [0, 1.4, 0]])
    homes = np.array([[0.1, 1.2, 0.2], [0.1, -1.2, 0.2], [0, 1.2, 0], [0.99, 0.8, 0], [0.9, 1.02, 0], [0, 1.2, 0]])
    assert bring_outside(points, homes, POINTS, FACES, 0.05) == 5
    expected = [[0.1, 1.05, 0.2], [0.1, -1.05, 0.2], [0, 1.05, 0], [1.05, 0.7, 0], [1.05, 0.9, 0], [0, 1.4, 0]]
    assert_allclose(points, expected, atol=1e-6)


def test_exact_skin_under_cloth_lies_deeper() -> None:
    # a limb that is longer than its tube of cloth, and a hand near the limb that is closer to the cloth than the limb
    # is
    angles = -2 * np.pi * np.arange(12) / 12
    ring = np.stack([np.zeros(12), np.cos(angles), np.sin(angles)], axis=1)
    shaft = np.concatenate([1.0 * ring + [x, 0, 0] for x in range(9)])
    tube = np.concatenate([1.3 * ring + [x + 0.5, 0, 0] for x in range(8)])
    hand = 0.2 * shaft + [3.0, 0.0, 1.6]
    points, count = np.concatenate([shaft, hand]), len(shaft)
    sides = grid_faces(12, 9, closed=True)
    body = ruckle.Animation(np.stack([points, points + 5.0]), np.concatenate([sides, sides + count]), height=10.0)
    cloth = ruckle.Animation(np.stack([tube, tube + 5.0]), grid_faces(12, 8, closed=True), height=10.0)
    lowered = ruckle.lower_skin(body, cloth, depth=0.1)
    moved = np.linalg.norm(lowered.positions - body.positions, axis=2)
    covered = (points[:, 0] > 2.5) & (points[:, 0] < 5.5) & (np.arange(len(points)) < count)
    assert_allclose(moved, np.tile(0.1 * covered, (2, 1)), atol=1e-6)
    assert (np.linalg.norm(lowered.positions[0, covered, 1:], axis=1) < 0.95).all()


def ball() -> tuple[Any, Any]:
    """Return the points and faces of a ball around the elbow, which is thicker than the sleeve."""
    u, v = np.meshgrid(np.arange(16) / 16 * 2 * np.pi, np.linspace(0.05, np.pi - 0.05, 9))
    points = np.stack([np.cos(v), np.sin(v) * np.cos(u), np.sin(v) * np.sin(u)], axis=-1).reshape(-1, 3)
    faces = grid_faces(16, 9, closed=True)
    a, b, c = points[faces].transpose(1, 0, 2)
    outward = (np.cross(b - a, c - a) * a).sum(axis=1).mean() > 0
    return 0.12 * points + [0.3, 0, 0], faces if outward else faces[:, ::-1]


def test_exact_cloth_from_examples_is_kept_outside() -> None:
    moving = moving_arm()
    assert moving.bones is not None
    points, faces = ball()
    body = ruckle.Animation(np.tile(points, (2, 1, 1)), np.ascontiguousarray(faces), fps=30, height=1.75)
    layer = ruckle.PoseSynthesizer.for_animation(moving, database())
    outside = ruckle.KeptOutside(layer, body, gap=0.005)
    inner = ruckle.PoseSynthesizer.for_animation(moving, database()).step(moving.positions[0], bones=moving.bones[0])
    frame = outside.step(moving.positions[0], bones=moving.bones[0])
    before, after = (mesh_clearance(shape.positions, points, faces)[0] for shape in (inner.shape, frame.shape))
    assert before.min() < -0.03
    assert after.min() > 0.004
    # vertices far from the coarse cloth may have gone through the ball and are then moved, too; other vertices outside
    # the ball do not move
    mesh = inner.shape.mesh
    homes = np.einsum("nk,nkx->nx", mesh.barycentric, inner.positions[inner.topology.faces[mesh.coarse_faces]])
    far = np.linalg.norm(inner.shape.positions - homes, axis=1) > 0.014
    assert frame.moved >= (before < 0.005).sum() > 100
    still = (before > 0.006) & ~far
    assert still.sum() > 100
    assert_array_equal(frame.shape.positions[still], inner.shape.positions[still])
    # the shape can be displaced and exported like a shape without contact
    mesh = ruckle.displace(frame)
    assert np.isfinite(mesh.positions).all()
    assert outside.frame_count == 1
    outside.step(moving.positions[1], bones=moving.bones[1])
    with pytest.raises(ValueError, match="body: has 2 frames, and no frame 2"):
        outside.step(moving.positions[2], bones=moving.bones[2])
    outside.reset()
    again = outside.step(moving.positions[0], bones=moving.bones[0])
    assert_array_equal(again.shape.positions, frame.shape.positions)
