"""Functions that save files on a full or failing disk: the old file remains, and the error names the file."""

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("only Unix limits the size of files", allow_module_level=True)
pytest.importorskip("OpenEXR")

import resource

import ruckle
from fuzz import readers
from learning import random_model
from ruckle.io.results import RunWriter
from ruckle.offline.pose_space.clip_file import save_clip
from ruckle.patterns.files import save_patterns
from ruckle.patterns.pattern import function_pattern
from ruckle.settings import Settings

# Largest size of a file on the simulated full disk, in bytes. It is smaller than the header of any format.
LITTLE_SPACE = 8


def _save_run(path: Path) -> None:
    animation, parameters = readers.garment(), {"tau": 1.1, "r_min": 0.02}
    with RunWriter(path, animation, parameters) as writer:
        for frame in ruckle.run(animation, **parameters):
            writer.append(frame)
        writer.finish()


def _plan() -> Any:
    return ruckle.plan_poses(readers.pose_database().skeleton, {"knee": [0, 30], "foot": [[0], [-20, 0], [0]]})


def _save_clip(path: Path) -> None:
    save_clip(_plan().skeleton, _plan().clip(hold=1, speed=60.0), path)


def _fine() -> Any:
    return ruckle.displace(
        ruckle.Wrinkler.for_animation(readers.garment(), r_min=0.3).step(readers.garment().positions[0])
    )


def _waves() -> Any:
    return function_pattern(readers.grid(), lambda points, _: np.sin(points[:, 0]))


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.npz": lambda path: readers.garment().save(path),
    "a.pc2": lambda path: readers.garment().save(path),
    "a.mdd": lambda path: readers.garment().save(path),
    "a.abc": lambda path: readers.garment().save(path),
    "a.obj": lambda path: _fine().save(path),
    "a.ply": lambda path: _fine().save(path),
    "a.pattern.npz": lambda path: save_patterns([_waves()], path),
    "a.upsampling.npz": lambda path: random_model(pairs=1, report={}).save(path),
    "a.poses.npz": lambda path: readers.pose_database().save(path),
    "a.plan.npz": lambda path: _plan().save(path),
    "a.clip.glb": _save_clip,
    "a.toml": lambda path: Settings(paths={"tau": 1.2}).save(path),
    "a.run.npz": _save_run,
}


@contextmanager
def _full_disk() -> Iterator[None]:
    """Context in which each file is limited to LITTLE_SPACE bytes; larger writes fail with EFBIG."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LITTLE_SPACE, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@contextmanager
def _failing_sync() -> Iterator[None]:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        yield


@pytest.mark.parametrize("disk", [_full_disk, _failing_sync], ids=["full", "failing"])
@pytest.mark.parametrize("name", WRITERS)
def test_reject_and_keep_the_old_file(name: str, disk: Any, tmp_path: Path) -> None:
    # first write without a fault, because some writers also create other files
    WRITERS[name](tmp_path / name)
    (tmp_path / name).write_bytes(b"before")
    files = sorted(path.name for path in tmp_path.iterdir())
    with disk(), pytest.raises((OSError, ruckle.FormatError), match=r"a\.\w") as refused:
        WRITERS[name](tmp_path / name)
    assert "File too large" in str(refused.value) or "Input/output error" in str(refused.value)
    assert (tmp_path / name).read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == files
