"""Choice of the writer for a path: a movie, an animated GIF, one picture or a folder of pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ruckle.io.reading import as_path

__all__ = ["FilmWriter", "drawing_packages", "film_rate", "film_writer", "is_still"]

Picture = NDArray[np.uint8]

# Maximum number of pictures per second by format. GIF times are multiples of 1/100 s, and viewers slow down pictures
# shorter than 2/100 s. A lower rate also makes GIF files smaller.
FASTEST = {".mp4": 60.0, ".gif": 30.0}

# Package of each module, and the extra that installs the package.
PACKAGES = {
    "moderngl": ("moderngl", "render"),
    "glcontext": ("moderngl", "render"),
    "av": ("av", "render"),
    "PIL": ("pillow", "render"),
    "imgui_bundle": ("imgui-bundle", "view"),
}


class FilmWriter(AbstractContextManager["FilmWriter"], Protocol):
    """Interface of all writers. Files get their final names only in `finish`."""

    def append(self, picture: Picture) -> None:
        """Append a picture, (height, width, 3) uint8, top row first."""

    def finish(self) -> None:
        """Complete the output, and move the written files to their final names."""


def is_still(path: Path) -> bool:
    """Return True if the path, by its extension, is for a single picture."""
    return path.suffix.lower() == ".png" and "*" not in path.name


def film_rate(path: str | os.PathLike[str], fps: float, most: float | None = None) -> tuple[float, int]:
    """Return the number of pictures per second of a film, and the step between the frames shown.

    Parameters
    ----------
    path : path of the film
    fps : float
        Desired pictures per second: frame rate of the animation times speed of the film.
    most : float, pictures per second, optional
        Maximum rate; default: 60 for MP4, 30 for GIF, unlimited for pictures.

    Returns
    -------
    rate : float, pictures per second
    every : int
        1 shows all frames, 2 every second frame, and so on.
    """
    limit = FASTEST.get(as_path("path", path).suffix.lower(), np.inf) if most is None else most
    # the tolerance keeps a rate that equals the limit up to rounding from being halved
    every = max(1, int(np.ceil(fps / limit * (1 - 1e-6))))
    return fps / every, every


def film_writer(
    path: str | os.PathLike[str], *, size: tuple[int, int], fps: float, first_frame: int = 0, every: int = 1
) -> FilmWriter:
    """Return the writer for the file format of a path.

    Parameters
    ----------
    path : path
        `.mp4` (H.264) or `.gif`; `.png` for one picture, from exactly one `append`. An existing file is replaced. A
        pattern such as `frames/shirt_*.png`, or a folder, means one picture per frame. Files that match the pattern (in
        a folder: `*.png`) must not exist.
    size : (int, int), pixels
        Width and height of the pictures.
    fps : float, pictures per second
    first_frame, every : int
        Frame number of the first picture, and step to the next one, for file names in a folder.

    Raises
    ------
    ValueError
        The extension is unknown, or the format does not support the size.
    ModuleNotFoundError
        The extra `render` is not installed.
    OSError
        The file cannot be written, or files that match the pattern exist.
    """
    path = as_path("path", path)
    suffix = path.suffix.lower()
    if suffix in (".mp4", ".gif"):
        with drawing_packages():
            from ruckle.film.movie import GifWriter, Mp4Writer
        return (Mp4Writer if suffix == ".mp4" else GifWriter)(path, size=size, fps=fps)
    if suffix not in ("", ".png") and not path.is_dir():
        raise ValueError(
            f"{path}: films are .mp4, .gif, a .png, a pattern such as 'film_*.png' or a folder, got '{suffix}'"
        )
    with drawing_packages():
        from ruckle.film.pictures import PictureWriter, SequenceWriter
    if is_still(path) and not path.is_dir():
        return PictureWriter(path)
    folder, pattern = (path.parent, path.name) if "*" in path.name else (path, "*.png")
    return SequenceWriter(folder, pattern, first_frame=first_frame, every=every)


@contextmanager
def drawing_packages() -> Iterator[None]:
    """If a package of the extras `render` and `view` is missing in the block, name the install command in the error.

    Such an ImportError becomes a ModuleNotFoundError with a new message. A missing system library of such a package is
    also reported. Other errors are not changed.
    """
    try:
        yield
    except ImportError as error:
        name = (error.name or "").partition(".")[0]
        if name not in PACKAGES:
            raise
        package, extra = PACKAGES[name]
        if not isinstance(error, ModuleNotFoundError):
            raise ModuleNotFoundError(
                f"drawing needs {package}, which lacks a library of the system: {error}", name=name
            ) from error
        raise ModuleNotFoundError(
            f'drawing needs {package}, which is not installed: pip install "ruckle[{extra}]"', name=name
        ) from error
