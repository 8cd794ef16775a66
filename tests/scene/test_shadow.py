"""Cast shadows: their places on cloth and floor, no false shadows, and the view from the key light."""

from dataclasses import replace

import numpy as np
import pytest

from meshes import sphere
from rendering import Array, open_renderer
from ruckle import CoarseFrame
from ruckle.scene.light_view import light_view
from ruckle.view import Camera, Light, Look


def table_and_plate() -> tuple[Array, Array]:
    """Return a square plate with sides of length 1, in front of a square wall with sides of length 4.

    Both normals are +Z.
    """
    square = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], np.float32)
    positions = np.concatenate([4 * square, square + np.float32([0, 0, 1])])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    return positions, np.concatenate([faces, faces + 4])


def brightness(look: Look, camera: Camera, positions: Array, faces: Array) -> Array:
    """Render a mesh, and return the brightness of each pixel: the mean of red, green and blue."""
    with open_renderer(160, 160, look=look, base="flat") as renderer:
        mean: Array = renderer.render(CoarseFrame(positions, faces), camera=camera).astype(float).mean(axis=2)
    return mean


def test_exact_the_shadow_lies_behind_the_plate() -> None:
    positions, faces = table_and_plate()
    # the light comes from the left at 45 degrees and the plate is 1 in front of the wall, so its shadow is moved right
    # by 1
    look = Look(key=Light((-1, 0, 1), 1.4))
    camera = Camera((0, 0, 0), 60, azimuth=0, elevation=0, field_of_view=4.5)
    lit = brightness(replace(look, shadows=0.0), camera, positions, faces)
    shaded = brightness(look, camera, positions, faces)
    unit = 160 / (2 * 60 * np.tan(np.radians(2.25)))

    def at(picture: Array, x: float, y: float) -> float:
        return float(picture[int(80 - unit * y), int(80 + unit * x)])

    assert at(shaded, 1.0, 0.0) < 0.8 * at(lit, 1.0, 0.0)
    for x, y in [(-1.0, 0.0), (1.0, 1.2), (0.0, -1.2), (1.85, 0.0), (0.0, 0.0)]:
        assert at(shaded, x, y) == pytest.approx(at(lit, x, y), abs=1.0)
    # no pixel is brighter than without shadows
    assert (shaded <= lit + 1.0).all()


def test_property_what_the_light_sees_is_lit() -> None:
    # the key light is at the camera, so that no visible part of a ball is in the shadow
    ball = sphere(3)
    look = Look(key=Light((0, 0, 1), 1.4))
    camera = Camera.framing(ball.positions, aspect=1.0)
    lit = brightness(replace(look, shadows=0.0), camera, ball.positions, ball.faces)
    shaded = brightness(look, camera, ball.positions, ball.faces)
    # near the rim, triangles that face away from the light cause small differences
    assert np.abs(shaded - lit).max() < 8.0
    assert np.abs(shaded - lit).mean() < 0.1


def test_exact_the_light_sees_all_points() -> None:
    points = sphere(1).positions.astype(np.float32) * np.float32([1, 3, 2]) + np.float32([5, -2, 7])
    toward = np.array([0.6, 0.0, 0.8])
    view = light_view(points, toward, 64)
    seen = points @ view.clip_from_ws[:3, :3].T + view.clip_from_ws[:3, 3]
    assert np.abs(seen).max() < 1.0
    # the depth increases with the distance from the light
    assert np.argmin(seen[:, 2]) == np.argmax(points @ toward)
    direction = view.clip_from_ws[:3, :3] @ toward / np.linalg.norm(view.clip_from_ws[2, :3])
    np.testing.assert_allclose(direction, [0, 0, -1], atol=1e-12)
    assert np.isfinite(light_view(np.zeros((3, 3), np.float32), toward, 64).clip_from_ws).all()


def test_property_the_map_moves_by_whole_texels() -> None:
    points = sphere(1).positions.astype(np.float32)
    toward = np.array([0.6, 0.48, 0.64])
    first = light_view(points, toward, 64).map_from_ws
    for step in np.random.default_rng(2).normal(size=(20, 3)):
        moved = light_view(points + step.astype(np.float32), toward, 64).map_from_ws
        np.testing.assert_allclose(moved[:3, :3], first[:3, :3], atol=1e-12)
        texels = 64 * (moved - first)[:2, 3]
        np.testing.assert_allclose(texels, np.round(texels), atol=1e-6)


@pytest.mark.parametrize("shadows", [-0.1, 1.5, float("nan")])
def test_reject_shares_of_shadow(shadows: float) -> None:
    with pytest.raises(ValueError, match="shadows: expected a share from 0 to 1, got"):
        Look(shadows=shadows)


def on_floor(look: Look, positions: Array, floor: float | None, width: int = 160) -> Array:
    """Render a square above a floor, seen from the front and above. Return the brightness of each pixel."""
    camera = Camera((0, 0, 0), 9, azimuth=0, elevation=30, field_of_view=26)
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    with open_renderer(width, width, look=look, base="flat") as renderer:
        picture = renderer.render(CoarseFrame(positions, faces), camera=camera, floor=floor)
    mean: Array = picture.astype(float).mean(axis=2)
    return mean


def test_exact_the_floor_darkens_beside_and_under_the_cloth() -> None:
    # an upright square on the floor, with a shadow to the right and slightly to the back
    positions = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], np.float32)
    look = Look(key=Light((-2, 1, 1), 1.4))
    bare, shaded = (on_floor(look, positions, floor) for floor in (None, -0.5))
    unit = 160 / (2 * 9 * np.tan(np.radians(13)))

    def at(picture: Array, x: float, z: float) -> float:
        """Return the brightness of a point on the floor."""
        axes = Camera((0, 0, 0), 9, azimuth=0, elevation=30).axes
        seen = axes @ np.array([x, -0.5, z])
        scale = unit * 9 / (9 - seen[2])
        return float(picture[int(80 - scale * seen[1]), int(80 + scale * seen[0])])

    # the light direction moves the shadow of a point at height h by 1.46 h to the right and 0.27 h to the back
    assert at(shaded, 0.75, -0.08) < 0.85 * at(shaded, -1.2, 0.5)
    # a place on the floor that is not in the shadow
    assert at(shaded, -1.2, 0.5) == pytest.approx(at(bare, -1.2, 0.5), rel=0.06)


def test_property_the_floor_is_darkest_under_low_cloth() -> None:
    square = np.array([[-0.5, 0, 0.5], [0.5, 0, 0.5], [0.5, 0, -0.5], [-0.5, 0, -0.5]], np.float32)
    look = Look(shadows=0.0)
    # the brightness of the floor in front of the square's front edge, for three heights of the square
    found = [on_floor(look, square, -height)[80:130, 80].min() for height in (0.05, 0.2, 0.6)]
    assert found[0] < found[1] - 5 < found[2] - 10


def grooved(depth: float) -> tuple[Array, Array]:
    """Return a square sheet with sides of length 2 and normal +Z. A groove runs along y in its middle."""
    x = np.linspace(-1, 1, 201)
    heights = -depth * np.exp(-((x / 0.08) ** 2))
    positions = np.stack([np.repeat(x, 2), np.tile([-1.0, 1.0], 201), np.repeat(heights, 2)], axis=1)
    first = 2 * np.arange(200)
    faces = np.concatenate([np.stack([first, first + 2, first + 1], 1), np.stack([first + 2, first + 3, first + 1], 1)])
    return positions.astype(np.float32), faces


@pytest.mark.parametrize(("key", "most"), [(0.0, 0.8), (1.4, 0.95)])
def test_property_folds_hide_the_sky(key: float, most: float) -> None:
    # with and without a key light, occlusion darkens the bottom of a groove, but not the flat cloth beside it
    camera = Camera((0, 0, 0), 5, azimuth=0, elevation=0)
    groove, rim = (slice(70, 90), slice(79, 81)), (slice(70, 90), slice(40, 50))
    ratios = []
    for depth in (0.0, 0.1, 0.2):
        open_sky, half, hidden = (
            brightness(Look(key=Light((0, 0, 1), key), occlusion=share), camera, *grooved(depth))
            for share in (0.0, 0.5, 1.0)
        )
        assert hidden[groove].mean() <= half[groove].mean() <= open_sky[groove].mean()
        ratios.append(hidden[groove].mean() / open_sky[groove].mean())
        assert hidden[rim].mean() == pytest.approx(open_sky[rim].mean(), rel=0.03)
        # occlusion in sixteen random directions is noisy, but averaging removes the noise
        assert hidden[rim].std() < 1.5
    # flat cloth hides nothing, and a deeper groove hides more
    assert ratios[0] == pytest.approx(1.0, rel=0.01)
    assert ratios[2] < ratios[1] - 0.03 < ratios[0] - 0.05
    assert ratios[2] < most


def hems(thickness: float, faces: Array) -> Array:
    """Render a square exactly from its edge, with cloth of a given thickness.

    Return a mask of the pixels of its hem.
    """
    square = np.array([[-0.5, 0, 0.5], [0.5, 0, 0.5], [0.5, 0, -0.5], [-0.5, 0, -0.5]], np.float32)
    look = Look(background="#ff00ff", thickness=thickness)
    with open_renderer(160, 160, look=look, samples=1) as renderer:
        picture = renderer.render(CoarseFrame(square, faces), camera=Camera((0, 0, 0), 5, azimuth=0, elevation=0))
    pixels: Array = (picture != (255, 0, 255)).any(axis=2)
    return pixels


def test_exact_hems_are_as_thick_as_the_cloth() -> None:
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    pixel = 2 * 4.5 * np.tan(np.radians(13)) / 160
    thick = hems(0.1, faces)[:, 80]
    assert hems(0.0, faces)[:, 80].sum() <= 1
    assert abs(thick.sum() - 0.1 / pixel) <= 2
    # the thickness is added below the outer side of the cloth
    assert np.flatnonzero(thick).min() >= 79


@pytest.mark.parametrize("floor", ["low", True])
def test_reject_floors(floor: object) -> None:
    with pytest.raises(TypeError, match="floor: expected a number"):
        on_floor(Look(), np.zeros((4, 3), np.float32), floor)  # type: ignore[arg-type]
