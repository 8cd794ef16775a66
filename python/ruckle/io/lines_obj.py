"""Wrinkles as OBJ lines, one file per frame: `o wrinkle_ID` with its vertices and one `l` statement.

OBJ knows neither widths nor heights; a wrinkle is followed through the files by the name of its object.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from ruckle.io.replacing import folder_beside
from ruckle.metrics import visible_line
from ruckle.wrinkler import Wrinkle

__all__ = ["ObjLineWriter", "line_text"]


class ObjLineWriter:
    """Writes FOLDER/NAME_0000.obj and so on.

    Parameters
    ----------
    folder : path of a folder that is new or empty
    name : str
        Of the animation; what a file name should not hold becomes "_".
    first_frame : int
    digits : int
        Of the frame numbers.

    Raises
    ------
    FileExistsError
        The folder holds something: frames of two runs would mix.
    FileNotFoundError, NotADirectoryError
        Its place does not exist, or is a file.
    """

    def __init__(self, folder: Path, *, name: str, first_frame: int = 0, digits: int = 4) -> None:
        if folder.exists():
            if not folder.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "is a file, expected a folder for lines", str(folder))
            if any(folder.iterdir()):
                raise FileExistsError(errno.EEXIST, "expected a folder that is new or empty", str(folder))
        elif not folder.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(folder.parent))
        self.folder = folder
        self._stem = re.sub(r"[^\w.-]+", "_", name) or "wrinkles"
        self._frame = first_frame
        self._digits = digits

    def __enter__(self) -> ObjLineWriter:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.folder))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, wrinkles: Sequence[Wrinkle]) -> None:
        """Write the file of the next frame."""
        file = self._waiting / f"{self._stem}_{self._frame:0{self._digits}d}.obj"
        file.write_text(line_text(wrinkles), encoding="ascii", newline="\n")
        self._frame += 1

    def finish(self) -> None:
        """Move the files to their folder."""
        self.folder.mkdir(exist_ok=True)
        for file in sorted(self._waiting.iterdir()):
            os.replace(file, self.folder / file.name)


def line_text(wrinkles: Sequence[Wrinkle]) -> str:
    """Return the OBJ file of one frame's wrinkles."""
    lines = [f"# {len(wrinkles)} wrinkles, mesh units"]
    count = 0
    for wrinkle in wrinkles:
        points = visible_line(wrinkle)
        lines.append(f"o wrinkle_{wrinkle.id}")
        # nine digits keep every float32
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist()]
        lines.append("l " + " ".join(str(count + k) for k in range(1, len(points) + 1)))
        count += len(points)
    return "\n".join(lines) + "\n"
