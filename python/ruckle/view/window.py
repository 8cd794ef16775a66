"""The viewer's window: imgui-bundle runs the window, and the renderer draws the scene behind the widgets.

Window(Session(animation)).run()
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from imgui_bundle import hello_imgui, imgui
from PIL import Image

from ruckle.errors import GraphicsError
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.paths.parameters import PARAMETERS
from ruckle.paths.wrinkler import Wrinkler
from ruckle.patterns.parameters import DEFAULTS as PATTERN_DEFAULTS
from ruckle.scene.body import Dressing
from ruckle.scene.context import open_device
from ruckle.scene.look import Color, Look
from ruckle.scene.looks import LOOKS, plain_look
from ruckle.scene.renderer import Renderer
from ruckle.settings import Settings
from ruckle.surface.frame import LayerFrame
from ruckle.view.brush import Brush
from ruckle.view.canvas import Canvas
from ruckle.view.exhibit import Exhibit
from ruckle.view.panels import Painting, show_panel, show_timeline
from ruckle.view.quality import DRAFT, FINE, SLOW, STILL, Quality
from ruckle.view.session import Session
from ruckle.view.sliders import ALL_DEFAULTS
from ruckle.waves.wave_field import WaveField

__all__ = ["Window"]

# Width of the right panel and height of the timeline, in units of the font size.
PANEL_WIDTH, TIMELINE_HEIGHT = 23.0, 5.2

# Colour of the brush circle, opaque red. Alpha, blue, green and red have 8 bits each, from the highest bits down.
BRUSH_COLOR = 0xFF2030C0

# Pictures per second of an idle window. The mouse and the keys end the idle state immediately.
IDLE_RATE = 2.0
# Seconds during which a message is visible.
MESSAGE_TIME = 4.0


class Window:
    """A window that shows a session until it is closed.

    Parameters
    ----------
    session : Session
        The session to show; the sliders change its parameters.
    body : Animation, optional
        Body under the cloth, with the same frames.
    mask : sequence of str
        Terms of the animation's mask; strokes of the brush are appended to these terms.
    color : Color, optional
        Colour of the cloth that replaces the look's colour.
    size : (int, int)
        Width and height of the window, in screen units.
    folder : path
        Folder for screenshots and settings files; default: the current folder.
    each_frame : callable, optional
        Function that is called with the window before every picture, for automatic tests.

    Attributes
    ----------
    exhibit : Exhibit
        State of the viewer: camera, time and mode.
    pictures : int
        Number of drawn pictures.
    draw_milliseconds : float
        Drawing time of the last picture.
    brush : Brush
        The mask with its strokes, and the brush size.
    painting : {"turn", "mask", "unmask"}
        Effect of the left mouse button.
    message : str
        Message about the last action, visible for `MESSAGE_TIME`.
    """

    def __init__(
        self,
        session: Session,
        *,
        body: Animation | None = None,
        mask: Sequence[str] = (),
        color: Color | None = None,
        size: tuple[int, int] = (1360, 850),
        folder: Path | None = None,
        each_frame: Callable[[Window], None] | None = None,
    ) -> None:
        self.session = session
        self._dressing = Dressing(session.animation, body)
        self.exhibit = Exhibit.of(session, body=body)
        self.brush = Brush(session.animation, mask)
        self.painting: Painting = "turn"
        self._is_painted = False
        self.folder = folder or Path()
        self.pictures = 0
        self.draw_milliseconds = 0.0
        self.message = ""
        self._size = size
        self._each_frame = each_frame
        self._failure: BaseException | None = None
        self._message_end = 0.0
        self._clock = time.perf_counter()
        self._renderer: Renderer | None = None
        self._looks: dict[str | None, Look] = {}
        self._color = color
        self._wanted: tuple[Any, ...] = ()
        self._wanted_since = 0.0
        self._slow = False
        self._quality = FINE

    @property
    def is_draft(self) -> bool:
        """True if the visible picture has reduced quality, because the scene has just moved."""
        return self._quality is DRAFT

    def run(self) -> None:
        """Open the window; return after the user has closed it.

        An error of a picture or of `each_frame` closes the window and is raised.

        Raises
        ------
        GraphicsError
            No screen or no OpenGL 4.1 is available.
        """
        self._runner = hello_imgui.RunnerParams()
        self._set_up(self._runner)
        try:
            hello_imgui.run(self._runner)
        except RuntimeError as error:
            raise GraphicsError(
                f"no window can be opened: it needs a screen and OpenGL 4.1 ({' '.join(str(error).split())}); "
                "without them, ruckle render draws films and pictures"
            ) from error
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Close the window after the current picture; `run` then returns."""
        self._runner.app_shall_exit = True

    def tell(self, message: str) -> None:
        """Show a message below the scene for `MESSAGE_TIME` seconds."""
        self.message, self._message_end = message, time.perf_counter() + MESSAGE_TIME

    def take_screenshot(self) -> Path:
        """Write the scene without widgets, in full quality, to a PNG file in `folder`; return its path.

        An existing file is replaced. A failure is shown as a message. If nothing has been drawn yet, no file is
        written.
        """
        number = self.exhibit.playback.frame
        path = self.folder / f"{self.exhibit.animation.name}_{number:04d}.png"
        if not self.pictures:
            self.tell("nothing has been drawn yet")
            return path
        if self._quality is DRAFT and self.exhibit.frame is not None:
            self._draw(self._wanted[0], self.exhibit.frame, FINE)
        with self._telling(path), replacing(path) as file:
            Image.fromarray(self._canvas.read()).save(file, "PNG")
        return path

    def save_settings(self) -> Path:
        """Write a settings file with the animation's name in `folder`, and return its path. Replace an existing file.

        It contains the look, the mask, the names of visible layers (paths, waves), and those parameters of layers that
        differ from their defaults, but not the patterns themselves or paint. A failure is shown as a message.
        """
        path = self.folder / f"{self.exhibit.animation.name}.toml"
        given = self.session.parameters
        changed = {name: value for name, value in given.items() if value != ALL_DEFAULTS.get(name)}
        kinds = {"paths": Wrinkler, "waves": WaveField}
        layers = [name for name, kind in kinds.items() if any(isinstance(one, kind) for one in self.session.layers)]
        shared = {name: changed[name] for name in ("r_min", "threads") if name in changed}
        named = {name.removeprefix("wave_"): value for name, value in changed.items() if name.startswith("wave_")}
        waves = shared | named if "waves" in layers else {}
        paths = {} if layers == ["waves"] else {name: changed[name] for name in PARAMETERS if name in changed}
        patterns = {name: changed[name] for name in PATTERN_DEFAULTS if name in changed and name not in PARAMETERS}
        settings = Settings(paths, patterns, given.get("look"), self.brush.terms, waves, layers)
        with self._telling(path):
            settings.save(path)
        return path

    @contextmanager
    def _telling(self, path: Path) -> Iterator[None]:
        """Show a message about a saved file, or about a failure; a failure does not close the window."""
        try:
            yield
        except OSError as error:
            self.tell(f"not written: {path} ({error.strerror or error})")
        else:
            self.tell(f"written: {path}")

    def _set_up(self, runner: hello_imgui.RunnerParams) -> None:
        window = runner.app_window_params
        window.window_title = f"ruckle: {self.exhibit.animation.name}"
        window.window_geometry.size = self._size
        runner.imgui_window_params.default_imgui_window_type = hello_imgui.DefaultImGuiWindowType.no_default_window
        runner.imgui_window_params.tweaked_theme.theme = hello_imgui.ImGuiTheme_.white_is_white
        runner.ini_disable = True
        runner.fps_idling.fps_idle = IDLE_RATE
        graphics = hello_imgui.OpenGlOptions()
        graphics.glsl_version = "410"
        graphics.major_version, graphics.minor_version = 4, 1
        graphics.use_core_profile = graphics.use_forward_compat = True
        # antialiasing of the window is disabled, because the scene has its own
        graphics.anti_aliasing_samples = 0
        runner.renderer_backend_options.open_gl_options = graphics
        runner.callbacks.post_init = self._guarded(self._begin)
        runner.callbacks.show_gui = self._guarded(self._show)
        runner.callbacks.before_exit = self._guarded(self._end)

    def _guarded(self, step: Callable[[], None]) -> Callable[[], None]:
        """Return a callback that calls `step`. It stores an exception for `run`, and closes the window.

        The window library cannot pass exceptions on. After an exception, the callback does nothing.
        """

        def callback() -> None:
            if self._failure is not None:
                return
            try:
                step()
            except BaseException as error:
                self._failure = error
                self._runner.app_shall_exit = True

        return callback

    def _begin(self) -> None:
        self._renderer = Renderer(64, 64, samples=1)
        device = open_device()
        self._context = device.context
        self._canvases = {quality: Canvas(device) for quality in (FINE, DRAFT)}

    def _end(self) -> None:
        if self._renderer is not None:
            for canvas in self._canvases.values():
                canvas.release()
            self._renderer.close()

    def _show(self) -> None:
        now = time.perf_counter()
        seconds, self._clock = now - self._clock, now
        if now > self._message_end:
            self.message = ""
        if self._each_frame is not None:
            self._each_frame(self)
        self.exhibit.playback.advance(seconds)
        letter, whole = hello_imgui.em_size(), imgui.get_io().display_size
        panel, timeline = PANEL_WIDTH * letter, TIMELINE_HEIGHT * letter
        scene = (max(whole.x - panel, 1.0), max(whole.y - timeline, 1.0))
        self._move_camera(scene)
        self._draw_scene(scene)
        if self.pictures:
            texture = imgui.ImTextureRef(self._canvas.texture.glo)
            imgui.get_background_draw_list().add_image(texture, (0, 0), scene, (0, 1), (1, 0))
        show_panel(self, (scene[0], 0.0), (panel, whole.y))
        show_timeline(self, (0.0, scene[1]), (scene[0], timeline))
        self._take_keys()
        # let the window idle if nothing changes; it then uses almost no CPU time
        self._runner.fps_idling.enable_idling = not self._is_busy

    @property
    def _is_busy(self) -> bool:
        """True if the window must draw without user input.

        This is the case if a motion plays, a run computes, or a message or a picture of reduced quality is visible.
        """
        return self.exhibit.playback.playing or self.is_draft or self.session.is_running or self.message != ""

    @property
    def _canvas(self) -> Canvas:
        """Canvas that contains the last picture."""
        return self._canvases[self._quality]

    def _draw_scene(self, scene: tuple[float, float]) -> None:
        """Draw the scene if it has changed; in reduced quality if drawing is slow.

        If the scene has not changed for `STILL` seconds, replace a picture of reduced quality by a fine picture.
        """
        exhibit, frame = self.exhibit, self.exhibit.frame
        if frame is None:
            return
        if self.pictures == 0:
            # the size of the scene is known only after the window has opened
            exhibit.stand_back(scene[0] / scene[1])
        wanted = (
            scene,
            frame,
            exhibit.viewpoint,
            exhibit.mode,
            exhibit.comparison,
            self.session.parameters.get("look"),
        )
        if wanted != self._wanted:
            self._wanted, self._wanted_since = wanted, self._clock
            self._draw(scene, frame, DRAFT if self._slow else FINE)
        elif self._quality is DRAFT and self._clock - self._wanted_since > STILL:
            self._draw(scene, frame, FINE)

    def _draw(self, scene: tuple[float, float], frame: LayerFrame, quality: Quality) -> None:
        renderer = self._renderer
        assert renderer is not None
        start = time.perf_counter()
        screen = self._context.detect_framebuffer()
        self._quality = quality
        scale = imgui.get_io().display_framebuffer_scale
        width, height = quality.size(scale.x * scene[0], scale.y * scene[1])
        # round down to an even width, so that both panes have the same width
        width -= width % 2
        self._canvas.resize(width, height)
        renderer.samples = quality.samples
        # the renderer draws into the canvas; the size of its own picture only limits the subdivision of wrinkles
        renderer.resize(width, height)
        width, height = self._canvas.framebuffer.size
        panes = ("before", "after") if self.exhibit.comparison == "both" else (self.exhibit.comparison,)
        for number, pane in enumerate(panes):
            left, right = number * width // len(panes), (number + 1) * width // len(panes)
            self._canvas.framebuffer.viewport = (left, 0, right - left, height)
            self._draw_pane(renderer, frame, coarse=pane == "before")
        self._context.finish()
        screen.use()
        self.pictures += 1
        self.draw_milliseconds = 1000 * (time.perf_counter() - start)
        if quality is FINE:
            self._slow = self.draw_milliseconds > SLOW

    def _draw_pane(self, renderer: Renderer, frame: LayerFrame, *, coarse: bool) -> None:
        exhibit = self.exhibit
        # like an engine without wrinkles: flat triangles with smooth normals
        renderer.base = "flat" if coarse else "curved"
        renderer.look = self._look
        # the frame of the timeline may not be computed yet; then an earlier frame is drawn
        camera, extras = exhibit.viewpoint, self._dressing.extras(frame.index, self._look)
        renderer.update(frame.coarse if coarse else frame, camera=camera, **extras)
        mode = "shaded" if coarse else exhibit.mode
        renderer.draw(self._canvas.framebuffer, camera=camera, mode=mode)

    @property
    def _look(self) -> Look:
        """Colours, lights and fabric of the current look; each look is created only once."""
        name = self.session.parameters.get("look")
        if name not in self._looks:
            height = self.session.animation.height
            make = plain_look if name is None else LOOKS[name].look
            self._looks[name] = make(height, self._color)
        return self._looks[name]

    def _move_camera(self, scene: tuple[float, float]) -> None:
        """Turn, shift and zoom the camera with the mouse over the scene, or paint if a brush is selected.

        If the mouse is over a widget, do nothing.
        """
        io = imgui.get_io()
        if io.want_capture_mouse:
            return
        if io.mouse_wheel:
            self.exhibit.wheel(io.mouse_wheel)
        if self.painting != "turn":
            self._paint(scene)
            imgui.reset_mouse_drag_delta(imgui.MouseButton_.left)
        move = {
            imgui.MouseButton_.left: self.exhibit.shift if io.key_shift else self.exhibit.drag,
            imgui.MouseButton_.right: self.exhibit.shift,
            imgui.MouseButton_.middle: self.exhibit.shift,
        }
        for button, follow in move.items():
            # the drag delta begins at the button press; the mouse motion before can be large if pictures are slow
            way = imgui.get_mouse_drag_delta(button, 0.0)
            if way.x or way.y:
                follow(way.x / scene[1], way.y / scene[1])
                imgui.reset_mouse_drag_delta(button)

    def _paint(self, scene: tuple[float, float]) -> None:
        """Draw the circle of the brush, and paint the mask in the circle while the left button is pressed.

        A run with the new mask starts at the end of a stroke.
        """
        frame, exhibit = self.exhibit.frame, self.exhibit
        panes = 2 if exhibit.comparison == "both" else 1
        mouse, width = imgui.get_io().mouse_pos, scene[0] / panes
        imgui.get_foreground_draw_list().add_circle((mouse.x, mouse.y), self.brush.radius * scene[1], BRUSH_COLOR)
        if imgui.is_mouse_down(imgui.MouseButton_.left) and frame is not None:
            point = ((mouse.x % width) / width, mouse.y / scene[1])
            under = self.brush.under(frame.positions, exhibit.viewpoint, point, width / scene[1])
            self._is_painted |= self.brush.paint(under, wrinkle=self.painting == "unmask")
        elif self._is_painted:
            self._is_painted = False
            self.session.set("mask", self.brush.mask.tobytes())

    def _take_keys(self) -> None:
        if imgui.get_io().want_text_input:
            return
        playback = self.exhibit.playback
        actions: dict[imgui.Key, Callable[[], object]] = {
            imgui.Key.space: playback.toggle,
            imgui.Key.left_arrow: lambda: playback.step(-1),
            imgui.Key.right_arrow: lambda: playback.step(1),
            imgui.Key.home: lambda: playback.seek(0),
            imgui.Key.b: self.exhibit.compare_next,
            imgui.Key.r: lambda: self.exhibit.look_from("three-quarter"),
            imgui.Key.p: self.take_screenshot,
        }
        for key, action in actions.items():
            if imgui.is_key_pressed(key):
                action()
