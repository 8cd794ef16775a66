"""Answers requests of `library_child.py` about a Draco mesh. Imports only the standard library and DracoPy."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

__all__ = ["Reader"]


class DracoError(Exception):
    """Error for data that is not a Draco mesh. The message continues a sentence that starts with the file's path."""


class Reader:
    """Decoder of compressed meshes, one mesh at a time."""

    Fault, format = DracoError, "Draco"

    def __init__(self) -> None:
        import DracoPy

        self._draco = DracoPy
        self.is_open = False

    def close(self) -> dict[str, Any]:
        """Mark the file as closed. The decoder does not store meshes."""
        self.is_open = False
        return {}

    def decode(self, content: str, part: str) -> tuple[Any, ...]:
        """Return the triangles of a mesh, and its attributes by their ids. Errors contain the mesh's name `part`."""
        self.is_open = True
        try:
            mesh = self._draco.decode(b64decode(content))
        except MemoryError:
            raise
        except Exception as error:  # any error of the library
            raise DracoError(f"{part}: is not a Draco mesh ({error!s:.80})") from error
        if not hasattr(mesh, "faces"):
            raise DracoError(f"{part}: is a Draco point cloud, expected triangles")
        found = {str(one["unique_id"]): one["data"] for one in mesh.attributes}
        views = {name: memoryview(array) for name, array in {"faces": mesh.faces, **found}.items()}
        return {"arrays": {name: [view.format, view.shape] for name, view in views.items()}}, *views.values()
