"""Notes that commands print on standard error: choices for a file, reasons for empty results, large outputs."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from drawing import need_opengl
from program import invoke, spawn, swinging
from ruckle import join
from ruckle.cli import notes

QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"

# Acts like the import of USD on Ctrl-C: the C++ code of USD prints the exception and continues.
SWALLOWING = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
except KeyboardInterrupt:
    print("swallowed")
Usd = UsdGeom = Vt = None
"""


@pytest.fixture
def folder(animation_file: Path, scene_file: Path) -> Path:
    """Return a working directory with a mesh without motion, three animations, and a glTF scene."""
    folder, still = animation_file.parent, swinging().positions[:1]
    (folder / "quad.obj").write_text(QUAD)
    for name, speed in (("still", 0.0), ("falling", -0.1)):
        fall = np.arange(12)[:, None, None] * np.array([0, speed, 0])
        replace(swinging(), positions=still + fall).save(folder / f"{name}.npz")
    return folder


COMMANDS = {
    "run": ("run", "-o", "{}.npz"),
    "export": ("export", "-o", "{}.pc2"),
    "picture": ("render", "--size", "64x48", "-o", "{}.png"),
    "film": ("render", "--size", "64x48", "-o", "{}.gif"),
}

STILL = {
    "quad.obj": "quad.obj: percentages refer to the height 1 of this mesh; --height sets the height of the wearer\n"
    "ruckle: quad: has only one frame, so nothing moves and nothing wrinkles",
    "still.npz": "swinging: nothing moves in 12 frames, so nothing wrinkles",
    "falling.npz": "swinging: no triangle shrinks in 12 frames, so nothing wrinkles",
    "swinging.npz": "swinging: no wrinkles: compression reaches 1.23, tau is 9; use a smaller --tau",
}


def test_notes_exact_axis_of_a_mesh(folder: Path) -> None:
    (folder / "lying.obj").write_text("v 0 0 0\nv 0.3 0.1 0\nv 0.3 0.1 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n")
    assert "the mesh is far longer along z: --up z" in invoke("run", "lying.obj", "-o", "a.npz").stderr
    assert "--up" not in invoke("run", "lying.obj", "--up", "z", "-o", "a.npz").stderr


@pytest.mark.parametrize("source", STILL)
def test_notes_exact_why_nothing_wrinkles(folder: Path, source: str) -> None:
    result = invoke("run", source, "--tau", "9", "-o", "a.npz")
    assert (result.exit_code, result.stderr) == (0, f"ruckle: {STILL[source]}\n")


def test_notes_exact_the_mask_as_the_cause(folder: Path) -> None:
    masked = replace(swinging(), mask=np.zeros(16))
    masked.save(folder / "masked.npz")
    result = invoke("run", "masked.npz", "-o", "a.npz", "--tau", "1.1")
    assert result.stderr == (
        "ruckle: swinging: the mask covers everything, so nothing wrinkles; --mask all removes the mask\n"
    )
    # the masked mesh in one file with a mesh that does not move
    still = replace(swinging(), positions=np.repeat(swinging().positions[:1] + 9.0, 12, axis=0))
    join([masked, still]).save(folder / "both.npz")
    result = invoke("run", "both.npz", "-o", "a.npz", "--tau", "1.1")
    assert "only masked parts shrink, up to 1." in result.stderr
    assert "--mask +NAME removes the mask from a part, --mask all from all parts" in result.stderr


def test_notes_exact_no_room_as_the_cause(folder: Path) -> None:
    result = invoke("run", "swinging.npz", "-o", "a.npz", "--tau", "1.05", "--r-min", "60%")
    assert result.stderr == (
        "ruckle: swinging: no wrinkles: compression reaches 1.23, above tau 1.05, but the compressed "
        "cloth is shorter than 4.5 widths of a wrinkle; use a smaller --r-min\n"
    )


@pytest.mark.parametrize("source", ["quad.obj", "still.npz", "falling.npz"])
def test_notes_exact_why_there_are_no_waves(folder: Path, source: str) -> None:
    result = invoke("export", source, "-o", "a.pc2")
    assert (result.exit_code, result.stderr) == (0, f"ruckle: {STILL[source]}\n")


def test_notes_exact_low_waves_as_the_cause(folder: Path) -> None:
    result = invoke("export", "swinging.npz", "-o", "a.pc2", "--wave-gain", "0")
    assert result.stderr == (
        "ruckle: swinging: no visible folds: compression reaches only 1.25; a larger --wave-gain makes folds higher\n"
    )


def test_notes_exact_the_mask_as_the_cause_of_no_waves(folder: Path) -> None:
    still = replace(swinging(), positions=np.repeat(swinging().positions[:1] + 9.0, 12, axis=0))
    join([replace(swinging(), mask=np.zeros(16)), still]).save(folder / "both.npz")
    assert "only masked parts shrink, up to 1." in invoke("export", "both.npz", "-o", "a.pc2").stderr


@pytest.mark.parametrize(
    ("frames", "reason"),
    [(":2", "no triangle shrinks in 2 frames, so nothing wrinkles"), (":1", "has only one frame, so nothing moves")],
)
def test_notes_exact_speak_of_the_frames_that_were_run(folder: Path, frames: str, reason: str) -> None:
    result = invoke("export", "swinging.npz", "-o", "a.pc2", "--frames", frames)
    assert result.stderr.startswith(f"ruckle: swinging: {reason}")


@pytest.mark.parametrize("command", COMMANDS)
def test_notes_exact_commands_that_find_no_wrinkles_say_so(folder: Path, command: str) -> None:
    if command in ("picture", "film"):
        need_opengl()
    first, second, third = ([word.format(name) for word in COMMANDS[command]] for name in "abc")
    result = invoke(*first, "swinging.npz", "--tau", "9")
    assert (result.exit_code, result.stderr) == (0, f"ruckle: {STILL['swinging.npz']}\n")
    quiet = invoke(*second, "swinging.npz", "--tau", "9", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")
    found = invoke(*third, "swinging.npz", "--tau", "1.05", "--r-min", "5%")
    assert (found.exit_code, found.stderr) == (0, "")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "took mesh 'body' of 2 and animation 'hop' of 2; --mesh and --animation select others, "),
        (
            ("--mesh", "1"),
            "took animation 'hop' of 2, masked heads; --animation and --mask select others, ",
        ),
        (("--mesh", "1", "--mask", "all"), "took animation 'hop' of 2; --animation selects others, "),
        (("--animation", "leap"), "took mesh 'body' of 2; --mesh selects others, "),
    ],
)
def test_notes_exact_what_was_taken(folder: Path, options: tuple[str, ...], sentence: str) -> None:
    result = invoke("run", "scene.glb", "-o", "a.npz", *options)
    assert result.stderr.splitlines()[0] == f"ruckle: scene.glb: {sentence}'ruckle info scene.glb' lists them"
    assert invoke("run", "scene.glb", "-o", "a.npz", *options, "--quiet").output == ""
    picked = invoke("run", "scene.glb", "-o", "a.npz", "--mesh", "0", "--animation", "0")
    assert "took" not in picked.stderr


def test_notes_exact_large_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("export", "swinging.npz", "--tau", "1.05", "--r-min", "5%", "-o")
    assert invoke(*arguments, "a.pc2").stderr == ""
    monkeypatch.setattr(notes, "LARGE", 1000)
    said = "ruckle: c.pc2: 2 MB; a smaller --budget, or --edge-length 0.1 (twice the length), makes it smaller\n"
    assert invoke(*arguments, "c.pc2").stderr == said
    assert invoke(*arguments, "frames").stderr.startswith("ruckle: frames: ")
    assert invoke(*arguments, "b.pc2", "--quiet").output == ""


@pytest.mark.parametrize("arguments", [("run", "-o", "a.npz", "--lines", "a.usdc"), ("export", "-o", "a.usdc")])
def test_interrupt_exact_an_import_does_not_swallow_it(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "pxr").mkdir()
    (folder / "pxr" / "__init__.py").write_text(SWALLOWING)
    (folder / "pxr" / "Sdf.py").write_text("ValueTypeNames = None")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    result = spawn(*arguments, "swinging.npz", env={**os.environ, "PYTHONPATH": path})
    assert (result.returncode, result.stdout, result.stderr.strip()) == (130, "", "")


def test_notes_exact_what_the_library_warns_of(folder: Path) -> None:
    (folder / "turned.obj").write_text(QUAD.replace("1 3 4", "1 4 3"))
    said = "faces 0 and 1 have opposite orientations at edge (0, 2), so wrinkles rise on both sides of the cloth"
    assert (
        f"ruckle: faces: {said}; make all faces consistent\n"
        in spawn("run", "turned.obj", "-o", "a.npz", cwd=folder).stderr
    )
    assert spawn("run", "turned.obj", "-o", "a.npz", "--quiet", cwd=folder).stderr == ""
