"""The exceptions that ruckle raises for bad meshes, bad files, and machines that cannot draw."""

from __future__ import annotations

import errno

__all__ = ["FormatError", "GraphicsError", "MeshError", "MissingFileError"]


# Longest message of an error, in characters. A message can quote a name from a file, which can have any length.
LONGEST = 600


def _one_line(message: str) -> str:
    """Return the message as one line: cut to `LONGEST`, with escapes for line ends and terminal control characters."""
    printed = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in message[:LONGEST])
    return printed if len(printed) <= LONGEST >= len(message) else f"{printed[: LONGEST - 1]}…"


class MeshError(ValueError):
    """Error for a mesh, or a frame of an animation, that cannot be used.

    The message is one sentence that names the face, edge or vertex, and the frame if there are several.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


class FormatError(ValueError):
    """Error for a file that cannot be read (truncated, corrupted, of an unknown or unsupported kind) or written.

    The message is one sentence with the file, the value found and the values allowed. If the file to read is missing,
    the error is also a FileNotFoundError.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


class MissingFileError(FormatError, FileNotFoundError):
    """Error for a missing file or folder that should be read, or a pattern that matches no file.

    Parameters
    ----------
    path : str
    reason : str
        End of the message, after the path.
    """

    def __init__(self, path: str, reason: str = "no such file or folder") -> None:
        super().__init__(f"{path}: {reason}")
        self.errno, self.strerror, self.filename = errno.ENOENT, reason, path

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[MissingFileError], tuple[str, str]]:
        return type(self), (str(self.filename), str(self.strerror))


class GraphicsError(OSError):
    """Error if OpenGL is missing or does not support the request.

    The message is one sentence with the package to install or the values allowed.
    """
