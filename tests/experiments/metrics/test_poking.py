"""Area of skin that is visible in front of the cloth: known areas, and cases with the area zero."""

import numpy as np
import pytest

import ruckle.experiments.metrics.poking as module
from ruckle.experiments.metrics import poke_through

RADIUS = 0.1
SHEET_FACES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def sphere(rings: int = 48) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a sphere around the origin. The normals of its faces point outward."""
    turn, height = np.meshgrid(np.arange(2 * rings) * np.pi / rings, np.linspace(0, np.pi, rings + 1), indexing="ij")
    points = np.stack([np.sin(height) * np.cos(turn), np.cos(height), np.sin(height) * np.sin(turn)], axis=-1)
    i, j = np.meshgrid(np.arange(2 * rings), np.arange(rings), indexing="ij")
    a, b = i * (rings + 1) + j, (i + 1) % (2 * rings) * (rings + 1) + j
    faces = np.concatenate([np.stack([a, b, a + 1], -1), np.stack([b, b + 1, a + 1], -1)]).reshape(-1, 3)
    return RADIUS * points.reshape(-1, 3), faces.astype(np.int32)


def sheet(z: float, half: float = 0.3) -> np.ndarray:
    """Return the four corners of a square sheet in the plane of the given z. Its normal is +z."""
    return half * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) + [0, 0, z]


def around(positions: np.ndarray, turn: float) -> np.ndarray:
    """Return the positions after a rotation by `turn` radians around the y axis."""
    c, s = np.cos(turn), np.sin(turn)
    return positions @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T


@pytest.fixture
def level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all camera views horizontal, so that the visible areas can be calculated exactly."""
    monkeypatch.setattr(module, "TILT", 0.0)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("pixel", [0.002, 0.0005])
def test_exact_area_of_a_sphere_that_pokes_through_a_sheet(pixel: float) -> None:
    found = poke_through(sheet(0.08), SHEET_FACES, *sphere(), views=4, pixel=pixel)
    # only the front view shows skin: a circle with a radius of 60 mm
    assert np.count_nonzero(found.counts) == 1
    assert found.area == pytest.approx(np.pi * 0.06**2, rel=0.01)
    assert found.depths.max() == pytest.approx(0.02, rel=0.01)
    assert np.linalg.norm(found.points, axis=1) == pytest.approx(RADIUS, rel=0.01)
    assert found.points[:, 2].min() > 0.0799


@pytest.mark.usefixtures("level")
def test_exact_reach_leaves_out_what_is_farther_behind() -> None:
    # skin counts only if it is at most 5 mm in front of the sheet; here, this part of the skin is a ring
    found = poke_through(sheet(0.08), SHEET_FACES, *sphere(), views=4, pixel=0.0005, reach=0.005)
    assert found.area == pytest.approx(np.pi * (0.06**2 - (RADIUS**2 - 0.085**2)), rel=0.02)


def test_exact_cloth_is_seen_between_its_vertices() -> None:
    # all vertices of the sheet are outside of the sphere, although the top of the sphere is 2 mm above the sheet
    found = poke_through(sheet(0.098), SHEET_FACES, *sphere())
    assert np.linalg.norm(sheet(0.098), axis=1).min() > 4 * RADIUS
    assert found.area == pytest.approx(np.pi * (RADIUS**2 - 0.098**2), rel=0.1)


def test_exact_a_body_under_its_cloth_or_beside_it_has_area_0() -> None:
    body, faces = sphere()
    assert not poke_through(1.001 * body, faces, body, faces).counts.any()
    assert not poke_through(sheet(0.101), SHEET_FACES, body, faces).counts.any()
    assert not poke_through(sheet(0.08), SHEET_FACES, body + np.array([0.5, 0, 0]), faces).counts.any()


def test_exact_a_body_over_its_cloth_has_its_whole_area() -> None:
    body, faces = sphere()
    found = poke_through(0.99 * body, faces, body, faces, views=5)
    # the whole body is visible except near its rim, where rays miss the smaller cloth
    assert found.counts * found.pixel**2 == pytest.approx(np.pi * (0.99 * RADIUS) ** 2, rel=0.01)


def test_exact_a_hand_in_front_of_cloth_is_not_counted() -> None:
    body, faces = sphere()
    hand = np.concatenate([body * [0.1, 0.1, 0.1] + [0, 0, 0.12], body * 0.5])
    cloth, both = sheet(0.1), np.concatenate([faces, faces + len(body)])
    assert not poke_through(cloth, SHEET_FACES, hand, both).counts.any()


def test_property_turned_with_the_views_it_is_the_same() -> None:
    body, faces = sphere()
    rng = np.random.default_rng(3)
    cloth = 0.99 * body + rng.normal(scale=0.001, size=body.shape)
    turn = 4 * np.pi / 8
    first = poke_through(cloth, faces, body, faces)
    second = poke_through(around(cloth, turn), faces, around(body, turn), faces)
    # The rotation is the angle between a view and the second view after it, because one view looks up, the next one
    # down.
    assert np.abs(np.roll(first.counts, 2) - second.counts).max() < 0.02 * first.counts.max()


def test_property_fragments_agree_with_barycentric_coordinates() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform([0, 0, -9], [40, 30, 9], (60, 3))
    faces = rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :3].astype(np.int32)
    found = module._fragments(points, faces, 41)
    centers = np.stack(np.meshgrid(np.arange(41) + 0.5, np.arange(31) + 0.5), axis=-1).reshape(-1, 2)
    pixels, depths, fronts = [], [], []
    for a, b, c in points[faces]:
        matrix = np.stack([b - a, c - a], axis=1)
        share = np.linalg.solve(matrix[:2], (centers - a[:2]).T)
        inside = np.flatnonzero((share >= 0).all(axis=0) & (share.sum(axis=0) <= 1))
        pixels.append(inside)
        depths.append(a[2] + matrix[2] @ share[:, inside])
        fronts.append(np.full(len(inside), -np.sign(np.linalg.det(matrix[:2]))))
    assert np.array_equal(found.pixels, np.concatenate(pixels))
    np.testing.assert_allclose(found.depths, np.concatenate(depths), atol=1e-9)
    assert np.array_equal(found.fronts, np.concatenate(fronts))


def test_degenerate_faces_and_faces_beside_all_centers_are_not_seen() -> None:
    body, faces = sphere()
    flat = np.concatenate([sheet(0.08), [[0, 0, 0.2], [0, 0.1, 0.2], [0, 0.2, 0.2]]])
    corners = np.concatenate([SHEET_FACES, [[4, 5, 6], [4, 4, 5], [4, 4, 4]]])
    plain = poke_through(sheet(0.08), SHEET_FACES, body, faces)
    assert np.array_equal(poke_through(flat, corners, body, faces).counts, plain.counts)


@pytest.mark.parametrize("name", ["pixel", "reach", "views"])
def test_reject_what_is_not_positive(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        poke_through(sheet(0.0), SHEET_FACES, *sphere(4), **{name: 0})
