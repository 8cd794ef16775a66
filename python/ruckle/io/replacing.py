"""Writes files that get their name only when they are complete.

A writer is a context manager. Inside its `with` block, all output is in a hidden folder next to the final path.
`finish` moves the output to this path. If the block ends without `finish`, the output is deleted. Before it is moved,
output is flushed to the disk, so that a partial file cannot replace a complete one, even if the machine crashes. The
next writer into a folder deletes the remains of killed processes. All output is written by this module, except the
journal of a sweep.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from ruckle.io.locks import take_lock

__all__ = [
    "FileReplacement",
    "FolderReplacement",
    "Replacement",
    "check_writable",
    "folder_beside",
    "replacing",
    "sync_folder",
]

# Suffix of hidden folders. A hidden folder contains the folder of the output, and a file that is locked while the
# writer runs.
SUFFIX = ".unfinished"
MARK, FILES = "writer", "files"

# The name of a hidden folder contains at most this number of characters of the output's name: some systems limit names
# to 255 bytes.
SHOWN = 30


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` at the end of the block. If the block fails, `path` does not change."""
    with FileReplacement(path) as replacement:
        with replacement.create(path.name) as file:
            yield file
        replacement.finish()


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Create a temporary folder for output next to `path`, and delete it at the end of the block in every case."""
    _remove_leftovers(path.parent)
    hidden, mark = _marked_folder(path)
    try:
        folder = hidden / FILES
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
        mark.close()


def check_writable(path: Path) -> None:
    """Raise OSError if the folder of an output does not exist, or if `path` exists and is not a regular file."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is a device or a pipe, expected the name of a file", str(path))


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that its file names remain after a crash of the machine."""
    with suppress(OSError):  # some network file systems do not support this
        _sync(folder)


class Replacement:
    """Base class of writers. Output is written into a hidden folder in the `with` block; `finish` moves it to `path`.

    Parameters
    ----------
    path : final path of the file or folder
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with self._naming(), ExitStack() as stack:
            self._folder = stack.enter_context(folder_beside(self._target))
            self._open(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # closing the files writes the last bytes, which may also fail
        with self._naming():
            self._stack.close()
        if isinstance(error, OSError):
            self._put_path(error)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Add the path to every OSError without a file name, for example if the disk is full."""
        try:
            yield
        except OSError as error:
            self._put_path(error)
            raise

    def _put_path(self, error: OSError) -> None:
        if error.errno is not None and error.filename is None:
            error.filename = str(self.path)

    def create(self, name: str) -> BinaryIO:
        """Open a new file in the hidden folder for writing and reading."""
        return (self._folder / name).open("x+b")

    @property
    def _target(self) -> Path:
        # replace the target of a symbolic link, not the link
        return Path(os.path.realpath(self.path))

    def _open(self, stack: ExitStack) -> None:
        """Open the files that are written frame by frame. `stack` closes them."""


class FileReplacement(Replacement):
    """Base class of writers of one file. Subclasses write to `_file`; `finish` moves this file to `path`.

    Raises
    ------
    OSError
        The folder does not exist, or `path` is a folder or a device.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        super().__init__(path)

    @property
    def _file(self) -> Path:
        return self._folder / self.path.name

    def finish(self) -> None:
        """Move the file to `path`, with the permissions of the file that it replaces."""
        with suppress(FileNotFoundError):
            shutil.copymode(self._target, self._file)
        _sync(self._file)
        os.replace(self._file, self._target)
        sync_folder(self._target.parent)


class FolderReplacement(Replacement):
    """Base class of writers of several files. Subclasses write into `_folder`; `finish` moves the files to `path`.

    Parameters
    ----------
    path : path of the folder
        The folder is created if it is missing.
    purpose : str
        Purpose of the files, for error messages.

    Raises
    ------
    FileNotFoundError
        The parent folder does not exist.
    NotADirectoryError
        `path` exists and is not a folder.
    """

    def __init__(self, path: Path, purpose: str) -> None:
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"is a file, expected a folder for {purpose}", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
        if path.is_dir():
            _remove_leftovers(path)
        super().__init__(path)

    @property
    def _target(self) -> Path:
        # the hidden folder is inside an existing folder, which may be on another file system than its parent folder, or
        # whose parent folder may be read-only
        return self.path / "frames" if self.path.is_dir() else self.path

    def finish(self) -> None:
        """Flush the files to the disk, and move them to their folder; existing files of the same names are replaced.

        A new folder appears with all files at once.
        """
        files = sorted(self._folder.iterdir())
        for file in files:
            _sync(file)
        if self.path.is_dir():
            for file in files:
                os.replace(file, self.path / file.name)
        else:
            os.rename(self._folder, self.path)
        sync_folder(self.path)
        sync_folder(self.path.parent)


def _sync(path: Path) -> None:
    """Flush a file or a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _marked_folder(path: Path) -> tuple[Path, BinaryIO]:
    """Create a hidden folder next to `path`, on the same file system. Return this folder and its locked marker file."""
    while True:
        try:
            folder = Path(tempfile.mkdtemp(SUFFIX, f".{path.stem[:SHOWN]}-", path.parent))
        except OSError as error:
            # report the parent folder, because users do not know the hidden folder
            error.filename = str(path.parent)
            raise
        # Another process may delete the folder as a leftover before the marker file is locked. In this case, the loop
        # creates a new folder.
        with suppress(FileNotFoundError), ExitStack() as stack:
            mark = stack.enter_context((folder / MARK).open("xb"))
            take_lock(mark)
            os.stat(folder / MARK)
            stack.pop_all()
            return folder, mark


def _remove_leftovers(parent: Path) -> None:
    """Delete the hidden folders in `parent` whose marker file is not locked: their writers were killed."""
    for folder in parent.glob(f".*{SUFFIX}"):
        with suppress(OSError):
            try:
                with (folder / MARK).open("r+b") as mark:
                    if take_lock(mark):
                        shutil.rmtree(folder, ignore_errors=True)
            except FileNotFoundError:
                # if the writer was killed before it created the marker file, the folder is empty
                folder.rmdir()
