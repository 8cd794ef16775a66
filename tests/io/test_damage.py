"""Damaged files of every format result in an animation or one of our two errors, without allocating gigabytes."""

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

# Largest allocation of Python and NumPy in bytes. Valid files need less than one megabyte.
MEMORY_LIMIT = 300e6


@pytest.fixture(params=["npz", "glb", "gltf", "obj", "pc2", "mdd"])
def sound(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[bytes]]:
    """Return a path for files of each format, and the contents of valid files."""
    reader = READERS[request.param]
    return tmp_path / reader.name, reader.seeds(tmp_path)


def check(path: Path, content: bytes) -> bool:
    """Load and describe one content. Return True if the file was rejected. Any other error fails the test."""
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
    # the message contains the path of the file or of its companion file
    assert not refused or str(path.parent) in message
    assert len(message) <= LONGEST
    assert animation is None or np.isfinite(animation.positions).all()
    # a description also reads entries that loading skips, so damage in these entries also raises an error
    with contextlib.suppress(FormatError):
        assert ("problem" in describe(path)) == refused
    return refused


def test_reject_truncated_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for content in contents:
        assert not check(path, content)
        lengths = range(0, len(content) - 1, max(1, len(content) // 100))
        refused = [check(path, content[:length]) for length in lengths]
        # a truncated text file may be a valid mesh, but a truncated binary file is always rejected
        assert all(refused) or path.suffix == ".obj"
        assert refused[0]


# repaired faces cause a warning, but the file is not damaged
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_property_changed_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for number in range(200):
        random = Random(number)
        content = mutated(random.choice(contents), path.suffix, contents, random)
        # skip large files, which only take longer; the search with all readers tests them
        if len(content) < 50_000:
            check(path, content)
