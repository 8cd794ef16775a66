"""Runs the program `ruckle` in tests, and makes its input files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from gltf_writer import Writer
from meshes import grid
from ruckle import Animation
from ruckle.cli import main

PROGRAM = "from ruckle.cli import main; main()"
# Seconds until a program is regarded as hanging. The limit is large, because a machine can be slow or busy.
PATIENCE = 600
# A shell starts background programs with Ctrl-C ignored, and child processes inherit this setting. This code restores
# the normal effect of Ctrl-C.
HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="ruckle")


def refusal(*arguments: object) -> str:
    """Return the error message with which the program rejects these arguments.

    Assert that it is one line and the only output.
    """
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("ruckle: ")
    return result.stderr.removeprefix("ruckle: ")


def command_line(*arguments: object, code: str = PROGRAM) -> list[str]:
    """Return the command line of a process that Ctrl-C can end, even if the process of the tests ignores Ctrl-C."""
    return [sys.executable, "-c", HEED_CTRL_C + code, *map(str, arguments)]


def spawn(*arguments: object, code: str = PROGRAM, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program in a separate process, wait for its end, and return its status and output."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(command_line(*arguments, code=code), text=True, timeout=PATIENCE, check=False, **streams)


def value_of(*arguments: object) -> dict[str, Any]:
    result = invoke(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def swinging(frames: int = 12) -> Animation:
    """Return an animation of a sheet that is alternately compressed and stretched along x."""
    sheet = grid(4, 4)
    swing = 1 + 0.2 * np.sin(np.arange(frames))
    positions = sheet.positions * swing[:, None, None] ** [1, 0, 0]
    return Animation(positions, sheet.faces, fps=25, name="swinging", height=2.0)


def write_scene(path: Path) -> Path:
    """Write a glTF file with two meshes and two animations; the second mesh has two primitives.

    Return the path of the file.
    """
    writer = Writer()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    primitives = [{"attributes": {"POSITION": writer.accessor(corners * scale)}} for scale in (1, 2, 3)]
    writer.mesh(primitives[0], name="shirt")
    writer.mesh(*primitives[1:], name="red\x1b[31mhat")
    for mesh, name in enumerate(("body", "head")):
        writer.add("nodes", {"mesh": mesh, "name": name})
    writer.add("scenes", {"nodes": [0, 1]})
    for name, height in (("hop", 1.0), ("leap", 2.0)):
        index = writer.animate(0, "translation", [0.0, 1.0], [[0, 0, 0], [0, height, 0]])
        writer.root["animations"][index]["name"] = name
    return writer.save(path)
