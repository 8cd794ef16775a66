"""Weights of equation 4 calculated by hand, distances by SciPy's Dijkstra, and the rules for merging details."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import ruckle
from posed_arm import ELBOW, SKELETON, fine_mesh
from ruckle.pose_space.weights import _ways, bone_regions, nearest_bones

POINTS, FACES = fine_mesh()
REGIONS = nearest_bones(POINTS, SKELETON)
JOINTS = np.array([[0, 1], [1, 2]])


def edges() -> np.ndarray:
    return np.unique(np.sort(FACES[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)


def test_exact_surface_distances_equal_those_of_scipy() -> None:
    i, j = edges().T
    graph = csr_matrix((np.linalg.norm(POINTS[i] - POINTS[j], axis=1), (i, j)), (len(POINTS),) * 2)
    expected = dijkstra(graph, False, np.flatnonzero(REGIONS == 2), min_only=True)
    assert_allclose(_ways(POINTS.astype(float), edges(), REGIONS == 2), expected, rtol=1e-6)


def test_exact_the_nearest_bone_owns_a_vertex() -> None:
    assert (np.select([POINTS[:, 0] < 0, POINTS[:, 0] < ELBOW], [0, 1], 2) == REGIONS)[
        np.abs(POINTS[:, 0]) > 1e-6
    ].all()


def test_exact_the_bone_of_a_single_joint_is_a_point() -> None:
    joints = np.array([[0, 0, 0], [4, 1, 0], [-6, 1, 0]], np.float32)
    skeleton = ruckle.Skeleton(["prop", "upper", "lower"], [-1, -1, 1], joints)
    assert nearest_bones([[0, -1, 0], [4, -0.2, 0], [3, 1.2, 0], [-9, 1, 0]], skeleton).tolist() == [0, 1, 1, 2]


def test_exact_regions_end_at_the_joints_given() -> None:
    assert bone_regions(SKELETON, [2]).tolist() == [-1, -1, 2]
    assert bone_regions(SKELETON, [1, 2]).tolist() == [-1, 1, 2]


def test_exact_weights_of_equation_4_between_two_seams() -> None:
    weights = ruckle.region_weights(POINTS, FACES, REGIONS, JOINTS, smoothing=0)
    upper = REGIONS == 1
    assert_allclose(weights[REGIONS == 0], [[1, 0]] * int((REGIONS == 0).sum()))
    assert_allclose(weights[REGIONS == 2], [[0, 1]] * int((REGIONS == 2).sum()))
    away = {k: _ways(POINTS.astype(float), edges(), k == REGIONS)[upper] for k in (0, 2)}
    d = np.stack([away[k] - away[k].min() for k in (0, 2)], axis=1)
    inner = (d > 0).all(axis=1)
    assert_allclose(weights[upper][inner], (1 / d[inner]) / (1 / d[inner]).sum(axis=1, keepdims=True), atol=1e-12)
    # in region 1, vertices next to region 0 have weight 1 for the joint between regions 0 and 1
    assert weights[upper][d[:, 0] == 0].tolist() == [[1, 0]] * int((d[:, 0] == 0).sum())


def test_exact_three_joints_of_one_region() -> None:
    # one triangle of the vertices 0, 1 and 2 in the middle; one triangle on each of its sides
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [-1, 1, 0], [1, -1, 0]], np.float32)
    faces = [[0, 1, 2], [1, 3, 2], [0, 2, 4], [0, 5, 1]]
    regions = [0, 0, 0, 1, 2, 3]
    weights = ruckle.region_weights(points, faces, regions, [[0, 1], [0, 2], [0, 3]], smoothing=0)
    assert_allclose(weights[1], [0.5, 0, 0.5], atol=1e-6)
    assert_allclose(weights[2], [0.5, 0.5, 0], atol=1e-6)
    # the distances from vertex 0 to the three regions are 2, √2 and √2; the distance 1 of the first ring around a
    # region is subtracted
    inverse = 1 / np.array([1.0, np.sqrt(2) - 1, np.sqrt(2) - 1])
    assert_allclose(weights[0], inverse / inverse.sum(), atol=1e-6)


def test_property_smoothed_weights_sum_to_1_and_have_smaller_differences() -> None:
    i, j = edges().T
    hard, soft = (ruckle.region_weights(POINTS, FACES, REGIONS, JOINTS, smoothing=n) for n in (0, 10))
    assert soft.min() >= 0
    assert_allclose(soft.sum(axis=1), 1.0)
    assert np.abs(soft[i] - soft[j]).max() <= np.abs(hard[i] - hard[j]).max()


def test_degenerate_islands_and_regions_without_joints_have_no_weights() -> None:
    points = np.concatenate([POINTS, POINTS[:3] + np.array([0, 5, 0])]).astype(np.float32)
    faces = np.concatenate([FACES, [[len(POINTS), len(POINTS) + 1, len(POINTS) + 2]]])
    weights = ruckle.region_weights(points, faces, np.append(REGIONS, [7, 7, 7]), JOINTS)
    assert np.isfinite(weights).all()
    assert not weights[-3:].any()


@pytest.mark.parametrize(
    ("rule", "half", "whole"),
    [("energy", np.sqrt(0.5), 1.0), ("paper", 0.5, 1.0), ("window", 1.0, 1.0), ("fitted", 0.5, 1.0)],
)
def test_exact_merged_details_of_each_rule(rule: str, half: float, whole: float) -> None:
    details = np.stack([np.full((3, 3), 2.0), np.full((3, 3), 0.0)])
    merged = ruckle.merge(details, [[0.5, 0.5], [1, 0], [0, 1]], rule=rule)  # type: ignore[arg-type]
    assert_allclose(merged[:, 0], [2 * half, 2 * whole, 0.0], atol=1e-6)


def test_exact_disjoint_wrinkles_are_merged_whole_by_windows() -> None:
    details = np.zeros((2, 4, 3))
    details[0, :2], details[1, 2:] = 1.0, -1.0
    weights = [[1, 0], [0.6, 0.4], [0.4, 0.6], [0, 1]]
    assert_allclose(ruckle.merge(details, weights, rule="window"), details.sum(axis=0))


def test_reject() -> None:
    with pytest.raises(ValueError, match="rule: expected one of"):
        ruckle.merge(np.zeros((1, 1, 3)), [[1.0]], rule="mean")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="details: expected finite numbers within float32, found nan"):
        ruckle.merge(np.full((1, 1, 3), np.nan), [[1.0]])
    with pytest.raises(ValueError, match="faces: face 0 names vertex 3; a mesh of 3 vertices has 0 to 2"):
        ruckle.region_weights(np.eye(3), [[0, 1, 3]], [0, 0, 1], [[0, 1]])
