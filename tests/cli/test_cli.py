"""The command line: every command, option and error, called in this process or in a separate process."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from program import PROGRAM, invoke, refusal, spawn, swinging, value_of
from ruckle import __version__, run, sample
from ruckle.cli import job
from ruckle.cli.program import COMMANDS
from ruckle.io.results import load_run
from ruckle.paths.parameters import DEFAULTS, PARAMETERS

OPTIONS = {name: default for name, default in DEFAULTS.items() if PARAMETERS[name].kind != "matrix"}


def test_program_exact_module() -> None:
    command = [sys.executable, "-m", "ruckle", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == f"ruckle {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_program_exact_help_lists_every_command(arguments: list[str]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 0
    for name, entry in COMMANDS.items():
        assert re.search(rf"  {name} +{re.escape(entry.summary)}", result.stdout)


@pytest.mark.parametrize("group", ["poses", "bench"])
def test_program_exact_groups_without_a_command_show_help(group: str) -> None:
    alone, asked = invoke(group), invoke(group, "--help")
    assert (alone.exit_code, alone.stdout, alone.stderr) == (0, asked.stdout, "")


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--help"], ("rich", "matplotlib", "ruckle.experiments.bench")),
        (["info", "sawing"], ("matplotlib", "ruckle.experiments.bench")),
        (["render", "--help"], ("matplotlib", "moderngl", "av", "PIL", "imgui_bundle")),
        (["view", "--help"], ("matplotlib", "moderngl", "av", "PIL", "imgui_bundle")),
    ],
)
def test_program_exact_imports_what_it_uses(arguments: list[str], absent: tuple[str, ...]) -> None:
    code = f"import sys, atexit; atexit.register(lambda: print([m for m in {absent!r} if m in sys.modules])); {PROGRAM}"
    result = spawn(*arguments, code=code)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rum"], "no command is called 'rum'; did you mean 'run'? (see ruckle --help)"),
        (["knit"], f"no command is called 'knit'; commands are {', '.join(COMMANDS)} (see ruckle --help)"),
        (["info"], "Missing argument 'FILE|SAMPLE' (see ruckle info --help)"),
        (["run", "sawing"], "Missing option '--output' / '-o' (see ruckle run --help)"),
        (["info", "sawin"], "sawin: no such file or sample; did you mean the sample 'sawing'?"),
        (["info", "swinging"], "swinging: no such file or sample; did you mean 'swinging.npz'?"),
        (["info", "tiki.npz"], "tiki.npz: no such file\n"),
        (["info", "none_*.obj"], "none_*.obj: no OBJ or PLY file matches"),
        (["info", "notes.txt"], "notes.txt: unknown extension '.txt', allowed are "),
        (["info", "sawing", "--fps", "x"], "Invalid value for '--fps': 'x' is not a valid float (see ruckle info"),
        (["info", "swinging.npz", "--mesh", "0"], "mesh: unknown option for NPZ, allowed are fps, name, height"),
        (["run", "scene.glb", "-o", "a.npz", "--animation", "fly"], "scene.glb: has no animation 'fly', only: 'hop'"),
        (["run", "sawing", "-o", "a.csv"], "a.csv: the arrays of a run are written as .npz, got '.csv'"),
        (["run", "sawing", "-o", "no/a.npz"], "no: the folder to write into does not exist"),
        (["run", "sawing", "-o", "taken.npz"], "taken.npz: is a folder, expected the name of a file"),
        (["run", "swinging.npz", "-o", "swinging.npz"], "swinging.npz: is also the input, which would be overwritten"),
        (["run", "swinging.npz", "-o", "a.npz", "--picture", "./swinging.npz"], "swinging.npz: is also the input"),
        (["run", "sawing", "-o", "a.npz", "--picture", "a.doc"], "a.doc: cannot be drawn as '.doc', allowed are "),
        (["run", "sawing", "-o", "a_%d.npz"], "a_%d.npz: is a pattern for reading; to write numbered files, give"),
        (["run", "sawing", "-o", "a.npz", "--frames", "225:"], "frames: 225: selects none of the 225 frames"),
        (["run", "sawing", "-o", "a.npz", "--frames", "9"], "Invalid value for '--frames': expected A:B, such as"),
        (["run", "sawing", "-o", "a.npz", "--lines", "a.abc"], "a.abc: lines are written as a folder of OBJ files or"),
        (["run", "sawing", "-o", "a.npz", "--lines", "."], ".: expected a folder that is new or empty"),
        (["demo", "sowing"], "sowing: no such file or sample; did you mean the sample 'sawing'?"),
        (["demo", "swinging.npz"], "swinging.npz: the demo runs samples; for a file: ruckle run swinging.npz -o"),
        (["demo", "-o", "notes.txt"], "Invalid value for '--output' / '-o': Directory 'notes.txt' is a file"),
    ],
)
def test_program_reject(animation_file: Path, scene_file: Path, arguments: list[str], sentence: str) -> None:
    (animation_file.parent / "notes.txt").write_text("no animation")
    (animation_file.parent / "taken.npz").mkdir()
    before = sorted(animation_file.parent.rglob("*"))
    assert refusal(*arguments).startswith(sentence)
    assert sorted(animation_file.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "a.npz: No space left on device"),
        (OSError(errno.EIO, "Input/output error", "a.npz"), "a.npz: Input/output error"),
        (ValueError("one sentence"), "one sentence"),
        (MemoryError("Unable to allocate 9 TiB"), "memory: the system has no memory left"),
        (
            ModuleNotFoundError("No module named 'scipy'", name="scipy"),
            'simulation and training need scipy, which is not installed: pip install "ruckle[simulation]"',
        ),
        (ModuleNotFoundError("No module named 'numpy'", name="numpy"), None),
    ],
)
def test_program_reject_what_the_library_raises(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str | None
) -> None:
    monkeypatch.setattr(job, "step_frame", Mock(side_effect=error))
    result = invoke("run", "sawing", "-o", "a.npz")
    if sentence is None:
        # numpy is part of each installation, so its absence is a defect, and the program does not catch the exception
        assert result.exception is error
    else:
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"ruckle: {sentence}\n")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
def test_program_exact_signals_clean_up(folder: Path, number: int) -> None:
    # nohup starts a program with SIGHUP ignored, so this code restores the default
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from ruckle.cli import job, main\n"
        f"job.step_frame = lambda *_, **__: (os.kill(os.getpid(), {number:d}), time.sleep(30))\n"
        "main()"
    )
    result = spawn("run", "sawing", "-o", "a.npz", code=code)
    assert (result.returncode, result.stdout, result.stderr.strip()) == (128 + number, "", "")
    assert list(folder.iterdir()) == []


def test_program_exact_ctrl_c_while_it_is_imported() -> None:
    # this code sends SIGINT, as Ctrl-C does, at the moment at which the program begins to import a module
    code = (
        "import os, signal, sys\n"
        "from ruckle.__main__ import main\n"
        "module = sys.argv.pop(1)\n"
        "class Hit:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == module:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Hit())\n"
        "main()"
    )
    for module in (
        "ruckle.cli",
        "numpy",
        "ruckle._core",
        "click",
        "ruckle.cli.program",
        "ruckle.cli.run",
        "rich.console",
    ):
        result = spawn(module, "run", "sawing", "-o", "a.npz", code=code)
        assert result.returncode in (130, -signal.SIGINT), module
        assert (result.stdout, result.stderr.strip()) == ("", ""), module


@pytest.mark.parametrize("arguments", [["info", "sawing"], ["info", "sawing", "--json"], ["--help"]])
def test_program_exact_a_broken_pipe_is_quiet(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = spawn(*arguments, stdout=writer)
    finally:
        os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_program_reject_pictures_without_matplotlib(folder: Path) -> None:
    code = f"import sys; sys.modules['matplotlib'] = None; {PROGRAM}"
    sentence = 'ruckle: pictures need matplotlib, which is not installed: pip install "ruckle[plot]"\n'
    for arguments in (["demo"], ["run", "sawing", "-o", "a.npz", "--picture", "a.png"]):
        result = spawn(*arguments, code=code)
        assert (result.returncode, result.stdout, result.stderr) == (2, "", sentence)
    assert spawn("run", "sawing", "--frames", ":9", "-o", "a.npz", code=code).returncode == 0


@pytest.mark.parametrize(("arguments", "shown"), [([], True), (["--json"], True), (["--quiet"], False)])
def test_program_exact_progress_on_a_terminal_only(folder: Path, arguments: list[str], shown: bool) -> None:
    pty = pytest.importorskip("pty")
    try:
        terminal, end = pty.openpty()
    except OSError as error:
        pytest.skip(f"cannot open a pseudo-terminal: {error}")
    written = bytearray()

    def read() -> None:
        # read until all writers have closed the terminal, which Linux reports as an error
        with suppress(OSError):
            while part := os.read(terminal, 1 << 16):
                written.extend(part)

    # a thread reads while the program runs, because a terminal with a full buffer would block the program
    reader = Thread(target=read)
    reader.start()
    try:
        command = ("run", "sawing", "--frames", ":9", "-o", "a.npz", *arguments)
        spawn(*command, stderr=end, env={**os.environ, "TERM": "xterm"})
    finally:
        os.close(end)
        reader.join()
        os.close(terminal)
    assert (b"running sawing" in written and b"writing a.npz" in written) == shown


def test_run_exact_writes_what_the_library_finds(animation_file: Path) -> None:
    result = invoke("run", animation_file, "-o", "a.npz")
    # standard error contains one line: the note that the animation does not have wrinkles
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert "swinging: 18 triangles, 12 frames" in result.stdout
    assert result.stdout.splitlines()[-1] == "arrays   a.npz"
    found, frames = load_run("a.npz"), list(run(swinging()))
    np.testing.assert_array_equal(found.labels, [frame.labels for frame in frames])
    np.testing.assert_array_equal(found.compression, [frame.compression for frame in frames])
    assert len(np.unique(found.labels)) > 1
    assert found.parameters == {name: value for name, value in OPTIONS.items() if name != "threads"}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("sigma", 0.2), ("alpha", 2.0), ("beta", 20.0), ("method", "independent"), ("relaxation", 0.5), ("tau", 1.2),
        ("amplitude", 1.5),
        ("grow_tau", 1.02), ("seed", 7), ("path_alpha", 0.9),
        ("straightness", 0.5), ("length_change", 0.3), ("aspect", 1.0), ("fade_in", 0.1),
        ("fade_out", 0.2), ("r_min", "1%"), ("least_aspect", 2.0), ("coherent", False),
    ],
)  # fmt: skip
def test_run_exact_every_parameter_reaches_the_run(animation_file: Path, option: str, value: Any) -> None:
    given = {"tau": 1.05, "r_min": "0.1", option: value}
    words = [f"--{name.replace('_', '-')}={given[name]}" for name in given if name != "coherent"]
    words += ["--independent"] if option == "coherent" else []
    assert invoke("run", animation_file, "-o", "a.npz", *words, "-q", "--all").exit_code == 0
    found, frames = load_run("a.npz"), list(run(swinging(), **given))
    assert found.parameters[option] == value
    np.testing.assert_array_equal(found.reference, [frame.reference for frame in frames])
    assert [list(map(repr, wrinkles)) for wrinkles in found.wrinkles] == [list(map(repr, f.wrinkles)) for f in frames]


@pytest.mark.parametrize(
    ("text", "start", "stop"), [("3:7", 3, 7), (":4", 0, 4), ("-3:", 9, 12), (":", 0, 12), ("5:99", 5, 12)]
)
def test_run_exact_frames(animation_file: Path, text: str, start: int, stop: int) -> None:
    assert invoke("run", animation_file, "-o", "a.npz", "--frames", text, "-q", "--all").exit_code == 0
    found = load_run("a.npz")
    assert found.first_frame == start
    np.testing.assert_array_equal(found.animation.positions, swinging().positions[start:stop])
    part = replace(swinging(), positions=swinging().positions[start:stop])
    np.testing.assert_array_equal(found.reference, [frame.reference for frame in run(part)])


def test_run_exact_large_arrays_are_written_on_request(animation_file: Path) -> None:
    for name, words in (("a.npz", ()), ("b.npz", ("--all",))):
        assert invoke("run", animation_file, "-o", name, "--tau=1.05", "--r-min=0.1", "-q", *words).exit_code == 0
    small, large = load_run("a.npz"), load_run("b.npz")
    assert small.reference is None
    assert small.axis is None
    assert large.reference is not None
    assert large.axis is not None
    np.testing.assert_array_equal(small.compression, large.compression)
    assert list(map(repr, small.wrinkles[5])) == list(map(repr, large.wrinkles[5]))
    # a frame that is rebuilt from either file has the compression that the run stored
    np.testing.assert_array_equal(small.frame(5).compression, small.compression[5])
    np.testing.assert_allclose(large.frame(5).compression, small.compression[5], rtol=1e-5)


def test_run_exact_json(animation_file: Path) -> None:
    value = value_of("run", animation_file, "-o", "a.npz", "--frames", "2:", "--picture", "a.png")
    found = load_run("a.npz")
    assert value["animation"] == {
        "name": "swinging", "frames": 10, "first_frame": 2, "fps": 25.0, "vertices": 16, "triangles": 18, "height": 2.0,
    }  # fmt: skip
    assert value["parameters"] == OPTIONS
    assert list(value["labels"].values()) == np.bincount(found.labels.ravel(), minlength=3).tolist()
    changes = np.count_nonzero(found.labels[1:] != found.labels[:-1]) / 18
    assert value["label_changes_per_triangle"] == pytest.approx(changes)
    largest = value["largest_compression"]
    assert largest["value"] == found.compression.max() == found.compression[largest["frame"] - 2, largest["triangle"]]
    assert (value["arrays"], value["picture"], value["degenerate_triangles"]) == ("a.npz", "a.png", 0)
    assert len(value["picture_frames"]) == 6
    assert set(value["picture_frames"]) <= set(range(2, 12))
    assert list(value["microseconds"]) == ["stretch", "label", "reference", "persist", "trace", "shape", "total"]
    for times in value["microseconds"].values():
        assert 0 <= times["p50"] <= times["p95"] <= times["max"]
        assert 0 <= times["share"] <= value["microseconds"]["total"]["share"] == 1
    both = invoke("run", animation_file, "-o", "a.npz", "--quiet", "--json")
    assert json.loads(both.stdout)["arrays"] == "a.npz"


def test_run_exact_reads_its_own_results(animation_file: Path) -> None:
    for source, target in ((animation_file, "a.npz"), ("a.npz", "b.npz")):
        assert invoke("run", source, "-o", target, "-q").exit_code == 0
    assert Path("a.npz").read_bytes() == Path("b.npz").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "name", "place"), [([], "sawing", "out"), (["jumping_jack", "-o", "a/b"], "jumping_jack", "a/b")]
)
def test_demo_exact(folder: Path, arguments: list[str], name: str, place: str) -> None:
    result = invoke("demo", "--no-film", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    for words in ("persist", "total", "rest labels", "largest compression", "label changes per triangle"):
        assert words in result.stdout
    arrays, picture = folder / place / f"{name}.npz", folder / place / f"{name}_labels.png"
    assert result.stdout.splitlines()[-2:] == [f"arrays   {place}/{name}.npz", f"picture  {place}/{name}_labels.png"]
    assert sorted(arrays.parent.iterdir()) == [arrays, picture]
    assert load_run(arrays).labels.shape == (sample(name).frame_count, sample(name).face_count)
    assert picture.read_bytes().startswith(b"\x89PNG")
