"""Widgets of the viewer: display options, parameters, stage times, and the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Literal, Protocol, get_args

from imgui_bundle import imgui

from ruckle.paths.frame import Frame
from ruckle.patterns.modulator import Modulation
from ruckle.scene.framing import VIEWS
from ruckle.scene.looks import LOOKS
from ruckle.surface.frame import LayerFrame
from ruckle.view.brush import Brush
from ruckle.view.exhibit import Comparison, Exhibit
from ruckle.view.outfit import look_changes
from ruckle.view.playback import SPEEDS
from ruckle.view.session import Session
from ruckle.view.sliders import PATTERN_SLIDERS, SLIDERS, WAVE_SLIDERS, Slider
from ruckle.view.words import COMPARISON_WORDS, MODE_WORDS
from ruckle.waves.wave_field import WaveFrame

__all__ = ["Painting", "show_panel", "show_timeline"]

# flags for windows that the user cannot move or resize, because the program sets position and size
FIXED = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)
RED = (0.75, 0.16, 0.10, 1.0)
# Fraction of the panel's width for sliders; the labels are in the remaining width.
SLIDER_SHARE = 0.60

Corner = tuple[float, float]

# The left mouse button in the scene turns the camera, masks cloth, or removes the mask.
Painting = Literal["turn", "mask", "unmask"]
PAINTING_WORDS: Mapping[Painting, str] = {"turn": "turn", "mask": "keep shape", "unmask": "wrinkle"}


class Shown(Protocol):
    """The attributes and methods of the window that the widgets use."""

    session: Session
    exhibit: Exhibit
    message: str
    draw_milliseconds: float

    brush: Brush
    painting: Painting

    def take_screenshot(self) -> Path:
        """Write the scene to a file; return its path."""

    def save_settings(self) -> Path:
        """Write the parameters to a file; return its path."""


def show_panel(shown: Shown, position: Corner, size: Corner) -> None:
    """Draw the panel to the right of the scene."""
    imgui.set_next_window_pos(position)
    imgui.set_next_window_size(size)
    if imgui.begin("panel", None, FIXED)[0]:
        imgui.push_item_width(SLIDER_SHARE * imgui.get_content_region_avail().x)
        _show_picture(shown)
        _show_brush(shown)
        _show_parameters(shown)
        _show_times(shown)
        imgui.pop_item_width()
    imgui.end()


def show_timeline(shown: Shown, position: Corner, size: Corner) -> None:
    """Draw the timeline below the scene."""
    playback = shown.exhibit.playback
    imgui.set_next_window_pos(position)
    imgui.set_next_window_size(size)
    if imgui.begin("timeline", None, FIXED)[0]:
        imgui.set_next_item_width(-1.0)
        label = f"frame %d of 0 to {playback.frame_count - 1}"
        changed, frame = imgui.slider_int("##frame", playback.frame, 0, playback.frame_count - 1, label)
        if changed:
            playback.seek(frame)
        if imgui.button("pause" if playback.playing else " play "):
            playback.toggle()
        for word, step in (("<", -1), (">", 1)):
            imgui.same_line()
            if imgui.button(word):
                playback.step(step)
        imgui.same_line()
        _, playback.loop = imgui.checkbox("loop", playback.loop)
        for speed in SPEEDS:
            imgui.same_line()
            if imgui.radio_button(f"x{speed:g}", playback.speed == speed):
                playback.speed = speed
        imgui.same_line()
        imgui.text_disabled(f"{playback.time:.2f} s    {shown.message}")
    imgui.end()


def _show_picture(shown: Shown) -> None:
    exhibit = shown.exhibit
    imgui.separator_text("picture")
    for comparison in get_args(Comparison):
        if imgui.radio_button(COMPARISON_WORDS[comparison], exhibit.comparison == comparison):
            exhibit.comparison = comparison
        imgui.same_line()
    imgui.new_line()
    names = list(MODE_WORDS)
    changed, number = imgui.combo("shows", names.index(exhibit.mode), list(MODE_WORDS.values()))
    if changed:
        exhibit.mode = names[number]
    if imgui.begin_combo("camera", "from ..."):
        for view in VIEWS:
            if view != "orbit" and imgui.selectable(view, False)[0]:
                exhibit.look_from(view)
        imgui.end_combo()
    _, exhibit.follow = imgui.checkbox("follow", exhibit.follow)
    imgui.same_line()
    if imgui.button("screenshot"):
        shown.take_screenshot()
    imgui.same_line()
    if imgui.button("save settings"):
        shown.save_settings()
    imgui.same_line()
    _show_keys()


def _show_keys() -> None:
    imgui.text_disabled("(keys)")
    imgui.set_item_tooltip(
        "drag: turn    right or shift drag: move    wheel: zoom\n"
        "space: play, pause    arrows: one frame    home: first frame\n"
        "B: wrinkled, coarse, both    R: camera    P: screenshot"
    )


def _show_brush(shown: Shown) -> None:
    imgui.separator_text("mask")
    for painting, word in PAINTING_WORDS.items():
        if imgui.radio_button(word, shown.painting == painting):
            shown.painting = painting
        imgui.same_line()
    imgui.new_line()
    imgui.set_item_tooltip("action of the left mouse button: turn the scene, or paint parts that keep their shape")
    _, shown.brush.radius = imgui.slider_float("brush", shown.brush.radius, 0.005, 0.2, "%.3f")


def _show_look(session: Session) -> None:
    """Show the current look, and a menu for choosing another one."""
    names = [None, *LOOKS]
    words = ["none", *LOOKS]
    changed, number = imgui.combo("look", names.index(session.parameters["look"]), words)
    imgui.set_item_tooltip("\n".join(f"{name}: {look.summary}" for name, look in LOOKS.items()))
    if changed:
        session.update(look_changes(names[number]))


def _sliders(frame: LayerFrame | None) -> list[Slider]:
    """Return the sliders for the parameters of the layers in a frame."""
    parts = () if frame is None else frame.parts
    kinds = ((Frame, SLIDERS), (WaveFrame, WAVE_SLIDERS), (Modulation, PATTERN_SLIDERS))
    shown = [slider for kind, sliders in kinds if any(isinstance(part, kind) for part in parts) for slider in sliders]
    # paths and waves have the same minimum radius
    return [*dict.fromkeys(shown)]


def _show_parameters(shown: Shown) -> None:
    session = shown.session
    if "look" in session.parameters:
        _show_look(session)
    if session.error is not None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_colored(RED, session.error)
        imgui.pop_text_wrap_pos()
    for group, sliders in groupby(_sliders(shown.exhibit.frame), key=lambda slider: slider.parameter.group):
        imgui.separator_text(group)
        for slider in sliders:
            _show_slider(session, slider)


def _show_slider(session: Session, slider: Slider) -> None:
    parameters = session.parameters
    position = slider.position(parameters, height=session.animation.height)
    flags = imgui.SliderFlags_.logarithmic if slider.even_ratios else imgui.SliderFlags_.none
    match slider.kind:
        case "switch":
            changed, position = imgui.checkbox(slider.name, position)
        case "choice":
            choices = slider.parameter.choices
            changed, number = imgui.combo(slider.name, choices.index(position), list(choices))
            position = choices[number]
        case "integer":
            changed, position = imgui.slider_int(slider.name, position, int(slider.low), int(slider.high))
        case _:
            text = "%.2f %%" if slider.kind == "share" else "%.3g"
            changed, position = imgui.slider_float(slider.name, position, slider.low, slider.high, text, flags)
    imgui.set_item_tooltip(slider.parameter.help)
    if changed:
        session.set(slider.name, slider.value(position))
    if parameters.get(slider.name, slider.default) != slider.default:
        imgui.same_line()
        if imgui.small_button(f"x##{slider.name}"):
            session.set(slider.name, slider.default)


def _show_times(shown: Shown) -> None:
    imgui.separator_text("milliseconds per frame")
    frame = shown.exhibit.frame
    if frame is None:
        return
    rows = [*frame.timings.items(), ("draw", shown.draw_milliseconds)]
    # four columns: two pairs of stage and time per row
    if imgui.begin_table("times", 4):
        for stage, milliseconds in rows:
            imgui.table_next_column()
            imgui.text(stage)
            imgui.table_next_column()
            imgui.text(f"{milliseconds:.3f}")
        imgui.end_table()
    session = shown.session
    wrinkles = [f"{len(part.wrinkles)} wrinkles" for part in frame.parts if isinstance(part, Frame)]
    folds = [f"folds on {len(part.details.faces):,}" for part in frame.parts if isinstance(part, WaveFrame)]
    triangles = ", ".join([f"{session.animation.face_count:,} triangles", *wrinkles, *folds])
    imgui.text_disabled(triangles if session.progress == 1.0 else f"{triangles}, run {session.progress:.0%}")
