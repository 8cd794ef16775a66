"""Writes wrinkles as USD BasisCurves with one time sample per frame.

The prim /wrinkles contains linear curves, whose number and lengths change between frames, as USD allows. It has points
and widths per vertex, `primvars:id` (one int per curve, which identifies the wrinkle), `primvars:age` (one float per
curve, seconds) and `primvars:height` (one float per vertex, mesh units). Time codes are frame numbers. Requires
usd-core.
"""

from __future__ import annotations

import numpy as np

from ruckle.io.usd_file import UsdFile, UsdGeom, ValueTypeNames, Vt
from ruckle.paths.frame import Frame

__all__ = ["UsdLineWriter"]


class UsdLineWriter(UsdFile):
    """Writes the wrinkles of every frame. See `UsdFile` for parameters and errors."""

    def _define(self) -> None:
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

    def append(self, frame: Frame) -> None:
        """Write the time samples of the next frame. Without wrinkles, the arrays are empty."""
        wrinkles = frame.wrinkles
        nothing = np.empty(0, np.float32)
        points = np.concatenate([np.empty((0, 3)), *(wrinkle.visible_line for wrinkle in wrinkles)]).astype(np.float32)
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
        self.advance()
