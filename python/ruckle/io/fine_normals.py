"""Wrinkles as a sequence of normal maps for the coarse mesh, for game engines: one PNG file per frame.

NAME_normal_0000.png contains the unit normals n of the wrinkled surface in tangent space. The axis x is in the
direction of increasing u, y of increasing v (up, as in OpenGL and glTF), and z is the interpolated normal of the coarse
mesh. Colours are 127.5 (1 + n); flat cloth is (128, 128, 255). NAME.json has `frames`, `fps`, `first`, `size` and the
names of the pictures. If the animation is from a GLB or glTF file, NAME.glb is a copy of this file. Requires Pillow.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ruckle.arrays import Float32
from ruckle.io.budget import Budget
from ruckle.io.frame_folder import FrameFolder
from ruckle.io.glb import GlbDocument
from ruckle.io.gltf_container import Document
from ruckle.io.map_charts import MapCharts
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import Surface

__all__ = ["NormalWriter"]

# For the estimated file size: bytes per texel of a PNG normal map, measured with the folds of a garment.
TEXEL_BYTES = 0.12


class NormalWriter(FrameFolder):
    """Writes one normal map per frame, and a copy of the character's file.

    Parameters
    ----------
    folder, animation, first_frame : see `FrameFolder`
    size : int
        Number of texels along each side.
    original : path, optional
        File of the animation. Only GLB and glTF files are copied.

    Raises
    ------
    ValueError
        Raised as by `MapCharts`.
    """

    fixed = False
    purpose = "normal maps"

    def __init__(
        self, folder: Path, animation: Animation, *, first_frame: int, size: int, original: Path | None
    ) -> None:
        self._charts = MapCharts(animation, size)
        self.overlap = self._charts.overlap
        super().__init__(folder, animation, first_frame=first_frame)
        self._original, self._names, self._first = original, list[str](), first_frame

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes of the pictures."""
        return int(frames * self._charts.size**2 * TEXEL_BYTES)

    def append(self, surface: Surface) -> None:
        """Bake the normals of the next frame, and write them as a PNG picture."""
        name = self.file(".png", "normal").name
        with self.create(name) as file:
            Image.fromarray(_colors(self._charts.bake(surface).normals), "RGB").save(file, "PNG")
        self._names.append(name)
        self.advance()

    def finish(self) -> None:
        """Write the JSON list of the pictures, and copy the character's file."""
        said = {"frames": len(self._names), "fps": self._animation.fps, "first": self._first}
        with self.create(f"{self._stem}.json") as file:
            file.write(json.dumps(said | {"size": self._charts.size, "pictures": self._names}, indent=2).encode())
        self._copy_character()
        super().finish()

    def _copy_character(self) -> None:
        """Copy a GLB file byte by byte. A glTF file and its companion files become one GLB file."""
        suffix = None if self._original is None else self._original.suffix.lower()
        if self._original is None or suffix not in (".glb", ".gltf"):
            return
        with self.create(f"{self._stem}.glb") as file:
            if suffix == ".glb":
                file.write(self._original.read_bytes())
            else:
                GlbDocument("", {}, original=Document(self._original, Budget())).write(file)


def _colors(normals: Float32) -> NDArray[np.uint8]:
    """Return normals as 8-bit colours. The coordinate 0 corresponds to 127.5, which is rounded up to 128."""
    colors: NDArray[np.uint8] = np.clip(np.floor(127.5 * (normals + 1.0) + 0.5), 0, 255).astype(np.uint8)
    return colors
