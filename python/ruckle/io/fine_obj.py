"""Fine meshes as Wavefront OBJ, one file per frame: positions, normals, texture coordinates, materials and colours.

Materials of the animation are in NAME.mtl, their pictures next to it. Colours that vary over the mesh follow the
positions as `v x y z r g b`, from 0 to 1 and linear, as MeshLab and Blender read them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.fine_materials import FineMaterials, Material, picture_suffix
from ruckle.io.fine_texture import Texture, fine_texture
from ruckle.io.frame_folder import FrameFolder
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface

__all__ = ["ObjFineWriter", "write_fine_obj"]


class ObjFineWriter(FrameFolder):
    """Writes FOLDER/NAME_0000.obj and so on; `v` begins with the animation's vertices in their order."""

    fixed = False
    purpose = "fine meshes"

    def __init__(self, folder: Path, animation: Animation, *, first_frame: int = 0) -> None:
        super().__init__(folder, animation, first_frame=first_frame)
        self._materials = FineMaterials.of(animation)

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return about how many bytes so many frames of a fine mesh take."""
        return frames * (vertices * 75 + faces * (36 if self._animation.uv is None else 50))

    def append(self, surface: Surface) -> None:
        """Write the file of the next frame."""
        fine, found = surface.displace(), self._materials
        colors = found.fine_colors(fine)
        with self.create_frame(".obj") as file:
            write_fine_obj(
                fine,
                fine_texture(fine, self._animation),
                file,
                colors=None if colors is None else at_vertices(fine, colors),
                library=f"{self._stem}.mtl" if found.materials else None,
                materials=found.materials,
                of_faces=found.of_faces[fine.face_coarse_faces],
            )
        self.advance()

    def finish(self) -> None:
        """Write the materials and their pictures."""
        if self._materials.materials:
            with self.create(f"{self._stem}.mtl") as file:
                for material in self._materials.materials:
                    file.write(self._entry(material).encode())
        super().finish()

    def _entry(self, material: Material) -> str:
        """Return a material's lines, and write its picture."""
        lines = [f"newmtl {material.name}", "Kd {:.6g} {:.6g} {:.6g}".format(*material.color), "illum 1"]
        if material.image is not None:
            content = material.image.read()
            name = f"{self._stem}_{material.name}{picture_suffix(content)}"
            with self.create(name) as file:
                file.write(content)
            lines.append(f"map_Kd {name}")
        return "\n".join(lines) + "\n\n"


def at_vertices(fine: FineMesh, corners: Float32) -> Float32:
    """Return the colours (N, 3) of fine vertices from those of corners (M, 3, 3); at seams the last of several."""
    colors = np.ones((fine.vertex_count, 3), np.float32)
    colors[fine.faces.ravel()] = corners.reshape(-1, 3)
    return colors


def write_fine_obj(
    fine: FineMesh,
    texture: Texture | None,
    file: BinaryIO,
    *,
    colors: Float32 | None = None,
    library: str | None = None,
    materials: list[Material] | None = None,
    of_faces: NDArray[np.integer] | None = None,
) -> None:
    """Write one file; float32 survives exactly in nine digits.

    Parameters
    ----------
    fine : FineMesh
    texture : Texture, optional
    file : binary file
    colors : (N, 3) float32, optional
        Linear colours of the vertices.
    library : str, optional
        Name of the file of materials.
    materials : list of Material, optional
    of_faces : (M,) int, optional
        The material of each face.
    """
    corners = fine.faces + 1
    if library is not None:
        file.write(f"mtllib {library}\n".encode())
    if colors is None:
        file.write(_rows(b"v %.9g %.9g %.9g\n", fine.positions))
    else:
        file.write(_rows(b"v %.9g %.9g %.9g %.4g %.4g %.4g\n", np.concatenate([fine.positions, colors], axis=1)))
    file.write(_rows(b"vn %.6g %.6g %.6g\n", fine.normals))
    if texture is None:
        pattern, indices = b"f %d//%d %d//%d %d//%d\n", np.repeat(corners, 2, axis=1)
    else:
        file.write(_rows(b"vt %.9g %.9g\n", texture.uv))
        pattern = b"f %d/%d/%d %d/%d/%d %d/%d/%d\n"
        indices = np.stack([corners, texture.faces + 1, corners], axis=2).reshape(-1, 9)
    if not materials or of_faces is None:
        file.write(_rows(pattern, indices))
        return
    for number, material in enumerate(materials):
        if (of_faces == number).any():
            file.write(f"usemtl {material.name}\n".encode())
            file.write(_rows(pattern, indices[of_faces == number]))


def _rows(pattern: bytes, values: NDArray[Any]) -> bytes:
    """Return one line per row; formatting them all at once takes a third of the time of one by one."""
    return (pattern * len(values)) % tuple(values.ravel().tolist())
