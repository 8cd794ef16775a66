"""Fine meshes as OBJ, one file per frame: positions, normals, texture coordinates, materials and colours.

NAME.mtl contains the materials, and its folder the pictures. Vertex colours are linear, from 0 to 1, in lines `v x y z
r g b`, which MeshLab and Blender read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.fine_materials import FineMaterials, Material, picture_suffix
from ruckle.io.fine_texture import fine_texture
from ruckle.io.frame_folder import FrameFolder
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface

__all__ = ["ObjFineWriter", "material_files", "write_fine_obj"]


class ObjFineWriter(FrameFolder):
    """Writes FOLDER/NAME_0000.obj and so on. The first `v` lines are the vertices of the animation, in order."""

    fixed = False
    purpose = "fine meshes"

    def __init__(self, folder: Path, animation: Animation, *, first_frame: int = 0) -> None:
        super().__init__(folder, animation, first_frame=first_frame)
        self._materials = FineMaterials.of(animation)

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes for this many fine vertices, faces and frames."""
        return frames * (vertices * 75 + faces * (36 if self._animation.uv is None else 50))

    def append(self, surface: Surface) -> None:
        """Write the file of the next frame."""
        library = f"{self._stem}.mtl" if self._materials.materials else None
        with self.create_frame(".obj") as file:
            write_fine_obj(surface.displace(), self._animation, self._materials, library, file)
        self.advance()

    def finish(self) -> None:
        """Write the material file and the pictures."""
        for name, content in material_files(self._materials.materials, self._stem).items():
            with self.create(name) as file:
                file.write(content)
        super().finish()


def material_files(materials: list[Material], stem: str) -> dict[str, bytes]:
    """Return the bytes of STEM.mtl and of the materials' pictures by file name; empty without materials."""
    files, lines = dict[str, bytes](), list[str]()
    for material in materials:
        lines += [f"newmtl {material.name}", "Kd {:.6g} {:.6g} {:.6g}".format(*material.color), "illum 1"]
        if material.image is not None:
            content = material.image.read()
            name = f"{stem}_{material.name}{picture_suffix(content)}"
            files[name] = content
            lines.append(f"map_Kd {name}")
        lines.append("")
    if materials:
        files[f"{stem}.mtl"] = "\n".join(lines).encode()
    return files


def at_vertices(fine: FineMesh, corners: Float32) -> Float32:
    """Return vertex colours (N, 3) from face corner colours (M, 3, 3): the colour of the last corner of the vertex."""
    colors = np.ones((fine.vertex_count, 3), np.float32)
    colors[fine.faces.ravel()] = corners.reshape(-1, 3)
    return colors


def write_fine_obj(
    fine: FineMesh, animation: Animation, found: FineMaterials, library: str | None, file: BinaryIO
) -> None:
    """Write one file. Positions and texture coordinates have nine digits, which represent every float32 exactly.

    Parameters
    ----------
    fine : FineMesh
    animation : Animation
        Animation with the texture coordinates.
    found : FineMaterials
        Materials of the animation.
    library : str, optional
        File name of the material file (.mtl).
    file : binary file
    """
    texture, colors = fine_texture(fine, animation), found.fine_colors(fine)
    if library is not None:
        file.write(f"mtllib {library}\n".encode())
    if colors is None:
        file.write(_rows(b"v %.9g %.9g %.9g\n", fine.positions))
    else:
        points = np.concatenate([fine.positions, at_vertices(fine, colors)], axis=1)
        file.write(_rows(b"v %.9g %.9g %.9g %.4g %.4g %.4g\n", points))
    normals = fine.normal_rows()
    file.write(_rows(b"vn %.6g %.6g %.6g\n", normals.of(fine)))
    corners, sides = fine.faces + 1, normals.faces + 1
    if texture is None:
        pattern, indices = b"f %d//%d %d//%d %d//%d\n", np.stack([corners, sides], axis=2).reshape(-1, 6)
    else:
        file.write(_rows(b"vt %.9g %.9g\n", texture.uv))
        pattern = b"f %d/%d/%d %d/%d/%d %d/%d/%d\n"
        indices = np.stack([corners, texture.faces + 1, sides], axis=2).reshape(-1, 9)
    if library is None:
        file.write(_rows(pattern, indices))
        return
    of_faces = found.of_faces[fine.face_coarse_faces]
    for number, material in enumerate(found.materials):
        if (of_faces == number).any():
            file.write(f"usemtl {material.name}\n".encode())
            file.write(_rows(pattern, indices[of_faces == number]))


def _rows(pattern: bytes, values: NDArray[Any]) -> bytes:
    """Return one line of text per row of `values`. One call for all rows is three times as fast as a call per row."""
    return (pattern * len(values)) % tuple(values.ravel().tolist())
