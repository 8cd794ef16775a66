"""Penalties by distance, against dense systems; what they keep, and what they refuse."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from learning import all_harmonics, applied, garment, planted_operator, random_motion
from ruckle.upsampling import Learner, Locality, TrainingStatistics, prior_of
from ruckle.upsampling.locality import LocalLearner


def distances_of(cloth: Any) -> np.ndarray:
    """Return distances between coarse vertices along edges, in mean edges, over all pairs that are an edge."""
    count, rest = cloth.coarse_count, cloth.coarse_rest.astype(np.float64)
    lengths = np.zeros((count, count))
    for face in cloth.coarse_faces:
        for a, b in ((0, 1), (1, 2), (2, 0)):
            length = np.linalg.norm(rest[face[a]] - rest[face[b]])
            lengths[face[a], face[b]] = lengths[face[b], face[a]] = length
    return dijkstra(lengths, directed=False) / lengths[lengths > 0].mean()


@pytest.mark.parametrize("prior", ["smooth", "linear", "none"])
def test_exact_rows_solve_the_dense_systems(prior: Any) -> None:
    """Every fine vertex with penalties of one coarse vertex, a multiplier for the sum, and the mean of three."""
    cloth, exact = garment((3, 3), (6, 5)), 4 if prior != "none" else 0
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth, frames=3)
    statistics = TrainingStatistics.of(coarse, fine, harmonics)
    learner, locality = Learner(harmonics, prior_of(prior, cloth, harmonics, exact=exact)), Locality(0.2, 0.7)
    solve = LocalLearner(cloth, learner, exact=exact).solver(statistics)
    found = solve(locality)

    count, before = cloth.coarse_count, harmonics.vectors @ learner.prior.rows
    distances, shares, expected = distances_of(cloth), cloth.linear_map.toarray(), np.zeros_like(before)
    right = harmonics.vectors @ statistics.cross
    for fine_vertex, row in enumerate(shares):
        for vertex in np.flatnonzero(row):
            pull = np.diag(statistics.scale * 0.2**2 * np.exp(distances[vertex] / 0.7))
            system = np.block([[statistics.gram + pull, np.ones((count, 1))], [np.ones((1, count)), np.zeros((1, 1))]])
            wanted = np.append(right[fine_vertex] + pull @ before[fine_vertex], 1.0)
            expected[fine_vertex] += row[vertex] * np.linalg.solve(system, wanted)[:count]
    rows = harmonics.project(expected)
    np.testing.assert_allclose(found[exact:], rows[exact:], atol=1e-7)
    np.testing.assert_array_equal(found[:exact], learner.prior.rows[:exact])
    np.testing.assert_allclose(learner.operator(found).sum(axis=1), 1.0, atol=1e-6)
    # the same without a way over the harmonics, which are all of them here
    np.testing.assert_allclose(learner.raised(solve.change(locality)), learner.operator(found), atol=1e-9)


def test_property_a_planted_operator_is_recovered() -> None:
    cloth = garment()
    harmonics, operator = all_harmonics(cloth), planted_operator(cloth)
    coarse = random_motion(cloth)[0].astype(np.float32).astype(np.float64)
    centered = coarse - coarse.mean(axis=1, keepdims=True)
    pc = centered.transpose(1, 0, 2).reshape(cloth.coarse_count, -1)
    y = harmonics.project(applied(operator, centered).transpose(1, 0, 2).reshape(cloth.fine_count, -1))
    statistics = TrainingStatistics(pc @ pc.T, y @ pc.T, (y * y).sum(axis=1), len(coarse))
    learner = Learner(harmonics, prior_of("linear", cloth, harmonics))
    found = LocalLearner(cloth, learner).solver(statistics)(Locality(1e-6, 3.0))
    np.testing.assert_allclose(learner.operator(found), operator, atol=1e-6)


def test_property_what_is_far_is_left_alone() -> None:
    cloth = garment((9, 3), (33, 9))
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth, frames=20)
    learner = Learner(harmonics, prior_of("linear", cloth, harmonics))
    solve = LocalLearner(cloth, learner).solver(TrainingStatistics.of(coarse, fine, harmonics))
    far = cloth.linear_map @ distances_of(cloth) > 3.0
    near, wide = (
        np.abs(learner.operator(solve(Locality(0.05, reach)) - learner.prior.rows))[far].max() for reach in (0.2, 9.0)
    )
    assert near < 0.02 * wide


@pytest.mark.parametrize("name", ["strength", "reach"])
def test_reject_localities(name: str) -> None:
    for value in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"{name}: expected a finite number above 0, got {value:g}"):
            Locality(**{name: value})
    assert Locality(0.5, 2.0).scaled(0.25) == Locality(0.125, 2.0)
