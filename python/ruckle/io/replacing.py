"""Files that appear under their name only when they are complete.

A writer is a context. Inside it, all output is in a hidden folder next to the path. `finish` moves the output to the
path, and leaving without `finish` leaves nothing. Output is on the disk before it is moved, so that even a crash of the
machine does not replace a whole file by half a file. The next writer into the same folder removes the remains of a
killed process. Only the journal of a sweep opens a file for writing without this module.
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

# Suffix of hidden folders. Such a folder contains a file that its writer locks during its life, and the folder for the
# output.
SUFFIX = ".unfinished"
MARK, FILES = "writer", "files"

# Characters of a file's name in that of its hidden folder: some systems allow 255 bytes in all.
SHOWN = 30


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block has ended; if the block fails, nothing changes."""
    with FileReplacement(path) as replacement:
        with replacement.create(path.name) as file:
            yield file
        replacement.finish()


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Make a temporary folder next to `path` for files that will be moved there; it is removed in every case."""
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
    """Raise OSError if the folder of an output does not exist, or its name belongs to another kind of file."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is a device or a pipe, expected the name of a file", str(path))


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a crash of the machine."""
    with suppress(OSError):  # some network file systems do not know this
        _sync(folder)


class Replacement:
    """Base of writers: a folder to write in, from entering to leaving.

    Parameters
    ----------
    path : path of the file or folder to appear
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
        # closing writes the last bytes, and may fail as well
        with self._naming():
            self._stack.close()
        if isinstance(error, OSError):
            self._put_path(error)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Give an error the name of the file: that of a full disk has none."""
        try:
            yield
        except OSError as error:
            self._put_path(error)
            raise

    def _put_path(self, error: OSError) -> None:
        if error.errno is not None and error.filename is None:
            error.filename = str(self.path)

    def create(self, name: str) -> BinaryIO:
        """Open a new file in the hidden folder, to write and read it."""
        return (self._folder / name).open("x+b")

    @property
    def _target(self) -> Path:
        # the target of a symbolic link is replaced, not the link
        return Path(os.path.realpath(self.path))

    def _open(self, stack: ExitStack) -> None:
        """Open the incrementally written files in the folder; the stack closes them."""


class FileReplacement(Replacement):
    """Base of writers of one file: `_file` until `finish`.

    Raises
    ------
    OSError
        The folder does not exist, or the name is that of a folder or a device.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        super().__init__(path)

    @property
    def _file(self) -> Path:
        return self._folder / self.path.name

    def finish(self) -> None:
        """Rename the file to its final name; it gets the permissions of a file that it replaces."""
        with suppress(FileNotFoundError):
            shutil.copymode(self._target, self._file)
        _sync(self._file)
        os.replace(self._file, self._target)
        sync_folder(self._target.parent)


class FolderReplacement(Replacement):
    """Base of writers of files into a folder: those in `_folder` until `finish`.

    Parameters
    ----------
    path : path of the folder
        Created if missing.
    purpose : str
        Purpose of the files, for the message.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        Its parent folder does not exist, or it is a file.
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
        # within a folder that exists: it may be another file system's, and the one around it not ours to write into
        return self.path / "frames" if self.path.is_dir() else self.path

    def finish(self) -> None:
        """Move the files to their folder: all at once into a new folder."""
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
    """Return when the contents of a file or a folder are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _marked_folder(path: Path) -> tuple[Path, BinaryIO]:
    """Make a hidden folder next to `path`, on its file system; return it with the locked file that marks its use."""
    while True:
        try:
            folder = Path(tempfile.mkdtemp(SUFFIX, f".{path.stem[:SHOWN]}-", path.parent))
        except OSError as error:
            # report the folder that was named, not the hidden one in it: users can correct only the former
            error.filename = str(path.parent)
            raise
        # until it has the mark and its lock, another process may take the folder for a leftover: make a new one then
        with suppress(FileNotFoundError), ExitStack() as stack:
            mark = stack.enter_context((folder / MARK).open("xb"))
            take_lock(mark)
            os.stat(folder / MARK)
            stack.pop_all()
            return folder, mark


def _remove_leftovers(parent: Path) -> None:
    """Remove the hidden folders whose writers have been killed."""
    for folder in parent.glob(f".*{SUFFIX}"):
        with suppress(OSError):
            try:
                with (folder / MARK).open("r+b") as mark:
                    if take_lock(mark):
                        shutil.rmtree(folder, ignore_errors=True)
            except FileNotFoundError:
                # killed before it was marked: there is nothing in it
                folder.rmdir()
