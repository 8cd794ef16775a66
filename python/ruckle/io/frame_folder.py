"""Base class of writers with one file per frame. All files appear together when the last one is complete."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import BinaryIO, ClassVar

from ruckle.io.replacing import FolderReplacement
from ruckle.mesh.animation import Animation

__all__ = ["FrameFolder"]


class FrameFolder(FolderReplacement):
    """Names the files FOLDER/NAME_0000.obj and so on; `finish` moves them there.

    Parameters
    ----------
    folder : path of a folder that is new or empty
    animation : Animation
        Its name, with "_" for characters that are unsuitable in file names, is NAME. Its number of frames decides the
        number of digits, at least 4.
    first_frame : int

    Raises
    ------
    FileExistsError
        The folder is not empty: frames of two runs would mix.
    FileNotFoundError, NotADirectoryError
        Its parent folder does not exist, or it is a file.
    """

    purpose: ClassVar[str]
    """Purpose of the files, for error messages."""

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
        """Continue with the next frame."""
        self._frame += 1
