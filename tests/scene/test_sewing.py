"""Stitching: distances to seams, hems, patches and buttons, and the stitches in pictures."""

from dataclasses import replace

import numpy as np
import pytest

from rendering import Array, ndimage, open_renderer
from ruckle import CoarseFrame, Topology, WaveField, sample, sample_body
from ruckle.mesh.sewing import Sewing
from ruckle.mesh.topology import topology_of
from ruckle.scene.fabric import Fabric, tile_coordinates
from ruckle.scene.looks import LOOKS
from ruckle.scene.sewing_map import sewn_distances
from ruckle.scene.stitching import Stitching
from ruckle.view import Camera, Look

FACES = np.array([[0, 1, 2], [0, 2, 3]])
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
STITCHING = Stitching().scaled(2.0)

# Distance in pixels by which folds can move the border between cloth and skin in a picture.
RIM = 3


def distances(sewing: Sewing | None = None) -> tuple[Array, Array, Array]:
    """Return the distances (H, W, 4) to seams, hems, patches and buttons on a unit square of two triangles.

    Also return x (1, W) and y (H, 1) of the texel centres.
    """
    uv = SQUARE[FACES][..., :2]
    tiles = tile_coordinates(SQUARE, FACES.astype(np.int32), uv)
    is_open = np.array([[True, True, False], [False, True, True]])
    found = sewn_distances(FACES, uv, tiles, is_open, sewing, STITCHING)
    rows, columns = (np.arange(count) + 0.5 for count in found.values.shape[:2])
    return found.values, found.corner[0] + found.texel * columns[None], found.corner[1] + found.texel * rows[:, None]


def test_exact_distances_from_hems() -> None:
    values, x, y = distances()
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    inside = (edge > 0.0) & (edge < STITCHING.depth)
    np.testing.assert_allclose(values[..., 1][inside], np.broadcast_to(edge, values.shape[:2])[inside], atol=1e-6)
    # the diagonal of the square is not a seam
    assert values[..., 0].min() > 3.0 * STITCHING.inset


def test_exact_distances_from_patches_and_buttons() -> None:
    patch = np.array([[0.3, 0.3], [0.6, 0.3], [0.6, 0.7], [0.3, 0.7]], np.float32)
    values, x, y = distances(Sewing([patch], np.array([[0.5, 0.5]], np.float32)))
    edge = np.minimum(np.minimum(x - 0.3, 0.6 - x), np.minimum(y - 0.3, 0.7 - y))
    inside = (edge > 0.0) & (edge < 3.0 * STITCHING.inset)
    np.testing.assert_allclose(values[..., 2][inside], np.broadcast_to(edge, values.shape[:2])[inside], atol=1e-6)
    away = np.hypot(x - 0.5, y - 0.5)
    near = away < STITCHING.button
    np.testing.assert_allclose(values[..., 3][near], away[near], atol=1e-6)


def test_property_stitches_show_along_hems_alone() -> None:
    fabric = Fabric(np.random.default_rng(0).normal(size=(8, 8)), 1e-4, 1e-3)
    plain = Look(cloth="#404040", fabric=fabric, shadows=0.0, occlusion=0.0)
    sewn = replace(plain, stitching=Stitching(thread="#ffffff", pucker=0.0).scaled(4.0))
    camera = Camera((0.5, 0.5, 0.0), 4.0, azimuth=0, elevation=0, field_of_view=20)
    frame = CoarseFrame(SQUARE, Topology(FACES.astype(np.int32), 4))
    pictures = []
    for look in (plain, sewn):
        with open_renderer(400, 400, look=look, base="flat") as renderer:
            pictures.append(renderer.render(frame, camera=camera, uv=SQUARE[:, :2]).astype(int))
    changed = abs(pictures[1] - pictures[0]).max(axis=2) > 40
    rows, columns = np.nonzero(changed)
    assert len(rows) > 200
    half = 400 / (2 * np.tan(np.radians(10)) * 4.0)
    x, y = (columns - 200) / half + 0.5, (200 - rows) / half + 0.5
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    assert edge.max() < 1.5 * 4.0 * Stitching().depth
    assert pictures[1][changed].mean() > pictures[0][changed].mean()


def test_reject_lengths_below_zero() -> None:
    with pytest.raises(ValueError, match=r"^inset: expected a finite number of at least 0, got -1\.0"):
        Stitching(inset=-1.0)


def test_exact_collars_have_the_colour_of_the_cloth() -> None:
    body = sample_body("chopping")
    assert body.colors is not None
    assert body.colors.is_cloth is not None
    collar = body.colors.is_cloth
    assert 0 < collar.sum() < 0.5 * len(collar)
    camera = Camera.framing(body.positions[0], aspect=1.0)
    frame = CoarseFrame(np.float32([[9, 9, 9], [9, 9, 9.1], [9, 9.1, 9]]), np.array([[0, 1, 2]]))
    figure = CoarseFrame(body.positions[0], topology_of(body), faces=body.faces)
    pictures = []
    for color in ("#a01010", "#10a010"):
        with open_renderer(300, 300, look=Look(cloth=color)) as renderer:
            picture = renderer.render(frame, camera=camera, body=figure, body_colors=body.colors)
        pictures.append(picture.astype(int))
    red, green = pictures
    is_dyed = (red[..., 0] > red[..., 1] + 30) & (green[..., 1] > green[..., 0] + 30)
    assert is_dyed.sum() > 100
    # pixels outside the dyed region do not change
    assert abs(red - green).max(axis=2)[~is_dyed].mean() < 2.0


@pytest.mark.parametrize("name", ["walking", "dancing"])
def test_property_no_more_skin_than_through_the_coarse_mesh(name: str) -> None:
    garment, body = sample(name), sample_body(name)
    topology = topology_of(body)
    layer = WaveField.for_animation(garment, **LOOKS["knit"].waves)
    gained = lost = 0
    look = Look(body="#ff0000", cloth="#00ff00", shadows=0.0, occlusion=0.0, specular=0.0, sheen=0.0)
    with open_renderer(320, 320, look=look, samples=1) as renderer:
        for number in range(71):
            frame = layer.step(garment.positions[number], 1 / garment.fps)
            if number % 35 != 0:
                continue
            figure = CoarseFrame(body.positions[number], topology, faces=body.faces)
            camera = Camera.framing(body.positions[number], aspect=1.0)
            draws = (renderer.render_coarse, renderer.render)
            covered = np.logical_and(*(leads(draw(frame, camera=camera), 1) for draw in draws))
            coarse, fine = (leads(draw(frame, camera=camera, body=figure), 0) & covered for draw in draws)
            assert coarse.any()
            # Folds move the border between cloth and skin. Visible skin at a distance from this border is a hole in the
            # cloth.
            gained += int((fine & ~ndimage.binary_dilation(coarse, iterations=RIM)).sum())
            lost += int((coarse & ~ndimage.binary_dilation(fine, iterations=RIM)).sum())
    assert gained <= lost


def leads(picture: Array, channel: int) -> Array:
    """Return a mask of the pixels in which red (channel 0) or green (1) is stronger than the other by more than 40."""
    colors = picture[..., :2].astype(int)
    strong: Array = colors[..., channel] > colors[..., 1 - channel] + 40
    return strong
