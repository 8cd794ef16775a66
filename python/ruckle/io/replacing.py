"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["folder_beside"]


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Make a temporary folder beside `path` for what shall be moved there; it is removed in every case."""
    # on the same file system as the result, so that the finished file can be moved to its name in one step
    folder = Path(tempfile.mkdtemp(prefix=f".{path.stem}-", dir=path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
