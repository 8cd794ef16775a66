"""The light of the studio: irradiance and reflections, compared with sums over many random directions."""

import numpy as np
import pytest

from rendering import open_renderer
from ruckle import CoarseFrame
from ruckle.scene.look import Light, Look, linear_color
from ruckle.scene.studio import SIDE, irradiance, radiance, reflections, studio_block
from ruckle.view import Camera


def random_directions(count: int, seed: int) -> np.ndarray:
    directions = np.random.default_rng(seed).normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def polynomial(normal: np.ndarray) -> np.ndarray:
    """Return the irradiance for a normal from nine coefficients, as shaders/common/studio.glsl evaluates it."""
    x, y, z = normal
    basis = [1, y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
    return np.array(basis) @ irradiance()


def test_exact_irradiance_is_the_cosine_weighted_mean() -> None:
    sources = random_directions(200_000, 1)
    light = radiance(sources)
    for normal in random_directions(12, 2):
        # the integral of cosine times light, divided by π, is 4 times its mean over all directions
        expected = 4 * (np.maximum(sources @ normal, 0)[:, None] * light).mean(axis=0)
        # nine coefficients represent any irradiance with an error of a few percent (Ramamoorthi & Hanrahan 2001)
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
    # the layer with the sharpest reflections is nearly as bright as the studio itself
    assert layers[0].max() > 0.85 * radiance(random_directions(20_000, 4)).max()


@pytest.mark.parametrize(
    ("layer", "roughness", "error"),
    # the light of the map is known in few directions near the vertical, which affects narrow lobes
    [(0, 0.12, 0.1), (1, 0.25, 0.06), (2, 0.5, 0.01), (3, 0.75, 0.005), (4, 1.0, 0.005)],
)
def test_exact_reflections_are_means_over_the_lobe(layer: int, roughness: float, error: float) -> None:
    # directions in the frame of the reflected ray: their angle to the ray is twice the angle of the half vector. The
    # steps of this angle are small near the ray.
    steps = (np.arange(400) + 0.5) / 400
    half, turn = 0.25 * np.pi * steps**3, 2 * np.pi * np.arange(48) / 48
    local = np.stack(
        [np.outer(np.sin(2 * half), f).ravel() for f in (np.cos(turn), np.sin(turn))]
        + [np.repeat(np.cos(2 * half), len(turn))]
    )
    # GGX distribution of the half vector, times the cosine of the light, times the solid angle of the step
    lobe = (np.cos(half) ** 2 * (roughness**4 - 1) + 1) ** -2.0 * np.cos(2 * half) * np.sin(2 * half) * steps**2
    weights = np.repeat(lobe, len(turn)) / (len(turn) * lobe.sum())
    # texels of an octahedral map: the middle is the direction up; y is negative outside of the inner square
    for column, row in ((15, 15), (24, 13), (9, 20), (3, 27), (30, 2), (16, 31)):
        x, z = (2 * (place + 0.5) / SIDE - 1 for place in (column, row))
        y = 1 - abs(x) - abs(z)
        if y < 0:
            x, z = (1 - abs(z)) * np.sign(x), (1 - abs(x)) * np.sign(z)
        ray = np.array([x, y, z]) / np.linalg.norm([x, y, z])
        side = np.cross(ray, [0.6, 0.0, 0.8])
        side /= np.linalg.norm(side)
        light = weights @ radiance(local.T @ np.stack([side, np.cross(ray, side), ray]))
        np.testing.assert_allclose(reflections()[layer, row, column], light, rtol=error)


@pytest.mark.parametrize("up", ["y", "z"])
def test_exact_the_studio_turns_with_the_camera(up: str) -> None:
    camera = Camera(azimuth=40.0, elevation=20.0, up=up)  # type: ignore[arg-type]
    block = studio_block(Look(key=Light((0, 0, 1), 3.0, "#ffffff"), ambient=0.5), camera)
    turned = block["studio_from_ws"].T
    np.testing.assert_allclose(turned[:3, :3] @ camera.axes[0], [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(turned[:3, :3] @ camera.upward, [0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(block["key_light"][:3], 3.0)
    np.testing.assert_allclose(block["irradiance"][:, :3], 0.5 * irradiance(), rtol=1e-6)


def filmed(light: np.ndarray) -> np.ndarray:
    """Return sRGB (0 to 1) of linear light after the tone curve of shaders/finish.frag, by the exact transfer curve."""
    luminance = light @ [0.2126, 0.7152, 0.0722]
    response = np.append(light, luminance) ** 1.22
    response *= 1.05 / (response + 0.62)
    linear = np.clip(0.55 * response[:3] + 0.45 * light * response[3] / luminance, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("color", ["#ffffff", "#3a6ea5", "#c04030"])
@pytest.mark.parametrize("azimuth", [0.0, 70.0])
def test_exact_shaders_light_a_square_as_the_sums_do(color: str, azimuth: float) -> None:
    # a square with normal +Z, with light only from the studio
    corners = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], np.float32)
    matte = {"roughness": 1.0, "sheen": 0.0, "specular": 0.0, "occlusion": 0.0}
    look = Look(cloth=color, key=Light((0, 0, 1), 0.0), ambient=1.5, **matte)
    camera = Camera((0, 0, 0), 5, azimuth=azimuth, elevation=0)
    with open_renderer(40, 40, look=look, base="flat") as renderer:
        picture = renderer.render(CoarseFrame(corners, [[0, 1, 2], [0, 2, 3]]), camera=camera)
    turned = studio_block(look, camera)["studio_from_ws"].T[:3, :3]
    light = 1.5 * polynomial(turned @ [0, 0, 1]) * linear_color("cloth", color)
    np.testing.assert_allclose(picture[20, 20], 255 * filmed(light), atol=2.0)
