"""PNG files: one picture, or one file per frame."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ruckle.io.replacing import FileReplacement, FolderReplacement

__all__ = ["PictureWriter", "SequenceWriter"]

# Number of digits of the frame numbers in file names.
DIGITS = 4


class PictureWriter(FileReplacement):
    """Writes one PNG file. Call `append` exactly once; a second call raises FileExistsError."""

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Write the picture, (height, width, 3) uint8."""
        with self.create(self.path.name) as file:
            Image.fromarray(picture).save(file, "PNG")


class SequenceWriter(FolderReplacement):
    """Writes one PNG file per frame.

    Parameters
    ----------
    folder : path of a folder
        Folder, which is created if missing.
    pattern : str
        Pattern of file names; ``*`` is replaced by the frame number.
    first_frame, every : int
        Frame number of the first picture, and difference between the frame numbers of successive pictures.

    Raises
    ------
    FileExistsError
        Files that match the pattern already exist, and frames of two films would mix.
    FileNotFoundError, NotADirectoryError
        The parent of the folder does not exist, or `folder` is a file.
    """

    def __init__(self, folder: Path, pattern: str, *, first_frame: int, every: int) -> None:
        super().__init__(folder, "pictures")
        if folder.is_dir() and any(folder.glob(pattern)):
            raise FileExistsError(errno.EEXIST, f"expected a folder without {pattern}", str(folder))
        self._pattern = pattern
        self._frame = first_frame
        self._every = every

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Write the next picture, (height, width, 3) uint8, to a new file."""
        with self.create(self._pattern.replace("*", f"{self._frame:0{DIGITS}d}", 1)) as file:
            Image.fromarray(picture).save(file, "PNG")
        self._frame += self._every
