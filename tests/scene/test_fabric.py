"""Fabric tiles, which change the shading, fade with distance and do not move vertices; and looks with names."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from program import refusal
from rendering import open_renderer, sawing, still_life
from ruckle import MATERIALS, CoarseFrame, sample, samples
from ruckle.arrays import Float32, Int32
from ruckle.scene.fabric import Fabric, pattern_coordinates, tile_coordinates
from ruckle.scene.looks import LOOKS, WEARER
from ruckle.scene.tiles import felt, jersey, knit, leather, satin, twill, weave
from ruckle.view import Camera, Look

TILES = (weave, jersey, knit, twill, felt, satin, leather)


@pytest.mark.parametrize("make", TILES)
def test_exact_slopes_have_no_mean_and_the_steepness_asked_for(make: object) -> None:
    heights, brightness = make()  # type: ignore[operator]
    fabric = Fabric(heights, 0.01, 0.4, brightness)
    slopes = fabric.slopes().astype(np.float64)
    texels = fabric.texels()
    assert texels[..., 2].mean() == pytest.approx(1.0, abs=1e-5)
    assert texels[..., 3].mean() == pytest.approx(0.16, rel=1e-4)
    np.testing.assert_allclose(slopes.mean(axis=(0, 1)), 0.0, atol=1e-6)
    assert np.sqrt((slopes**2).sum(axis=2).mean()) == pytest.approx(0.4, rel=1e-5)
    # the tile can be repeated: opposite sides differ by at most 1.5 times the largest step between texels inside it
    inside = abs(np.diff(heights, axis=1)).max()
    assert abs(heights[:, 0] - heights[:, -1]).max() <= 1.5 * inside
    assert heights.min() < heights.max()


def test_exact_slopes_of_ribs_run_across_them() -> None:
    x = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    slopes = Fabric(np.tile(np.sin(x), (32, 1)), 1.0, 0.5).slopes()
    np.testing.assert_allclose(slopes[..., 0], np.tile(np.sqrt(2) * 0.5 * np.cos(x), (32, 1)), atol=1e-5)
    np.testing.assert_allclose(slopes[..., 1], 0.0, atol=1e-7)
    # the first row of heights is at the top, so that the upward slope is positive if heights decrease along the rows
    slopes = Fabric(np.tile(np.sin(x)[:, None], (1, 32)), 1.0, 0.5).slopes()
    np.testing.assert_allclose(slopes[..., 1], -np.tile(np.sqrt(2) * 0.5 * np.cos(x)[:, None], (1, 32)), atol=1e-5)
    np.testing.assert_allclose(slopes[..., 0], 0.0, atol=1e-7)


def test_exact_tiles_have_the_scale_of_the_mesh() -> None:
    positions = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [2, 3, 0]], np.float32)
    faces = np.array([[0, 1, 2], [1, 3, 2]], np.int32)
    uv = positions[:, :2] / 7.0
    by_uv = tile_coordinates(positions, faces, uv[faces])
    by_place = tile_coordinates(positions, faces, None)
    np.testing.assert_allclose(by_uv, by_place, atol=1e-5)
    np.testing.assert_allclose(by_place, positions[faces][..., :2], atol=1e-6)


def strip(widths: Sequence[float]) -> tuple[Float32, Int32, Float32]:
    """Return a strip of unit squares: positions, faces, and texture coordinates of corners, on which widths differ."""
    x = np.repeat(np.arange(len(widths) + 1), 2)
    positions = np.column_stack([x, np.arange(len(x)) % 2, np.zeros(len(x))]).astype(np.float32)
    first = 2 * np.arange(len(widths))[:, None]
    faces = (first + np.array([0, 2, 1, 2, 3, 1])).reshape(-1, 3).astype(np.int32)
    uv = positions[:, :2].copy()
    uv[:, 0] = np.repeat(np.concatenate([[0.0], np.cumsum(widths)]), 2)
    return positions, faces, uv[faces]


def test_exact_an_atlas_of_uneven_scale_is_no_pattern() -> None:
    positions, faces, even = strip([1.0, 1.4, 0.8, 1.0])
    scaled = pattern_coordinates(positions, faces, 0.01 * even)
    assert scaled is not None
    np.testing.assert_allclose(scaled, even * np.sqrt(4.0 / 4.2), rtol=1e-5)
    positions, faces, uneven = strip([1.0, 0.1, 5.0, 0.2])
    assert pattern_coordinates(positions, faces, uneven) is None
    # the fabric has the scale of the mesh
    np.testing.assert_allclose(tile_coordinates(positions, faces, uneven), positions[faces][..., :2], atol=1e-6)


def test_exact_only_faces_of_cloth_decide_on_a_pattern() -> None:
    positions, faces, uneven = strip([1.0, 0.01, 0.01, 0.01])
    is_cloth = np.arange(len(faces)) < 2
    assert pattern_coordinates(positions, faces, uneven) is None
    scaled = pattern_coordinates(positions, faces, uneven, is_cloth)
    assert scaled is not None
    np.testing.assert_allclose(scaled, uneven, rtol=1e-5)


@pytest.mark.parametrize("name", samples())
def test_property_patterns_of_samples_are_patterns(name: str) -> None:
    animation = sample(name)
    assert animation.uv is not None
    corners = animation.uv[animation.faces if animation.uv_faces is None else animation.uv_faces]
    assert pattern_coordinates(animation.positions[0], animation.faces, corners) is not None


@pytest.mark.parametrize("corner_uv", [np.zeros((1, 3, 2)), np.full((1, 3, 2), 0.5)])
def test_degenerate_texture_coordinates_without_area_are_no_pattern(corner_uv: Float32) -> None:
    positions = np.eye(3, dtype=np.float32)
    faces = np.array([[0, 1, 2]], np.int32)
    assert pattern_coordinates(positions, faces, corner_uv.astype(np.float32)) is None
    assert pattern_coordinates(0.0 * positions, faces, positions[faces][..., :2]) is None


def test_property_fabric_shows_from_near_and_fades_with_distance() -> None:
    frame = sawing()
    camera = Camera.framing(frame.positions, aspect=1.0)
    near, far = replace(camera, distance=0.2 * camera.distance), replace(camera, distance=6.0 * camera.distance)
    woven = Look(fabric=Fabric(weave(4)[0], 0.02 * 1.75, 0.5))
    changes = []
    for view in (near, far):
        pictures = []
        for look in (Look(), woven):
            with open_renderer(160, 160, samples=1, look=look) as renderer:
                pictures.append(renderer.render(frame, camera=view).astype(float))
        # the cloth covers the same pixels with and without the fabric
        cloth, woven_cloth = ((picture != [242, 239, 233]).any(axis=2) for picture in pictures)
        np.testing.assert_array_equal(cloth, woven_cloth)
        changes.append(np.abs(pictures[1] - pictures[0])[cloth].mean())
    assert changes[0] > 4.0
    assert changes[1] < 0.25 * changes[0]


def test_property_modes_without_light_show_no_fabric() -> None:
    frame = still_life()
    look = Look(fabric=Fabric(knit()[0], 0.1, 0.4))
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


@pytest.mark.parametrize("brightness", [np.ones((2, 2)), np.full((4, 4), np.nan), np.zeros((4, 4)), -np.eye(4)])
def test_reject_brightness(brightness: object) -> None:
    with pytest.raises(ValueError, match=r"fabric: expected a brightness of shape \(4, 4\), finite and at least 0"):
        Fabric(np.eye(4), 1.0, brightness=brightness)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"sheen": -1.0}, "sheen: expected a finite number of at least 0, got -1"),
        ({"fuzz": -1.0}, "fuzz: expected a finite number of at least 0, got -1"),
        ({"specular": -1.0}, "specular: expected a finite number of at least 0, got -1"),
        ({"roughness": 0.0}, "roughness: expected a number above 0 and up to 1, got 0"),
        ({"anisotropy": 1.0}, "anisotropy: expected a number from 0 to below 1, got 1"),
        ({"occlusion": 2.0}, "occlusion: expected a share from 0 to 1, got 2"),
    ],
)
def test_reject_looks(setting: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Look(**setting)  # type: ignore[arg-type]


def test_property_tiles_make_no_moire_at_any_distance() -> None:
    # from a large distance, a square of fabric has nearly the same colour in all pixels
    corners = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], np.float32)
    square = CoarseFrame(corners, [[0, 1, 2], [0, 2, 3]])
    for name, named in LOOKS.items():
        spread = []
        for distance in (2.0, 4.0, 8.0):
            camera = Camera((0, 0, 0), distance, azimuth=20, elevation=10)
            with open_renderer(200, 200, look=named.look(1.75), base="flat") as renderer:
                cloth = renderer.render(square, camera=camera)[90:110, 90:110].astype(float).mean(axis=2)
            # remove the slow change of the light over the square by fitting a plane
            rows, columns = np.mgrid[:20, :20]
            plane = np.stack([rows.ravel(), columns.ravel(), np.ones(400)], axis=1)
            spread.append((cloth.ravel() - plane @ np.linalg.lstsq(plane, cloth.ravel(), rcond=None)[0]).std())
        assert spread[-1] < 1.5, name
        assert spread[1] < 4.0, name


@pytest.mark.parametrize("name", LOOKS)
def test_exact_named_looks_are_whole(name: str) -> None:
    named = LOOKS[name]
    look = named.look(height=1.75)
    assert look.fabric is not None
    assert look.fabric.size == pytest.approx(named.tile * 1.75 / WEARER)
    assert named.material in MATERIALS
    assert named.look(1.75, "#112233").cloth == "#112233"
    # each look has its own colour of cloth
    assert len({one.look(1.75).cloth for one in LOOKS.values()}) == len(LOOKS)


def test_reject_looks_that_are_not_there() -> None:
    assert "'coat' is not one of 'cotton', 'jersey', 'knit', 'denim', 'wool', 'leather', 'silk'" in refusal(
        "render", "sawing", "-o", "a.png", "--look", "coat"
    )


def test_reject_colors_that_are_none() -> None:
    assert "color: expected a colour such as" in refusal("render", "sawing", "-o", "a.png", "--color", "blue")
