"""Each command that writes files, with each fault: old files remain, and no incomplete file has the final name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from meshes import grid
from ruckle import Animation

if not sys.platform.startswith("linux"):
    pytest.skip("needs limits, capabilities and forks of Linux", allow_module_level=True)

from faulty import FAULTS, SIGNALS, Launcher

WRINKLED = ("--tau", "1.05", "--r-min", "2%")
SMALL = ("--size", "64x48")

# Arguments and output paths of each command. An output path that ends with a slash is a folder.
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "run": (("run", "cloth.npz", "-o", "a.npz", *WRINKLED), ("a.npz",)),
    "run with picture": (("run", "cloth.npz", "-o", "a.npz", "--picture", "a.png"), ("a.npz", "a.png")),
    "run with lines": (("run", "cloth.npz", "-o", "a.npz", "--lines", "lines", *WRINKLED), ("a.npz", "lines/")),
    "run with USD lines": (("run", "cloth.npz", "-o", "a.npz", "--lines", "a.usdc", *WRINKLED), ("a.npz", "a.usdc")),
    "export OBJ": (("export", "cloth.npz", "-o", "out"), ("out/",)),
    "export PLY": (("export", "cloth.npz", "-o", "out", "--form", "ply"), ("out/",)),
    "export maps": (("export", "cloth.npz", "-o", "out", "--form", "maps", "--map-size", "32"), ("out/",)),
    "export PC2": (("export", "cloth.npz", "-o", "b.pc2"), ("b.pc2", "b.obj")),
    "export MDD": (("export", "cloth.npz", "-o", "b.mdd"), ("b.mdd", "b.obj")),
    "export USD": (("export", "cloth.npz", "-o", "b.usda"), ("b.usda",)),
    "export GLB": (("export", "cloth.npz", "-o", "b.glb"), ("b.glb",)),
    "export VAT": (("export", "cloth.npz", "-o", "out", "--form", "vat"), ("out/",)),
    "render MP4": (("render", "cloth.npz", "-o", "a.mp4", *SMALL), ("a.mp4",)),
    "render GIF": (("render", "cloth.npz", "-o", "a.gif", *SMALL), ("a.gif",)),
    "render PNG": (("render", "cloth.npz", "-o", "a.png", "--frame", "2", *SMALL), ("a.png",)),
    "render frames": (("render", "cloth.npz", "-o", "out", "--frames", "1:3", *SMALL), ("out/",)),
    "sweep": (("sweep", "cloth.npz", "-o", "out", "--tau", "1.1,1.2"), ("out/",)),
    "demo": (("demo", "jumping_jack", "-o", "out", "--no-film"), ("out/",)),
    "figures": (("figures", "6.1", "-o", "out"), ("out/",)),
    "bench": (("bench", "stages", "--repeats", "1", "--csv", "a.csv"), ("a.csv",)),
    "save NPZ": (("save", "a.npz"), ("a.npz",)),
    "save PC2": (("save", "c.pc2"), ("c.pc2", "c.obj")),
    "save MDD": (("save", "c.mdd"), ("c.mdd", "c.obj")),
}

# Commands that write several results one after another. If a later result fails, earlier results may exist, but each is
# complete.
IN_STEPS = {"sweep", "demo", "figures", "run with picture", "save PC2", "save MDD", "export PC2", "export MDD"}

# These commands write in different ways, so they are tested with all faults. All other commands are tested with three
# faults.
TELLING = {"run with picture", "export OBJ", "render MP4", "sweep", "save PC2"}
CASES = [(command, fault) for command in COMMANDS for fault in FAULTS
         if command in TELLING or fault in ("killed", "full disk", "failing disk")]  # fmt: skip

STATUS = {
    "killed": -9, "terminated": 143, "interrupted": 130, "full disk": 2, "failing disk": 2, "read-only folder": 2
}  # fmt: skip


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    for module in ("matplotlib", "pxr", "OpenEXR", "pyarrow", "moderngl", "av", "PIL"):
        pytest.importorskip(module, reason="tests every command, and some commands import this module")
    with Launcher() as server:
        yield server


def cloth() -> Animation:
    """Return an animation of five frames: a sheet with texture coordinates that is compressed."""
    sheet = grid(5, 4)
    positions = sheet.positions * np.linspace(1.0, 0.7, 5)[:, None, None] ** [1, 0, 0]
    return Animation(positions, sheet.faces, fps=24, uv=sheet.positions[:, :2] / 5, name="cloth", height=2.0)


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(("command", "fault"), CASES)
def test_degenerate_a_command_that_is_ended(launcher: Launcher, tmp_path: Path, command: str, fault: str) -> None:
    arguments, outputs = COMMANDS[command]
    cloth().save(tmp_path / "cloth.npz")
    for name in outputs:
        # an OBJ file next to a cache (PC2, MDD) is an input of the command, so this test does not write one
        if not name.endswith(("/", ".obj")):
            (tmp_path / name).write_bytes(b"before")
    before = contents(tmp_path)
    found = launcher.run(tmp_path, *arguments, fault=fault)
    tmp_path.chmod(0o755)
    after = contents(tmp_path)

    if fault == "little memory" and found.status == 0:
        return
    # without memory, a library can end the process in its own way; other faults cause one line of output, or none
    if fault != "little memory" and arguments[0] != "save":
        assert found.status == STATUS[fault], found
        sentence = found.errors.strip().startswith("ruckle: ") and found.errors.count("\n") == 1
        assert sentence if fault not in SIGNALS else found.errors.strip() == "", found
    kept = {name: content for name, content in after.items() if name in before}
    unfinished = {name for name in after if ".unfinished/" in name}
    added = set(after) - set(before) - unfinished
    if command in IN_STEPS:
        assert all(content in (before[name], kept[name]) for name, content in before.items())
        assert all(after[name] for name in added if not name.endswith("journal.jsonl"))
    else:
        assert kept == before
        assert added == set()
    # only a killed process does not have time to delete its temporary files
    assert not unfinished or fault == "killed" or found.status < 0
    # after the fault, the same command is successful
    again = launcher.run(tmp_path, *arguments)
    assert (again.status, "Traceback" in again.errors) == (0, False), again
    assert not any(".unfinished" in name for name in contents(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"cloth.npz", *(name.rstrip("/") for name in outputs)}
    assert all(contents(tmp_path)[name] != b"before" for name in outputs if not name.endswith("/"))
