"""The finest scale: tiles of fabric bend the light, fade with distance, and move nothing; named looks."""

from dataclasses import replace

import numpy as np
import pytest

from program import refusal
from rendering import open_renderer, sawing, still_life
from ruckle.scene.fabric import Fabric, corduroy, knit, leather, tile_coordinates, weave
from ruckle.scene.looks import LOOKS
from ruckle.view import Camera, Look

TILES = (weave, knit, corduroy, leather)


@pytest.mark.parametrize("make", TILES)
def test_exact_slopes_have_no_mean_and_the_steepness_asked_for(make: object) -> None:
    heights = make()  # type: ignore[operator]
    slopes = Fabric(heights, 0.01, 0.4).slopes().astype(np.float64)
    np.testing.assert_allclose(slopes.mean(axis=(0, 1)), 0.0, atol=1e-6)
    assert np.sqrt((slopes**2).sum(axis=2).mean()) == pytest.approx(0.4, rel=1e-5)
    # the tile goes on over its sides as inside
    inside = abs(np.diff(heights, axis=1)).max()
    assert abs(heights[:, 0] - heights[:, -1]).max() <= 1.5 * inside


def test_exact_slopes_of_ribs_run_across_them() -> None:
    x = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    slopes = Fabric(np.tile(np.sin(x), (32, 1)), 1.0, 0.5).slopes()
    np.testing.assert_allclose(slopes[..., 0], np.tile(np.sqrt(2) * 0.5 * np.cos(x), (32, 1)), atol=1e-5)
    np.testing.assert_allclose(slopes[..., 1], 0.0, atol=1e-7)


def test_exact_tiles_have_the_scale_of_the_mesh() -> None:
    positions = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [2, 3, 0]], np.float32)
    faces = np.array([[0, 1, 2], [1, 3, 2]], np.int32)
    uv = positions[:, :2] / 7.0
    by_uv = tile_coordinates(positions, faces, uv[faces])
    by_place = tile_coordinates(positions, faces, None)
    np.testing.assert_allclose(by_uv, by_place, atol=1e-5)
    np.testing.assert_allclose(by_place, positions[faces][..., :2], atol=1e-6)


def test_property_fabric_shows_from_near_and_fades_with_distance() -> None:
    frame = sawing()
    camera = Camera.framing(frame.positions, aspect=1.0)
    near, far = replace(camera, distance=0.2 * camera.distance), replace(camera, distance=6.0 * camera.distance)
    woven = Look(fabric=Fabric(weave(), 0.004 * 1.75, 0.4))
    changes = []
    for view in (near, far):
        pictures = []
        for look in (Look(), woven):
            with open_renderer(160, 160, samples=1, look=look) as renderer:
                pictures.append(renderer.render(frame, camera=view).astype(float))
        # outlines are the same
        cloth, woven_cloth = ((picture != [242, 239, 233]).any(axis=2) for picture in pictures)
        np.testing.assert_array_equal(cloth, woven_cloth)
        changes.append(np.abs(pictures[1] - pictures[0])[cloth].mean())
    assert changes[0] > 4.0
    assert changes[1] < 0.25 * changes[0]


def test_property_modes_without_light_show_no_fabric() -> None:
    frame = still_life()
    look = Look(fabric=Fabric(knit(), 0.1, 0.4))
    pictures = []
    for one in (Look(), look):
        with open_renderer(120, 120, samples=1, look=one) as renderer:
            pictures.append(renderer.render(frame, mode="height"))
            renderer.render(frame)
            kept = renderer.allocations
            renderer.render(frame)
            assert renderer.allocations == kept
    np.testing.assert_array_equal(*pictures)


@pytest.mark.parametrize(
    ("heights", "size", "steepness", "said"),
    [
        (np.zeros(4), 1.0, 0.3, r"heights of shape \(H, W\), at least \(2, 2\), got \(4,\)"),
        (np.full((4, 4), np.nan), 1.0, 0.3, "expected finite heights"),
        (np.eye(4), 0.0, 0.3, "expected a size that is finite and above 0, got 0"),
        (np.eye(4), 1.0, -1.0, "expected a steepness that is finite and above 0, got -1"),
    ],
)
def test_reject_fabrics(heights: object, size: float, steepness: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Fabric(heights, size, steepness)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["highlight", "sheen"])
def test_reject_light_below_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected a finite number of at least 0, got -1"):
        Look(**{name: -1.0})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LOOKS)
def test_exact_named_looks_are_whole(name: str) -> None:
    look = LOOKS[name].look(height=1.75)
    assert look.fabric is not None
    assert 0.002 < look.fabric.size / 1.75 < 0.02


def test_reject_looks_that_are_not_there() -> None:
    assert "'silk' is not one of 'shirt', 'knit', 'coat', 'leather'" in refusal(
        "render", "sawing", "-o", "a.png", "--look", "silk"
    )
