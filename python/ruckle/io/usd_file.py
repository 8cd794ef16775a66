"""A USD file whose values have a time sample per frame; time codes are frame numbers. Needs usd-core."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.signals import interrupts_held

__all__ = ["Tf", "Usd", "UsdFile", "UsdGeom", "ValueTypeNames", "Vt", "meters_per_unit"]

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

# Characters from this height on, in mesh units, are in centimetres: a real character is below 20 m.
IN_CENTIMETRES = 20.0


class UsdFile(FileReplacement):
    """Base of writers of one `.usda`, `.usdc` or `.usd` file; its time samples are held in memory until then.

    Parameters
    ----------
    path : path of the file
    animation : Animation
        Its rate gives the time codes per second, its axis the stage's, its height the metres per unit.
    first_frame : int
        Time code of the first frame.
    notes : mapping of str to str
        The provenance, as `ruckle` in the layer's custom data.

    Raises
    ------
    OSError
        The folder does not exist, or the name is a folder's.
    """

    def __init__(self, path: Path, animation: Animation, *, first_frame: int, notes: Mapping[str, str]) -> None:
        super().__init__(path)
        self._frame = first_frame
        self._stage: Any = Usd.Stage.CreateInMemory()
        self._stage.SetTimeCodesPerSecond(animation.fps)
        self._stage.SetFramesPerSecond(animation.fps)
        self._stage.SetStartTimeCode(first_frame)
        self._stage.GetRootLayer().customLayerData = {"ruckle": dict(notes)}
        UsdGeom.SetStageUpAxis(self._stage, getattr(UsdGeom.Tokens, animation.up))
        UsdGeom.SetStageMetersPerUnit(self._stage, meters_per_unit(animation.height))

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


def meters_per_unit(height: float) -> float:
    """Return the unit of a mesh whose character is so many units tall: a centimetre or a metre."""
    return 0.01 if height >= IN_CENTIMETRES else 1.0
