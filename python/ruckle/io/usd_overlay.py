"""Writes fine meshes as a USD layer over the file from which the animation was read.

The file is a sublayer of this layer, with the same axis, unit, rate and time codes. The prims of the animation's meshes
get the fine faces, points and normals, and the texture coordinates `primvars:st`. Skins and blend shapes are removed,
because the points already include their movement. Other primvars with floating-point values per point are interpolated
to fine points. Other primvars with integers per point, or with values per polygon or corner, are blocked. Constant
primvars do not change. Face subsets contain the fine faces. Requires usd-core.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.fine_texture import fine_texture
from ruckle.io.fine_usd import normals_of, set_faces, set_texture
from ruckle.io.usd_file import Sdf, Usd, UsdFile, UsdGeom, ValueTypeNames, Vt
from ruckle.io.usd_mesh import Placement, placement
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh, NormalRows
from ruckle.surface.surface import Surface
from ruckle.surface.tension import fine_tension

__all__ = ["UsdOverlayWriter"]

# Properties that move points, are other normals, or refer to coarse points or polygons. The layer blocks the values of
# attributes, and removes the targets of relationships.
BLOCKED = (
    "primvars:skel:jointIndices",
    "primvars:skel:jointWeights",
    "primvars:skel:geomBindTransform",
    "skel:blendShapes",
    "skel:blendShapeTargets",
    "primvars:normals",
    "velocities",
    "accelerations",
    "holeIndices",
    "cornerIndices",
    "cornerSharpnesses",
    "creaseIndices",
    "creaseLengths",
    "creaseSharpnesses",
)

PER_POINT = ("vertex", "varying")


@dataclass(frozen=True, eq=False)
class OverlayMesh:
    """One prim of the file with its part of the fine mesh.

    Attributes
    ----------
    prim : prim of the layer's stage
    vertices : (n,) int
        Indices of the prim's fine vertices.
    normal_rows : NormalRows
        The prim's fine normals.
    points, normals, extent, heights, colors : attributes
    """

    prim: Any
    vertices: NDArray[np.integer]
    normal_rows: NormalRows
    points: Any
    normals: Any
    extent: Any
    heights: Any
    colors: Any


class UsdOverlayWriter(UsdFile):
    """Writes the surface of every frame over the meshes of a file.

    Parameters
    ----------
    path : path of the layer
    animation : Animation
        The animation as read from the file.
    source : path
        The file that the animation was read from.
    mesh : see `ruckle.load`
    budget : float
        See `ruckle.load`.
    first_frame : int
        Frame number of the first frame in the file.
    notes : mapping of str to str
    tension : bool
        True writes the tension map as `displayColor`.

    Raises
    ------
    FormatError
        The meshes of the file differ from the meshes of the animation.
    """

    fixed = True

    def __init__(
        self,
        path: Path,
        animation: Animation,
        *,
        source: Path,
        mesh: Any = None,
        budget: float = 1.0,
        first_frame: int,
        notes: Mapping[str, str],
        tension: bool,
    ) -> None:
        super().__init__(path, animation, first_frame=first_frame, notes=notes)
        self._source, self._tension = source, tension
        self._place: Placement = placement(source, Budget(budget), mesh=mesh)
        triangles = [np.maximum(counts - 2, 0) for counts in self._place.corner_counts]
        # for each triangle: index of its mesh, and of its polygon in the mesh
        self._face_meshes = np.repeat(np.arange(len(triangles)), [int(counts.sum()) for counts in triangles])
        self._face_polygons = np.concatenate([np.repeat(np.arange(len(counts)), counts) for counts in triangles])
        if len(self._face_meshes) != animation.face_count or sum(self._place.vertex_counts) != animation.vertex_count:
            raise FormatError(
                f"{source}: has another mesh than the animation; was it read with other options, or repaired?"
            )
        self._meshes: list[OverlayMesh] = []

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size of the file in bytes for these numbers of fine vertices, faces and frames."""
        return self.text_factor * (frames * vertices * (40 if self._tension else 28) + faces * 16)

    def _describe_stage(self) -> None:
        below = Sdf.Layer.FindOrOpen(str(self._source))
        if below is None:
            raise FormatError(f"{self._source}: cannot be read a second time")
        # USD needs the absolute path of the source file during writing; `finish` makes this path relative
        self._layer.subLayerPaths.append(str(self._source.resolve()))
        original = Usd.Stage.Open(below, Usd.Stage.LoadAll)
        self._original = original
        self._stage.SetTimeCodesPerSecond(original.GetTimeCodesPerSecond())
        self._stage.SetFramesPerSecond(original.GetFramesPerSecond())
        self._stage.SetStartTimeCode(float(self._place.codes[self._frame]))
        UsdGeom.SetStageUpAxis(self._stage, UsdGeom.GetStageUpAxis(original))
        UsdGeom.SetStageMetersPerUnit(self._stage, UsdGeom.GetStageMetersPerUnit(original))
        if original.GetDefaultPrim():
            self._layer.defaultPrim = original.GetDefaultPrim().GetName()

    def append(self, surface: Surface) -> None:
        """Write the time samples of the next frame in the space of each prim.

        Raise ValueError if the faces differ from the faces of the first frame.
        """
        fine = surface.displace()
        if not self._meshes:
            self._fine_faces = fine.faces
            self._meshes = [self._cover(number, path, fine) for number, path in enumerate(self._place.paths)]
        if not np.array_equal(fine.faces, self._fine_faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        code = float(self._place.codes[self._frame])
        space = UsdGeom.XformCache(code)
        colors = fine_tension(surface.frame, fine) if self._tension else None
        for mesh in self._meshes:
            world = np.array(space.GetLocalToWorldTransform(self._original.GetPrimAtPath(mesh.prim.GetPath())))
            # the matrix is on the right, because USD multiplies row vectors by matrices
            own = np.linalg.inv(world)
            positions = fine.positions[mesh.vertices] @ own[:3, :3] + own[3, :3]
            normals = mesh.normal_rows.of(fine) @ world[:3, :3].T
            normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
            points = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(positions, np.float32))
            mesh.points.Set(points, code)
            mesh.normals.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(normals, np.float32)), code)
            mesh.extent.Set(UsdGeom.PointBased.ComputeExtent(points), code)
            mesh.heights.Set(Vt.FloatArray.FromNumpy(fine.heights[mesh.vertices]), code)
            if colors is not None:
                mesh.colors.Set(Vt.Vec3fArray.FromNumpy(colors[mesh.vertices]), code)
        self.advance()

    def advance(self) -> None:
        """Continue with the next frame, and set the end of the layer to the time code of the written frame."""
        end = float(self._place.codes[self._frame])
        super().advance()
        self._stage.SetEndTimeCode(end)

    def finish(self) -> None:
        """Make the path of the source file relative to the layer, and move the layer to its path."""
        self._meshes, self._original, self._stage = [], None, None
        relative = os.path.relpath(self._source.resolve(), self._target.parent)
        self._layer.subLayerPaths[0] = f"./{Path(relative).as_posix()}"
        super().finish()

    def _release(self) -> None:
        super()._release()
        self._meshes, self._original = [], None

    def _cover(self, number: int, path: str, fine: FineMesh) -> OverlayMesh:
        """Write all properties of a prim that do not change between frames."""
        own_faces = np.flatnonzero(self._face_meshes[fine.face_coarse_faces] == number)
        faces = fine.faces[own_faces]
        alone = len(self._place.paths) == 1
        vertices = np.arange(fine.vertex_count) if alone else np.unique(faces).astype(np.int64)
        prim = self._stage.OverridePrim(path)
        mesh = UsdGeom.Mesh(prim)
        original = self._original.GetPrimAtPath(path)
        left_handed = UsdGeom.Mesh(original).GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
        world = np.array(UsdGeom.XformCache(float(self._place.codes[0])).GetLocalToWorldTransform(original))
        turned = left_handed != bool(np.linalg.det(world[:3, :3]) < 0.0)
        numbers = np.searchsorted(vertices, faces)
        set_faces(mesh, numbers[:, ::-1] if turned else numbers)
        texture = fine_texture(fine, self._animation)
        if texture is not None:
            corners = texture.faces[own_faces]
            set_texture(mesh, texture.uv, corners[:, ::-1] if turned else corners)
        self._take_off(prim, original)
        self._refine(number, original, prim, fine, vertices)
        self._cover_subsets(number, original, fine, own_faces)
        mesh.CreateSubdivisionSchemeAttr().Set(UsdGeom.Tokens.none)
        rows = _own_normals(fine, own_faces, vertices)
        normals = normals_of(mesh, rows._replace(faces=rows.faces[:, ::-1]) if turned else rows, len(vertices))
        if len(rows.corners) > len(vertices) and original.GetAttribute("normals").IsAuthored():
            mesh.CreateNormalsAttr().Block()
        primvars = UsdGeom.PrimvarsAPI(prim)
        vertex = UsdGeom.Tokens.vertex
        heights = primvars.CreatePrimvar("height", ValueTypeNames.FloatArray, vertex)
        colors = primvars.CreatePrimvar("displayColor", ValueTypeNames.Color3fArray, vertex) if self._tension else None
        return OverlayMesh(
            prim, vertices, rows, mesh.CreatePointsAttr(), normals, mesh.CreateExtentAttr(), heights, colors
        )

    def _take_off(self, prim: Any, original: Any) -> None:
        """Remove the skin of `original`, a prim of the file, and the properties `BLOCKED` from `prim`, its override.

        The fine points already include the movement of skin and blend shapes.
        """
        schemas = [name for name in original.GetAppliedSchemas() if name == "SkelBindingAPI"]
        if schemas:
            found = Sdf.TokenListOp()
            found.deletedItems = schemas
            prim.SetMetadata("apiSchemas", found)
        for name in BLOCKED:
            attribute, relationship = original.GetAttribute(name), original.GetRelationship(name)
            if attribute and attribute.IsAuthored():
                prim.CreateAttribute(name, attribute.GetTypeName()).Block()
            elif relationship and relationship.IsAuthored():
                prim.CreateRelationship(name).SetTargets([])

    def _refine(self, number: int, original: Any, prim: Any, fine: FineMesh, vertices: NDArray[np.integer]) -> None:
        """Interpolate floating-point values of points to fine points; block all other values that are not constant.

        The values of mesh `number`, the prim `original`, are written to `prim` for the fine `vertices`.
        """
        first = sum(self._place.vertex_counts[:number])
        corners = self._animation.faces[fine.coarse_faces[vertices]] - first
        weights = fine.barycentric[vertices]
        for primvar in UsdGeom.PrimvarsAPI(original).GetPrimvars():
            name, kind = primvar.GetPrimvarName(), primvar.GetInterpolation()
            if kind == UsdGeom.Tokens.constant or name in ("st", "normals") or name.startswith("skel:"):
                continue
            own = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
            given = primvar.ComputeFlattened(Usd.TimeCode.EarliestTime())
            values = None if given is None or kind not in PER_POINT else np.array(given)
            if values is None or values.dtype.kind != "f" or len(values) != self._place.vertex_counts[number]:
                own.GetAttr().Block()
                continue
            mixed = np.einsum("nk,nk...->n...", weights, values[corners]).astype(values.dtype)
            own.BlockIndices()
            own.Set(type(given).FromNumpy(np.ascontiguousarray(mixed)))

    def _cover_subsets(self, number: int, original: Any, fine: FineMesh, own_faces: NDArray[np.int64]) -> None:
        """Replace the polygons in face subsets, to which materials are bound, by the fine faces."""
        polygons = self._face_polygons[fine.face_coarse_faces[own_faces]]
        for subset in UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Imageable(original)):
            if subset.GetElementTypeAttr().Get() == UsdGeom.Tokens.face:
                named = np.array(subset.GetIndicesAttr().Get(Usd.TimeCode.EarliestTime()), np.int64)
                inside = np.flatnonzero(np.isin(polygons, named)).astype(np.int32)
                over = UsdGeom.Subset(self._stage.OverridePrim(subset.GetPath()))
                over.GetIndicesAttr().Set(Vt.IntArray.FromNumpy(inside))


def _own_normals(fine: FineMesh, own_faces: NDArray[np.int64], vertices: NDArray[np.integer]) -> NormalRows:
    """Return the normals of some faces of a fine mesh: one for each of `vertices`, then further normals at creases."""
    rows = fine.normal_rows()
    faces = rows.faces[own_faces]
    further = np.unique(faces[faces >= fine.vertex_count])
    # both lists ascend, and further normals have numbers above all vertices
    kept = np.concatenate([vertices, further])
    return NormalRows(rows.corners[kept], np.searchsorted(kept, faces).astype(np.int32))
