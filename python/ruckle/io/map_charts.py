"""Bakes heights and normals into a square map of texture space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.texels import Texels, cover
from ruckle.mesh.animation import Animation
from ruckle.surface.layers import shapes_of
from ruckle.surface.surface import Surface

__all__ = ["BakedMaps", "MapCharts", "tangent_normals"]


class BakedMaps(NamedTuple):
    """Maps of one frame. The first row is at v = 1.

    Attributes
    ----------
    heights : (S, S) float32, mesh units
        Heights above the surface without wrinkles; 0 outside the charts.
    normals : (S, S, 3) float32
        Normals in tangent space; (0, 0, 1) outside the charts.
    """

    heights: Float32
    normals: Float32


class MapCharts:
    """The cloth triangle that covers each texel of a square map.

    Parameters
    ----------
    animation : Animation
    size : int, in [1, 16384]
        Number of texels along each side.

    Attributes
    ----------
    overlap : float
        Share of the covered texels that belong to several triangles. There, maps show only one of them.

    Raises
    ------
    ValueError
        Texture coordinates are missing or outside [0, 1], or the size is out of range.
    """

    def __init__(self, animation: Animation, size: int) -> None:
        if not 1 <= size <= 16384:
            raise ValueError(f"map_size: expected an integer in [1, 16384], got {size}")
        if animation.uv is None:
            raise ValueError(f"{animation.name}: has no texture coordinates, over which maps are baked")
        if animation.uv.min() < 0.0 or animation.uv.max() > 1.0:
            low, high = float(animation.uv.min()), float(animation.uv.max())
            raise ValueError(
                f"{animation.name}: texture coordinates run from {low:g} to {high:g}, maps can be baked over [0, 1]"
            )
        self.size = size
        self._uv = animation.uv
        self._uv_faces = animation.faces if animation.uv_faces is None else animation.uv_faces
        self._texels = cover(self._uv[self._uv_faces], size)
        self.overlap = self._texels.overlap

    def bake(self, surface: Surface) -> BakedMaps:
        """Return the maps of a frame. Raise ValueError if a layer replaces the shape of the cloth."""
        if shapes_of(surface.frame):
            raise ValueError(
                "form: maps contain only heights over the coarse mesh, but a layer changes its shape; write meshes"
            )
        texels = self._texels
        points = surface.evaluate(texels.faces, texels.barycentric)
        heights = np.zeros((self.size, self.size), np.float32)
        heights[texels.rows, texels.columns] = points.heights
        normals = np.zeros((self.size, self.size, 3), np.float32)
        normals[..., 2] = 1.0
        baked = tangent_normals(surface, texels, self._uv, self._uv_faces, points.normals)
        normals[texels.rows, texels.columns] = baked
        return BakedMaps(heights, normals)

    def bake_values(self, surface: Surface, values: Float32) -> Float32:
        """Return a map (S, S, n) that interpolates values (V, n) of the cloth's vertices, with 0 outside the charts."""
        texels = self._texels
        result = np.zeros((self.size, self.size, values.shape[1]), np.float32)
        corners = values[surface.topology.faces[texels.faces]]
        result[texels.rows, texels.columns] = _interpolate(corners, texels.barycentric)
        return result


def tangent_normals(
    surface: Surface, texels: Texels, uv: Float32, uv_faces: NDArray[np.int32], normals: Float32
) -> Float32:
    """Return tangent-space normals (N, 3) of the surface at texels; axes along u, v, and the coarse normal.

    Tangents are averaged over the faces around each texture coordinate, so that normals are continuous within a chart.
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
    # in a mirrored chart, v points in the opposite direction
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
