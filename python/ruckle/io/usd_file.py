"""Base class of USD writers, with one time sample per frame and frame numbers as time codes. Requires usd-core.

Samples are written to the disk every few frames, so that the memory does not depend on the animation's length.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.signals import interrupts_held

__all__ = ["Sdf", "Tf", "Usd", "UsdFile", "UsdGeom", "UsdShade", "ValueTypeNames", "Vt", "meters_per_unit"]

try:
    with interrupts_held():
        from pxr import Sdf, Tf, Usd, UsdGeom, UsdShade, Vt
        from pxr.Sdf import ValueTypeNames
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "pxr":
        raise
    raise ModuleNotFoundError(
        'USD files need usd-core, which is not installed: pip install "ruckle[usd]"', name="pxr"
    ) from missing

# If the height of the character is at least this number of mesh units, the unit must be a centimetre: no character is
# 20 m tall.
IN_CENTIMETRES = 20.0

# Frames are saved to the disk in groups of this number.
FRAMES_HELD = 8


class UsdFile(FileReplacement):
    """Base class of writers of one `.usda`, `.usdc` or `.usd` file.

    Parameters
    ----------
    path : path of the file
    animation : Animation
        Animation whose frame rate, up axis and height define the time codes per second, the up axis and the unit.
    first_frame : int
        Time code of the first frame.
    notes : mapping of str to str
        Provenance, which is stored as `ruckle` in the layer's custom data.

    Raises
    ------
    OSError
        The folder does not exist, or the path is a folder.
    """

    def __init__(self, path: Path, animation: Animation, *, first_frame: int, notes: Mapping[str, str]) -> None:
        super().__init__(path)
        self._animation = animation
        self._frame, self._number, self._notes = first_frame, 0, notes

    def _open(self, stack: ExitStack) -> None:
        self._binary = self._folder / "samples.usdc"
        self._layer: Any = self._write(lambda: Sdf.Layer.CreateNew(str(self._binary)))
        self._stage: Any = Usd.Stage.Open(self._layer)
        stack.callback(self._release)
        self._layer.customLayerData = {"ruckle": dict(self._notes)}
        self._describe_stage()
        self._define()

    def _describe_stage(self) -> None:
        """Set the axis, unit and frame rate of the stage."""
        animation = self._animation
        self._stage.SetTimeCodesPerSecond(animation.fps)
        self._stage.SetFramesPerSecond(animation.fps)
        self._stage.SetStartTimeCode(self._frame)
        UsdGeom.SetStageUpAxis(self._stage, getattr(UsdGeom.Tokens, animation.up))
        UsdGeom.SetStageMetersPerUnit(self._stage, meters_per_unit(animation.height))

    def _define(self) -> None:
        """Define the prims of the stage; subclasses implement this method."""

    @property
    def text_factor(self) -> int:
        """Approximate size of a file in this format, divided by the size of a binary file."""
        return 3 if self.path.suffix.lower() == ".usda" else 1

    def advance(self) -> None:
        """Set the end time code to the written frame, and go to the next one. Save to the disk every few frames."""
        self._stage.SetEndTimeCode(self._frame)
        self._frame += 1
        self._number += 1
        if self._number % FRAMES_HELD == 0:
            self._save()

    def finish(self) -> None:
        """Complete the file, and move it to its path."""
        self._save()
        if self.path.suffix.lower() == ".usda":
            self._write(lambda: self._layer.Export(str(self._file)))
            self._release()
        else:
            self._release()
            os.replace(self._binary, self._file)
        super().finish()

    def _save(self) -> None:
        self._write(self._layer.Save)

    def _write(self, work: Any) -> Any:
        try:
            written = work()
        except Tf.ErrorException as error:
            # replace USD's message, because it contains lines of USD's source code
            raise self._failure() from error
        if not written:
            raise self._failure()
        return written

    def _release(self) -> None:
        """Close the file, which USD keeps open until then."""
        self._stage = self._layer = None

    def _failure(self) -> OSError:
        return OSError(errno.EIO, "USD cannot write the file; is the disk full?", str(self.path))


def meters_per_unit(height: float) -> float:
    """Return the metres per mesh unit, which are estimated from the character's height: 0.01 or 1."""
    return 0.01 if height >= IN_CENTIMETRES else 1.0
