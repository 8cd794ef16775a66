"""The notebook's widget: pictures, mouse and timeline as the browser would drive them, and the still in its place."""

import asyncio
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from ruckle import run, sample, sample_body

pytest.importorskip("IPython", reason="the widget needs the extra notebook")
image = pytest.importorskip("PIL.Image")

SIZE = (120, 90)


@pytest.fixture(scope="module")
def player() -> Iterator[Any]:
    """Return a widget on frame 83 of a sample, whose driver counts as fast."""
    pytest.importorskip("jupyter_rfb", reason="the live widget needs the extra notebook")
    need_opengl()
    from ruckle.view.notebook import show

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ruckle.view.player.SLOW", float("inf"))
        yield show(sample("sawing"), frame=83, size=SIZE, tau=1.3)


def test_show_exact_still_is_what_the_live_picture_begins_with(player: Any) -> None:
    bundle = player._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    still = np.asarray(image.open(BytesIO(b64decode(bundle["image/png"]))))
    assert still.shape == (90, 120, 3)
    np.testing.assert_array_equal(player.live.get_frame(), still)
    np.testing.assert_array_equal(player.live.get_frame(), still)


def test_player_exact_mouse(player: Any) -> None:
    live = player.live
    start, camera = live.get_frame(), player._exhibit.camera
    for event, x in (("pointer_down", 10.0), ("pointer_move", 40.0)):
        live.handle_event({"event_type": event, "x": x, "y": 10.0, "buttons": (1,)})
    assert player._exhibit.camera.azimuth == pytest.approx(camera.azimuth - 90.0)
    assert not np.array_equal(live.get_frame(), start)
    live.handle_event({"event_type": "pointer_up", "x": 40.0, "y": 10.0, "buttons": ()})
    turned = player._exhibit.camera
    live.handle_event({"event_type": "pointer_move", "x": 90.0, "y": 10.0, "buttons": ()})
    assert player._exhibit.camera == turned
    live.handle_event({"event_type": "wheel", "dy": -100.0})
    assert player._exhibit.camera.distance < turned.distance
    live.handle_event({"event_type": "key_down", "key": "a"})
    player._exhibit.camera = camera
    np.testing.assert_array_equal(live.get_frame(), start)


def test_player_exact_timeline(player: Any) -> None:
    start = player.live.get_frame()
    player.slider.value = 40
    assert player._exhibit.playback.frame == 40
    assert not np.array_equal(player.live.get_frame(), start)
    player.play.value = True
    assert player.play.icon == "pause"
    player.live._clock -= 0.1
    player.live.get_frame()
    assert 44 <= player.slider.value <= 52
    assert player.play.value
    # a user who drags the timeline stops playback
    player.slider.value = 82
    assert (player.play.value, player.play.icon) == (False, "play")
    player.on.click()
    assert player._exhibit.playback.frame == 83
    player.play.value = True
    player.back.click()
    player.live.get_frame()
    assert (player.slider.value, player.play.value) == (82, False)
    player.on.click()
    np.testing.assert_array_equal(player.live.get_frame(), start)


def test_player_exact_choices_and_sizes(player: Any) -> None:
    start = player.live.get_frame()
    player.shown.value = "labels"
    assert not np.array_equal(player.live.get_frame(), start)
    player.shown.value = "shaded"
    player.compared.value = "both"
    assert player.live.get_frame().shape == (90, 120, 3)
    player.compared.value = "after"
    player.speed.value = 0.25
    assert player._exhibit.playback.speed == 0.25
    player.speed.value = 1.0
    np.testing.assert_array_equal(player.live.get_frame(), start)
    player.live.handle_event({"event_type": "resize", "width": 60, "height": 40, "pixel_ratio": 2})
    assert player.live.get_frame().shape == (80, 120, 3)
    # the timeline ends at the edge of the picture
    assert player.children[1].layout.width == "60px"
    player.live.handle_event({"event_type": "resize", "width": 120, "height": 90, "pixel_ratio": 1})
    assert player.live.get_frame().shape == (90, 120, 3)


def test_player_exact_drafts_while_it_moves(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("ruckle.view.player.SLOW", 0.0)
    monkeypatch.setattr("ruckle.view.player.STILL", 0.01)
    monkeypatch.setattr("jupyter_rfb.RemoteFrameBuffer.request_draw", lambda _: asked.append("picture"))
    live = player.live

    async def move_and_rest() -> None:
        assert live.get_frame().shape == (90, 120, 3)
        for _ in range(2):
            live.handle_event({"event_type": "wheel", "dy": -10.0})
            assert live.get_frame().shape == (45, 60, 3)
        while len(asked) < 3:
            await asyncio.sleep(0.005)
        assert live.get_frame().shape == (90, 120, 3)
        # a fine picture is not improved
        await asyncio.sleep(0.05)

    camera = player._exhibit.camera
    try:
        asyncio.run(asyncio.wait_for(move_and_rest(), 60.0))
    finally:
        player._exhibit.camera, live._slow = camera, False
    assert len(asked) == 3


def test_player_property_two_threads_draw_one_picture(player: Any) -> None:
    start, found = player.live.get_frame().astype(int), []
    ready = threading.Barrier(2)

    def draw() -> None:
        ready.wait()
        found.extend(player.live.get_frame() for _ in range(4))

    player.compared.value = "both"
    both = player.live.get_frame().astype(int)
    with ThreadPoolExecutor(2) as pool:
        for drawn in [pool.submit(draw) for _ in range(2)]:
            drawn.result()
    player.compared.value = "after"
    # under load some 2 % of the numbers have differed, by at most 45 of 255; the cause is not known
    assert np.abs(np.array(found, int) - both).mean() < 0.5
    assert np.abs(player.live.get_frame() - start).mean() < 0.5


@pytest.mark.parametrize("missing", ["jupyter_rfb", "ipywidgets"])
def test_show_exact_still_picture_without_widgets(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    monkeypatch.delitem(sys.modules, "ruckle.view.player", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    animation = sample("sawing")
    frames = list(run(animation))
    pictures = [
        np.asarray(image.open(BytesIO(show(animation, frames, size=SIZE, body=body).data)), int)
        for body in (None, sample_body("sawing"))
    ]
    assert pictures[0].shape == (SIZE[1], SIZE[0], 3)
    # skin is warm, cloth is blue
    bare, worn = ((picture @ [1, 0, -1] > 16).any() for picture in pictures)
    assert worn
    assert not bare


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"frame": 225}, "frame: expected a frame from 0 to 224, got 225"),
        ({"frames": [], "tau": 1.3}, "frames: have been found already, expected no tau beside them"),
        ({"frames": []}, "frames: expected 225, one for each of the animation, got 0"),
    ],
)
def test_show_reject(options: dict[str, Any], sentence: str) -> None:
    from ruckle.view.notebook import show

    with pytest.raises(ValueError, match=sentence):
        show(sample("sawing"), **options)
