"""Fine meshes as binary PLY, one file per frame.

Vertices have x, y, z, nx, ny, nz and height (of the wrinkles, mesh units). With the tension map, they also have red,
green and blue. Faces have a list of vertex indices. If the animation has texture coordinates, faces also have the list
`texcoord` with the (u, v) of their three corners, which MeshLab and Blender read.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from ruckle.arrays import Float32
from ruckle.io.frame_folder import FrameFolder
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface
from ruckle.surface.tension import fine_tension

__all__ = ["PlyFineWriter", "write_fine_ply"]

VERTEX = np.dtype([("positions", "<f4", 3), ("normals", "<f4", 3), ("heights", "<f4")])
COLORED_VERTEX = np.dtype([*VERTEX.descr, ("colors", "u1", 3)])
FACE = [("count", "u1"), ("indices", "<i4", 3)]
TEXTURED_FACE = [*FACE, ("uv_count", "u1"), ("uv", "<f4", 6)]


class PlyFineWriter(FrameFolder):
    """Writes FOLDER/NAME_0000.ply and so on. The first vertices are those of the animation, in order."""

    fixed = False
    purpose = "fine meshes"

    def __init__(self, folder: Path, animation: Animation, *, first_frame: int = 0, tension: bool = False) -> None:
        super().__init__(folder, animation, first_frame=first_frame)
        self._tension = tension

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes for this many fine vertices, faces and frames."""
        return frames * (vertices * VERTEX.itemsize + faces * (13 if self._animation.uv is None else 38))

    def append(self, surface: Surface) -> None:
        """Write the file of the next frame."""
        fine = surface.displace()
        tension = fine_tension(surface.frame, fine) if self._tension else None
        with self.create_frame(".ply") as file:
            write_fine_ply(fine, self._animation, file, tension)
        self.advance()


def write_fine_ply(fine: FineMesh, animation: Animation, file: BinaryIO, colors: Float32 | None = None) -> None:
    """Write a fine mesh to one file. The vertex colours `colors` (N, 3) are from 0 to 1."""
    uv = None
    if animation.uv is not None:
        uv = fine.corner_values(animation.uv, animation.faces if animation.uv_faces is None else animation.uv_faces)
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {fine.vertex_count}"]
    header += [f"property float {name}" for name in ("x", "y", "z", "nx", "ny", "nz", "height")]
    header += [f"property uchar {name}" for name in ("red", "green", "blue") if colors is not None]
    header += [f"element face {fine.face_count}", "property list uchar int vertex_indices"]
    header += ["property list uchar float texcoord"] * (uv is not None)
    vertices = np.empty(fine.vertex_count, VERTEX if colors is None else COLORED_VERTEX)
    if colors is not None:
        vertices["colors"] = np.round(255 * colors)
    vertices["positions"], vertices["heights"] = fine.positions, fine.heights
    # a file has one normal per vertex: at a crease, that of one side
    vertices["normals"] = fine.normal_rows().of(fine)[: fine.vertex_count]
    faces = np.empty(fine.face_count, FACE if uv is None else TEXTURED_FACE)
    faces["count"], faces["indices"] = 3, fine.faces
    if uv is not None:
        faces["uv_count"], faces["uv"] = 6, uv.reshape(-1, 6)
    file.write("\n".join([*header, "end_header\n"]).encode("ascii"))
    file.write(vertices.tobytes())
    file.write(faces.tobytes())
