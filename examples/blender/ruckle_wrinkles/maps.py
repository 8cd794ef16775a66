# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes normal and displacement maps of a fine mesh, over the texture coordinates of its coarse mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .garment import corner_values
from .library import FineMesh
from .motion import corner_uv

Array = NDArray[Any]

# Width in texels of the margin around UV islands. It repeats the border values, because texture filters read beyond it.
MARGIN = 4


class Baker:
    """Bakes the maps of one garment. The fine triangle of each texel is found once, in the constructor.

    Parameters
    ----------
    mesh : bpy.types.Mesh
        The coarse mesh; its active UV map must not overlap.
    faces : (T, 3) int32
        Coarse faces with joined vertices.
    fine : FineMesh
        The fine mesh of any frame.
    size : int
        Width and height, texels.

    Raises
    ------
    ValueError
        The mesh has no UV map.
    """

    def __init__(self, mesh: bpy.types.Mesh, faces: Array, fine: FineMesh, size: int) -> None:
        if mesh.uv_layers.active is None:
            raise ValueError(f"{mesh.name}: has no UV map; normal and displacement maps need one")
        self._uv = corner_uv(mesh, mesh.uv_layers.active)
        self._faces, self._size = faces, size
        corners = corner_values(fine, faces, self._uv) * size - 0.5
        self._texels, triangle, weights = rasterized(corners, size)
        self._vertices, self._weights = fine.faces[triangle], weights
        self._coarse = fine.face_coarse_faces[triangle]
        # barycentric coordinates of each texel in its coarse triangle
        unit = np.broadcast_to(np.eye(3, dtype=np.float32), (len(faces), 3, 3))
        self._coarse_weights = np.einsum("nk,nkj->nj", weights, corner_values(fine, faces, unit)[triangle])
        self._mesh = _flat_mesh(mesh, self._uv)

    def maps(self, positions: Array, fine: FineMesh) -> tuple[Array, Array]:
        """Return a normal map (S, S, 3) in [0, 1] and a height map (S, S, 1), for coarse positions (V, 3) of the frame.

        Normals are in the tangent space (MikkTSpace) of the coarse mesh with smooth shading, as the Normal Map node
        expects. Heights are along the normals of the coarse mesh, in units of the object.
        """
        frames = _tangent_frames(self._mesh, positions, self._faces)
        frame = np.einsum("nk,nkac->nac", self._coarse_weights, frames[self._coarse])
        normal = np.einsum("nk,nkc->nc", self._weights, fine.normals[self._vertices])
        tangent = np.einsum("nac,nc->na", frame, normal)
        tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-30)
        height = np.einsum("nk,nk->n", self._weights, fine.heights[self._vertices])
        normals = self._picture(0.5 + 0.5 * tangent, np.array([0.5, 0.5, 1.0]))
        return normals, self._picture(height[:, None], np.zeros(1))

    def _picture(self, values: Array, empty: Array) -> Array:
        picture = np.broadcast_to(empty, (self._size**2, len(empty))).astype(np.float32)
        known = np.zeros(self._size**2, bool)
        picture[self._texels], known[self._texels] = values, True
        return widened(picture.reshape(self._size, self._size, -1), known.reshape(self._size, self._size))


def rasterized(corners: Array, size: int) -> tuple[Array, Array, Array]:
    """Rasterize triangles with corners (M, 3, 2) in texels.

    Returns indices (N,) of covered texels, the triangle (N,) and the barycentric coordinates (N, 3) of each texel.
    """
    low = np.clip(np.ceil(corners.min(axis=1)).astype(int), 0, size)
    high = np.clip(np.floor(corners.max(axis=1)).astype(int) + 1, 0, size)
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    area = _cross(b - a, c - a)
    found = []
    spans = high - low
    for dy in range(int(spans[:, 1].max(initial=0))):
        for dx in range(int(spans[:, 0].max(initial=0))):
            chosen = np.flatnonzero((spans[:, 0] > dx) & (spans[:, 1] > dy) & (np.abs(area) > 1e-12))
            place = low[chosen] + (dx, dy)
            first = _cross(b[chosen] - place, c[chosen] - place) / area[chosen]
            second = _cross(c[chosen] - place, a[chosen] - place) / area[chosen]
            weights = np.stack([first, second, 1.0 - first - second], axis=1)
            inside = (weights >= -1e-6).all(axis=1)
            found.append((place[inside] @ (1, size), chosen[inside], weights[inside]))
    if not found:
        return np.empty(0, int), np.empty(0, int), np.empty((0, 3))
    texels, triangle, weights = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return texels, triangle, weights


def _cross(a: Array, b: Array) -> Array:
    result: Array = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return result


def widened(picture: Array, known: Array) -> Array:
    """Return a picture (S, S, n) with a margin around the texels of the mask `known` (S, S)."""
    for _ in range(MARGIN):
        total, count = np.zeros_like(picture), np.zeros(known.shape)
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            beside = np.roll(known, step, axis)
            total += np.where(beside[..., None], np.roll(picture, step, axis), 0.0)
            count += beside
        fresh = ~known & (count > 0)
        picture[fresh] = total[fresh] / count[fresh][:, None]
        known = known | fresh
    return picture


def _flat_mesh(mesh: bpy.types.Mesh, uv: Array) -> dict[str, Any]:
    """Return texture coordinates and vertices of the triangles of a mesh."""
    vertices = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", vertices.ravel())
    return {"uv": uv, "vertices": vertices}


def _tangent_frames(parts: dict[str, Any], positions: Array, faces: Array) -> Array:
    """Return tangent, bitangent and normal (T, 3, 3, 3) at the corners of the posed coarse triangles."""
    count = len(faces)
    mesh = bpy.data.meshes.new("Ruckle")
    # joined vertices make normals smooth across UV seams
    mesh.vertices.add(len(positions))
    mesh.loops.add(3 * count)
    mesh.polygons.add(count)
    mesh.loops.foreach_set("vertex_index", faces.ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
    mesh.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(positions, np.float32).ravel())
    mesh.update(calc_edges=True)
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", np.ascontiguousarray(parts["uv"], np.float32).ravel())
    mesh.shade_smooth()
    mesh.calc_tangents(uvmap="UVMap")
    frames = np.empty((3, 3 * count, 3), np.float32)
    signs = np.empty(3 * count, np.float32)
    for row, name in ((0, "tangent"), (2, "normal")):
        mesh.loops.foreach_get(name, frames[row].ravel())
    mesh.loops.foreach_get("bitangent_sign", signs)
    bpy.data.meshes.remove(mesh)
    frames[1] = signs[:, None] * np.cross(frames[2], frames[0])
    return frames.transpose(1, 0, 2).reshape(count, 3, 3, 3)


def save(path: Path, picture: Array) -> None:
    """Write a picture (S, S, 1 or 3) as 8-bit PNG or as EXR, depending on the suffix of `path`."""
    size, exr = len(picture), path.suffix == ".exr"
    image = bpy.data.images.new("Ruckle", size, size, alpha=False, float_buffer=exr, is_data=True)
    pixels = np.ones((size, size, 4), np.float32)
    pixels[..., :3] = picture
    image.pixels.foreach_set(pixels.ravel())
    image.filepath_raw, image.file_format = str(path), "OPEN_EXR" if exr else "PNG"
    image.save()
    bpy.data.images.remove(image)
