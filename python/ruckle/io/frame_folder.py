"""A folder with one file per frame, whose files appear all at once when the last is written."""

from __future__ import annotations

import errno
import os
import re
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from ruckle.io.replacing import folder_beside

__all__ = ["FrameFolder"]


class FrameFolder:
    """Names the files FOLDER/NAME_0000.obj and so on, and moves them there in the end.

    Parameters
    ----------
    folder : path of a folder that is new or empty
    name : str
        Of the animation; what a file name should not hold becomes "_".
    first_frame : int
    frame_count : int
        Decides how many digits the numbers have, 4 at least.
    purpose : str
        What the files are, for the message.

    Raises
    ------
    FileExistsError
        The folder holds something: frames of two runs would mix.
    FileNotFoundError, NotADirectoryError
        Its place does not exist, or is a file.
    """

    def __init__(self, folder: Path, *, name: str, first_frame: int, frame_count: int, purpose: str) -> None:
        if folder.exists():
            if not folder.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, f"is a file, expected a folder for {purpose}", str(folder))
            if any(folder.iterdir()):
                raise FileExistsError(errno.EEXIST, "expected a folder that is new or empty", str(folder))
        elif not folder.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(folder.parent))
        self.folder = folder
        self._stem = re.sub(r"[^\w.-]+", "_", name) or "frame"
        self._digits = max(4, len(str(first_frame + frame_count - 1)))
        self._frame = first_frame

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.folder))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def file(self, suffix: str, part: str = "") -> Path:
        """Return where to write a file of the current frame, NAME_PART_0000.SUFFIX."""
        stem = f"{self._stem}_{part}" if part else self._stem
        return self._waiting / f"{stem}_{self._frame:0{self._digits}d}{suffix}"

    def advance(self) -> None:
        """Go on to the next frame."""
        self._frame += 1

    def finish(self) -> None:
        """Move the files to their folder."""
        self.folder.mkdir(exist_ok=True)
        for file in sorted(self._waiting.iterdir()):
            os.replace(file, self.folder / file.name)
