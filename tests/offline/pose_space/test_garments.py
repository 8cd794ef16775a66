"""Packaged garments in sampled poses: simulation, files, skinning."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ruckle
from ruckle.offline.pose_space.check import check_poses
from ruckle.offline.pose_space.posed_garments import PosedGarment, load_held_out, simulate_garment, sleeve
from ruckle.offline.pose_space.refine import REPEATED


def small_sleeve() -> PosedGarment:
    """Return a sleeve with few vertices and a plan with only one bent sample."""
    whole = sleeve(12, 21)
    plan = ruckle.plan_poses(whole.plan.skeleton, {"elbow": [0, 12]}, axes={"elbow": [0, -1, 0]})
    return replace(whole, plan=plan, held_out=[[{"elbow": [6.0]}, {"elbow": [12.0]}]])


def test_exact_the_plan_of_the_sleeve() -> None:
    whole = sleeve()
    assert repr(whole.plan) == "PosePlan(elbow 9, arm 4 x 1 x 3: 21 samples)"
    # the coarse mesh contains every second vertex in both directions; at least 26 poses bend both joints
    assert len(whole.fine.rest) == 48 * 73
    assert len(whole.kept) == 24 * 37
    assert whole.faces.max() < len(whole.kept)
    assert sum(len(state) == 2 for way in whole.held_out for state in way) >= 26
    # the cloth is 4 % longer than the arm, and outside of the arm
    assert np.ptp(whole.fine.rest[:, 0]) == pytest.approx(1.04 * np.ptp(whole.coarse[:, 0]))


def test_exact_a_garment_becomes_a_database(tmp_path: Path) -> None:
    calls = []
    database, others = simulate_garment(small_sleeve(), notes={"command": "none"}, progress=lambda: calls.append(1))
    assert len(calls) == 3
    assert database.notes["command"] == "none"
    others.save(tmp_path / "truth.npz")
    found = load_held_out(tmp_path / "truth.npz")
    assert_allclose(found.fine, others.fine, atol=0.5 / 32768)
    # the last pose is a sample; both simulations come to it through the same sequence of shapes at rest
    half, whole = (check_poses(database, *found.animations(database, [state])) for state in (0, 1))
    assert half.ratio < 1
    assert whole.error < 1e-4


def test_property_samples_are_added_to_a_tolerance() -> None:
    garment = replace(small_sleeve(), held_out=[[{"elbow": [6.0]}]])
    told, _ = simulate_garment(garment)
    differs = told.notes[f"elbow: {REPEATED}"]
    assert isinstance(differs, float)
    assert 0 < differs < 0.05
    # the tolerance of 1 m is far above the errors, so refinement does not add samples
    same, _ = simulate_garment(garment, refine=1.0)
    assert same.sample_count == told.sample_count == 2


def test_reject_shapes_that_do_not_fit_into_steps(tmp_path: Path) -> None:
    _, others = simulate_garment(replace(small_sleeve(), held_out=[[{"elbow": [6.0]}]]))
    with pytest.raises(ValueError, match="fine: expected shapes within a metre of the origin"):
        replace(others, fine=others.fine + np.float32(1)).save(tmp_path / "truth.npz")


def test_reject_an_executor_without_a_folder() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match=r"^executor: needs a folder"):
        simulate_garment(small_sleeve(), executor=pool)
