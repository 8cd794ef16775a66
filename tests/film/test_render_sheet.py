"""The example that draws a contact sheet of rendered garments, run as a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from drawing import need_opengl
from program import swinging

image = pytest.importorskip("PIL.Image")

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "render_sheet.py"


def test_render_sheet_exact_files_and_samples(tmp_path: Path) -> None:
    need_opengl()
    swinging().save(tmp_path / "swinging.npz")
    np.savez(tmp_path / "body.npz", faces=np.zeros((1, 3), int))
    arguments = ["swinging.npz", "jumping_jack", "body.npz", "--tau", "1.3", "--pane", "64", "-o", "a.png"]
    command = [sys.executable, "-W", "error", str(SCRIPT), *arguments]
    result = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, timeout=120, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    said = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert said == ["swinging", "jumping jack", "left out", "a.png"]
    sheet = np.asarray(image.open(tmp_path / "a.png")).astype(int)
    again = subprocess.run(
        [*command[:4], "swinging.npz", "--pane", "16"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "out/render_sheet.png")
    assert (tmp_path / "out" / "render_sheet.png").read_bytes().startswith(b"\x89PNG")
    # two garments beside each other, three panes each
    assert sheet.shape[1] > sheet.shape[0] > 64
    assert sheet.shape[1] > 6 * 64
    colors = [len(np.unique(sheet[:, k : k + 64].reshape(-1, 3), axis=0)) for k in (14, 14 + 64, 28 + 3 * 64)]
    assert min(colors) > 10
