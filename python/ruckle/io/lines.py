"""Writes the wrinkles of every frame as curves, for other programs.

A folder contains one OBJ file of lines per frame. A file `.usda`, `.usdc` or `.usd` contains time samples. The lines
are cut at the ends of the wrinkle, although its path may be longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from ruckle.io.provenance import provenance
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame

__all__ = ["LineWriter", "line_writer"]

USD = (".usda", ".usdc", ".usd")


class LineWriter(AbstractContextManager["LineWriter"], Protocol):
    """Writes the wrinkles of one frame after another in one format.

    Only `finish` gives the files their final names.
    """

    def append(self, frame: Frame) -> None:
        """Add the wrinkles of the next frame."""

    def finish(self) -> None:
        """Complete the output, and move the written files to their final names."""


def line_writer(
    path: Path, animation: Animation, *, first_frame: int = 0, parameters: Mapping[str, Any] | None = None
) -> LineWriter:
    """Return the writer for the format of a path.

    Parameters
    ----------
    path : path
        A new or empty folder, or a file `.usda`, `.usdc`, `.usd`, which is replaced if it exists.
    animation : Animation
        Animation of the wrinkles; its name and frame rate are written.
    first_frame : int
        Number of the first frame in names and time codes.
    parameters : mapping, optional
        Parameters of the wrinkles, which only USD files store.

    Raises
    ------
    ValueError
        The extension is unknown.
    ModuleNotFoundError
        The format needs usd-core, which is not installed.
    OSError
        The file cannot be written, or the folder is not empty.
    """
    suffix = path.suffix.lower()
    if suffix in USD:
        from ruckle.io.lines_usd import UsdLineWriter

        notes = provenance(animation, parameters or {})
        return UsdLineWriter(path, animation, first_frame=first_frame, notes=notes)
    if suffix and not path.is_dir():
        raise ValueError(f"{path}: lines are written as a folder of OBJ files or as {', '.join(USD)}, got '{suffix}'")
    from ruckle.io.lines_obj import ObjLineWriter

    return ObjLineWriter(path, animation, first_frame=first_frame)
