"""Skin weights fitted to coarse cloth: known weights are found, and distances of the cloth from the skin are right."""

from dataclasses import replace

import numpy as np
import pytest

import posed_arm
import ruckle
from ruckle.pose_space.skin import CoarseSkin, fit_skin, known_skin


def test_exact_the_shares_of_skinned_cloth_are_found_again() -> None:
    points, _ = posed_arm.coarse_mesh()
    bones = posed_arm.plan().sample_bones
    found = fit_skin(points, [posed_arm.coarse_at(b) for b in bones], bones, [0, 1, 2])
    np.testing.assert_allclose(found.weights, posed_arm.bone_weights(points), atol=2e-3)
    assert found.distances.max() < 1e-4


def test_exact_distances_are_the_largest_of_the_examples() -> None:
    points, _ = posed_arm.coarse_mesh()
    bones = posed_arm.plan().sample_bones
    shapes = np.array([posed_arm.coarse_at(b) for b in bones])
    shapes[5, 7] += [0, 0, 0.02]
    # one vertex is moved by 20 mm; the fit follows it partly, so that its distance is between 10 and 20 mm
    distances = fit_skin(points, shapes, bones, [0, 1, 2]).distances
    assert 0.01 < distances[7] < 0.02 + 1e-4
    assert np.delete(distances, 7).max() < 1e-4


def test_exact_distances_from_known_weights_are_the_largest_of_the_examples() -> None:
    points, bones = np.array([[0.0, 0, 0], [1, 0, 0]]), np.repeat(np.eye(3, 4)[None, None], 3, axis=0)
    # the bone does not move; the examples move the first vertex by 10, 30 and 20 mm
    shapes = np.stack([points] * 3)
    shapes[:, 0, 1] = [0.01, 0.03, 0.02]
    found = known_skin(points, shapes, bones, np.ones((2, 1)))
    np.testing.assert_allclose(found.distances, [0.03, 0.0], atol=1e-4)


def test_property_shares_sum_to_one() -> None:
    random = np.random.default_rng(0)
    found = fit_skin(
        random.normal(size=(20, 3)), random.normal(size=(5, 20, 3)), random.normal(size=(5, 4, 3, 4)), [0, 2, 3]
    )
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-4)
    assert (found.weights[:, 1] == 0).all()


@pytest.mark.parametrize(
    ("weights", "distances", "said"),
    [
        (np.ones((4, 2)), np.ones(3), r"skin: expected shapes \(C, B\) and \(C,\), got \(4, 2\) and \(3,\)"),
        (-np.ones((3, 2)), np.ones(3), "skin: expected finite weights and distances of at least 0"),
        (np.ones((3, 2)), [1, np.nan, 1], "skin: expected finite weights and distances of at least 0"),
    ],
)
def test_reject(weights: np.ndarray, distances: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        CoarseSkin(weights, distances)


def test_reject_a_skin_of_another_mesh() -> None:
    with pytest.raises(ValueError, match=r"skin: expected weights of shape \(160, 3\), got \(3, 2\)"):
        replace(posed_arm.database(), skin=CoarseSkin(np.ones((3, 2)), np.ones(3)))


def test_exact_the_skin_is_kept_in_files(tmp_path: object) -> None:
    which = posed_arm.database()
    assert which.skin is not None
    which.save(f"{tmp_path}/a.poses.npz")
    found = ruckle.load_poses(f"{tmp_path}/a.poses.npz").skin
    assert found is not None
    np.testing.assert_array_equal(found.weights, which.skin.weights)
    np.testing.assert_array_equal(found.distances, which.skin.distances)
