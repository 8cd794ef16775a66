"""Damaged files of every format: an animation or one of our two errors, never gigabytes."""

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

# Peak of Python and NumPy allocations; the sound files take less than one megabyte.
MEMORY_LIMIT = 300e6


@pytest.fixture(params=["npz", "glb", "gltf", "obj", "pc2", "mdd"])
def sound(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[bytes]]:
    """Return a path for files of each format, and the contents of sound ones."""
    reader = READERS[request.param]
    return tmp_path / reader.name, reader.seeds(tmp_path)


def check(path: Path, content: bytes) -> bool:
    """Load and describe one content; return whether it was refused. Every other outcome fails the test."""
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
    # the sentence names the file itself, or its companion file
    assert not refused or str(path.parent) in message
    assert len(message) <= LONGEST
    assert animation is None or np.isfinite(animation.positions).all()
    # a description also reads entries that loading skips, and refuses damage there
    with contextlib.suppress(FormatError):
        assert ("problem" in describe(path)) == refused
    return refused


def test_reject_truncated_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for content in contents:
        assert not check(path, content)
        lengths = range(0, len(content) - 1, max(1, len(content) // 100))
        refused = [check(path, content[:length]) for length in lengths]
        # text may end early and still be a mesh; a binary file may not
        assert all(refused) or path.suffix == ".obj"
        assert refused[0]


# a repair of faces is a warning, not damage
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_property_changed_files(sound: tuple[Path, list[bytes]]) -> None:
    path, contents = sound
    for number in range(200):
        random = Random(number)
        content = mutated(random.choice(contents), path.suffix, contents, random)
        # larger files only take longer, and the search of all readers tries them
        if len(content) < 50_000:
            check(path, content)
