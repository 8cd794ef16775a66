"""Fine cloth that tracks coarse cloth: harmonics, the linear map between both meshes, and the constraint."""

import numpy as np
import pytest

from ruckle.offline.simulation import Tracker, harmonics, linear_map, tracking
from ruckle.offline.simulation.tracking import vertex_areas
from ruckle.simulation import ClothSimulation
from ruckle.simulation.body import clearance
from sheets import sheet


def hang(columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    rest, faces = sheet(columns, rows)
    return rest[:, [0, 2, 1]] * [1, -1, 1], faces


def test_exact_harmonics_of_a_rectangle() -> None:
    points, faces = sheet(41, 29, 1.0, 0.7)
    vectors, values = harmonics(points, faces, 8)
    waves = sorted((i / 1.0) ** 2 + (k / 0.7) ** 2 for i in range(6) for k in range(6))
    np.testing.assert_allclose(values, np.pi**2 * np.array(waves[:8]), rtol=0.01, atol=1e-6)
    areas = vertex_areas(points, faces)
    np.testing.assert_allclose(vectors.T @ (vectors * areas[:, None]), np.eye(8), atol=1e-8)
    assert areas.sum() == pytest.approx(0.7)
    # the second harmonic is half a cosine wave along the longer side
    cosine = np.cos(np.pi * points[:, 0])
    np.testing.assert_allclose(np.abs(vectors[:, 1] @ (areas * cosine)), np.sqrt(cosine @ (areas * cosine)), rtol=1e-3)
    dense, _ = harmonics(points[:, [2, 1, 0]], faces, 400)
    assert dense.shape == (41 * 29, 400)


def test_exact_linear_map_reproduces_linear_functions() -> None:
    coarse, faces = sheet(5, 4)
    fine = np.random.default_rng(1).random((200, 3)) * [1, 0, 1]
    rows = linear_map(coarse, faces, fine)
    assert rows.shape == (200, 20)
    np.testing.assert_allclose(rows @ coarse, fine, atol=1e-12)
    np.testing.assert_allclose(np.asarray(rows.sum(axis=1)).ravel(), 1.0)
    # a point outside the mesh has the weights of the closest point on the boundary
    np.testing.assert_allclose(linear_map(coarse, faces, [[2.0, 0.3, 0.5]]) @ coarse, [[1.0, 0.0, 0.5]], atol=1e-12)


def tracked(count: int = 20) -> tuple[ClothSimulation, ClothSimulation, Tracker]:
    (coarse_rest, coarse_faces), (fine_rest, fine_faces) = hang(6, 6), hang(21, 21)
    tracker = Tracker(coarse_rest, coarse_faces, fine_rest, fine_faces, count=count)
    options = {"substeps": 8, "record_substeps": True}
    coarse = ClothSimulation(coarse_rest, coarse_faces, coarse_rest[:, 1] > -1e-6, compression=0.05, **options)
    fine = ClothSimulation(fine_rest, fine_faces, fine_rest[:, 1] > -1e-6, **options)
    fine.track(tracker.tests)
    return coarse, fine, tracker


def test_exact_tracking_holds_in_every_substep_and_leaves_pins_alone() -> None:
    coarse, fine, tracker = tracked()
    rest = fine.positions
    for frame in range(40):
        wind = [0.3, 0.0, 2.0 + np.sin(frame / 3)]
        coarse.step(wind=wind)
        result = fine.step(wind=wind, targets=tracker.targets(coarse.substep_positions))
        for substep in range(8):
            assert tracker.residual(coarse.substep_positions[substep], fine.substep_positions[substep]) < 1e-6
        assert result.stats["tracking_residual"] < 1e-6
    np.testing.assert_array_equal(fine.positions[:21], rest[:21])
    # the constraint leaves details of more than 1 mm
    detail = fine.positions - tracker.linear_map @ coarse.positions
    assert np.abs(detail[:, 2]).max() > 1e-3


def test_exact_cloth_around_a_contact_gives_back_what_the_body_took() -> None:
    (coarse_rest, coarse_faces), (fine_rest, fine_faces) = hang(16, 16), hang(31, 31)
    tracker = Tracker(coarse_rest, coarse_faces, fine_rest, fine_faces, count=30)
    coarse = ClothSimulation(
        coarse_rest, coarse_faces, coarse_rest[:, 1] > -1e-6, compression=0.05, record_substeps=True
    )
    fine = ClothSimulation(fine_rest, fine_faces, fine_rest[:, 1] > -1e-6)
    fine.track(tracker.tests)
    for frame in range(60):
        z = 0.12 - 0.05 * np.sin(frame / 10)
        limb = np.array([[0.3, -0.6, z, 0.1, 0.7, -0.65, z, 0.08]])
        # the limb is 2 mm thinner for the coarse cloth, so contact pushes the fine cloth away from the coarse cloth
        coarse.step(wind=[0.3, 0, 2], cones=limb - [0, 0, 0, 0.002, 0, 0, 0, 0.002])
        targets = tracker.targets(coarse.substep_positions)
        stats = fine.step(wind=[0.3, 0, 2], cones=limb, targets=targets).stats
        assert stats["tracking_residual"] < 1e-6
        # without the correction after contact, the residual would be 2.3e-4
        assert stats["contact_residual"] < 6e-5
        assert stats["largest_edge_stretch"] < 1.1
        assert clearance(fine.positions[62:], limb).min() > 0.003


def test_exact_coarse_cloth_in_a_body_does_not_drag_fine_cloth_along() -> None:
    coarse, fine, tracker = tracked()
    residuals, distances = [], []
    for frame in range(30):
        z = 0.13 - 0.003 * frame
        limb = np.array([[0.45, -0.5, z, 0.06, 0.75, -0.55, z, 0.05]])
        # the coarse cloth does not collide with the limb, so the wind blows it into the limb
        coarse.step(wind=[0, 0, 1])
        targets = tracker.targets(coarse.substep_positions)
        residuals.append(fine.step(wind=[0, 0, 1], cones=limb, targets=targets).stats["contact_residual"])
        distances.append(clearance(fine.positions, limb).min())
    assert max(residuals) > 1e-3
    assert min(distances) > 0.002


def test_property_tracking_works_far_from_the_origin() -> None:
    coarse, fine, tracker = tracked()
    for cloth in (coarse, fine):
        cloth.place(cloth.positions + np.array([50.0, -20.0, 7.0]))
    for _ in range(5):
        coarse.step(wind=[0, 0, 2])
        stats = fine.step(wind=[0, 0, 2], targets=tracker.targets(coarse.substep_positions)).stats
    # so far from the origin, float32 positions have a resolution of 4e-6 m
    assert stats["tracking_residual"] < 1e-5


def test_reject_tests_and_targets() -> None:
    coarse, fine, tracker = tracked()
    for targets, message in (
        (None, "targets: expected a C-contiguous float64 array"),
        (np.zeros((8, 3, 3)), r"targets: expected an array of shape \(substeps = 8, R = 20, 3\)"),
        (np.full((8, 20, 3), np.nan), "pins of attached"),
    ):
        with pytest.raises(ValueError, match=message):
            fine.step(targets=targets)
    for tests, message in (
        (tracker.tests[[0, 0, 0]], "tests: 3 test functions are nearly dependent on the free vertices"),
        (np.zeros((3, 4)), r"tests: expected an array of shape \(R, V = 441\)"),
    ):
        with pytest.raises(ValueError, match=message):
            fine.track(tests)
    with pytest.raises(ValueError, match="count: expected an integer"):
        harmonics(*sheet(3, 3), 10)
    with pytest.raises(ValueError, match="has no face with an area"):
        harmonics(np.zeros((4, 3)), [[0, 1, 2]], 2)
    assert coarse.frame_count == fine.frame_count == 0


def test_exact_harmonics_found_in_slices_are_those_of_the_whole_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    # a rectangle with an irregular mesh, so that all eigenvalues are different
    rest, faces = sheet(33, 21, 1.5, 1.0)
    rest = rest + np.random.default_rng(0).normal(scale=0.003, size=rest.shape)
    monkeypatch.setattr(tracking, "SLICE", 24)
    vectors, values = tracking.harmonics(rest, faces, 150)
    areas = tracking.vertex_areas(rest, faces)
    every, all_values = tracking.harmonics(rest, faces, len(rest))
    np.testing.assert_allclose(values, all_values[:150], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ (vectors * areas[:, None]), np.eye(150), atol=1e-9)
    overlap = np.abs((every[:, :150] * areas[:, None] * vectors).sum(axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-8)
