"""The exceptions that ruckle raises for bad meshes, bad files, and machines that cannot draw."""

from __future__ import annotations

__all__ = ["FormatError", "GraphicsError", "MeshError"]


class MeshError(ValueError):
    """A mesh or a frame of an animation that cannot be used.

    The message is one sentence that names the face, edge, vertex and (for sequences) the frame.
    """


class FormatError(ValueError):
    """A file that cannot be read: truncated, corrupted, of an unknown or of an unsupported kind.

    The message is one sentence that names the file, what was found and what is allowed.
    """


class GraphicsError(OSError):
    """OpenGL that is missing or cannot do what is asked.

    The message is one sentence that says what to install or what is allowed.
    """
