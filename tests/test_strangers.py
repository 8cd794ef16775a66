"""Unusual names, numbers and machines: each error is one line without control characters for the terminal."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from gltf_writer import still_triangle
from program import invoke
from ruckle import FormatError, describe, load
from ruckle.io import glb, replacing
from ruckle.offline.simulation.pair import PairReport
from shared_data import shared_cases

CASES = shared_cases("attack")

NAME = "\x1b]0;owned\x07\x1b[31m\n[red]x\u202e\x9b"


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a file whose mesh and node names contain control characters for terminals. Return its path."""
    monkeypatch.chdir(tmp_path)
    writer = still_triangle()
    for kind in ("nodes", "meshes"):
        writer.root[kind][0]["name"] = NAME
    return writer.save(Path("a.glb"))


@pytest.mark.parametrize(
    "arguments",
    [("info",), ("run", "-o", "a.npz"), ("export", "-o", "a.pc2"), ("info", "--mesh", "\x1b[1m")],
)
def test_names_exact_escaped_on_terminals(named: Path, arguments: tuple[str, ...]) -> None:
    result = invoke(arguments[0], named, *arguments[1:])
    said = result.stdout + result.stderr
    assert said
    assert [sign for sign in said if not sign.isprintable() and sign != "\n"] == []
    if arguments[-1] != "\x1b[1m":
        assert r"\x1b]0;owned\x07\x1b[31m\n[red]x" in said.replace("\n", "") or "frames, fine edges" in said


def test_numbers_reject_counts_beyond_floats(tmp_path: Path) -> None:
    for count in (10**400, 10**308):
        writer = still_triangle()
        writer.root["accessors"][0]["count"] = count
        path = writer.save(tmp_path / "a.gltf")
        with pytest.raises(FormatError, match=r"a\.gltf: .*memory"):
            load(path)
        # if a part of the file cannot be read, the list of parts contains the reason
        assert "memory" in describe(path)["parts"][0]["problem"]


def test_text_reject_code_points_beyond_unicode(tmp_path: Path) -> None:
    name = np.array(["a"])
    name.view(np.uint32)[0] = 0xFFFFFFFF
    square = {"positions": np.eye(3)[None], "faces": np.array([[0, 1, 2]]), "fps": np.array(24.0)}
    np.savez(tmp_path / "a.npz", name=name[0:1].reshape(()), **square)
    with pytest.raises(FormatError, match="array 'name' is not one entry"):
        load(tmp_path / "a.npz")


REPORT: dict[str, Any] = {
    "scene": "a", "material": "b", "motion": "", "variant": "", "substeps": 1, "tests": 1, "tracking_residual": 0.1,
    "contact_residual": 0.1, "edge_strain": (1.0, 1.0, 1.0, 1.0), "coarse_ms": 1.0, "fine_ms": 1.0,
}  # fmt: skip


def test_reports_reject_values_of_other_types() -> None:
    PairReport(**REPORT).check()
    for field, value in REPORT.items():
        for wrong in (None, [], {}, 3 if isinstance(value, str) else "3"):
            with pytest.raises((TypeError, ValueError)):
                PairReport(**{**REPORT, field: wrong}).check()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_disks_reject_with_the_name_of_the_file(
    named: Path, code: int, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Path("kept.obj")
    kept.write_text("before")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        create = replacing.Replacement.create

        def failing_file(self: replacing.Replacement, name: str) -> Any:
            create(self, name).close()
            return FullFile(fail)

        monkeypatch.setattr(replacing.Replacement, "create", failing_file)
    with pytest.raises(OSError, match=r"kept\.obj") as refused, replacing.replacing(kept) as file:
        file.write(b"after")
    assert refused.value.errno == code
    assert kept.read_text() == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["a.glb", "kept.obj"]


class FullFile:
    """A file object whose writes fail, as on a full disk."""

    def __init__(self, fail: Any) -> None:
        self.write = fail

    def __enter__(self) -> "FullFile":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_glb_reject_more_than_its_lengths_hold_before_the_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(glb, "LARGEST_FILE", glb.LONGEST_TEXT + 100_000)
    animation = ruckle.sample("sawing").cut(0, 30)
    animation.save(tmp_path / "a.npz")
    result = invoke("export", tmp_path / "a.npz", "-o", tmp_path / "a.glb", "--tau", "1.3", "-q")
    assert "a GLB file holds at most 4 GB, and this one would have" in result.stderr
    assert not (tmp_path / "a.glb").exists()


def test_patterns_exact_a_command_runs_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for frame in range(3):
        Path(f"a_{frame}.obj").write_text(f"v 0 0 0\nv 1 0 {frame}\nv 0 1 0\nf 1 2 3\n")
    for _ in range(2):
        assert invoke("run", "a_*.obj", "-o", "out.npz", "-q").exit_code == 0
    Path("a_0.obj").rename("a_0.npz")
    assert "is also the input" not in invoke("run", "a_*.obj", "-o", "a_0.npz", "-q").stderr
    refused = invoke("export", "a_*.obj", "-o", "a_1.obj", "-q")
    assert "a_1.obj: is also the input, which would be overwritten" in refused.stderr


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of shared cases does not exist")
def test_exact_shared_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("huge_count.gltf", "name_a.npz"):
        with pytest.raises(FormatError, match=name):
            load(CASES / name)
    shutil.copy(CASES / "escape_in_name.gltf", tmp_path)
    for arguments in (("info",), ("run", "-o", "a.npz")):
        assert "\x1b" not in invoke(arguments[0], "escape_in_name.gltf", *arguments[1:]).output
