"""The wrinkled surface as one GLB file that engines play without code: a fine mesh with a morph target per frame.

Every frame has the same fine faces. The mesh is the first frame; target k moves positions and normals to frame k + 1,
and the animation `wrinkled` goes from one to the next. Vertices are split at seams of the texture coordinates. Y points
up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32
from ruckle.io.fine_texture import fine_texture
from ruckle.io.glb import ARRAY_BUFFER, ELEMENT_BUFFER, FROM_Z_UP, GlbDocument, require_room
from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface

__all__ = ["FineVertices", "GlbFineWriter", "begun"]


class FineVertices:
    """The vertices of a fine mesh as engines have them: with one texture coordinate each.

    Attributes
    ----------
    faces : (M, 3) uint32
    uv : (K, 2) float32, v points down; None if the animation does not have any
    """

    def __init__(self, fine: FineMesh, animation: Animation) -> None:
        texture = fine_texture(fine, animation)
        self._fine_faces = fine.faces
        self._origins: NDArray[Any] = np.arange(fine.vertex_count)
        self.faces, self.uv = fine.faces.astype(np.uint32), None
        if texture is not None:
            pairs = np.stack([fine.faces.ravel(), texture.faces.ravel()], axis=1)
            kept, numbers = np.unique(pairs, axis=0, return_inverse=True)
            self._origins, self.faces = kept[:, 0], numbers.reshape(-1, 3).astype(np.uint32)
            self.uv = (texture.uv[kept[:, 1]] * (1.0, -1.0) + (0.0, 1.0)).astype(np.float32)

    def of(self, fine: FineMesh) -> tuple[Float32, Float32]:
        """Return positions and normals (K, 3) of a frame; ValueError if its faces differ."""
        if not np.array_equal(fine.faces, self._fine_faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        return fine.positions[self._origins], fine.normals[self._origins]


def begun(animation: Animation, notes: Mapping[str, str]) -> GlbDocument:
    """Return a document with the one node of an animation's fine mesh."""
    document = GlbDocument(f"ruckle {_core.__version__}", notes)
    node: dict[str, Any] = {"mesh": 0, "name": animation.name or "wrinkled"}
    document.root["nodes"] = [node if animation.up == "y" else node | {"rotation": FROM_Z_UP}]
    return document


class GlbFineWriter(FileReplacement):
    """Writes the surface of every frame as a morph target; they are held in memory until then."""

    fixed = True

    def __init__(self, path: Path, animation: Animation, *, notes: Mapping[str, str]) -> None:
        super().__init__(path)
        self._animation = animation
        self._document = begun(animation, notes)
        self._vertices: FineVertices | None = None
        self._first: tuple[Float32, ...] = ()
        self._targets: list[dict[str, int]] = []

    def append(self, surface: Surface) -> None:
        """Add the next frame."""
        fine, document = surface.displace(), self._document
        if self._vertices is None:
            self._vertices = FineVertices(fine, self._animation)
            self._first = self._vertices.of(fine)
            # positions and normals of all frames, before the work on the second
            require_room(self._animation.frame_count * sum(array.nbytes for array in self._first))
            return
        moved = [there - here for here, there in zip(self._first, self._vertices.of(fine), strict=True)]
        names = ("POSITION", "NORMAL")
        self._targets.append(
            {name: document.accessor(to, bounds=name == "POSITION") for name, to in zip(names, moved, strict=True)}
        )

    def finish(self) -> None:
        """Write the file."""
        assert self._vertices is not None
        document, vertices, targets = self._document, self._vertices, self._targets
        positions, normals = self._first
        attributes = {
            "POSITION": document.accessor(positions, target=ARRAY_BUFFER, bounds=True),
            "NORMAL": document.accessor(normals, target=ARRAY_BUFFER),
        }
        if vertices.uv is not None:
            attributes["TEXCOORD_0"] = document.accessor(vertices.uv, target=ARRAY_BUFFER)
        primitive: dict[str, Any] = {
            "attributes": attributes,
            "indices": document.accessor(vertices.faces.ravel(), target=ELEMENT_BUFFER),
        }
        mesh: dict[str, Any] = {"name": self._animation.name or "wrinkled", "primitives": [primitive]}
        if targets:
            primitive["targets"], mesh["weights"] = targets, [0.0] * len(targets)
            times = (np.arange(len(targets) + 1) / self._animation.fps).astype(np.float32)
            # row k has all of target k - 1, and the first row none
            weights = np.eye(len(times), len(targets), -1, dtype=np.float32)
            sampler = {
                "input": document.accessor(times, bounds=True),
                "output": document.accessor(weights.ravel()),
                "interpolation": "LINEAR",
            }
            channel = {"sampler": 0, "target": {"node": 0, "path": "weights"}}
            document.root["animations"] = [{"name": "wrinkled", "samplers": [sampler], "channels": [channel]}]
        document.root["meshes"] = [mesh]
        with self.create(self.path.name) as file:
            document.write(file)
        super().finish()
