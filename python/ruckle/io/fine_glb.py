"""The wrinkled surface as one GLB file, which engines play without code: a fine mesh with a few morph targets.

All frames have equal fine faces. A frame is a weighted sum of at most 32 morph targets (changes of positions and
normals). A singular value decomposition computes these targets. If the animation is from a glTF file, the result is a
copy of this file with its skins, materials and clips; the targets are applied before the skin. Otherwise the result has
one mesh, whose base is the first frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ruckle.arrays import Float32
from ruckle.io.carrier import Carrier, VertexData
from ruckle.io.glb import require_room
from ruckle.io.principal import PrincipalShapes, ShapeSum
from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import FineBase, Surface

__all__ = ["MORPH_TARGETS", "GlbFineWriter", "MorphError"]

# Largest number of morph targets. In each frame, engines read one texel per target and vertex.
MORPH_TARGETS = 32

# For the estimated file size: bytes per vertex of a morph target; bytes per vertex of the mesh, with texture
# coordinates and four joints; bytes per face.
TARGET_BYTES, MESH_BYTES, FACE_BYTES = 24, 56, 12

# Weight of normals in the decomposition: a unit change of a normal is equivalent to this length, in wrinkle radii.
NORMAL_WEIGHT = 2.0


@dataclass(frozen=True)
class MorphError:
    """Differences between the sums of morph targets and the frames.

    Attributes
    ----------
    targets : int
        Number of morph targets.
    mean_square : float, mesh units
        Root mean square distance over all vertices and frames.
    largest : float, mesh units
        Largest distance of a vertex in any frame.
    normal_angle : float, degrees
        Root mean square angle between the normals.
    """

    targets: int
    mean_square: float
    largest: float
    normal_angle: float


class GlbFineWriter(FileReplacement):
    """Writes the surface of all frames. The memory does not depend on the number of frames.

    Parameters
    ----------
    path : path
    animation : Animation
    carrier : Carrier
        Document and node of the mesh.
    first_frame : int
        Index of the first frame in the clip.
    notes : mapping of str to str
    """

    fixed = True
    budget = 20_000
    # Blender computes the normals of morph targets from the triangles
    base: FineBase = "smooth"

    def __init__(
        self, path: Path, animation: Animation, carrier: Carrier, *, first_frame: int, notes: Mapping[str, str]
    ) -> None:
        super().__init__(path)
        self._fps, self._carrier, self._first_frame, self._notes = animation.fps, carrier, first_frame, notes
        self._base: VertexData | None = None
        self.error: MorphError | None = None

    def _open(self, stack: ExitStack) -> None:
        frames = stack.enter_context(self.create("frames"))
        self._shapes = PrincipalShapes(frames, MORPH_TARGETS)

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes of the fine mesh."""
        return vertices * (MESH_BYTES + TARGET_BYTES * min(frames, MORPH_TARGETS)) + faces * FACE_BYTES

    def append(self, surface: Surface) -> None:
        """Store the offsets of the next frame from the base mesh. The first frame defines the base and the vertices."""
        fine, number = surface.displace(), self._first_frame + self._shapes.frame_count
        rest = None
        if self._base is None:
            rest = self._carrier.prepare(surface, fine)
            require_room(self.size(self._carrier.vertices.count, fine.face_count, MORPH_TARGETS))
        moved = self._carrier.unposed(number, self._carrier.vertices.of(fine))
        if self._base is None:
            self._base = moved if rest is None else rest
            self._unit = self._carrier.unit()
            self._normal_length = NORMAL_WEIGHT * surface.frame.length_unit / self._unit
        row = [moved[0] - self._base[0], self._normal_length * (moved[1] - self._base[1])]
        self._shapes.append(np.concatenate([part.ravel() for part in row]))

    def finish(self) -> None:
        """Compute the morph targets, set `error`, and write the file."""
        assert self._base is not None
        found = self._shapes.solve()
        self.error = self._measure(found)
        document = self._carrier.document(self._notes)
        targets = [self._split(shape) for shape in found.shapes]
        nodes = self._carrier.add_mesh(document, self._base, targets, {})
        if targets:
            times = (self._first_frame + np.arange(self._shapes.frame_count)) / self._fps
            self._carrier.animate(document, nodes, times.astype(np.float32), found.weights)
        with self.create(self.path.name) as file:
            document.write(file)
        super().finish()

    def _split(self, row: Float32) -> VertexData:
        """Return the changes of positions and normals that one row contains."""
        positions, normals = row.reshape(2, -1, 3)
        return positions, normals / np.float32(self._normal_length)

    def _measure(self, found: ShapeSum) -> MorphError:
        """Return the errors of the sums of morph targets compared with the stored frames."""
        assert self._base is not None
        squares = angles = largest = 0.0
        for row, weights in zip(self._shapes.rows(), found.weights, strict=True):
            sums = weights @ found.shapes
            there, here = self._split(row), self._split(sums)
            gaps = np.square(there[0] - here[0]).sum(axis=1, dtype=np.float64)
            squares, largest = squares + float(gaps.mean()), max(largest, float(gaps.max()))
            angles += float(np.square(_angles(self._base[1] + there[1], self._base[1] + here[1])).mean())
        count = self._shapes.frame_count
        return MorphError(
            len(found.shapes),
            self._unit * float(np.sqrt(squares / count)),
            self._unit * float(np.sqrt(largest)),
            float(np.sqrt(angles / count)),
        )


def _angles(first: Float32, second: Float32) -> Float32:
    """Return the angles between vectors (K, 3), degrees. They are precise even if the angle is small."""
    across = np.linalg.norm(np.cross(first, second), axis=1)
    result: Float32 = np.degrees(np.arctan2(across, (first * second).sum(axis=1)))
    return result
