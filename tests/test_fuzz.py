"""Defects that the fuzzer found remain fixed, and the fuzzer finds known defects."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("resource", reason="needs the module resource, which only Unix has")
pytest.importorskip("PIL")
pytest.importorskip("OpenEXR")

import fuzz.search as searching
from fuzz.readers import READERS, Reader
from fuzz.search import CORPUS, MOST_BYTES, examine, search

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs the peak of memory use, which only Linux reports")
FINDS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("name", [name for name in READERS if name != "call"])
def test_exact_sound_files_are_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    for content in reader.seeds(tmp_path):
        (tmp_path / reader.name).write_bytes(content)
        reader.read(tmp_path / reader.name)


@pytest.mark.parametrize("find", FINDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_reject_or_read_what_was_found(find: Path, tmp_path: Path) -> None:
    reader = READERS[find.parent.name]
    reader.seeds(tmp_path)
    (tmp_path / reader.name).write_bytes(find.read_bytes())
    assert examine(reader, tmp_path / reader.name).problem == ""


@pytest.mark.parametrize("name", READERS)
def test_property_a_few_changed_files_of_every_reader(name: str) -> None:
    tally = search(name, cases=60, seconds=600.0)
    assert tally.cases == 60
    assert [find.problem for find in tally.finds] == []


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (lambda: {}["vertices"], "KeyError: 'vertices' (at test_fuzz.py:"),
        (lambda: float("novel " * 1000), "error message of 60"),
        (lambda: warnings.warn("invalid value", RuntimeWarning, stacklevel=1), "RuntimeWarning: invalid value"),
        (lambda: all(zero == 0 for zero in iter(int, 1)), "more than 0.2 s"),
        (lambda: subprocess.run([sys.executable, "-c", "sum(range(10**8))"], check=True), "more than 0.2 s with"),
        (lambda: time.sleep(1e6), "waits for more than 3 s"),
        (lambda: os._exit(3), "the process ends with 3"),
        # twice the limit, because the system may take other memory from the process at the same time
        pytest.param(lambda: np.ones(int(MOST_BYTES) // 4), "MB", marks=ON_LINUX),
    ],
    ids=["exception", "novel", "warning", "work", "library", "wait", "death", "memory"],
)
def test_exact_every_kind_of_fault_is_found(fault: object, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "faulty", Reader("a.obj", lambda _: fault(), READERS["obj"].seeds, (ValueError,)))  # type: ignore[operator]
    # set a limit only in the test of that limit, because a full memory or a slow machine would exceed the other limits
    if problem.startswith("more"):
        monkeypatch.setattr(searching, "MOST_SECONDS", 0.2)
        monkeypatch.setattr(searching, "MOST_WORK", 0.2)
    if problem.startswith("waits"):
        monkeypatch.setattr(searching, "MOST_WAITING", 3.0)
    [find] = search("faulty", cases=1).finds
    assert problem in find.problem
    assert find.content
