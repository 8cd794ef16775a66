"""Coarse frames that are computed from fine frames: they have the tracked harmonics, and training accepts them."""

import json
from pathlib import Path

import numpy as np
import pytest

import ruckle
from learning import all_harmonics, blown_pair, garment
from program import invoke, refusal
from ruckle import Garment, load_model
from ruckle.offline.upsampling import derive_coarse


def test_exact_smooth_coarse_cloth_is_found_again() -> None:
    cloth = garment((5, 4), (17, 13))
    harmonics = all_harmonics(cloth)
    bend = np.linspace(-0.4, 0.4, 6)[:, None] * cloth.coarse_rest[:, 0] ** 2
    coarse = cloth.coarse_rest + bend[:, :, None] * [0.0, 0.0, 1.0]
    found = derive_coarse(cloth, harmonics, cloth.linear(coarse) + np.float32(3.0), tests=40, smoothness=1e-9)
    np.testing.assert_allclose(found, coarse + 3.0, atol=2e-3)


def test_property_the_tests_of_tracking_are_met() -> None:
    pair = blown_pair(0.0)
    cloth = Garment.of(pair)
    harmonics = all_harmonics(cloth)
    found = derive_coarse(cloth, harmonics, pair.fine.positions, tests=12)
    off = cloth.linear(found) - pair.fine.positions
    moments = np.einsum("nr,fnx->frx", harmonics.vectors[:, :12] * harmonics.areas[:, None], off)
    assert np.sqrt((moments**2).sum(axis=(1, 2)) / harmonics.areas.sum()).max() < 1e-3
    # the result is near the simulated coarse cloth that the fine cloth tracked
    assert np.sqrt(((found - pair.coarse.positions) ** 2).sum(axis=2).mean()) < 0.1


def test_reject_frames_of_another_mesh() -> None:
    cloth = garment()
    with pytest.raises(ValueError, match="fine: expected finite frames of 35 vertices, got shape"):
        derive_coarse(cloth, all_harmonics(cloth), np.zeros((2, 34, 3)))
    with pytest.raises(ValueError, match="smoothness: expected"):
        derive_coarse(cloth, all_harmonics(cloth), np.zeros((2, 35, 3)), tests=3, smoothness=0.0)


@pytest.mark.filterwarnings("default:motions")
def test_exact_the_command_learns_from_fine_caches_alone(tmp_path: Path) -> None:
    options: list[object] = ["--tests", 12, "--gamma", 0.1, 1, "-o", tmp_path / "a.npz"]
    for angle in (0.0, 0.5):
        pair = blown_pair(angle)
        pair.fine.save(tmp_path / f"fine_{angle:g}.pc2")
        options += ["--fine", tmp_path / f"fine_{angle:g}.pc2"]
    assert "rest: --fine needs both meshes at rest" in refusal("train", *options)
    ruckle.Animation(pair.coarse_rest[None], pair.coarse.faces, fps=60.0).save(tmp_path / "coarse_rest.npz")
    ruckle.Animation(pair.fine_rest[None], pair.fine.faces, fps=60.0).save(tmp_path / "fine_rest.npz")
    rests = ("--rest", tmp_path / "coarse_rest.npz", tmp_path / "fine_rest.npz")
    # the command notes that the computed coarse cloth changes little: only in the tracked harmonics
    result = invoke("train", *options, *rests, "--json")
    assert result.exit_code == 0, result.output
    assert "80 frames of 2 motions contain few of the shapes that 30 coarse vertices can have" in result.stderr
    assert [motion["name"] for motion in json.loads(result.stdout)["motions"]] == ["fine_0", "fine_0.5"]
    assert load_model(tmp_path / "a.npz").fine_count == 247
