"""Damaged files of every format give an animation or one of our two errors, and never allocate gigabytes."""

import contextlib
import tracemalloc
from pathlib import Path
from random import Random

import numpy as np
import pytest

pytest.importorskip("PIL", reason="the sound files of all readers include pictures")
pytest.importorskip("OpenEXR", reason="the sound files of all readers include pictures")

from fuzz.mutation import mutated
from fuzz.readers import READERS
from ruckle import Animation, FormatError, MeshError, describe, load
from ruckle.errors import LONGEST

# Largest allocation of Python and NumPy in bytes. Valid files of these tests need less than one megabyte.
MEMORY_LIMIT = 300e6


@pytest.fixture(params=["npz", "glb", "gltf", "obj", "pc2", "mdd"])
def sound(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[bytes]]:
    """Return a path for files of each format, and the contents of valid files of this format."""
    reader = READERS[request.param]
    return tmp_path / reader.name, reader.seeds(tmp_path)


def check(path: Path, content: bytes) -> bool:
    """Load and describe a file with this content. Return True if the file was rejected. Other errors fail the test."""
    path.write_bytes(content)
    tracemalloc.start()
    try:
        animation: Animation | None = load(path)
        message = ""
    except (FormatError, MeshError) as error:
        animation, message = None, str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MEMORY_LIMIT
    refused = animation is None
    # the message contains the path of the file, or of another file that belongs to it
    assert not refused or str(path.parent) in message
    assert len(message) <= LONGEST
    assert animation is None or np.isfinite(animation.positions).all()
    # the description reads entries that loading skips, so it may raise an error for a file that loads
    with contextlib.suppress(FormatError):
        assert ("problem" in describe(path)) == refused
    return refused


def test_reject_truncated_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for content in contents:
        assert not check(path, content)
        lengths = range(0, len(content) - 1, max(1, len(content) // 100))
        refused = [check(path, content[:length]) for length in lengths]
        # a truncated text file can be a valid smaller mesh; a truncated binary file must be rejected
        assert all(refused) or path.suffix == ".obj"
        assert refused[0]


# a warning about repaired faces is no sign of a damaged file
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_property_changed_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for number in range(200):
        random = Random(number)
        content = mutated(random.choice(contents), path.suffix, contents, random)
        # skip large files, which only take more time; the fuzzer tests them
        if len(content) < 50_000:
            check(path, content)
