"""Files that replace others: the old file remains until the new file is complete; temporary files are deleted."""

import ast
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

import ruckle
from program import swinging
from ruckle.io.replacing import FolderReplacement, folder_beside, replacing

PACKAGE = Path(ruckle.__file__).parent

# Modules that may open files for writing: the module that replaces files, the journal, which appends lines, and two
# modules that write to pipes.
WRITERS = {"io/replacing.py", "io/library_child.py", "experiments/sweeps/journal.py", "experiments/sweeps/worker.py"}

# Methods that write to their argument. Allowed arguments are an open file, an entry of an archive, and the hidden
# temporary file.
WRITING = {"savefig", "save", "savez", "write_table", "Export", "write_text", "write_bytes", "tofile"}
TARGETS = {"file", "stream", "entry", "str(self._file)"}

# Calls that write files through `ruckle.io.replacing`, and are therefore allowed.
SAVING = {
    "made.save(output)",
    "made.save(output, clip)",
    "others.save(held_out)",
    "model.save(output, precision=precision)",
    "database.save(output)",
    "pair.save(planned.folder)",
    "settings.save(path)",
    "made.save(path)",
    "simulate_skinned(opened(), frames=frames, threads=threads).save(path)",
}


def writing_calls(path: Path) -> Iterator[str]:
    """Yield the calls in a source file that write directly to a file by its name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name, method = getattr(node.func, "id", ""), getattr(node.func, "attr", "")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        words = [str(value.value) for value in given if isinstance(value, ast.Constant)]
        modes = [word for word in words if set(word) <= set("rwaxbt+") and set(word) & set("wax+")]
        writes = method in WRITING or ({name, method} & {"open", "fdopen"} and modes)
        if (
            writes
            and given
            and ast.unparse(node) not in SAVING
            and not any(ast.unparse(value) in TARGETS for value in given)
        ):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_exact_only_this_module_opens_files_for_writing() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): list(writing_calls(path)) for path in PACKAGE.rglob("*.py")}
    assert {name: calls for name, calls in found.items() if calls and name not in WRITERS} == {}
    assert all(found[name] for name in WRITERS)


def test_exact_a_failing_block_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half of")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_exact_a_link_and_permissions_stay(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "a.txt").write_text("before")
    (disk / "a.txt").chmod(0o640)
    (tmp_path / "a.txt").symlink_to(disk / "a.txt")
    with replacing(tmp_path / "a.txt") as file:
        file.write(b"after")
        # the temporary file is on the disk of the link's target, so that renaming is possible
        assert len(list(disk.glob("*.unfinished"))) == 1
    assert (tmp_path / "a.txt").is_symlink()
    assert (disk / "a.txt").read_text() == "after"
    assert stat.S_IMODE((disk / "a.txt").stat().st_mode) == 0o640
    with replacing(tmp_path / "new.txt") as file:
        file.write(b"new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("existing", [True, False])
def test_exact_a_folder_gets_all_its_files_in_the_end(tmp_path: Path, existing: bool) -> None:
    path = tmp_path / "frames"
    if existing:
        path.mkdir()
    with FolderReplacement(path, "frames") as folder:
        for name in ("a", "b"):
            with folder.create(name) as file:
                file.write(name.encode())
        assert [entry.name for entry in path.glob("*") if entry.name[0] != "."] == []
        folder.finish()
    assert {entry.name: entry.read_text() for entry in path.iterdir()} == {"a": "a", "b": "b"}
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) & 0o700 == 0o700


def test_reject_a_pipe_and_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(ruckle.FormatError, match=r"pipe\.npz: cannot be written \(is a device or a pipe, expected"):
        swinging().save(tmp_path / "pipe.npz")


def test_reject_a_folder_that_refuses_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    denied = PermissionError(13, "Permission denied", str(tmp_path / ".a-xyz.unfinished"))
    monkeypatch.setattr(tempfile, "mkdtemp", Mock(side_effect=denied))
    with pytest.raises(PermissionError) as caught, replacing(tmp_path / "a.npz"):
        pass
    assert caught.value.filename == str(tmp_path)


KILLED = """
import os, signal, sys
from pathlib import Path
from ruckle.io.replacing import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half of")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_exact_files_of_a_killed_process_are_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2
    for name in "bc":  # the writer was killed before it created the marker file
        (tmp_path / f".{name}-12345678.unfinished").mkdir()
    (tmp_path / ".c-12345678.unfinished" / "mine").touch()  # a folder of another program
    with folder_beside(path):
        # a temporary file that a running program still writes is not deleted
        with replacing(tmp_path / "b.txt") as file:
            file.write(b"other")
        assert len(list(tmp_path.glob(".a-*"))) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".c-12345678.unfinished", "a.txt", "b.txt"]


@pytest.mark.parametrize("name", ["a.npz", "a.pc2", "a.mdd"])
def test_exact_a_save_that_fails_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    swinging().save(tmp_path / name)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(ruckle.FormatError, match=rf"{name}: cannot be written \(No space left on device\)"):
        swinging(7).save(tmp_path / name)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
