"""The canvas of the viewer: a texture with the size of the scene."""

import numpy as np
import pytest

from drawing import need_opengl

pytest.importorskip("moderngl", reason="drawing needs the extra render")

WIDTH, HEIGHT = 6, 4
GREY, RED = (64, 64, 64), (255, 0, 0)


def test_canvas_exact_picture_top_row_first() -> None:
    need_opengl()
    from ruckle.scene.context import open_device
    from ruckle.view.canvas import Canvas

    device = open_device()
    with device.current():
        canvas = Canvas(device)
        for width, height in ((WIDTH, HEIGHT), (2 * WIDTH, HEIGHT), (WIDTH, HEIGHT)):
            canvas.resize(width, height)
        canvas.framebuffer.clear(*np.divide(GREY, 255))
        # fill the upper left quarter with a colour
        canvas.framebuffer.clear(*np.divide(RED, 255), viewport=(0, HEIGHT // 2, WIDTH // 2, HEIGHT // 2))
        picture = canvas.read()
        canvas.release()
    expected = np.full((HEIGHT, WIDTH, 3), GREY, np.uint8)
    expected[: HEIGHT // 2, : WIDTH // 2] = RED
    np.testing.assert_array_equal(picture, expected)
