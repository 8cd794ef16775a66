"""The command `ruckle render` and the film of `ruckle demo`: every option and every error."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from drawing import need_opengl
from program import PROGRAM, invoke, refusal, spawn, swinging, value_of
from ruckle import Wrinkler
from ruckle.film import Shot, telling_frame

av = pytest.importorskip("av", reason="films need the extra render")
image = pytest.importorskip("PIL.Image", reason="films need the extra render")

SMALL = ("--size", "64x48", "--r-min", "0.1", "--tau", "1.05")


@pytest.fixture
def folder(animation_file: Path) -> Path:
    return animation_file.parent


def test_render_exact_a_film(folder: Path) -> None:
    need_opengl()
    value = value_of("render", "swinging.npz", "-o", "a.mp4", *SMALL)
    assert (value["output"], value["pictures"], value["size"]) == ("a.mp4", 12, [64, 48])
    assert (value["first_frame"], value["last_frame"], value["pictures_per_second"]) == (0, 11, 25.0)
    assert (value["parameters"]["tau"], value["parameters"]["r_min"]) == (1.05, "0.1")
    with av.open("a.mp4") as container:
        assert len(list(container.decode(video=0))) == 12
        assert container.streams.video[0].average_rate == 25
    said = invoke("render", "swinging.npz", "-o", "a.gif", *SMALL, "--speed", "0.2", "--frames", "2:8").stdout
    assert said.startswith("film     a.gif (6 pictures of 64x48, 5 per second, ")
    assert sorted(path.name for path in folder.iterdir()) == ["a.gif", "a.mp4", "swinging.npz"]


def test_render_exact_one_picture(folder: Path) -> None:
    need_opengl()
    shot, layer = Shot(size=(64, 48), view="folds"), Wrinkler.for_animation(swinging(), r_min=0.1, tau=1.05)
    told = telling_frame(swinging(), shot, frames=range(12), layer=layer)
    assert value_of("render", "swinging.npz", "-o", "a.png", *SMALL)["first_frame"] == told
    after = value_of("render", "swinging.npz", "-o", "b.png", *SMALL, "--frames", "8:")["first_frame"]
    assert after == telling_frame(swinging(), shot, frames=range(8, 12), layer=layer)
    assert value_of("render", "swinging.npz", "-o", "c.png", *SMALL, "--frame", "-2")["first_frame"] == 10
    said = invoke("render", "swinging.npz", "-o", "d.png", *SMALL, "--frame", "3").stdout
    assert said == "picture  d.png (frame 3, 64x48)\n"
    assert np.asarray(image.open("a.png")).shape == (48, 64, 3)


def test_render_exact_every_option_changes_the_picture(folder: Path) -> None:
    need_opengl()
    base = ("render", "sawing", "--frame", "45", "--size", "360x270", "--tau", "1.3", "-q", "-o")
    options = [
        "", "--camera back", "--camera 40,30", "--mode labels", "--mode wireframe", "--before-after", "--base flat",
        "--detail 0", "--detail 0.3", "--tau 1.2",
    ]  # fmt: skip
    for number, option in enumerate(options):
        assert invoke(*base, f"{number}.png", *option.split()).exit_code == 0
    assert len({Path(f"{number}.png").read_bytes() for number in range(len(options))}) == len(options)


def test_render_exact_turns(folder: Path) -> None:
    need_opengl()
    still = replace(swinging(), positions=np.repeat(swinging().positions[:1], 12, axis=0))
    still.save(folder / "still.npz")
    # by default, the camera of a film turns by 7 degrees per second; `--turn 0` stops it
    for option, turns in ((("--turn", "90"), True), (("--camera", "orbit"), True), (("--turn", "0"), False)):
        name = f"pictures{len(list(folder.iterdir()))}"
        assert invoke("render", "still.npz", "-o", name, *SMALL, *option, "-q").exit_code == 0
        first, last = (np.asarray(image.open(f"{name}/{k:04d}.png")).astype(int) for k in (0, 11))
        assert bool(np.abs(first - last).mean() > 1.0) == turns


def test_render_exact_pictures_fit_the_wearer(folder: Path) -> None:
    need_opengl()
    wide = replace(swinging(), positions=swinging().positions * np.float32([4, 1, 4]), rest_positions=None)
    wide.save(folder / "wide.npz")
    sizes = {}
    for name, frame in (("sawing", "60"), ("wide.npz", "5")):
        sizes[name] = value_of("render", name, "-o", f"{name}.png", "--frame", frame)["size"]
    # the picture of a standing wearer is higher than wide; the picture of wide cloth is wider than high
    assert sizes["sawing"] == [720, 960]
    assert sizes["wide.npz"] == [960, 720]
    both = value_of("render", "sawing", "-o", "both.png", "--frame", "60", "--before-after")["size"]
    assert both == [1440, 960]


def test_render_exact_titles_are_optional(folder: Path) -> None:
    need_opengl()
    pictures = []
    for option in ("--titles", "--no-titles"):
        options = ("--before-after", "--size", "240x120", "--frame", "5", option, "-q")
        assert invoke("render", "swinging.npz", "-o", "a.png", *options).exit_code == 0
        pictures.append(np.asarray(image.open("a.png")).astype(int))
    titled = np.abs(pictures[0] - pictures[1]).max(axis=2) > 20
    assert titled[60:, :60].any()
    assert not titled[:60].any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["swinging.npz", "-o", "a.avi"], "a.avi: films are .mp4, .gif, a .png, a pattern such as"),
        (["swinging.npz", "-o", "a.mp4", "--size", "63x48"], "size: films in MP4 have an even width and height"),
        (["swinging.npz", "-o", "a.mp4", "--size", "63"], "Invalid value for '--size': expected WIDTHxHEIGHT from"),
        (["swinging.npz", "-o", "a.mp4", "--mode", "x"], "Invalid value for '--mode': 'x' is not one of 'shaded',"),
        (["swinging.npz", "-o", "a.mp4", "--camera", "side"], "Invalid value for '--camera': expected three-quarter,"),
        (["swinging.npz", "-o", "a.mp4", "--frame", "3"], "frame: one frame is a picture, a.mp4 is a film; for part"),
        (["swinging.npz", "-o", "a.png", "--frame", "12"], "frame: expected a frame from 0 to 11, got 12"),
        (["swinging.npz", "-o", "a.mp4", "--speed", "0"], "speed: expected a finite number above 0, got 0.0"),
        (["swinging.npz", "-o", "a.mp4", "--detail", "2"], "detail: expected"),
        (["swinging.npz", "-o", "a.mp4", "--tau", "0.5"], "tau: expected a finite number above 1"),
    ],
)
def test_render_reject(folder: Path, arguments: list[str], sentence: str) -> None:
    if sentence.startswith(("detail", "tau")):
        need_opengl()
    assert refusal("render", *arguments).startswith(sentence)
    assert [path.name for path in folder.iterdir()] == ["swinging.npz"]


@pytest.mark.parametrize(
    ("missing", "extra"), [("moderngl", "render"), ("av", "render"), ("PIL", "render"), ("imgui_bundle", "view")]
)
def test_render_reject_without_the_extra(folder: Path, missing: str, extra: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; {PROGRAM}"
    package = {"PIL": "pillow"}.get(missing, missing.replace("_", "-"))
    output = ("-o", "a.png" if missing == "PIL" else "a.mp4", *SMALL)
    arguments = ("view", "swinging.npz") if extra == "view" else ("render", "swinging.npz", *output)
    result = spawn(*arguments, code=code)
    sentence = f'ruckle: drawing needs {package}, which is not installed: pip install "ruckle[{extra}]"\n'
    assert (result.returncode, result.stdout, result.stderr) == (2, "", sentence)
    assert [path.name for path in folder.iterdir()] == ["swinging.npz"]


# the package is installed, but a shared library of the system is missing
LACKING = f"""
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "imgui_bundle":
            raise ImportError("libXext.so.6: cannot open shared object file", name=name)
sys.meta_path.insert(0, Finder())
{PROGRAM}
"""


def test_view_reject_without_a_library_of_the_system(folder: Path) -> None:
    result = spawn("view", "swinging.npz", code=LACKING)
    sentence = (
        "drawing needs imgui-bundle, which lacks a library of the system: libXext.so.6: cannot open shared object file"
    )
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"ruckle: {sentence}\n")


NO_DRIVER = (
    f"import moderngl\ndef fail(*_, **__): raise RuntimeError('no driver')\nmoderngl.create_context = fail\n{PROGRAM}"
)


def test_render_reject_without_a_driver(folder: Path) -> None:
    pytest.importorskip("moderngl")
    result = spawn("render", "swinging.npz", "-o", "a.mp4", *SMALL, code=NO_DRIVER)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("ruckle: no OpenGL 4.1 driver was found; ")
    assert "apt-get install libegl1 libgl1-mesa-dri" in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["swinging.npz"]


def test_demo_exact_ends_with_a_film(folder: Path) -> None:
    need_opengl()
    result = invoke("demo", "jumping_jack", "--size", "64x32")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()[-4:]
    assert lines[:2] == ["arrays   out/jumping_jack.npz", "picture  out/jumping_jack_labels.png"]
    assert lines[2].startswith("picture  out/jumping_jack.png (frame ")
    assert lines[3].startswith("film     out/jumping_jack.mp4 (")
    assert np.asarray(image.open("out/jumping_jack.png")).shape == (64, 128, 3)
    with av.open("out/jumping_jack.mp4") as container:
        assert container.streams.video[0].average_rate == 30


def test_demo_exact_without_opengl_says_what_to_install(folder: Path) -> None:
    pytest.importorskip("moderngl")
    result = spawn("demo", "jumping_jack", code=NO_DRIVER)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1].startswith("film     none: no OpenGL 4.1 driver was found; ")
    found = sorted(path.name for path in (folder / "out").iterdir())
    assert found == ["jumping_jack.npz", "jumping_jack_labels.png"]
