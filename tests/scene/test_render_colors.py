"""Colours from files in pictures: one colour per face, and images on faces, for cloth and bodies."""

import io
from dataclasses import replace

import numpy as np
import pytest

from rendering import MAGENTA, Array, open_renderer
from ruckle import Animation, CoarseFrame, Topology
from ruckle.mesh.colors import FaceColors, Image
from ruckle.scene.body import Dressing
from ruckle.scene.fabric import Fabric
from ruckle.scene.stitching import Stitching
from ruckle.view import Camera, Light, Look

pillow = pytest.importorskip("PIL.Image")

FRONT = Camera((0.5, 0.5, 0), 3, azimuth=0, elevation=0)
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
FACES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
UV = CORNERS[FACES][:, :, :2]


def square() -> CoarseFrame:
    return CoarseFrame(CORNERS, Topology(FACES, 4))


def picture_file(*rows: list[tuple[int, ...]]) -> Image:
    """Return an image file with these texels. The top row is first."""
    file = io.BytesIO()
    pillow.fromarray(np.array(rows, np.uint8)).save(file, "PNG")
    return Image("a.glb: images[0]", file.getvalue, 0.5)


def colors(linear: object = (1, 1, 1), *images: Image) -> FaceColors:
    corners = np.broadcast_to(np.float32(linear), (2, 3, 3)) if np.ndim(linear) == 1 else np.float32(linear)
    return FaceColors(np.ascontiguousarray(corners), UV, np.full(2, len(images) - 1, np.int32), images)


def drawn(**extras: object) -> Array:
    with open_renderer(60, 60, base="flat", look=Look(background=MAGENTA, shadows=0.0)) as renderer:
        return renderer.render(square(), camera=FRONT, **extras).astype(int)


def quarters(picture: Array) -> Array:
    """Return the colours at the centres of the square's quarters: top left, top right, bottom left, bottom right."""
    return picture[[24, 24, 36, 36], [24, 36, 24, 36]]


def test_colors_exact_each_face_has_its_own() -> None:
    red, green = np.tile([1.0, 0, 0], (3, 1)), np.tile([0, 1.0, 0], (3, 1))
    picture = drawn(colors=colors(np.stack([red, green])))
    above, below = picture[20, 30], picture[40, 40]
    assert below[0] > 2 * below[1]
    assert above[1] > 2 * above[0]


def test_colors_exact_pictures_stand_upright() -> None:
    texels = [(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 255)]
    enlarged = [list(np.repeat(row, 8, axis=0)) for row in texels for _ in range(8)]
    found = quarters(drawn(colors=colors((1, 1, 1), picture_file(*enlarged))))
    assert found[:3].argmax(axis=1).tolist() == [0, 1, 2]
    assert np.ptp(found[3]) < 40


def test_colors_exact_holes_show_what_lies_behind() -> None:
    enlarged = [[(255, 255, 255, 255)] * 8 + [(255, 255, 255, 0)] * 8 for _ in range(16)]
    found = quarters(drawn(colors=colors((1, 1, 1), picture_file(*enlarged))))
    assert (found == (255, 0, 255)).all(axis=1).tolist() == [False, True, False, True]


def test_colors_exact_a_body_has_its_own() -> None:
    behind = CoarseFrame(2 * CORNERS - [0.5, 0.5, 0.5], Topology(FACES, 4))
    picture = drawn(colors=colors((1, 0, 0)), body=behind, body_colors=colors((0, 0, 1)))
    # the centre shows the square, the left side shows the body, which is larger
    assert picture[30, 30].argmax() == 0
    assert picture[30, 4].argmax() == 2
    assert drawn(colors=colors((1, 0, 0)), body=behind)[30, 4].argmax() == 0


def test_colors_property_white_is_the_cloth_in_white() -> None:
    with open_renderer(60, 60, base="flat", look=Look(cloth="#ffffff")) as renderer:
        plain = renderer.render(square(), camera=FRONT)
        colored = renderer.render(square(), camera=FRONT, colors=FaceColors.plain(2))
    assert np.abs(plain.astype(int) - colored).max() <= 1


def test_colors_reject_those_of_another_mesh() -> None:
    with pytest.raises(ValueError, match="colors: expected those of 2 faces, got those of 5"):
        drawn(colors=FaceColors.plain(5))


def test_colors_exact_a_look_dyes_only_cloth() -> None:
    fabric = Fabric(np.random.default_rng(0).normal(size=(8, 8)), 0.2, 0.5)
    stitching = Stitching(thread="#ffffff", pucker=0.0).scaled(4.0)
    painted = replace(colors((0.0, 1.0, 0.0)), is_cloth=np.array([True, False]))
    pictures = []
    for look in (Look(cloth="#ff0000", fabric=fabric, stitching=stitching), Look(cloth="#0000ff", fabric=fabric)):
        bare = replace(look, background=MAGENTA, shadows=0.0, occlusion=0.0)
        with open_renderer(60, 60, base="flat", look=bare) as renderer:
            pictures.append(renderer.render(square(), camera=FRONT, colors=painted).astype(int))
    red, blue = pictures
    # the first triangle is below the diagonal
    assert red[38, 36].argmax() == 0
    assert blue[38, 36].argmax() == 2
    # the second triangle does not depend on the colour, fabric and stitches of the look
    np.testing.assert_array_equal(red[24:27, 24:27], blue[24:27, 24:27])
    assert red[24, 24].argmax() == 1


@pytest.mark.parametrize(("mask", "is_seen"), [(None, False), (1.0, False), (0.0, True)])
def test_exact_eyes_are_in_front_of_a_masked_head(mask: float | None, is_seen: bool) -> None:
    # an eye is 0.005 in front of the cloth; bodies are drawn further away, unless they are on masked parts of the cloth
    head = Animation(CORNERS[None], FACES, mask=None if mask is None else np.full(4, mask, np.float32))
    eye = Animation(head.positions + np.float32([0, 0, 0.005]), FACES)
    with open_renderer(60, 60, base="flat", look=Look(cloth="#ff0000", body="#0000ff")) as renderer:
        extras = Dressing(head, eye).extras(0, Look())
        extras["colors"] = extras["floor"] = None
        red, _, blue = renderer.render(square(), camera=FRONT, **extras)[30, 30].astype(int)
    assert (blue > red) == is_seen


def test_exact_gaps_of_pictures_do_not_cast_shadows() -> None:
    def shaded(alpha: int) -> Array:
        # a plate in front of the square, between it and the light
        plate = CoarseFrame(0.5 * CORNERS + np.float32([-0.25, 0.25, 0.5]), Topology(FACES, 4))
        picture = picture_file(*[[(255, 255, 255, alpha)] * 8] * 8)
        look = Look(key=Light((-1, 0, 1), 1.4))
        with open_renderer(60, 60, base="flat", look=look) as renderer:
            extras = {"body": plate, "body_colors": colors((1, 1, 1), picture)}
            return renderer.render(square(), camera=FRONT, **extras).astype(int)

    with open_renderer(60, 60, base="flat", look=Look(key=Light((-1, 0, 1), 1.4))) as renderer:
        bare = renderer.render(square(), camera=FRONT).astype(int)
    assert shaded(255)[30, 36].sum() < 0.8 * bare[30, 36].sum()
    assert np.abs(shaded(0) - bare).max() <= 2
