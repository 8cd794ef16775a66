"""Figures into files: which formats there are, and writing one whole or not at all."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from ruckle.io.replacing import check_writable, replacing

__all__ = ["check_picture", "save_picture"]


def check_picture(path: Path) -> None:
    """Refuse, before any work, the name of a picture that cannot be written.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ValueError
        The extension is none that matplotlib writes; the message lists those it does.
    OSError
        The folder does not exist, or the name is that of a folder or a device.
    """
    allowed = sorted(Figure().canvas.get_supported_filetypes())
    if _format(path) not in allowed:
        raise ValueError(f"{path}: cannot be drawn as '{path.suffix}', allowed are .{', .'.join(allowed)}")
    check_writable(path)


def save_picture(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the extension; a file that is there is replaced when the new one is complete.

    Parameters
    ----------
    figure : matplotlib Figure
    path : Path

    Raises
    ------
    OSError
        The folder cannot be written, or is full.
    """
    with replacing(path) as file:
        figure.savefig(file, format=_format(path), dpi="figure")


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")
