"""Oscillations: known waves are found, and residuals that do not repeat are rejected."""

import numpy as np
import pytest

import ruckle
from learning import garment, random_model
from ruckle.offline.upsampling.oscillations import Oscillation, fit_oscillations, normal_residual, with_oscillations

FPS = 60.0


def planted(frequency: float, seed: int = 0, vertices: int = 35) -> Oscillation:
    return Oscillation(frequency, np.random.default_rng(seed).normal(scale=0.01, size=(vertices, 2)))


def test_exact_planted_waves_are_found() -> None:
    times = np.arange(300) / FPS
    strong, weak = planted(3.37), planted(8.21, seed=1)
    weak.shapes[:] *= 0.3
    found = fit_oscillations(strong.at(times), FPS, pairs=1)
    assert found[0].frequency == pytest.approx(3.37, abs=1e-6)
    np.testing.assert_allclose(found[0].shapes, strong.shapes, atol=1e-6)
    both = fit_oscillations(strong.at(times) + weak.at(times), FPS, pairs=2)
    assert [one.frequency for one in both] == pytest.approx([3.37, 8.21], rel=2e-3)


def test_exact_a_planted_wave_survives_noise() -> None:
    times, wave = np.arange(480) / FPS, planted(2.5)
    noise = np.random.default_rng(4).normal(scale=0.01, size=(480, 35))
    [found] = fit_oscillations(wave.at(times) + noise, FPS)
    assert found.frequency == pytest.approx(2.5, rel=1e-3)
    assert np.abs(found.shapes - wave.shapes).max() < 0.004


def test_degenerate_residuals_without_a_lasting_wave_give_no_oscillation() -> None:
    random = np.random.default_rng(0)
    assert fit_oscillations(random.normal(size=(90, 35)), FPS, pairs=3) == []
    # a wave that exists only in the first two thirds of the frames, which are used for the fit
    times = np.arange(90) / FPS
    dying = planted(5.0).at(times)
    dying[60:] = 0.0
    assert fit_oscillations(dying, FPS) == []
    assert fit_oscillations(np.zeros((30, 35)), FPS) == []
    # less than two periods do not show that a motion repeats: 1.2 periods in the 60 frames of the fit
    slow = fit_oscillations(planted(1.2).at(times), FPS, pairs=3)
    assert all(one.frequency > 1.8 for one in slow)


def test_reject_residuals() -> None:
    for residual in (np.zeros((7, 35)), np.zeros(30)):
        with pytest.raises(ValueError, match="residual: expected an array"):
            fit_oscillations(residual, FPS)
    with pytest.raises(ValueError, match="pairs: expected an integer"):
        fit_oscillations(np.zeros((30, 35)), FPS, pairs=0)
    with pytest.raises(ValueError, match="fps: expected"):
        fit_oscillations(np.zeros((30, 35)), 0.0)


def test_exact_the_fit_finds_oscillations_that_the_core_has_played() -> None:
    """Find the oscillations in frames that the core has computed with known oscillations."""
    cloth = garment((5, 4), (13, 9))
    model = random_model(cloth, operator=cloth.linear_map.toarray().astype(np.float32))
    shapes = np.random.default_rng(2).normal(scale=0.01, size=(cloth.fine_count, 2))
    player = ruckle.Upsampler(with_oscillations(model, [Oscillation(3.0, shapes)]), precision="single")
    random = np.random.default_rng(3)
    coarse = cloth.coarse_rest + random.normal(scale=0.01, size=(120, cloth.coarse_count, 3))
    coarse = coarse.astype(np.float32)
    fine = np.array([player.step(frame, 1.0 / FPS).fine_positions for frame in coarse])
    [found] = fit_oscillations(normal_residual(model, coarse, fine), FPS)
    assert found.frequency == pytest.approx(3.0, rel=1e-4)
    np.testing.assert_allclose(found.shapes, shapes, atol=1e-5)
