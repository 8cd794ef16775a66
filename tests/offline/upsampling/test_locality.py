"""Penalties that grow with the distance on the mesh: comparison with dense linear systems, invariants, errors."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from learning import all_harmonics, applied, garment, planted_operator, random_motion
from ruckle import _core
from ruckle.offline.upsampling import Learner, Locality, TrainingStatistics, prior_of
from ruckle.offline.upsampling.locality import LocalLearner


def distances_of(cloth: Any) -> np.ndarray:
    """Return the distances (M, M) between coarse vertices along edges, in units of the mean edge length."""
    count, rest = cloth.coarse_count, cloth.coarse_rest.astype(np.float64)
    lengths = np.zeros((count, count))
    for face in cloth.coarse_faces:
        for a, b in ((0, 1), (1, 2), (2, 0)):
            length = np.linalg.norm(rest[face[a]] - rest[face[b]])
            lengths[face[a], face[b]] = lengths[face[b], face[a]] = length
    return dijkstra(lengths, directed=False) / lengths[lengths > 0].mean()


@pytest.mark.parametrize("prior", ["smooth", "linear", "none"])
def test_exact_rows_solve_the_dense_systems(prior: Any) -> None:
    """Each row is a weighted mean of solutions of linear systems.

    There is one system for each corner of the coarse face that contains the fine vertex.
    """
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
    # with all harmonics, the change in harmonics and the change at vertices are the same
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


def test_property_a_short_reach_hardly_changes_far_weights() -> None:
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
    with pytest.raises(ValueError, match=r"gain: expected a finite number, at least 0, got -0.5"):
        Locality(gain=-0.5)
    assert Locality(0.5, 2.0, 0.7).scaled(0.25) == Locality(0.125, 2.0, 0.7)


def system_of(coarse: int = 5, fine: int = 7) -> dict[str, Any]:
    """Return random arguments for the solver of the core. Each fine vertex depends on two coarse vertices."""
    random = np.random.default_rng(0)
    positions = random.normal(size=(coarse, 3))
    held = np.sort((np.arange(fine)[:, None] + [0, 2]) % coarse, axis=1)
    order = np.argsort(held.ravel(), kind="stable")
    return {
        "gram": positions @ positions.T,
        "penalties": random.uniform(0.1, 1.0, (coarse, coarse)),
        "right": random.normal(size=(fine, coarse)),
        "sums": random.normal(size=fine),
        "offsets": np.append(0, np.cumsum(np.bincount(held.ravel(), minlength=coarse))).astype(np.int32),
        "vertices": np.repeat(np.arange(fine), 2)[order].astype(np.int32),
        "shares": np.full(2 * fine, 0.5),
    }


@pytest.mark.parametrize("coarse", [5, 8, 17])
def test_exact_systems_of_any_size_are_solved(coarse: int) -> None:
    given = system_of(coarse, 23)
    expected = np.zeros_like(given["right"])
    for vertex in range(coarse):
        inverse = np.linalg.inv(given["gram"] + np.diag(given["penalties"][vertex]))
        for fine in given["vertices"][slice(*given["offsets"][vertex : vertex + 2])]:
            free, ones = given["right"][fine] @ inverse, inverse.sum(axis=0)
            expected[fine] += 0.5 * (free - (free.sum() - given["sums"][fine]) / ones.sum() * ones)
    found = _core.solve_local_systems(**given)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), given["sums"], atol=1e-12)


def test_exact_every_instruction_set_gives_the_same_bits() -> None:
    program = (
        "import sys; from ruckle import _core; from test_locality import system_of;"
        "sys.stdout.buffer.write(_core.solve_local_systems(**system_of(21, 64)).tobytes())"
    )
    path, results = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]), []
    for name in ("baseline", "x86-64-v3"):
        environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": name, "PYTHONPATH": path}
        results.append(subprocess.check_output([sys.executable, "-c", program], env=environment))
    assert len(results[0]) == 64 * 21 * 8
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"penalties": np.full((5, 5), -9.0)}, "penalties: those of coarse vertex 0 are too small: its linear"),
        ({"offsets": np.zeros(6, np.int32)}, "offsets: expected numbers that rise from 0 to 14"),
        ({"offsets": np.array([0, 9, 2, 3, 4, 14], np.int32)}, "offsets: expected numbers that rise from 0 to 14"),
        ({"vertices": np.full(14, 7, np.int32)}, "vertices: expected numbers from 0 to 6, got 7"),
        ({"vertices": np.full(14, -1, np.int32)}, "vertices: expected numbers from 0 to 6, got -1"),
        ({"sums": np.zeros(6)}, r"sums: expected an array of shape \(N = 7,\)"),
    ],
)
def test_reject_systems(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.solve_local_systems(**{**system_of(), **changed})
