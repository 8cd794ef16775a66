"""Animations from USD: one mesh of a stage, or several as one, with points, transforms and skeletons over time.

Polygons are split into fans of triangles. Frames are a time code apart, at the stage's time codes per second, from its
start to its end; a stage without them is one frame. Texture coordinates are `primvars:st`. Needs usd-core.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.reading import character_height
from ruckle.io.usd_file import Tf, Usd, UsdGeom, UsdSkel
from ruckle.mesh.animation import Animation, Up
from ruckle.mesh.joining import join

__all__ = ["describe", "read"]

# Texture coordinates, by the names that programs give them.
TEXTURES = ("st", "UVMap", "st0", "map1", "uv")

# Nanoseconds that a vertex takes in a frame.
VERTEX_TIME = 60.0


def read(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
    up: Up | None = None,
) -> Animation:
    """Read meshes of a stage.

    Parameters
    ----------
    path : the file
    budget : Budget
    mesh : name or path of a prim, its number among the meshes, or a list of these, optional
        By default the first that moves, else the first.
    fps : frames per second, optional
        Instead of the stage's time codes per second.
    name : str, optional
        Instead of the name of the prim.
    height : stage units, optional
        Instead of `character_height_m` of the JSON file of the same stem, else the mesh's own vertical extent.
    up : {"y", "z"}, optional
        Instead of the stage's own axis.
    """
    stage = _opened(path, budget)
    prims = _meshes(stage)
    if not prims:
        raise FormatError(f"{path}: holds no mesh")
    first, last = int(stage.GetStartTimeCode()), int(stage.GetEndTimeCode())
    codes = range(first, max(first, last) + 1) if stage.HasAuthoredTimeCodeRange() else range(1)
    rate = stage.GetTimeCodesPerSecond() if fps is None else fps
    axis: Up = up or ("z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "y")
    parts = []
    for prim in _chosen(path, prims, mesh):
        positions = _positions(path, prim, codes, budget)
        faces, uv, uv_faces = _faces(path, prim)
        tall = height or character_height(path, budget)
        parts.append(
            Animation(positions, faces, fps=rate, uv=uv, uv_faces=uv_faces, name=prim.GetName(), height=tall, up=axis)
        )
    return join(parts, name=name)


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return the meshes of a stage, its axis, unit and times."""
    stage = _opened(path, budget)
    return {
        "up_axis": str(UsdGeom.GetStageUpAxis(stage)),
        "meters_per_unit": UsdGeom.GetStageMetersPerUnit(stage),
        "time_codes": [stage.GetStartTimeCode(), stage.GetEndTimeCode()],
        "time_codes_per_second": stage.GetTimeCodesPerSecond(),
        "prims": [str(prim.GetPath()) for prim in _meshes(stage)],
    }


def _opened(path: Path, budget: Budget) -> Any:
    # what USD reads by itself is counted beforehand
    budget.read(path)
    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        raise FormatError(f"{path}: is no USD file that can be read") from error
    if any(prim.IsA(UsdSkel.Root) for prim in stage.Traverse()):
        # points by the skeletons' poses, in memory
        UsdSkel.BakeSkinning(stage.Traverse())
    return stage


def _meshes(stage: Any) -> list[Any]:
    return [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]


def _chosen(path: Path, prims: list[Any], mesh: str | int | Sequence[str | int] | None) -> list[Any]:
    if mesh is None:
        moving = (prim for prim in prims if UsdGeom.Mesh(prim).GetPointsAttr().ValueMightBeTimeVarying())
        return [next(moving, prims[0])]
    wanted = [mesh] if isinstance(mesh, str | int) else list(mesh)
    return [_prim(path, prims, one) for one in wanted]


def _prim(path: Path, prims: list[Any], wanted: str | int) -> Any:
    if isinstance(wanted, int):
        if not 0 <= wanted < len(prims):
            raise FormatError(f"{path}: has no mesh {wanted}, only 0 to {len(prims) - 1}")
        return prims[wanted]
    found = [prim for prim in prims if wanted in (prim.GetName(), str(prim.GetPath()))]
    if len(found) != 1:
        known = ", ".join(str(prim.GetPath()) for prim in prims)
        count = "several meshes" if found else "no mesh"
        raise FormatError(f"{path}: has {count} '{wanted}', {'their paths are' if found else 'only'} {known}")
    return found[0]


def _positions(path: Path, prim: Any, codes: range, budget: Budget) -> NDArray[np.float32]:
    """Return where the points are at each time code, in the stage's space."""
    points, space = UsdGeom.Mesh(prim).GetPointsAttr(), UsdGeom.XformCache()
    count = len(points.Get(codes[0]) or ())
    budget.hold_positions(len(codes), count, str(path))
    budget.spend(VERTEX_TIME * count * len(codes), str(path))
    positions = np.empty((len(codes), count, 3), np.float32)
    for frame, code in enumerate(codes):
        space.SetTime(code)
        here = np.asarray(points.Get(code), np.float64).reshape(-1, 3)
        if len(here) != count:
            raise FormatError(f"{path}: {prim.GetPath()} has {len(here)} points at time code {code}, and {count} first")
        world = np.array(space.GetLocalToWorldTransform(prim))
        # USD's matrices stand before the rows that they transform
        positions[frame] = here @ world[:3, :3] + world[3, :3]
    return positions


def _faces(path: Path, prim: Any) -> tuple[NDArray[np.int64], NDArray[np.float32] | None, NDArray[np.int64] | None]:
    """Return triangles, texture coordinates, and their triangles where they are not those of the vertices."""
    mesh = UsdGeom.Mesh(prim)
    counts, named = (
        np.asarray(attribute.Get() or (), np.int64)
        for attribute in (mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr())
    )
    if counts.sum() != len(named) or (counts < 0).any():
        raise FormatError(f"{path}: {prim.GetPath()} has {counts.sum()} corners, and {len(named)} vertices of them")
    triangles = _fans(counts)
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        triangles = triangles[:, ::-1]
    primvars = UsdGeom.PrimvarsAPI(prim)
    primvar = next((one for name in TEXTURES if (one := primvars.GetPrimvar(name)).HasValue()), None)
    if primvar is None:
        return named[triangles], None, None
    uv, indices = np.asarray(primvar.Get(), np.float32).reshape(-1, 2), np.asarray(primvar.GetIndices() or (), np.int64)
    match primvar.GetInterpolation():
        case UsdGeom.Tokens.faceVarying:
            corners = indices if primvar.IsIndexed() else np.arange(len(uv))
        case UsdGeom.Tokens.vertex | UsdGeom.Tokens.varying:
            corners = (indices if primvar.IsIndexed() else np.arange(len(uv)))[named] if len(uv) else named
        case _:
            return named[triangles], None, None
    return named[triangles], uv, corners[triangles]


def _fans(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the corners of triangles, three in a row, of polygons of so many corners."""
    starts, inner = np.cumsum(counts) - counts, np.maximum(counts - 2, 0)
    first = np.repeat(starts, inner)
    second = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner) + first + 1
    return np.stack([first, second, second + 1], axis=1)
