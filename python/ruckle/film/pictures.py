"""PNG: one picture, or one file per frame."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ruckle.io.replacing import folder_beside

__all__ = ["PictureWriter", "SequenceWriter"]

# Of the frame numbers in file names.
DIGITS = 4


class PictureWriter:
    """Writes one PNG file: the last picture that it gets.

    Parameters
    ----------
    path : path of the file
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> PictureWriter:
        with ExitStack() as stack:
            self._file = stack.enter_context(folder_beside(self.path)) / "picture.png"
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Take the picture, (height, width, 3) uint8."""
        Image.fromarray(picture).save(self._file)

    def finish(self) -> None:
        """Move the file to its name."""
        os.replace(self._file, self.path)


class SequenceWriter:
    """Writes a PNG file per frame.

    Parameters
    ----------
    folder : path of a folder
        Made where it does not exist.
    pattern : str
        Name of the files; its ``*`` is the number of the frame.
    first_frame, every : int
        Number of the first picture's frame, and of frames from one to the next.

    Raises
    ------
    FileExistsError
        Files of that pattern exist: frames of two films would mix.
    FileNotFoundError, NotADirectoryError
        The place does not exist, or is a file.
    """

    def __init__(self, folder: Path, pattern: str, *, first_frame: int, every: int) -> None:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "is a file, expected a folder for pictures", str(folder))
        if not folder.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(folder.parent))
        if folder.is_dir() and any(folder.glob(pattern)):
            raise FileExistsError(errno.EEXIST, f"expected a folder without {pattern}", str(folder))
        self.folder = folder
        self._pattern = pattern
        self._frame = first_frame
        self._every = every

    def __enter__(self) -> SequenceWriter:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.folder))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Write the file of the next picture, (height, width, 3) uint8."""
        Image.fromarray(picture).save(self._waiting / self._pattern.replace("*", f"{self._frame:0{DIGITS}d}", 1))
        self._frame += self._every

    def finish(self) -> None:
        """Move the files to their folder."""
        self.folder.mkdir(exist_ok=True)
        for file in sorted(self._waiting.iterdir()):
            os.replace(file, self.folder / file.name)
