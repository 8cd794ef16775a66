"""A window's canvas: several samples per pixel from the graphics card, or a larger picture for software drivers."""

from typing import Any

import numpy as np
import pytest

from drawing import need_opengl

pytest.importorskip("moderngl", reason="drawing needs the extra render")

WIDTH, HEIGHT = 6, 4
GREY, RED = (64, 64, 64), (255, 0, 0)


@pytest.fixture
def software(monkeypatch: pytest.MonkeyPatch) -> Any:
    need_opengl()
    from ruckle.scene.context import open_device

    device = open_device()
    monkeypatch.setattr(device, "name", "Mesa llvmpipe")
    return device


@pytest.fixture(params=["Mesa llvmpipe", "a graphics card"])
def device(request: pytest.FixtureRequest, software: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a device that counts as a software driver, and one that does not."""
    monkeypatch.setattr(software, "name", request.param)
    return software


@pytest.mark.parametrize("samples", [1, 4])
def test_canvas_exact_picture_top_row_first(device: Any, samples: int) -> None:
    from ruckle.view.canvas import Canvas

    with device.current():
        canvas = Canvas(device, samples)
        for width, height in ((WIDTH, HEIGHT), (2 * WIDTH, HEIGHT), (WIDTH, HEIGHT)):
            canvas.resize(width, height)
        framebuffer = canvas.framebuffer
        framebuffer.clear(*np.divide(GREY, 255))
        # the upper left quarter
        wide, high = framebuffer.size
        framebuffer.clear(*np.divide(RED, 255), viewport=(0, high // 2, wide // 2, high // 2))
        canvas.resolve()
        picture = canvas.read()
        canvas.release()
    expected = np.full((HEIGHT, WIDTH, 3), GREY, np.uint8)
    expected[: HEIGHT // 2, : WIDTH // 2] = RED
    np.testing.assert_array_equal(picture, expected)


def test_canvas_exact_software_averages_four(software: Any) -> None:
    from ruckle.view.canvas import Canvas

    with software.current():
        canvas = Canvas(software, 4)
        canvas.resize(WIDTH, HEIGHT)
        assert canvas.framebuffer.size == (2 * WIDTH, 2 * HEIGHT)
        canvas.framebuffer.clear()
        canvas.framebuffer.clear(1.0, 1.0, 1.0, viewport=(0, 0, 3, 2 * HEIGHT))
        picture = canvas.read()
        canvas.release()
    np.testing.assert_array_equal(picture[..., 0], np.tile(np.uint8([255, 128, 0, 0, 0, 0]), (HEIGHT, 1)))
