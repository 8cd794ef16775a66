"""Cast shadows: their positions, no self-shading of flat cloth, and the view from the key light."""

from dataclasses import replace

import numpy as np
import pytest

from meshes import sphere
from rendering import Array, open_renderer
from ruckle import CoarseFrame
from ruckle.scene.light_view import light_view
from ruckle.view import Camera, Light, Look


def table_and_plate() -> tuple[Array, Array]:
    """Return a plate of side 1, at distance 1 before a wall of side 4, both facing +Z."""
    square = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], np.float32)
    positions = np.concatenate([4 * square, square + np.float32([0, 0, 1])])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    return positions, np.concatenate([faces, faces + 4])


def brightness(look: Look, camera: Camera, positions: Array, faces: Array) -> Array:
    """Return a picture's rows and columns, the mean of its colours."""
    with open_renderer(160, 160, look=look, base="flat") as renderer:
        mean: Array = renderer.render(CoarseFrame(positions, faces), camera=camera).astype(float).mean(axis=2)
    return mean


def test_exact_the_shadow_lies_behind_the_plate() -> None:
    positions, faces = table_and_plate()
    # light falls by 45 degrees to the right: the shadow is 1 to the right of the plate
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
    # nothing becomes brighter
    assert (shaded <= lit + 1.0).all()


def test_property_what_the_light_sees_is_lit() -> None:
    # the key light is at the camera: it reaches all visible parts of a ball
    ball = sphere(3)
    look = Look(key=Light((0, 0, 1), 1.4))
    camera = Camera.framing(ball.positions, aspect=1.0)
    lit = brightness(replace(look, shadows=0.0), camera, ball.positions, ball.faces)
    shaded = brightness(look, camera, ball.positions, ball.faces)
    assert np.abs(shaded - lit).max() < 3.0


def test_exact_the_light_sees_all_points() -> None:
    points = sphere(1).positions.astype(np.float32) * np.float32([1, 3, 2]) + np.float32([5, -2, 7])
    toward = np.array([0.6, 0.0, 0.8])
    view = light_view(points, toward, 64)
    seen = points @ view.clip_from_ws[:3, :3].T + view.clip_from_ws[:3, 3]
    assert np.abs(seen).max() < 1.0
    # nearer to the light is less deep
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
