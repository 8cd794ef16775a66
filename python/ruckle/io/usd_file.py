"""A USD file whose values have a time sample per frame; time codes are frame numbers. Needs usd-core."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

from ruckle.io.interrupts import interrupts_held
from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Up

__all__ = ["Usd", "UsdFile", "UsdGeom", "ValueTypeNames", "Vt"]

try:
    with interrupts_held():
        from pxr import Tf, Usd, UsdGeom, Vt
        from pxr.Sdf import ValueTypeNames
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "pxr":
        raise
    raise ModuleNotFoundError(
        'USD files need usd-core, which is not installed: pip install "ruckle[usd]"', name="pxr"
    ) from missing


class UsdFile(FileReplacement):
    """Base of what writes one `.usda`, `.usdc` or `.usd` file; its time samples are held in memory until then.

    Parameters
    ----------
    path : path of the file
    fps : float
        Frames per second, which are time codes per second.
    up : {"y", "z"}
        The axis that points up.
    first_frame : int
        Time code of the first frame.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    def __init__(self, path: Path, *, fps: float, up: Up, first_frame: int) -> None:
        super().__init__(path)
        self._frame = first_frame
        self._stage: Any = Usd.Stage.CreateInMemory()
        self._stage.SetTimeCodesPerSecond(fps)
        self._stage.SetFramesPerSecond(fps)
        self._stage.SetStartTimeCode(first_frame)
        UsdGeom.SetStageUpAxis(self._stage, getattr(UsdGeom.Tokens, up))

    def advance(self) -> None:
        """Go on to the next frame."""
        self._stage.SetEndTimeCode(self._frame)
        self._frame += 1

    def finish(self) -> None:
        """Write the file."""
        try:
            written = self._stage.GetRootLayer().Export(str(self._file))
        except Tf.ErrorException as error:
            # each of its lines names a line of USD's source
            raise self._failure() from error
        if not written:
            raise self._failure()
        super().finish()

    def _failure(self) -> OSError:
        return OSError(errno.EIO, "USD cannot write the file; is the disk full?", str(self.path))
