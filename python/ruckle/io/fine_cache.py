"""Fine meshes as a PC2 or MDD point cache. An OBJ file with the same name contains the faces.

All frames have equal fine faces. The first points are the vertices of the animation, in the same order, but without
vertices that no face uses: Blender does not read those from OBJ files, and rejects a cache with other points.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ruckle.io.fine_texture import fine_texture
from ruckle.io.obj import Mesh
from ruckle.io.point_cache import CACHES, has_mesh, write_mesh_beside
from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import FineBase, Surface

__all__ = ["FineCacheWriter"]


class FineCacheWriter(FileReplacement):
    """Writes one `.pc2` or `.mdd` file frame by frame, and an OBJ file of the first frame, if it does not exist.

    Raises
    ------
    FormatError
        Raised by `append` if the OBJ file exists with other faces or vertices.
    OSError
        The folder does not exist, or a folder has this name.
    """

    fixed = True
    # caches have no normals, so that programs compute them from the triangles
    base: FineBase = "smooth"

    def __init__(self, path: Path, animation: Animation) -> None:
        super().__init__(path)
        self._cache = CACHES[path.suffix.lower()]
        self._animation = animation
        self._first: FineMesh | None = None

    def _open(self, stack: ExitStack) -> None:
        self._points: BinaryIO = stack.enter_context(self.create(self.path.name))

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the file size in bytes for this many fine vertices and frames."""
        return frames * vertices * 12

    def append(self, surface: Surface) -> None:
        """Write the points of the next frame; for the first frame, also the header.

        Raise ValueError if the faces differ from the faces of the first frame.
        """
        animation = self._animation
        fine = surface.displace()
        if self._first is None:
            self._first, self._used = fine, np.unique(fine.faces)
            # check an existing OBJ file before writing: an error if it contains another mesh
            has_mesh(self._mesh(fine), self.path)
            self._cache.write_header(self._points, animation.frame_count, len(self._used), animation.fps)
        if not np.array_equal(fine.faces, self._first.faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        self._cache.write_frame(self._points, fine.positions[self._used])

    def finish(self) -> None:
        """Write the OBJ file if it does not exist, and move the cache to its final path."""
        assert self._first is not None
        write_mesh_beside(self._mesh(self._first), self.path)
        self._points.close()
        super().finish()

    def _mesh(self, fine: FineMesh) -> Mesh:
        texture = fine_texture(fine, self._animation)
        uv, uv_faces = (None, None) if texture is None else texture
        faces = np.searchsorted(self._used, fine.faces)
        return Mesh(fine.positions[self._used], faces, uv, uv_faces)  # type: ignore[arg-type]
