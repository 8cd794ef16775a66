"""The live picture of a notebook and its timeline: jupyter_rfb and ipywidgets."""

from __future__ import annotations

import asyncio
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import ipywidgets
import numpy as np
from IPython.utils.capture import capture_output
from jupyter_rfb import RemoteFrameBuffer
from numpy.typing import NDArray

from ruckle.view.playback import SPEEDS
from ruckle.view.quality import DRAFT, FINE, SLOW, STILL
from ruckle.view.scene_picture import ScenePicture
from ruckle.view.words import COMPARISON_WORDS, MODE_WORDS

__all__ = ["LiveScene", "Player"]

HINT = "drag: turn · shift, drag: move · click, wheel: nearer"


class LiveScene(RemoteFrameBuffer):  # type: ignore[misc]  # jupyter_rfb ships no types
    """The picture in the browser, which the mouse turns.

    Parameters
    ----------
    scene : ScenePicture
    on_frame : callable
        Called with the number of the frame that is drawn.
    on_width : callable
        Called with the picture's width on the screen, when it changes.

    Attributes
    ----------
    errors : ipywidgets.Output
        Shows the errors of drawing.
    """

    def __init__(
        self, scene: ScenePicture, *, on_frame: Callable[[int], None], on_width: Callable[[float], None]
    ) -> None:
        # it would show a widget for errors by itself, which is an empty line of every page made from the notebook
        with capture_output():
            super().__init__()
        self.errors = self._output_context
        width, height = scene.size
        self.css_width, self.css_height, self.cursor = f"{width}px", f"{height}px", "grab"
        self._scene = scene
        self._on_frame, self._on_width = on_frame, on_width
        # JupyterLab handles widget messages in a second thread, and initially in both threads
        self._drawing = threading.Lock()
        self._clock = time.perf_counter()
        self._pointer: tuple[float, float] | None = None
        self._height = float(height)
        self._latest: NDArray[np.uint8] | None = None
        self._slow = False
        self._is_still = False
        self._pause: asyncio.TimerHandle | None = None

    def get_frame(self) -> NDArray[np.uint8] | None:
        """Return the next picture, and request another one while the animation plays."""
        with self._drawing:
            self._draw()
        return self._latest

    def request_draw(self) -> None:
        """Draw as soon as the browser is ready. A request that arrives while nothing moves replaces earlier ones."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        super().request_draw()

    def start(self) -> None:
        """Draw, and count the time from now."""
        self._clock = time.perf_counter()
        self.request_draw()

    def handle_event(self, event: dict[str, Any]) -> None:
        """Turn, shift and approach with the mouse."""
        kind = event["event_type"]
        if kind == "resize":
            self._resize(event["width"], event["height"], event["pixel_ratio"])
        elif kind == "show":
            # a page that was left during a transfer never confirms its pictures, and would get no others
            if self._latest is not None:
                self.send_frame(self._latest)
            return
        elif kind == "pointer_down":
            self._pointer = event["x"], event["y"]
            return
        elif kind == "pointer_up":
            self._pointer = None
            return
        elif kind == "pointer_move" and self._pointer is not None:
            self._drag(event)
        elif kind == "wheel":
            self._scene.exhibit.wheel(-event["dy"] / 100.0)
        else:
            return
        self.request_draw()

    def _draw(self) -> None:
        playback = self._scene.exhibit.playback
        now = time.perf_counter()
        self._on_frame(playback.advance(now - self._clock))
        self._clock = now
        quality = DRAFT if self._slow and not self._is_still else FINE
        self._latest = self._scene.picture(quality)
        if quality is FINE:
            self._slow = 1000 * (time.perf_counter() - now) > SLOW
        self._is_still = False
        if playback.playing:
            self.request_draw()
        elif quality is DRAFT:
            self._pause = asyncio.get_running_loop().call_later(STILL, self._refine)

    def _refine(self) -> None:
        """Draw finely, because nothing has moved for a while."""
        self._pause, self._is_still = None, True
        self.request_draw()

    def _resize(self, width: float, height: float, pixel_ratio: float) -> None:
        self._height = float(height)
        self._scene.size = round(pixel_ratio * width), round(pixel_ratio * height)
        self._on_width(width)

    def _drag(self, event: dict[str, Any]) -> None:
        assert self._pointer is not None
        right, down = ((event[k] - old) / self._height for k, old in zip("xy", self._pointer, strict=True))
        self._pointer = event["x"], event["y"]
        exhibit = self._scene.exhibit
        turns = 1 in event["buttons"] and "Shift" not in event.get("modifiers", ())
        (exhibit.drag if turns else exhibit.shift)(right, down)


class Player(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """The live picture above its timeline; without a running kernel, a still picture.

    Parameters
    ----------
    scene : ScenePicture
    still : bytes
        The picture with which it begins, as a PNG file.

    Attributes
    ----------
    live : LiveScene
    play : ipywidgets.ToggleButton
    back, on : ipywidgets.Button
        One frame.
    slider : ipywidgets.IntSlider
        The frame.
    shown, compared, speed : ipywidgets.Dropdown
    """

    def __init__(self, scene: ScenePicture, still: bytes) -> None:
        exhibit, playback = scene.exhibit, scene.exhibit.playback
        self._exhibit = exhibit
        self._still = still
        self.play = ipywidgets.ToggleButton(playback.playing, icon="play", tooltip="play", layout={"width": "48px"})
        self.back, self.on = (
            ipywidgets.Button(icon=f"step-{way}", tooltip=f"one frame {way}", layout={"width": "36px"})
            for way in ("backward", "forward")
        )
        self.slider = ipywidgets.IntSlider(
            playback.frame, 0, playback.frame_count - 1, layout={"flex": "1 1 0", "min_width": "150px"}
        )
        self.shown = _choice(MODE_WORDS, exhibit.mode, "150px")
        self.compared = _choice(COMPARISON_WORDS, exhibit.comparison, "115px")
        self.speed = _choice({speed: f"×{speed:g}" for speed in SPEEDS}, playback.speed, "65px")
        hint = ipywidgets.HTML(f'<span style="opacity: 0.6; font-size: 85%; white-space: nowrap">{HINT}</span>')
        # controls that do not fit into a narrow picture wrap to the next line
        row = ipywidgets.Layout(align_items="center", flex_flow="row wrap", overflow="hidden")
        rows = [
            ipywidgets.HBox([self.play, self.back, self.on, self.slider], layout=row),
            ipywidgets.HBox([self.shown, self.compared, self.speed, hint], layout=row),
        ]
        self._controls = ipywidgets.VBox(rows, layout={"width": f"{scene.size[0]}px"})
        self.live = LiveScene(scene, on_frame=self._show_frame, on_width=self._fit)
        self.play.observe(self._on_play, "value")
        self.back.on_click(lambda _: self._step(-1))
        self.on.on_click(lambda _: self._step(1))
        self.slider.observe(self._on_seek, "value")
        self.shown.observe(self._on_choice, "value")
        self.compared.observe(self._on_choice, "value")
        self.speed.observe(self._on_choice, "value")
        super().__init__([self.live, self._controls, self.live.errors])

    def __repr__(self) -> str:
        animation = self._exhibit.animation
        return f"Player({animation.name}, {animation.frame_count} frames)"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: Any = super()._repr_mimebundle_(**options)
        content = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**content, "image/png": b64encode(self._still).decode()}

    def _show_frame(self, frame: int) -> None:
        self.slider.value = frame

    def _fit(self, width: float) -> None:
        """Make the rows as wide as the picture."""
        self._controls.layout.width = f"{width:.0f}px"

    def _on_play(self, change: Any) -> None:
        playing = change["new"]
        self._exhibit.playback.playing = playing
        self.play.icon = self.play.tooltip = "pause" if playing else "play"
        self.live.start()

    def _step(self, frames: int) -> None:
        self._exhibit.playback.step(frames)
        self.play.value = False
        self.live.request_draw()

    def _on_seek(self, change: Any) -> None:
        if change["new"] != self._exhibit.playback.frame:
            # it would run away from under the mouse
            self.play.value = False
            self._exhibit.playback.seek(change["new"])
            self.live.request_draw()

    def _on_choice(self, _: Any) -> None:
        self._exhibit.mode, self._exhibit.comparison = self.shown.value, self.compared.value
        self._exhibit.playback.speed = self.speed.value
        self.live.request_draw()


def _choice(words: dict[Any, str], value: Any, width: str) -> Any:
    """Return a drop-down list of words; its value is the key of the chosen word."""
    options = [(word, key) for key, word in words.items()]
    return ipywidgets.Dropdown(options=options, value=value, layout={"width": width})
