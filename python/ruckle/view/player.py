"""The live picture of a notebook and its timeline: jupyter_rfb and ipywidgets."""

from __future__ import annotations

import time
from base64 import b64encode
from typing import Any, get_args

import ipywidgets
import numpy as np
from jupyter_rfb import RemoteFrameBuffer
from numpy.typing import NDArray

from ruckle.view.exhibit import Comparison
from ruckle.view.modes import ModeName
from ruckle.view.scene_picture import ScenePicture

__all__ = ["Player"]


class LiveScene(RemoteFrameBuffer):  # type: ignore[misc]  # jupyter_rfb ships no types
    """The picture in the browser, which the mouse turns."""

    def __init__(self, scene: ScenePicture, slider: Any) -> None:
        super().__init__()
        width, height = scene.size
        self.css_width, self.css_height = f"{width}px", f"{height}px"
        self._scene = scene
        self._slider = slider
        self._clock = time.perf_counter()
        self._pointer: tuple[float, float] | None = None
        self._height = float(height)

    def get_frame(self) -> NDArray[np.uint8] | None:
        """Return the next picture, and ask for another one while the animation plays."""
        playback = self._scene.exhibit.playback
        now = time.perf_counter()
        self._slider.value = playback.advance(now - self._clock)
        self._clock = now
        if playback.playing:
            self.request_draw()
        return self._scene.picture()

    def start(self) -> None:
        """Draw, and count the time from now."""
        self._clock = time.perf_counter()
        self.request_draw()

    def handle_event(self, event: dict[str, Any]) -> None:
        """Turn, shift and approach with the mouse."""
        exhibit = self._scene.exhibit
        kind = event["event_type"]
        if kind == "resize":
            self._height = float(event["height"])
            ratio = event["pixel_ratio"]
            self._scene.resize(round(ratio * event["width"]), round(ratio * event["height"]))
        elif kind == "pointer_down":
            self._pointer = event["x"], event["y"]
        elif kind == "pointer_up":
            self._pointer = None
        elif kind == "pointer_move" and self._pointer is not None:
            right, down = ((event[k] - old) / self._height for k, old in zip("xy", self._pointer, strict=True))
            self._pointer = event["x"], event["y"]
            (exhibit.drag if 1 in event["buttons"] else exhibit.shift)(right, down)
        elif kind == "wheel":
            exhibit.wheel(-event["dy"] / 100.0)
        else:
            return
        self.request_draw()


class Player(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """The live picture over its timeline; a still picture where nobody is there to run it."""

    def __init__(self, scene: ScenePicture, still: bytes) -> None:
        exhibit, playback = scene.exhibit, scene.exhibit.playback
        slider = ipywidgets.IntSlider(playback.frame, 0, playback.frame_count - 1, layout={"width": "45%"})
        play = ipywidgets.ToggleButton(playback.playing, description="play", layout={"width": "60px"})
        shown = ipywidgets.Dropdown(options=get_args(ModeName), value=exhibit.mode, layout={"width": "130px"})
        compared = ipywidgets.Dropdown(options=get_args(Comparison), value=exhibit.comparison, layout={"width": "90px"})
        self.live = LiveScene(scene, slider)
        self._exhibit = exhibit
        self._still = still
        slider.observe(self._on_seek, "value")
        play.observe(self._on_play, "value")
        shown.observe(self._on_mode, "value")
        compared.observe(self._on_comparison, "value")
        super().__init__([self.live, ipywidgets.HBox([play, slider, shown, compared])])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: Any = super()._repr_mimebundle_(**options)
        content = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**content, "image/png": b64encode(self._still).decode()}

    def _on_seek(self, change: Any) -> None:
        if change["new"] != self._exhibit.playback.frame:
            self._exhibit.playback.seek(change["new"])
            self.live.request_draw()

    def _on_play(self, change: Any) -> None:
        self._exhibit.playback.playing = change["new"]
        self.live.start()

    def _on_mode(self, change: Any) -> None:
        self._exhibit.mode = change["new"]
        self.live.request_draw()

    def _on_comparison(self, change: Any) -> None:
        self._exhibit.comparison = change["new"]
        self.live.request_draw()
