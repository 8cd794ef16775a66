"""Fine meshes as a USD point cache: one mesh /wrinkled whose points and normals have a time sample per frame.

Every frame has the same fine faces. Besides points and normals the mesh has `primvars:height` (one float per vertex,
mesh units, above the base) and, where the animation has texture coordinates, `primvars:st` per corner. Points begin
with the animation's vertices in their order. Time codes are frame numbers. Needs usd-core.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ruckle.animation import Animation
from ruckle.fine_mesh import FineMesh
from ruckle.io.fine_texture import fine_texture
from ruckle.io.replacing import folder_beside
from ruckle.surface import Surface

__all__ = ["UsdFineWriter"]

try:
    from pxr import Usd, UsdGeom, Vt
    from pxr.Sdf import ValueTypeNames
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "pxr":
        raise
    raise ModuleNotFoundError(
        'USD files need usd-core, which is not installed: pip install "ruckle[usd]"', name="pxr"
    ) from missing


class UsdFineWriter:
    """Writes one `.usda`, `.usdc` or `.usd` file; its time samples are held in memory until then.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    fixed = True

    def __init__(self, path: Path, animation: Animation, *, first_frame: int = 0) -> None:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
        self.path = path
        self._animation = animation
        self._frame = first_frame
        self._faces: Any = None
        self._stage: Any = Usd.Stage.CreateInMemory()
        self._stage.SetTimeCodesPerSecond(animation.fps)
        self._stage.SetFramesPerSecond(animation.fps)
        self._stage.SetStartTimeCode(first_frame)
        UsdGeom.SetStageUpAxis(self._stage, UsdGeom.Tokens.y)
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

    def __enter__(self) -> UsdFineWriter:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.path))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, surface: Surface) -> None:
        """Add the time samples of the next frame."""
        fine = surface.displace().with_seams(self._animation.faces)
        if self._faces is None:
            self._set_faces(fine)
        if not np.array_equal(fine.faces, self._faces):
            raise ValueError(
                "surface: its fine faces differ from the first frame's; update it with the same edge_levels"
            )
        points = Vt.Vec3fArray.FromNumpy(fine.positions)
        self._points.Set(points, self._frame)
        self._normals.Set(Vt.Vec3fArray.FromNumpy(fine.normals), self._frame)
        self._extent.Set(UsdGeom.PointBased.ComputeExtent(points), self._frame)
        self._heights.Set(Vt.FloatArray.FromNumpy(fine.heights), self._frame)
        self._stage.SetEndTimeCode(self._frame)
        self._frame += 1

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

    def finish(self) -> None:
        """Write the file."""
        written = self._waiting / self.path.name
        if not self._stage.GetRootLayer().Export(str(written)):
            raise OSError(errno.EIO, "USD could not write the file", str(self.path))
        os.replace(written, self.path)
