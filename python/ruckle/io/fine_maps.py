"""Wrinkles baked into maps over texture space, two OpenEXR files per frame.

NAME_height_0000.exr has one channel, Y: the height above the base in mesh units, as a displacement along the normal.
NAME_normal_0000.exr has R, G, B: the unit normal of the wrinkled surface in tangent space, x along growing u, y along
growing v, z along the interpolated normal of the coarse mesh; flat cloth is (0, 0, 1). Row 0 is v = 1. Charts are
padded by a few texels, so that filtering does not reach over their borders. With the tension map, NAME_tension_0000.exr
has R, G, B of `ruckle.surface.tension.vertex_tension`. Needs OpenEXR.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.frame_folder import FrameFolder
from ruckle.io.texels import Texels, cover
from ruckle.mesh.animation import Animation
from ruckle.surface.layers import shapes_of
from ruckle.surface.surface import Surface
from ruckle.surface.tension import vertex_tension

__all__ = ["MapWriter", "tangent_normals", "write_map"]

try:
    import OpenEXR
except ModuleNotFoundError as missing:
    if missing.name != "OpenEXR":
        raise
    raise ModuleNotFoundError(
        'baked maps need OpenEXR, which is not installed: pip install "ruckle[maps]"', name="OpenEXR"
    ) from missing


class MapWriter(FrameFolder):
    """Writes the maps of every frame into a folder.

    Raises
    ------
    ValueError
        Texture coordinates are missing, or some are outside the unit square; or the size is out of its range.
    """

    fixed = False
    purpose = "maps"

    def __init__(
        self, folder: Path, animation: Animation, *, first_frame: int = 0, size: int = 1024, tension: bool = False
    ) -> None:
        if not 1 <= size <= 16384:
            raise ValueError(f"map_size: expected an integer in [1, 16384], got {size}")
        if animation.uv is None:
            raise ValueError(f"{animation.name}: has no texture coordinates, over which maps are baked")
        if animation.uv.min() < 0.0 or animation.uv.max() > 1.0:
            low, high = float(animation.uv.min()), float(animation.uv.max())
            raise ValueError(
                f"{animation.name}: texture coordinates run from {low:g} to {high:g}, maps can be baked over [0, 1]"
            )
        super().__init__(folder, animation, first_frame=first_frame)
        self._size, self._tension = size, tension
        self._uv = animation.uv
        self._uv_faces = animation.faces if animation.uv_faces is None else animation.uv_faces
        self._texels = cover(self._uv[self._uv_faces], size)

    def append(self, surface: Surface) -> None:
        """Bake the maps of the next frame; ValueError if a layer gives the cloth its own shape."""
        if shapes_of(surface.frame):
            raise ValueError(
                "form: maps are of heights over the coarse mesh, and a layer gives it another shape; meshes hold both"
            )
        texels = self._texels
        points = surface.evaluate(texels.faces, texels.barycentric)
        height = np.zeros((self._size, self._size), np.float32)
        height[texels.rows, texels.columns] = points.heights
        normal = np.zeros((self._size, self._size, 3), np.float32)
        normal[..., 2] = 1.0
        normal[texels.rows, texels.columns] = tangent_normals(surface, texels, self._uv, self._uv_faces, points.normals)
        write_map({"Y": height}, self.file(".exr", "height"))
        write_map({"RGB": normal}, self.file(".exr", "normal"))
        if self._tension:
            map_of_colors = np.zeros((self._size, self._size, 3), np.float32)
            colors = vertex_tension(surface.frame)[surface.topology.faces[texels.faces]]
            map_of_colors[texels.rows, texels.columns] = _interpolate(colors, texels.barycentric)
            write_map({"RGB": map_of_colors}, self.file(".exr", "tension"))
        self.advance()


def tangent_normals(
    surface: Surface, texels: Texels, uv: Float32, uv_faces: NDArray[np.int32], normals: Float32
) -> Float32:
    """Return normals (N, 3) of the surface at texels in tangent space: along u, along v, along the coarse normal.

    Tangents are averaged over the faces around each texture coordinate, so that they are continuous within a chart.
    """
    faces = surface.topology.faces
    corners = surface.frame.positions[faces]
    sides, steps = corners[:, 1:] - corners[:, :1], uv[uv_faces][:, 1:] - uv[uv_faces][:, :1]
    turn = np.sign(steps[:, 0, 0] * steps[:, 1, 1] - steps[:, 0, 1] * steps[:, 1, 0])
    along_u = turn[:, None] * (sides[:, 0] * steps[:, 1, 1, None] - sides[:, 1] * steps[:, 0, 1, None])
    tangents = np.zeros((len(uv), 3), np.float32)
    for k in range(3):
        np.add.at(tangents, uv_faces[:, k], _unit(along_u))
    weights = texels.barycentric
    coarse = _unit(_interpolate(surface.vertex_normals[faces[texels.faces]], weights))
    tangent = _interpolate(_unit(tangents)[uv_faces[texels.faces]], weights)
    tangent = _unit(tangent - (tangent * coarse).sum(axis=1, keepdims=True) * coarse)
    # in a mirrored chart v runs the other way around
    across = np.cross(coarse, tangent) * np.where(turn[texels.faces] < 0, -1.0, 1.0)[:, None]
    result: Float32 = np.stack([(normals * axis).sum(axis=1) for axis in (tangent, across, coarse)], axis=1)
    return result.astype(np.float32)


def _interpolate(values: Float32, weights: Float32) -> Float32:
    result: Float32 = (values * weights[:, :, None]).sum(axis=1)
    return result


def _unit(vectors: Float32) -> Float32:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Float32 = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return result


def write_map(channels: Mapping[str, NDArray[np.floating]], path: Path) -> None:
    """Write an OpenEXR file of named channels."""
    # a header of its own: the file writes its size into it
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    with OpenEXR.File(header, dict(channels)) as file:
        file.write(str(path))
    # the library does not notice a full disk at the end of a file
    try:
        with OpenEXR.File(str(path)) as written:
            written.channels()
    except RuntimeError as error:
        raise OSError(errno.EIO, "the map cannot be written; is the disk full?", str(path.name)) from error
