"""The wrinkled surface as vertex animation textures, for engines that move vertices in a shader of a few lines.

A folder gets

- NAME.glb: the fine mesh of the first frame; `TEXCOORD_1` is the position of each vertex's texel in that frame
- NAME_positions.exr: RGB float32, mesh units; a row of texels holds up to `width` vertices, a frame `rows` rows, frame
  after frame from the top
- NAME_normals.exr: RGB float16, the unit normals of the same
- NAME.json: `frames`, `fps`, `width`, `height`, `rows`, `vertices`, `step`, `seconds`, and the provenance

A vertex shader reads, without filtering, at ``TEXCOORD_1 + (0, step * frame)``, with v pointing down. Needs OpenEXR.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ruckle.arrays import Float32
from ruckle.io.fine_glb import FineVertices, begun
from ruckle.io.fine_maps import write_map
from ruckle.io.frame_folder import FrameFolder
from ruckle.io.glb import ARRAY_BUFFER, ELEMENT_BUFFER
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import Surface

__all__ = ["VatWriter"]

# Texels along a side that every graphics card takes.
WIDEST, HIGHEST = 4096, 16384


class VatWriter(FrameFolder):
    """Writes textures of all frames; they are held in memory until then.

    Raises
    ------
    ValueError
        In `finish`: more vertices and frames than a texture holds.
    """

    fixed = True
    purpose = "vertex animation textures"

    def __init__(self, folder: Path, animation: Animation, *, first_frame: int = 0, notes: Mapping[str, str]) -> None:
        super().__init__(folder, animation, first_frame=first_frame)
        self._notes = dict(notes)
        self._vertices: FineVertices | None = None
        self._frames: list[tuple[Float32, Float32]] = []

    def append(self, surface: Surface) -> None:
        """Add the next frame."""
        fine = surface.displace()
        if self._vertices is None:
            self._vertices = FineVertices(fine, self._animation)
        self._frames.append(self._vertices.of(fine))

    def finish(self) -> None:
        """Write the files."""
        assert self._vertices is not None
        count, frames = len(self._frames[0][0]), len(self._frames)
        width = min(count, WIDEST)
        rows = -(-count // width)
        height = rows * frames
        if height > HIGHEST:
            raise ValueError(
                f"form: {frames} frames of {count} vertices need textures of {width}x{height} texels, expected at "
                f"most {WIDEST}x{HIGHEST}; a larger edge_length or fewer frames make them smaller"
            )
        for number, (kind, dtype) in enumerate((("positions", np.float32), ("normals", np.float16))):
            texels = np.zeros((frames, rows * width, 3), dtype)
            texels[:, :count] = [frame[number] for frame in self._frames]
            write_map({"RGB": texels.reshape(height, width, 3)}, self._folder / f"{self._stem}_{kind}.exr")
        self._write_mesh(width, height)
        said: dict[str, Any] = {"frames": frames, "fps": self._animation.fps, "vertices": count, "rows": rows}
        said |= {"width": width, "height": height, "step": rows / height, "seconds": frames / self._animation.fps}
        with self.create(f"{self._stem}.json") as file:
            file.write(json.dumps(said | self._notes, indent=2).encode())
        super().finish()

    def _write_mesh(self, width: int, height: int) -> None:
        assert self._vertices is not None
        (positions, normals), vertices = self._frames[0], self._vertices
        document = begun(self._animation, self._notes)
        numbers = np.arange(len(positions))
        place = np.stack([(numbers % width + 0.5) / width, (numbers // width + 0.5) / height], axis=1)
        # a second set of texture coordinates needs a first one
        uv = np.zeros_like(place) if vertices.uv is None else vertices.uv
        arrays = {"NORMAL": normals, "TEXCOORD_0": uv, "TEXCOORD_1": place}
        attributes = {"POSITION": document.accessor(positions, target=ARRAY_BUFFER, bounds=True)}
        for name, values in arrays.items():
            attributes[name] = document.accessor(values.astype(np.float32), target=ARRAY_BUFFER)
        indices = document.accessor(vertices.faces.ravel(), target=ELEMENT_BUFFER)
        document.root["meshes"] = [{"primitives": [{"attributes": attributes, "indices": indices}]}]
        with self.create(f"{self._stem}.glb") as file:
            document.write(file)
