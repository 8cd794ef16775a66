"""Bakes wrinkles into maps over texture space: two OpenEXR files per frame.

NAME_height_0000.exr has one channel, Y: the height of the wrinkles in mesh units, a displacement along the normal.
NAME_normal_0000.exr has R, G, B: the unit normal of the wrinkled surface in tangent space. The axis x is in the
direction of increasing u, y of increasing v, and z is the interpolated normal of the coarse mesh. Flat cloth is (0, 0,
1). Row 0 is v = 1. Charts are padded by a few texels, so that filtering does not read texels outside the charts. With
the tension map, NAME_tension_0000.exr has R, G, B of `ruckle.surface.tension.vertex_tension`. Requires OpenEXR.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.frame_folder import FrameFolder
from ruckle.io.map_charts import MapCharts
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import Surface
from ruckle.surface.tension import vertex_tension

__all__ = ["MapStream", "MapWriter", "write_map"]

try:
    import Imath
    import OpenEXR
except ModuleNotFoundError as missing:
    if missing.name not in ("OpenEXR", "Imath"):
        raise
    raise ModuleNotFoundError(
        'baked maps need OpenEXR, which is not installed: pip install "ruckle[maps]"', name="OpenEXR"
    ) from missing


class MapWriter(FrameFolder):
    """Writes the maps of every frame into a folder.

    Raises
    ------
    ValueError
        Texture coordinates are missing or outside the unit square, or the size is out of its range.
    """

    fixed = False
    purpose = "maps"

    def __init__(
        self, folder: Path, animation: Animation, *, first_frame: int = 0, size: int = 1024, tension: bool = False
    ) -> None:
        self._charts = MapCharts(animation, size)
        self.overlap = self._charts.overlap
        super().__init__(folder, animation, first_frame=first_frame)
        self._tension = tension

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the size in bytes of the maps before compression."""
        return frames * self._charts.size**2 * 4 * (7 if self._tension else 4)

    def append(self, surface: Surface) -> None:
        """Bake the maps of the next frame. ValueError if a layer replaces the shape of the cloth."""
        baked = self._charts.bake(surface)
        write_map({"Y": baked.heights}, self.file(".exr", "height"))
        write_map({"RGB": baked.normals}, self.file(".exr", "normal"))
        if self._tension:
            write_map(
                {"RGB": self._charts.bake_values(surface, vertex_tension(surface.frame))}, self.file(".exr", "tension")
            )
        self.advance()


class MapStream:
    """An OpenEXR file of red, green and blue that is written row by row.

    Parameters
    ----------
    path : path
    width, height : int
    dtype : float16 or float32
    """

    def __init__(self, path: Path, width: int, height: int, dtype: type[np.floating[Any]]) -> None:
        header = OpenEXR.Header(width, height)
        pixel = Imath.PixelType.HALF if dtype == np.float16 else Imath.PixelType.FLOAT
        header["compression"] = Imath.Compression(Imath.Compression.ZIP_COMPRESSION)
        header["channels"] = {name: Imath.Channel(Imath.PixelType(pixel)) for name in "RGB"}
        self._path, self._dtype = path, dtype
        self._file = OpenEXR.OutputFile(str(path), header)

    def write(self, rows: Float32) -> None:
        """Write the next rows of texels, (h, width, 3): red, green and blue."""
        columns = rows.astype(self._dtype)
        self._file.writePixels({name: columns[..., k].tobytes() for k, name in enumerate("RGB")}, len(rows))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def write_map(channels: Mapping[str, NDArray[np.floating]], path: Path) -> None:
    """Write an OpenEXR file with named channels, and read it again. OSError if it is damaged (full disk)."""
    # make a new header for each file, because OpenEXR writes the size of the picture into the header
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    with OpenEXR.File(header, dict(channels)) as file:
        file.write(str(path))
    # OpenEXR does not report a full disk when it closes a file, so the file is read again
    try:
        with OpenEXR.File(str(path)) as written:
            written.channels()
    except RuntimeError as error:
        raise OSError(errno.EIO, "the map cannot be written; is the disk full?", str(path.name)) from error
