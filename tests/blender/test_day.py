"""Runs users_day.py, which installs the extension, uses it, saves a file, and opens the file in another process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ruckle import _core

bpy = pytest.importorskip("bpy", reason="Blender is not a module of this Python: pip install bpy (3.11 only)")
PIL = pytest.importorskip("PIL.Image")

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "examples" / "blender" / "build.py"


def test_day_exact_install_wrinkle_edit_render_bake_save_open(tmp_path: Path) -> None:
    subprocess.run([sys.executable, BUILD, _core.__file__, "-o", tmp_path], check=True, capture_output=True)
    (extension,) = tmp_path.glob("*.zip")
    # the script of the command `blender --command extension validate`
    checker = Path(bpy.utils.script_paths(check_all=True)[0]) / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    checked = subprocess.run([sys.executable, checker, "validate", extension], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    environment = {**os.environ, "PYTHONPATH": ""}
    for part in ("morning", "evening"):
        words = [sys.executable, str(HERE / "users_day.py"), str(extension), str(tmp_path), part]
        run = subprocess.run(words, capture_output=True, text=True, env=environment)
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    pictures = {
        path.stem: np.asarray(PIL.open(path).convert("RGB"), float) for path in sorted(tmp_path.glob("?_*.png"))
    }
    assert [*pictures] == [
        "1_bare", "2_wrinkled", "3_stronger", "4_wider", "5_two", "6_removed", "7_saved", "8_opened", "9_removed",
    ]  # fmt: skip
    np.testing.assert_array_equal(pictures["7_saved"], pictures["8_opened"])
    # each of these pairs of pictures must differ, because the step between them changes the cloth
    for before, after in (("1_bare", "2_wrinkled"), ("4_wider", "5_two"), ("8_opened", "9_removed")):
        assert np.abs(pictures[before] - pictures[after]).mean() > 0.3, (before, after)
