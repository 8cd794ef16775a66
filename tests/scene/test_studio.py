"""The studio's light: irradiance and reflections against brute-force sums over the sphere."""

import numpy as np
import pytest

from ruckle.scene.look import Light, Look
from ruckle.scene.studio import SIDE, irradiance, radiance, reflections, studio_block
from ruckle.view import Camera


def random_directions(count: int, seed: int) -> np.ndarray:
    directions = np.random.default_rng(seed).normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def polynomial(normal: np.ndarray) -> np.ndarray:
    """Evaluate the coefficients as shaders/common/studio.glsl does."""
    x, y, z = normal
    basis = [1, y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
    return np.array(basis) @ irradiance()


def test_exact_irradiance_is_the_cosine_weighted_mean() -> None:
    sources = random_directions(200_000, 1)
    light = radiance(sources)
    for normal in random_directions(12, 2):
        # 1 / pi times the integral: 4 times the mean of cosine and light
        expected = 4 * (np.maximum(sources @ normal, 0)[:, None] * light).mean(axis=0)
        # nine coefficients hold all but a few hundredths of any light (Ramamoorthi & Hanrahan 2001)
        np.testing.assert_allclose(polynomial(normal), expected, rtol=0.08)


def test_exact_white_walls_light_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ruckle.scene.studio.radiance", lambda directions: np.ones((len(directions), 3)))
    irradiance.cache_clear()
    try:
        for normal in random_directions(5, 3):
            np.testing.assert_allclose(polynomial(normal), 1.0, rtol=2e-3)
    finally:
        irradiance.cache_clear()


def test_property_rough_reflections_are_blurred() -> None:
    layers = reflections()
    assert layers.shape == (5, SIDE, SIDE, 3)
    assert (np.diff(layers.std(axis=(1, 2)).mean(axis=1)) < 0).all()
    # the sharpest layer is nearly the studio itself
    assert layers[0].max() > 0.85 * radiance(random_directions(20_000, 4)).max()
    # the middle of the map is the ceiling
    np.testing.assert_allclose(layers[0, SIDE // 2, SIDE // 2], radiance(np.array([[0.0, 1.0, 0.0]]))[0], rtol=0.15)


@pytest.mark.parametrize("up", ["y", "z"])
def test_exact_the_studio_turns_with_the_camera(up: str) -> None:
    camera = Camera(azimuth=40.0, elevation=20.0, up=up)  # type: ignore[arg-type]
    block = studio_block(Look(key=Light((0, 0, 1), 3.0, "#ffffff"), ambient=0.5), camera)
    turned = block["studio_from_ws"].T
    np.testing.assert_allclose(turned[:3, :3] @ camera.axes[0], [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(turned[:3, :3] @ camera.upward, [0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(block["key_light"][:3], 3.0)
    np.testing.assert_allclose(block["irradiance"][:, :3], 0.5 * irradiance(), rtol=1e-6)
