"""The example that draws a contact sheet, run as a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from program import swinging

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "contact_sheet.py"


def draw(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=120, check=False)


def test_contact_sheet_exact_files_and_samples(tmp_path: Path) -> None:
    swinging().save(tmp_path / "swinging.npz")
    result = draw(tmp_path, "swinging.npz", "jumping_jack", "--tau", "1.3", "--count", "2", "--back", "-o", "a.png")
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == ["swinging", "jumping_jack", "a.png"]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_contact_sheet_exact_writes_into_out(tmp_path: Path) -> None:
    swinging().save(tmp_path / "swinging.npz")
    result = draw(tmp_path, "swinging.npz", "--count", "1")
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "out/contact_sheet.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "swinging.npz"]
    assert (tmp_path / "out" / "contact_sheet.png").read_bytes().startswith(b"\x89PNG")
