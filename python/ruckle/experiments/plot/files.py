"""Writing of figures to files: check of the format, and replacement of old files by complete files."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from ruckle.io.replacing import check_writable, replacing

__all__ = ["check_picture", "save_picture"]


def check_picture(path: Path) -> None:
    """Check that a picture can be written to a path, before it is computed.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ValueError
        matplotlib does not support this extension; the message lists the supported extensions.
    OSError
        The folder does not exist, or the path is a folder or a device.
    """
    allowed = sorted(Figure().canvas.get_supported_filetypes())
    if _format(path) not in allowed:
        raise ValueError(f"{path}: cannot be drawn as '{path.suffix}', allowed are .{', .'.join(allowed)}")
    check_writable(path)


def save_picture(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the extension; an existing file is replaced when the new file is complete.

    Parameters
    ----------
    figure : matplotlib Figure
    path : Path

    Raises
    ------
    OSError
        The folder is not writable, or the disk is full.
    """
    with replacing(path) as file:
        figure.savefig(file, format=_format(path), dpi="figure")


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")
