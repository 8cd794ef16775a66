"""The window of the viewer on a virtual screen: it opens, plays, changes parameters, saves pictures and closes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from program import PATIENCE, PROGRAM
from ruckle import Settings, load, load_settings, sample
from ruckle.scene.looks import LOOKS

# the package can be installed although a library of the system that it needs is missing
pytest.importorskip(
    "imgui_bundle",
    reason='the window needs imgui-bundle and libXext: pip install "ruckle[view]"; apt-get install libxext6',
    exc_type=ImportError,
)
image = pytest.importorskip("PIL.Image")

SCRIPT = '''
import json, sys
from pathlib import Path
import numpy as np
from PIL import Image
from imgui_bundle import hello_imgui, imgui
from ruckle import load, load_settings, sample
from ruckle.view.outfit import Outfit, look_changes
from ruckle.view.session import Session
from ruckle.view.window import Window

seen = {}

def steps(window):
    exhibit, session = window.exhibit, window.session
    playback = exhibit.playback
    while window.pictures < 2:
        yield
    seen["played"] = playback.time > 0 and playback.playing
    playback.playing = False
    playback.seek(83)
    session.wait(224, 60)
    yield from still(window)
    yield
    seen["first"] = str(window.take_screenshot())
    seen["wrinkles"] = len(exhibit.frame.wrinkles)
    session.set("tau", 1.25)
    session.wait(83, 60)
    yield from still(window)
    seen["more_wrinkles"] = len(exhibit.frame.wrinkles)
    seen["settings"] = str(window.save_settings())
    exhibit.comparison = "both"
    playback.seek(84)
    yield from still(window)
    seen["second"] = str(window.take_screenshot())
    pictures = window.pictures
    for _ in range(5):
        yield
    seen["idle"] = window.pictures == pictures
    # a stroke over the middle of the garment
    exhibit.comparison, window.painting, window.brush.radius = "after", "mask", 0.2
    mouse = imgui.get_io()
    for pressed in (True, False):
        mouse.add_mouse_pos_event(190, 180)
        mouse.add_mouse_button_event(0, pressed)
        yield
        yield
        yield
    session.wait(84, 60)
    seen["masked"] = int((exhibit.frame.mask == 0.0).sum())
    seen["terms"] = window.brush.terms
    saved = window.save_settings()
    again = load(window.folder / "sawing.npz", mask=load_settings(saved).mask)
    seen["saved"] = bool((again.mask == window.brush.mask).all())
    yield from still(window)
    window.painting = "turn"
    session.update({**look_changes("cotton"), "wave_gain": 1.5, "tau": 1.4, "r_min": "0.4%"})
    session.wait(84, 60)
    yield from still(window)
    window.folder = window.folder / "worn"
    window.folder.mkdir()
    seen["waves"] = str(window.save_settings())
    session.set("tau", 0.5)
    session.update(look_changes(None))
    while session.error is None:
        yield
    seen["error"] = session.error
    yield
    window.close()

def still(window):
    """Wait for the picture that is drawn when nothing moves."""
    yield
    yield
    while window.is_draft:
        yield

def drive(window):
    global script
    if script is None:
        script = steps(window)
    next(script, None)

script = None
sample("sawing").save(Path(sys.argv[1]) / "sawing.npz")
with Session(sample("sawing"), Outfit(sample("sawing")), tau=1.4, look=None) as session:
    Window(session, size=(700, 460), folder=Path(sys.argv[1]), each_frame=drive).run()
Image.fromarray(hello_imgui.final_app_window_screenshot()).save(Path(sys.argv[1]) / "window.png")
print(json.dumps(seen))
'''


@pytest.fixture(scope="module")
def screen() -> Iterator[dict[str, str]]:
    """Start a virtual screen, and return an environment that uses it. Without Xvfb, the tests are skipped."""
    if not shutil.which("Xvfb"):
        pytest.skip("the window is tested on a screen without a monitor: apt-get install xvfb")
    need_opengl()
    number, written = os.pipe()
    command = ["Xvfb", "-displayfd", str(written), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[written], stderr=subprocess.DEVNULL) as server:
        os.close(written)
        # read until the end, because the server terminates if it cannot write its whole number
        with os.fdopen(number) as told:
            display = told.read().strip()
        yield {**os.environ, "DISPLAY": f":{display}"}
        server.terminate()


def open_window(screen: dict[str, str], code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=screen, text=True, capture_output=True, timeout=PATIENCE, check=False)


def test_window_exact_does_what_it_is_told(screen: dict[str, str], tmp_path: Path) -> None:
    result = open_window(screen, SCRIPT, tmp_path)
    assert result.returncode == 0, result.stderr
    seen: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    assert seen["played"]
    assert seen["idle"]
    assert 0 < seen["wrinkles"] < seen["more_wrinkles"]
    settings = load_settings(seen["settings"])
    assert (settings.paths, settings.waves, settings.layers) == ({"tau": 1.25}, {}, ["paths"])
    worn = load_settings(seen["waves"])
    assert (worn.paths, worn.look, worn.layers) == ({}, "cotton", ["waves"])
    assert {**LOOKS["cotton"].waves, "gain": 1.5, "r_min": "0.4%"} == worn.waves
    assert 3 < seen["masked"] < 300
    assert seen["terms"][0] == "auto"
    assert seen["terms"][1].startswith("-vertex:")
    # a later command with the saved settings masks the painted vertices
    assert settings.mask == seen["terms"]
    assert seen["saved"]
    assert seen["error"].startswith("tau: expected a finite number above 1")
    assert (Path(seen["first"]).name, Path(seen["second"]).name) == ("sawing_0083.png", "sawing_0084.png")
    first, second = (np.asarray(image.open(seen[name])).astype(int) for name in ("first", "second"))
    assert first.shape == second.shape
    # the halves of the picture show the same cloth; only wrinkles and the curved base differ
    half = second.shape[1] // 2
    different = np.abs(second[:, :half] - second[:, half : 2 * half]).max(axis=2) > 8
    assert 0.001 < different.mean() < 0.2
    window = np.asarray(image.open(tmp_path / "window.png"))
    assert window.shape[:2] == (460, 700)
    # the left part of the window shows the scene, the right part shows sliders
    for part in (window[:300, :350], window[:300, 500:]):
        assert len(np.unique(part.reshape(-1, 3), axis=0)) > 50


def test_window_reject_a_folder_that_is_not_there_ends_nothing(tmp_path: Path) -> None:
    from ruckle.view.session import Session
    from ruckle.view.window import Window

    with Session(sample("sawing").cut(0, 3), tau=1.3) as session:
        window = Window(session, folder=tmp_path / "none")
        window.take_screenshot()
        assert window.message == "nothing has been drawn yet"
        path = window.save_settings()
        assert window.message == f"not written: {path} (the folder to write into does not exist)"
        window.folder = tmp_path
        assert load_settings(window.save_settings()) == Settings({"tau": 1.3}, layers=["paths"])
        assert window.message == f"written: {tmp_path / path.name}"


def test_view_reject_without_a_screen() -> None:
    bare = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    result = open_window(bare, PROGRAM, "view", "sawing")
    assert result.returncode == 2
    *_, last = result.stderr.splitlines()
    assert last.startswith("ruckle: no window can be opened: it needs a screen and OpenGL 4.1")


BESIDE = """
import functools, sys
from pathlib import Path
import ruckle.view.window as module
from ruckle.cli import main

def steps(window):
    window.exhibit.playback.playing = False
    yield
    yield
    while window.is_draft or window.session.progress < 1.0:
        yield
    yield
    window.take_screenshot()
    window.close()

script = None
def drive(window):
    global script
    script = script or steps(window)
    next(script, None)

module.Window = functools.partial(module.Window, size=(700, 460), folder=Path(sys.argv[1]), each_frame=drive)
main(["view", *sys.argv[2:]])
"""


def test_view_exact_other_cloth_stands_beside_the_garment(screen: dict[str, str], animation_file: Path) -> None:
    garment = load(animation_file)
    replace(garment, positions=0.9 * garment.positions).save("other.npz")
    widths = []
    for options in ([], ["--beside", "other.npz"]):
        result = open_window(screen, BESIDE, ".", animation_file, *options)
        assert result.returncode == 0, result.stderr
        picture = np.asarray(image.open("swinging_0000.png")).astype(int)
        cloth = np.flatnonzero((picture @ [-1, 0, 1] > 16).any(axis=0))
        # widths of groups of neighbouring columns that contain cloth: the garment, and the second cloth next to it
        widths.append([len(run) for run in np.split(cloth, np.flatnonzero(np.diff(cloth) > 1) + 1)])
        # the whole cloth is in the picture
        assert 0 < cloth[0] < cloth[-1] < picture.shape[1] - 1
    assert len(widths[0]) == 1
    assert len(widths[1]) == 2
    assert 0.7 < widths[1][1] / widths[1][0] < 1.2
