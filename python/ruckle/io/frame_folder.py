"""Base class of writers with one file per frame. All files appear together after the last one is complete."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import BinaryIO, ClassVar

from ruckle.io.replacing import FolderReplacement
from ruckle.mesh.animation import Animation

__all__ = ["FrameFolder"]


class FrameFolder(FolderReplacement):
    """Names the files FOLDER/NAME_0000.obj and so on. `finish` moves the files into the folder.

    Parameters
    ----------
    folder : path of a new or empty folder
    animation : Animation
        NAME is the name of the animation, with "_" in place of characters that are unsuitable in file names. The number
        of frames decides the number of digits, which is at least 4.
    first_frame : int
        Number of the first frame in file names.

    Raises
    ------
    FileExistsError
        The folder is not empty. Frames of two runs would be mixed.
    FileNotFoundError
        The parent folder does not exist.
    NotADirectoryError
        `folder` exists and is not a folder.
    """

    purpose: ClassVar[str]
    """Purpose of the files, which error messages contain."""

    def __init__(self, folder: Path, animation: Animation, *, first_frame: int = 0) -> None:
        super().__init__(folder, self.purpose)
        if folder.is_dir() and any(folder.iterdir()):
            raise FileExistsError(errno.EEXIST, "expected a folder that is new or empty", str(folder))
        self._animation = animation
        self._stem = re.sub(r"[^\w.-]+", "_", animation.name) or "frame"
        self._digits = max(4, len(str(first_frame + animation.frame_count - 1)))
        self._frame = first_frame

    def file(self, suffix: str, part: str = "") -> Path:
        """Return the path of a file of the current frame, NAME_PART_0000.SUFFIX."""
        stem = f"{self._stem}_{part}" if part else self._stem
        return self._folder / f"{stem}_{self._frame:0{self._digits}d}{suffix}"

    def create_frame(self, suffix: str) -> BinaryIO:
        """Open the file of the current frame."""
        return self.create(self.file(suffix).name)

    def advance(self) -> None:
        """Increase the frame number of the next file by 1."""
        self._frame += 1
