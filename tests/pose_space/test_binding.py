"""Binding of fine vertices to coarse faces: closest points by brute force, details and back, the paper's transfer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ruckle
from posed_arm import coarse_at, coarse_mesh, database, fine_at, fine_mesh, moving_arm, plan
from ruckle.mesh.closest import closest_weights
from ruckle.mesh.rotation import rotation_matrices

RANDOM = np.random.default_rng(1)


def test_exact_vertices_are_bound_to_the_closest_triangle() -> None:
    (fine, _), (coarse, faces) = fine_mesh(), coarse_mesh()
    cloud = np.concatenate([fine, RANDOM.uniform(-0.5, 0.5, (200, 3))]).astype(np.float32)
    binding = ruckle.bind(cloud, coarse, faces)
    a, b, c = (np.repeat(coarse[None, faces[:, k]], len(cloud), 0).reshape(-1, 3).astype(float) for k in range(3))
    points = np.repeat(cloud, len(faces), axis=0).astype(float)
    weights = closest_weights(points, a, b, c)
    found = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c
    least = np.linalg.norm(points - found, axis=1).reshape(len(cloud), -1).min(axis=1)
    # barycentric coordinates are rounded to 16 bits, so distances have a small error
    assert_allclose(np.linalg.norm(cloud - binding.up(coarse), axis=1), least, atol=2e-6)
    assert_allclose(binding.barycentric.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("corners", [[[0, 0, 0], [1, 0, 0], [3, 0, 0]], [[2, 0, 0], [2, 0, 0], [2, 0, 0]]])
@pytest.mark.parametrize("turn", range(3))
def test_degenerate_a_triangle_without_area_is_a_segment(corners: list[list[float]], turn: int) -> None:
    a, b, c = np.roll(np.array(corners, float), turn, axis=0)[:, None]
    weights = closest_weights(np.array([[2.0, 1.0, 0.0]]), a, b, c)
    assert weights.min() >= 0.0
    assert_allclose(weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c, [[2, 0, 0]], atol=1e-12)


def test_exact_weights_of_an_edge_sum_to_one() -> None:
    topology = ruckle.Topology([[0, 1, 2]], 3)
    halves = [[0.5, 0.5, 0.0], [0.50001, 0.49999, 0.0], [0.2, 0.3, 0.5]]
    found = ruckle.Binding(topology, np.eye(3), [0, 0, 0], halves).barycentric
    assert found.min() >= 0
    assert_allclose(found, halves, atol=1.6e-5)
    assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)


def test_exact_the_adjoint_of_up_is_down_times_the_sums_of_weights() -> None:
    binding = database().binding
    values, others = RANDOM.random((binding.vertex_count, 1)), RANDOM.random((binding.topology.vertex_count, 1))
    shares = np.zeros(binding.topology.vertex_count)
    np.add.at(shares, binding.corners.ravel(), binding.barycentric.ravel().astype(float))
    assert_allclose((binding.up(others) * values).sum(), (others * shares[:, None] * binding.down(values)).sum())


def test_property_details_and_apply_are_inverse() -> None:
    binding, bones = database().binding, plan().sample_bones[3]
    shape, coarse = fine_at({}), coarse_at(bones)
    assert_allclose(ruckle.apply(coarse, binding, ruckle.details(shape, coarse, binding)), shape, atol=1e-7)


def test_property_turns_follow_rigid_motion_exactly() -> None:
    binding, rest = database().binding, database().binding.rest
    turn = rotation_matrices([0.3, -1.2, 0.8])
    assert_allclose(binding.turns(rest), np.tile(np.eye(3), (binding.vertex_count, 1, 1)), atol=1e-5)
    assert_allclose(binding.turns(rest @ turn.T + 5), np.tile(turn, (binding.vertex_count, 1, 1)), atol=1e-4)


def test_degenerate_collapsed_cloth_turns_nothing() -> None:
    binding = database().binding
    assert_allclose(binding.turns(np.zeros_like(binding.rest)), np.tile(np.eye(3), (binding.vertex_count, 1, 1)))


def test_property_transfer_onto_its_own_means_is_the_identity() -> None:
    binding, (_, faces) = database().binding, fine_mesh()
    shape = fine_at({"elbow": [1.0]})
    for smoothing in (0, 8):
        moved = ruckle.transfer(shape, binding.down(shape), binding, faces, smoothing=smoothing)
        assert_allclose(moved, shape, atol=1e-7)


def test_exact_transfer_is_base_plus_detail() -> None:
    binding, (_, faces) = database().binding, fine_mesh()
    shape, coarse = fine_at({"elbow": [0.5]}), moving_arm().positions[9]
    moved = ruckle.transfer(shape, coarse, binding, faces, smoothing=0)
    assert_allclose(moved, binding.up(coarse) + (shape - binding.up(binding.down(shape))), atol=1e-7)


def test_exact_smoothing_softens_the_creases_of_transfer() -> None:
    binding, (_, faces) = database().binding, fine_mesh()
    shape = fine_at({})
    coarse = binding.down(shape) + RANDOM.normal(0, 0.002, binding.rest.shape)
    offsets = [ruckle.transfer(shape, coarse, binding, faces, smoothing=n) - shape for n in (0, 8)]
    rough = [float(np.abs(o - ruckle.pose_space.binding.vertex_means(o, faces)).max()) for o in offsets]
    assert rough[1] < 0.3 * rough[0]


@pytest.mark.parametrize(
    ("fine", "coarse", "said"),
    [
        (np.full((2, 3), np.nan), np.eye(3), "fine: expected finite positions of shape"),
        (np.zeros((2, 3)), np.eye(4), "coarse: expected finite positions of shape"),
    ],
)
def test_reject(fine: np.ndarray, coarse: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ruckle.bind(fine, coarse, [[0, 1, 2]])


def test_reject_infinite_positions_foreign_faces_and_high_smoothing() -> None:
    square, faces = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), [[0, 1, 2], [0, 2, 3]]
    binding, endless = ruckle.bind(square, square, faces), square + np.array([np.inf, 0, 0])
    with pytest.raises(ValueError, match=r"coarse: expected finite numbers within float32, found inf at \(0, 0\)"):
        ruckle.apply(endless, binding, square)
    with pytest.raises(ValueError, match="fine: expected finite numbers"):
        ruckle.details(1e39 * square, square, binding)
    with pytest.raises(ValueError, match="fine_faces: face 1 names vertex 4; a mesh of 4 vertices has 0 to 3"):
        ruckle.transfer(square, square, binding, [[0, 1, 2], [0, 2, 4]])
    with pytest.raises(ValueError, match=r"smoothing: expected an integer in \[0, 1000\]"):
        ruckle.transfer(square, square, binding, faces, smoothing=10**6)


def test_exact_bindings_own_their_arrays() -> None:
    rest, coarse_faces = np.eye(3, dtype=np.float32), np.zeros(2, np.int32)
    binding = ruckle.Binding(ruckle.Topology([[0, 1, 2]], 3), rest, coarse_faces, [[1, 0, 0], [0, 1, 0]])
    rest[:], coarse_faces[:] = 5, 7
    np.testing.assert_array_equal(binding.rest, np.eye(3))
    np.testing.assert_array_equal(binding.coarse_faces, [0, 0])
