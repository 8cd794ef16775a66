"""Files that appear under their name only when they are complete.

What writes them is a context: inside it everything waits in a hidden folder beside the place, `finish` moves it there,
and leaving without `finish` leaves nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["FileReplacement", "FolderReplacement", "Replacement", "check_writable", "folder_beside"]


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Make a temporary folder beside `path` for what shall be moved there; it is removed in every case."""
    # on the same file system as the result, so that the finished file can be moved to its name in one step
    folder = Path(tempfile.mkdtemp(prefix=f".{path.stem}-", dir=path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_writable(path: Path) -> None:
    """Raise OSError where a file to write lies in a folder that does not exist, or is itself a folder."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))


class Replacement:
    """Base of what writes: a folder to write in, from entering to leaving.

    Parameters
    ----------
    path : path of the file or folder to appear
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._folder = stack.enter_context(folder_beside(self.path))
            self._open(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open(self, stack: ExitStack) -> None:
        """Open in the folder what is written bit by bit; the stack closes it."""


class FileReplacement(Replacement):
    """Base of what writes one file: `_file` until `finish`.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        super().__init__(path)

    @property
    def _file(self) -> Path:
        return self._folder / self.path.name

    def finish(self) -> None:
        """Move the file to its name."""
        os.replace(self._file, self.path)


class FolderReplacement(Replacement):
    """Base of what writes files into a folder: those in `_folder` until `finish`.

    Parameters
    ----------
    path : path of the folder
        Made where it does not exist.
    purpose : str
        What the files are, for the message.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        Its place does not exist, or is a file.
    """

    def __init__(self, path: Path, purpose: str) -> None:
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"is a file, expected a folder for {purpose}", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
        super().__init__(path)

    def finish(self) -> None:
        """Move the files to their folder."""
        self.path.mkdir(exist_ok=True)
        for file in sorted(self._folder.iterdir()):
            os.replace(file, self.path / file.name)
