"""Fine meshes as a USD point cache: one mesh /wrinkled whose points and normals have a time sample per frame.

Every frame has the same fine faces. In addition to points and normals the mesh has `primvars:height` (one float per
vertex, mesh units, above the base), `primvars:displayColor` with the tension map, and `primvars:st` per corner if the
animation has texture coordinates. Points begin with the animation's vertices in their order. Time codes are frame
numbers. Needs usd-core.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ruckle.io.fine_texture import fine_texture
from ruckle.io.usd_file import UsdFile, UsdGeom, ValueTypeNames, Vt
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface
from ruckle.surface.tension import fine_tension

__all__ = ["UsdFineWriter"]


class UsdFineWriter(UsdFile):
    """Writes the surface of every frame; the refusals are those of `UsdFile`."""

    fixed = True

    def __init__(
        self, path: Path, animation: Animation, *, first_frame: int, notes: Mapping[str, str], tension: bool = False
    ) -> None:
        super().__init__(path, animation, first_frame=first_frame, notes=notes)
        self._animation = animation
        self._faces: Any = None
        self._mesh = UsdGeom.Mesh.Define(self._stage, "/wrinkled")
        self._stage.SetDefaultPrim(self._mesh.GetPrim())
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._mesh.CreateDoubleSidedAttr(True)
        self._mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        self._points = self._mesh.CreatePointsAttr()
        self._normals = self._mesh.CreateNormalsAttr()
        self._extent = self._mesh.CreateExtentAttr()
        primvars = UsdGeom.PrimvarsAPI(self._mesh)
        self._heights = primvars.CreatePrimvar("height", ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex)
        color = ("displayColor", ValueTypeNames.Color3fArray, UsdGeom.Tokens.vertex)
        self._colors = primvars.CreatePrimvar(*color) if tension else None

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return about how many bytes so many frames of a fine mesh take."""
        return frames * vertices * (40 if self._colors is not None else 28) + faces * 16

    def append(self, surface: Surface) -> None:
        """Add the time samples of the next frame."""
        fine = surface.displace()
        if self._faces is None:
            self._set_faces(fine)
        if not np.array_equal(fine.faces, self._faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        points = Vt.Vec3fArray.FromNumpy(fine.positions)
        self._points.Set(points, self._frame)
        self._normals.Set(Vt.Vec3fArray.FromNumpy(fine.normals), self._frame)
        self._extent.Set(UsdGeom.PointBased.ComputeExtent(points), self._frame)
        self._heights.Set(Vt.FloatArray.FromNumpy(fine.heights), self._frame)
        if self._colors is not None:
            self._colors.Set(Vt.Vec3fArray.FromNumpy(fine_tension(surface.frame, fine)), self._frame)
        self.advance()

    def _set_faces(self, fine: FineMesh) -> None:
        self._faces = fine.faces
        self._mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(fine.face_count, 3, np.int32)))
        self._mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(fine.faces.ravel()))
        texture = fine_texture(fine, self._animation)
        if texture is not None:
            primvar = UsdGeom.PrimvarsAPI(self._mesh).CreatePrimvar(
                "st", ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
            )
            primvar.Set(Vt.Vec2fArray.FromNumpy(texture.uv))
            primvar.SetIndices(Vt.IntArray.FromNumpy(texture.faces.ravel()))
