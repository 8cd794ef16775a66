"""The viewer without a window: clock, computation in the background, camera, sliders."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from layers import BentLayer, refined, stretched
from program import swinging
from ruckle import (
    Animation,
    CoarseFrame,
    Modulator,
    Topology,
    WaveField,
    WaveFrame,
    Wrinkler,
    animation_patterns,
    run,
    sample,
)
from ruckle.film import camera_path
from ruckle.paths.frame import Frame
from ruckle.patterns.modulator import Modulation
from ruckle.scene.modes import ModeName
from ruckle.view.exhibit import Comparison, Exhibit
from ruckle.view.outfit import Outfit, look_changes
from ruckle.view.playback import Playback
from ruckle.view.session import Session
from ruckle.view.sliders import PATTERN_SLIDERS, SLIDERS, WAVE_SLIDERS, Slider
from ruckle.view.words import COMPARISON_WORDS, MODE_WORDS

LONG_ENOUGH = 60.0


def test_playback_exact_frames_of_times() -> None:
    playback = Playback(10, 32.0)
    assert [playback.advance(1 / 32) for _ in range(11)] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    # the animation repeats: time after its end counts from its start
    coarse = Playback(4, 10.0)
    assert [coarse.advance(0.15) for _ in range(4)] == [1, 3, 0, 2]


def test_playback_exact_stops_at_the_end() -> None:
    playback = Playback(4, 10.0, loop=False)
    assert [playback.advance(0.1) for _ in range(5)] == [1, 2, 3, 3, 3]
    assert not playback.playing
    playback.toggle()
    assert (playback.frame, playback.playing) == (0, True)


def test_playback_exact_paused_and_asleep() -> None:
    playback = Playback(100, 10.0, playing=False)
    assert playback.advance(0.2) == 0
    playback.toggle()
    # a window that was hidden for a minute shows the next frame instead of jumping ahead
    assert playback.advance(60.0) == playback.advance(-5.0) == 2


@pytest.mark.parametrize("fps", [23.976, 25.0, 29.97, 30.0, 60.0, 120.0])
def test_playback_exact_a_frame_sought_is_shown(fps: float) -> None:
    playback = Playback(500, fps, playing=False)
    for frame in range(500):
        playback.seek(frame)
        assert playback.frame == frame
    for sought, shown in ((700, 499), (-3, 0)):
        playback.seek(sought)
        assert playback.frame == shown
        assert playback.time == shown / fps
    # by rounding, a time just before the end would be in frame 500
    playback.time = (500 - 1e-7) / fps
    assert playback.frame == 499


def test_playback_exact_steps() -> None:
    playback = Playback(5, 10.0)
    playback.step(-1)
    assert (playback.frame, playback.playing) == (4, False)
    playback.step(1)
    assert playback.frame == 0
    playback.loop = False
    playback.step(-1)
    assert playback.frame == 0


def test_session_exact_finds_what_a_run_finds() -> None:
    animation = swinging()
    frames = list(run(animation, tau=1.05))
    with Session(animation, tau=1.05) as session:
        for index in (11, 0, 5):
            found = session.wait(index, LONG_ENOUGH)
            assert found.index == index
            np.testing.assert_array_equal(found.reference, frames[index].reference)
        assert (session.progress, session.runs, session.is_running) == (1.0, 1, False)


def test_session_exact_ends_its_thread_in_the_middle_of_a_run() -> None:
    before = threading.active_count()
    with Session(sample("sawing")):
        pass
    assert threading.active_count() == before


def test_session_exact_a_changed_parameter_runs_anew() -> None:
    animation = sample("sawing")
    expected = [len(frame.wrinkles) for frame in run(animation, tau=1.2)]
    with Session(animation, tau=1.6) as session:
        before = len(session.wait(83, LONG_ENOUGH).wrinkles)
        session.set("tau", 1.2)
        assert session.parameters["tau"] == 1.2
        assert len(session.wait(83, LONG_ENOUGH).wrinkles) == expected[83] != before
        session.update({"tau": 1.6})
        assert len(session.wait(83, LONG_ENOUGH).wrinkles) == before
        assert session.runs == 3
        # the value of the parameter is unchanged, so frames are not computed again
        session.set("tau", 1.6)
        assert session.wait(83, LONG_ENOUGH) is session.frame(83)
        assert session.runs == 3


def test_session_exact_shows_the_old_run_until_the_new_one_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    animation = sample("sawing")
    gate = threading.Event()
    with Session(animation, tau=1.4) as session:
        old = session.wait(224, LONG_ENOUGH)
        step = Wrinkler.step

        def held(self: Wrinkler, positions: Any, dt: float = 1.0 / 30.0) -> Any:
            if self.frame_count == 40:
                assert gate.wait(LONG_ENOUGH)
            return step(self, positions, dt)

        monkeypatch.setattr(Wrinkler, "step", held)
        session.set("tau", 1.2)
        early = session.wait(20, LONG_ENOUGH)
        # frame 100 of the new run is not computed yet, so frame 100 of the old run is shown
        shown = session.frame(100)
        assert shown.index == 100
        assert shown is not early
        assert session.frame(224) is old
        gate.set()
        new = session.wait(100, LONG_ENOUGH)
        assert session.frame(100) is new is not shown


def test_session_exact_wrinkles_stand_on_the_layer_below() -> None:
    animation = swinging()
    topology = Topology(animation.faces, animation.vertex_count)
    outfit = Outfit(animation, below=[BentLayer(topology, stretched, refined(topology, 2))])
    with Session(animation, outfit, tau=1.4, look=None) as session:
        frame = session.wait(3, LONG_ENOUGH)
    assert [type(part).__name__ for part in frame.parts] == ["Bent", "Frame"]


def test_session_exact_looks_change_layers_and_sliders_change_patterns() -> None:
    animation = swinging()
    outfit = Outfit(animation, sources=("noise",), wavelength="8%")
    with Session(animation, outfit, look=None) as session:
        both = session.wait(11, LONG_ENOUGH)
        assert [type(part) for part in both.parts] == [Frame, Modulation]
        session.set("scale", 0.0)
        flat = session.wait(11, LONG_ENOUGH)
        assert both.parts[1].factors.max() > 0.0 == flat.parts[1].factors.max()
        session.set("scale", 1.0)
        session.update(look_changes("knit"))
        alone = session.wait(11, LONG_ENOUGH)
        assert isinstance(alone, WaveFrame)
        assert session.parameters["look"] == "knit"
        session.set("wave_gain", 0.0)
        level = session.wait(11, LONG_ENOUGH)
        assert alone.highest > 0.0 == level.highest
        session.update(look_changes(None))
        back = session.wait(11, LONG_ENOUGH)
        np.testing.assert_array_equal(back.parts[1].factors, both.parts[1].factors)


def test_session_reject_keeps_the_run_before() -> None:
    with Session(swinging()) as session:
        good = session.wait(5, LONG_ENOUGH)
        session.set("tau", 0.5)
        with pytest.raises(ValueError, match="tau: expected a finite number above 1"):
            session.wait(5, LONG_ENOUGH)
        assert session.error
        assert session.frame(5) is good
        session.set("tau", 1.1)
        session.wait(5, LONG_ENOUGH)
        assert session.error is None


class Refusing:
    """A layer that returns two frames and then raises an error."""

    def __init__(self, animation: Animation, error: Exception) -> None:
        self.animation, self.error, self.count = animation, error, 0

    def step(self, positions: Any, dt: float = 1.0 / 30.0) -> CoarseFrame:
        if self.count == 2:
            raise self.error
        self.count += 1
        return CoarseFrame(positions, self.animation.faces)

    def reset(self) -> None:
        self.count = 0


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(ValueError("no bones"), "frame 2: no bones"), (KeyError("hip"), "frame 2: KeyError: 'hip'")],
)
def test_session_reject_says_which_frame_a_layer_refuses(error: Exception, sentence: str) -> None:
    animation = swinging()
    refusing = True

    def layers(_: Any) -> list[Any]:
        return [Refusing(animation, error) if refusing else Wrinkler.for_animation(animation)]

    with Session(animation, layers, tau=1.4) as session:
        with pytest.raises(ValueError, match=sentence):
            session.wait(5, LONG_ENOUGH)
        assert (session.error, session.is_running) == (sentence, False)
        # frames before the error are still available
        assert session.frame(5) is session.frame(1)
        refusing = False
        session.set("tau", 1.2)
        assert isinstance(session.wait(11, LONG_ENOUGH), Frame)
        assert session.error is None


def test_words_exact_one_for_each_mode_and_comparison() -> None:
    assert set(MODE_WORDS) == set(get_args(ModeName))
    assert set(COMPARISON_WORDS) == set(get_args(Comparison))


@pytest.fixture
def exhibit() -> Iterator[Exhibit]:
    with Session(swinging()) as session:
        yield Exhibit.of(session)


def test_exhibit_exact_mouse(exhibit: Exhibit) -> None:
    start = exhibit.camera
    exhibit.drag(0.1, 0.0)
    # the camera moves in the opposite direction, so that the garment follows the mouse
    assert exhibit.camera.azimuth == pytest.approx(start.azimuth - 27.0)
    exhibit.wheel(1.0)
    assert exhibit.camera.distance < start.distance
    exhibit.wheel(-1.0)
    assert exhibit.camera.distance == pytest.approx(start.distance)
    exhibit.shift(0.5, 0.0)
    assert exhibit.camera.target != start.target
    exhibit.look_from("three-quarter")
    assert exhibit.camera == start


def test_exhibit_exact_comparison_goes_round(exhibit: Exhibit) -> None:
    seen = [exhibit.comparison]
    for _ in range(3):
        exhibit.compare_next()
        seen.append(exhibit.comparison)
    assert seen == ["after", "before", "both", "after"]
    exhibit.comparison = "both"
    # each of both pictures has half the width, so the camera moves back
    assert exhibit.viewpoint.distance > exhibit.camera.distance


def test_exhibit_exact_follows_a_garment_that_travels() -> None:
    animation = sample("sawing")
    positions = animation.positions.copy()
    positions[..., 2] += np.linspace(0.0, 8.0, animation.frame_count, dtype=np.float32)[:, None]
    moved = replace(animation, positions=positions)
    path = camera_path(moved, range(moved.frame_count), aspect=1.3, view="three-quarter")
    with Session(moved) as session:
        exhibit = Exhibit.of(session)
        exhibit.playback.seek(200)
        assert exhibit.viewpoint.target == pytest.approx(path[200].target)
        exhibit.follow = False
        assert exhibit.viewpoint == exhibit.camera == path[0]


every_slider = pytest.mark.parametrize(
    "slider", [*SLIDERS, *PATTERN_SLIDERS, *WAVE_SLIDERS[1:]], ids=lambda slider: slider.name
)


@every_slider
def test_sliders_exact_hold_the_default_and_give_it_back(slider: Slider) -> None:
    position = slider.position({}, height=2.0)
    if slider.kind in ("number", "share", "integer"):
        assert slider.low <= position <= slider.high
    assert slider.position({slider.name: slider.value(position)}, height=2.0) == pytest.approx(position)
    if slider.kind == "choice":
        assert slider.default in slider.parameter.choices


@pytest.mark.parametrize("slider", SLIDERS, ids=lambda slider: slider.name)
def test_sliders_exact_both_ends_can_be_run(slider: Slider) -> None:
    switches = {"switch": (False, True), "choice": slider.parameter.choices}
    others = {"tau": slider.high} if slider.name == "grow_tau" else {}
    for end in switches.get(slider.kind, (slider.low, slider.high)):
        value = slider.value(int(end) if slider.kind == "integer" else end)
        assert len(list(run(swinging(4), **{slider.name: value}, **others))) == 4


@pytest.mark.parametrize("slider", PATTERN_SLIDERS, ids=lambda slider: slider.name)
def test_sliders_exact_both_ends_can_be_run_with_patterns(slider: Slider) -> None:
    animation = swinging(4)
    patterns = animation_patterns(animation, "noise", wavelength="8%")
    for end in slider.parameter.choices if slider.kind == "choice" else (slider.low, slider.high):
        modulator = Modulator.for_animation(animation, patterns, **{slider.name: slider.value(end)})
        assert np.isfinite(modulator.step(animation.positions[3]).factors).all()


@pytest.mark.parametrize("slider", WAVE_SLIDERS, ids=lambda slider: slider.name)
def test_sliders_exact_both_ends_can_be_run_with_waves(slider: Slider) -> None:
    animation = swinging(4)
    outfit = Outfit(animation, paths=False, waves=True)
    for end in (slider.low, slider.high):
        [layer] = outfit({slider.name: slider.value(int(end) if slider.kind == "integer" else end)})
        assert isinstance(layer, WaveField)
        assert np.isfinite(layer.step(animation.positions[3]).vertices).all()


def test_sliders_exact_wavelength_follows_the_radius() -> None:
    wavelength = next(slider for slider in WAVE_SLIDERS if slider.name == "wave_wavelength")
    for given, position in (({"r_min": "1%"}, 7.0), ({"r_min": 0.02, "wave_wavelength": "9 r_min"}, 9.0)):
        assert wavelength.position(given, height=2.0) == pytest.approx(position)


def test_sliders_exact_lengths_in_mesh_units() -> None:
    r_min = next(slider for slider in SLIDERS if slider.name == "r_min")
    for given, position in (("0.02", 1.0), (0.02, 1.0), (" 0.5% ", 0.5)):
        assert r_min.position({"r_min": given}, height=2.0) == pytest.approx(position)
    assert r_min.value(0.75) == "0.75%"


@pytest.mark.parametrize("index", [-1, 10_000])
def test_session_reject_frames_that_the_animation_does_not_have(index: int) -> None:
    with Session(swinging()) as session:
        last = session.animation.frame_count - 1
        with pytest.raises(ValueError, match=rf"^index: expected an integer in \[0, {last}\], got {index}$"):
            session.wait(index, timeout=30)
        assert session.wait(last, timeout=30).index == last
        with pytest.raises(TypeError, match=r"^index: expected an integer in"):
            session.frame(0.5)  # type: ignore[arg-type]


def test_session_reject_frames_after_its_end() -> None:
    session = Session(sample("sawing"))
    session.close()
    with pytest.raises(ValueError, match="has not been computed, and the session is closed"):
        session.wait(session.animation.frame_count - 1, timeout=30)


def test_looks_reject_unknown_names() -> None:
    with pytest.raises(ValueError, match=r'^look: expected one of .*, got "knot"; did you mean knit'):
        look_changes("knot")
    with pytest.raises(TypeError, match=r"^look: expected one of"):
        look_changes(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^look: expected one of"):
        Outfit(swinging())({"look": "knot"})
