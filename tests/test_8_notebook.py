"""The notebook's widget: pictures, mouse and timeline as the browser would drive them, and the still in its place."""

from __future__ import annotations

import sys
from base64 import b64decode
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from ruckle.samples import sample
from ruckle.wrinkler import run

pytest.importorskip("IPython", reason="the widget needs the extra notebook")
image = pytest.importorskip("PIL.Image")

SIZE = (120, 90)


@pytest.fixture(scope="module")
def player() -> Any:
    """Return a widget on frame 83 of a sample."""
    pytest.importorskip("jupyter_rfb", reason="the live widget needs the extra notebook")
    need_opengl()
    from ruckle.view.notebook import show

    return show(sample("sawing"), frame=83, size=SIZE, tau=1.3)


def controls(player: Any) -> list[Any]:
    return list(player.children[1].children)


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
    for event in (
        {"event_type": "pointer_down", "x": 10.0, "y": 10.0, "buttons": (1,)},
        {"event_type": "pointer_move", "x": 40.0, "y": 10.0, "buttons": (1,)},
    ):
        live.handle_event(event)
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
    play, slider, shown, compared = controls(player)
    start = player.live.get_frame()
    slider.value = 40
    assert player._exhibit.playback.frame == 40
    assert not np.array_equal(player.live.get_frame(), start)
    play.value = True
    player.live._clock -= 0.1
    player.live.get_frame()
    assert 44 <= slider.value <= 52
    play.value = False
    slider.value = 83
    shown.value = "labels"
    assert not np.array_equal(player.live.get_frame(), start)
    shown.value = "shaded"
    compared.value = "both"
    assert player.live.get_frame().shape == (90, 120, 3)
    compared.value = "after"
    np.testing.assert_array_equal(player.live.get_frame(), start)


def test_player_exact_resize(player: Any) -> None:
    player.live.handle_event({"event_type": "resize", "width": 60, "height": 40, "pixel_ratio": 2})
    assert player.live.get_frame().shape == (80, 120, 3)
    player.live.handle_event({"event_type": "resize", "width": 120, "height": 90, "pixel_ratio": 1})
    assert player.live.get_frame().shape == (90, 120, 3)


@pytest.mark.parametrize("missing", ["jupyter_rfb", "ipywidgets"])
def test_show_exact_still_picture_without_widgets(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    monkeypatch.delitem(sys.modules, "ruckle.view.player", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    animation = sample("sawing")
    found = show(animation, list(run(animation)), size=SIZE)
    assert image.open(BytesIO(found.data)).size == SIZE


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
