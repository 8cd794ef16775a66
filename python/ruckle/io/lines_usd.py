"""Wrinkles as USD BasisCurves with one time sample per frame.

The prim /wrinkles holds linear curves; topology changes from frame to frame, as USD allows. Besides points and widths
per vertex it has `primvars:id` (one int per curve, the wrinkle's identity), `primvars:age` (one float per curve,
seconds) and `primvars:height` (one float per vertex, mesh units). Time codes are frame numbers. Needs usd-core.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ruckle.io.replacing import folder_beside
from ruckle.metrics import visible_line
from ruckle.wrinkler import Wrinkle

__all__ = ["UsdLineWriter"]

try:
    from pxr import Usd, UsdGeom, Vt
    from pxr.Sdf import ValueTypeNames
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "pxr":
        raise
    raise ModuleNotFoundError(
        'USD files need usd-core, which is not installed: pip install "ruckle[usd]"', name="pxr"
    ) from missing


class UsdLineWriter:
    """Writes one `.usda`, `.usdc` or `.usd` file; its time samples are held in memory until then.

    Parameters
    ----------
    path : path of the file
    fps : float
        Frames per second, which are time codes per second.
    first_frame : int
        Time code of the first frame.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    def __init__(self, path: Path, *, fps: float, first_frame: int = 0) -> None:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder, expected the name of a file", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the folder to write into does not exist", str(path.parent))
        self.path = path
        self._frame = first_frame
        self._stage: Any = Usd.Stage.CreateInMemory()
        self._stage.SetTimeCodesPerSecond(fps)
        self._stage.SetFramesPerSecond(fps)
        self._stage.SetStartTimeCode(first_frame)
        UsdGeom.SetStageUpAxis(self._stage, UsdGeom.Tokens.y)
        curves = UsdGeom.BasisCurves.Define(self._stage, "/wrinkles")
        self._stage.SetDefaultPrim(curves.GetPrim())
        curves.CreateTypeAttr(UsdGeom.Tokens.linear)
        curves.CreateWrapAttr(UsdGeom.Tokens.nonperiodic)
        curves.SetWidthsInterpolation(UsdGeom.Tokens.vertex)
        primvars = UsdGeom.PrimvarsAPI(curves)
        self._counts = curves.CreateCurveVertexCountsAttr()
        self._points = curves.CreatePointsAttr()
        self._widths = curves.CreateWidthsAttr()
        self._extent = curves.CreateExtentAttr()
        self._ids = primvars.CreatePrimvar("id", ValueTypeNames.IntArray, UsdGeom.Tokens.uniform)
        self._ages = primvars.CreatePrimvar("age", ValueTypeNames.FloatArray, UsdGeom.Tokens.uniform)
        self._heights = primvars.CreatePrimvar("height", ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex)

    def __enter__(self) -> UsdLineWriter:
        with ExitStack() as stack:
            self._waiting = stack.enter_context(folder_beside(self.path))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def append(self, wrinkles: Sequence[Wrinkle]) -> None:
        """Add the time samples of the next frame; a frame without wrinkles has empty arrays."""
        nothing = np.empty(0, np.float32)
        points = np.concatenate([np.empty((0, 3)), *map(visible_line, wrinkles)]).astype(np.float32)
        widths = np.concatenate([nothing, *(wrinkle.width for wrinkle in wrinkles)])
        heights = np.concatenate([nothing, *(wrinkle.height for wrinkle in wrinkles)])
        curve_points = Vt.Vec3fArray.FromNumpy(points)
        curve_widths = Vt.FloatArray.FromNumpy(widths)
        time = self._frame
        self._counts.Set(Vt.IntArray([len(wrinkle) for wrinkle in wrinkles]), time)
        self._points.Set(curve_points, time)
        self._widths.Set(curve_widths, time)
        self._extent.Set(UsdGeom.Curves.ComputeExtent(curve_points, curve_widths), time)
        self._ids.Set(Vt.IntArray([wrinkle.id for wrinkle in wrinkles]), time)
        self._ages.Set(Vt.FloatArray([wrinkle.age for wrinkle in wrinkles]), time)
        self._heights.Set(Vt.FloatArray.FromNumpy(heights), time)
        self._stage.SetEndTimeCode(time)
        self._frame += 1

    def finish(self) -> None:
        """Write the file."""
        written = self._waiting / self.path.name
        if not self._stage.GetRootLayer().Export(str(written)):
            raise OSError(errno.EIO, "USD could not write the file", str(self.path))
        os.replace(written, self.path)
