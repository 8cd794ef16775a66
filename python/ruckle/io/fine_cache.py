"""Fine meshes as a PC2 or MDD point cache, with the mesh that it moves beside it as OBJ.

Every frame has the same fine faces. Points begin with the animation's vertices in their order.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np

from ruckle.animation import Animation
from ruckle.fine_mesh import FineMesh
from ruckle.io.fine_texture import fine_texture
from ruckle.io.obj import Mesh
from ruckle.io.point_cache import CACHES, write_mesh_beside
from ruckle.io.replacing import folder_beside
from ruckle.surface import Surface

__all__ = ["FineCacheWriter"]


class FineCacheWriter:
    """Writes one `.pc2` or `.mdd` file frame by frame, and the OBJ file of the first frame.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    fixed = True

    def __init__(self, path: Path, animation: Animation) -> None:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
        self.path = path
        self._cache = CACHES[path.suffix.lower()]
        self._animation = animation
        self._first: FineMesh | None = None

    def __enter__(self) -> FineCacheWriter:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.path)) / self.path.name
            self._file: BinaryIO = stack.enter_context(self._waiting.open("wb"))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, surface: Surface) -> None:
        """Write the points of the next frame."""
        animation = self._animation
        fine = surface.displace().with_seams(animation.faces)
        if self._first is None:
            self._first = fine
            self._cache.write_header(self._file, animation.frame_count, fine.vertex_count, animation.fps)
        if not np.array_equal(fine.faces, self._first.faces):
            raise ValueError(
                "surface: its fine faces differ from the first frame's; update it with the same edge_levels"
            )
        self._cache.write_frame(self._file, fine.positions)

    def finish(self) -> None:
        """Write the mesh and move the cache to its name."""
        assert self._first is not None
        texture = fine_texture(self._first, self._animation)
        uv, uv_faces = (None, None) if texture is None else texture
        write_mesh_beside(Mesh(self._first.positions, self._first.faces, uv, uv_faces), self.path)  # type: ignore[arg-type]
        self._file.close()
        os.replace(self._waiting, self.path)
