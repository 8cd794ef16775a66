"""Claims of Kavan et al. 2011 about their method, tested on small garments that are simulated in seconds."""

from dataclasses import replace

import numpy as np
import pytest

from learning import Blown, blown_pair
from ruckle import Garment, HarmonicPenalties, Trainer, _core
from ruckle.offline.simulation import simulate_pair
from ruckle.simulation.sheet import grid_faces

# Table 1: number of coarse vertices, number of fine vertices, and size of the matrix in megabytes
TABLE_1 = {"skirt": (196, 7016, 5.5), "flag": (150, 6336, 3.9), "curtain": (121, 5041, 2.4), "cape": (98, 10162, 4.0)}


@pytest.mark.parametrize("name", TABLE_1)
def test_exact_table_1_memory_of_the_operator(name: str) -> None:
    coarse, fine, megabytes = TABLE_1[name]
    rows, none = np.full((fine, coarse), 1 / coarse, np.float32), np.zeros((0, fine), np.float32)
    faces, free = grid_faces(2, fine // 2), np.zeros(fine, np.float32)
    sizes = [
        _core.Upsampler(rows, faces, free, none, np.zeros(0, np.float32), {"precision": precision}).operator_bytes
        for precision in ("single", "half")
    ]
    assert sizes[0] / 1e6 == pytest.approx(megabytes, rel=0.03)
    assert sizes[1] == pytest.approx(sizes[0] / 2, rel=0.01)


def test_property_section_4_tracking_aligns_the_fine_simulation() -> None:
    """Figure 2: without test functions, fine cloth drifts from coarse cloth. With them, only the details differ."""
    scene, apart = Blown(0.5).scene(), []
    for tests in (0, 12):
        pair = simulate_pair(scene, tests=tests, substeps=8)
        off = pair.fine.positions - Garment.of(pair).linear(pair.coarse.positions)
        apart.append(np.sqrt((off**2).sum(axis=2).mean()))
    assert apart[1] < 0.5 * apart[0]


def test_property_section_5_few_frames_overfit_without_a_prior() -> None:
    """Figure 10: an operator fits the motion that it was trained on. For another motion, interpolation is better."""
    known, unseen = blown_pair(0.0), blown_pair(1.0)
    garment, ratios = Garment.of(known), {}
    for prior, profile in (("none", HarmonicPenalties(1e-4, 1e-4)), ("smooth", HarmonicPenalties(0.3, 10.0))):
        trainer = Trainer(garment, prior=prior, tests=12)  # type: ignore[arg-type]
        motions = [trainer.statistics(pair.coarse.positions, pair.fine.positions) for pair in (known, unseen)]
        linear = trainer.harmonics.project(garment.linear_map.toarray())
        area = trainer.harmonics.areas.sum()
        penalties = profile.penalties(trainer.harmonics.count, garment.fine_count)
        rows = trainer.learner.rows(motions[0], penalties)
        ratios[prior] = [motion.error(rows, area) / motion.error(linear, area) for motion in motions]
    assert ratios["none"][0] < 0.5
    assert ratios["none"][1] > 1.2
    # with the smooth prior, the error for a new motion is at most 2 % above the error of interpolation
    assert ratios["smooth"][1] < 1.02


def test_property_section_5_profiles_go_from_interpolation_to_fitting() -> None:
    """Figure 9: larger penalties of high harmonics make the result smoother."""
    pair = blown_pair(0.5)
    trainer = Trainer(Garment.of(pair), prior="none", tests=12)
    trainer.add(pair.name, pair.coarse.positions, pair.fine.positions)
    energies = []
    for exponent in (1.0, 2.0, 4.0, 8.0):
        rows = trainer.rows(HarmonicPenalties(0.01, 100.0, exponent))
        energies.append(float((rows[60:] ** 2).sum()))
    # a larger exponent gives fewer harmonics a large penalty, so that more energy of detail remains
    assert np.diff(energies).min() > 0.0


def test_property_section_6_coarse_cloth_is_shortened_instead_of_buckling() -> None:
    """Edges of coarse cloth resist only stretch: compressed cloth becomes shorter, so that fine cloth can fold."""
    pair = blown_pair(0.0)
    edges = np.unique(np.sort(pair.coarse.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    lengths = np.linalg.norm(pair.coarse.positions[:, edges[:, 0]] - pair.coarse.positions[:, edges[:, 1]], axis=2)
    rest = np.linalg.norm(pair.coarse_rest[edges[:, 0]] - pair.coarse_rest[edges[:, 1]], axis=1)
    assert (lengths / rest).min() < 0.95
    assert pair.report.edge_strain[0] > 0.93
    assert replace(pair.report, scene="flag") == pair.report
