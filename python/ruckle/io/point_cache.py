"""Reads and writes an OBJ mesh with a point cache (PC2 or MDD) of its vertices."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError, MeshError, MissingFileError
from ruckle.io import mdd, pc2
from ruckle.io.budget import Budget
from ruckle.io.obj import Mesh, read_mesh, write_mesh
from ruckle.io.reading import animation_of, as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation, Up

__all__ = ["CACHES", "describe", "has_mesh", "indexed_uv", "read", "write", "write_mesh_beside"]


@dataclass(frozen=True)
class Cache:
    """Functions that read, write and describe one cache format."""

    read_points: Callable[[Path, float | None, Budget], tuple[NDArray[np.float32], float]]
    write_header: Callable[[BinaryIO, int, int, float], None]
    write_frame: Callable[[BinaryIO, NDArray[np.float32]], None]
    header: Callable[[Path, Budget], dict[str, object]]


CACHES = {
    ".pc2": Cache(pc2.read_points, pc2.write_header, pc2.write_frame, pc2.header),
    ".mdd": Cache(mdd.read_points, mdd.write_header, mdd.write_frame, mdd.header),
}


def read(
    path: Path,
    budget: Budget,
    *,
    mesh: str | os.PathLike[str] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
    up: Up = "y",
) -> Animation:
    """Read a mesh and the cache with the positions of its vertices.

    Parameters
    ----------
    path : file of the cache
    budget : Budget
    mesh : path of the OBJ file, optional
        By default the OBJ file with the same folder and stem.
    fps : frames per second, optional
        For PC2: frame rate of the scene, by default 30. For MDD: replaces the rate that is computed from the times.
    name : str, optional
        The default is the stem of the OBJ file.
    height : mesh units, optional
        The default is the vertical extent of the mesh.
    up : {"y", "z"}
        The axis that points up.
    """
    cache = CACHES[path.suffix.lower()]
    mesh_path = path.with_suffix(".obj") if mesh is None else as_path("mesh", mesh)
    if mesh is None and path.is_file() and not mesh_path.exists():
        reason = f"holds no faces, and there is no {mesh_path.name} beside it; name the OBJ file with mesh"
        raise MissingFileError(str(path), reason)
    shape = read_mesh(mesh_path, budget)
    positions, rate = cache.read_points(path, fps, budget)
    if positions.shape[1] != shape.positions.shape[0]:
        found, expected = positions.shape[1], shape.positions.shape[0]
        raise MeshError(f"moves {found} points, but the mesh {mesh_path} has {expected} vertices")
    uv, uv_faces = indexed_uv(shape)
    return animation_of(
        path,
        positions,
        shape.faces,
        fps=rate,
        uv=uv,
        uv_faces=uv_faces,
        groups=shape.groups,
        name=name or mesh_path.stem,
        height=height,
        up=up,
    )


def write(animation: Animation, path: Path) -> None:
    """Write the cache. Also write its OBJ file, if this file does not exist.

    Raise FormatError if the OBJ file exists with other faces.
    """
    first = animation.positions[0].astype(np.float64)
    uv = None if animation.uv is None else animation.uv.astype(np.float64)
    uv_faces = None if animation.uv_faces is None else animation.uv_faces.astype(np.int64)
    mesh = Mesh(first, animation.faces.astype(np.int64), uv, uv_faces)
    cache = CACHES[path.suffix.lower()]
    has_mesh(mesh, path)
    with replacing(path) as file:
        cache.write_header(file, animation.frame_count, animation.vertex_count, animation.fps)
        cache.write_frame(file, animation.positions)
        write_mesh_beside(mesh, path)


def write_mesh_beside(mesh: Mesh, path: Path) -> None:
    """Write the OBJ file of a cache if it does not exist. Raise FormatError if it exists with other faces."""
    # do not replace an existing file, because it may contain materials and normals
    if not has_mesh(mesh, path):
        write_mesh(mesh, path.with_suffix(".obj"))


def has_mesh(mesh: Mesh, path: Path) -> bool:
    """Return True if the cache's OBJ file exists. Raise FormatError if this file contains another mesh."""
    mesh_path = path.with_suffix(".obj")
    if not mesh_path.exists():
        return False
    existing = read_mesh(mesh_path, Budget())
    if existing.positions.shape != mesh.positions.shape or not np.array_equal(existing.faces, mesh.faces):
        raise FormatError(f"{mesh_path}: exists and contains another mesh; save under another name")
    return True


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return the entries of the cache's header. The mesh is not read."""
    return CACHES[path.suffix.lower()].header(path, budget)


def indexed_uv(mesh: Mesh) -> tuple[NDArray[np.float64] | None, NDArray[np.int64] | None]:
    """Return the texture coordinates (U, 2) and the texture faces (T, 3) of a mesh.

    The texture faces are None if they are equal to the faces; both are None without texture coordinates.
    """
    if mesh.uv is None or mesh.uv_faces is None:
        return None, None
    per_vertex = mesh.uv.shape[0] == mesh.positions.shape[0] and np.array_equal(mesh.uv_faces, mesh.faces)
    return mesh.uv, None if per_vertex else mesh.uv_faces
