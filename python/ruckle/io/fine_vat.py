"""The wrinkled surface as vertex animation textures (VAT), for engines that move vertices in a short shader.

The folder contains

- NAME.glb: the fine mesh, in a copy of the animation's glTF file if there is one. The last set of texture coordinates,
number `uv_set`, is the position of each vertex's texel in the first frame.
- NAME_positions.exr: RGB. A row of texels has up to `width` vertices, a frame has `rows` rows, and frames follow each
other from the top. In a copy of a file: float16 offsets from the mesh before its skin moves it (`space` is "offset").
Otherwise: float32 positions (`space` is "position").
- NAME_normals.exr: RGB float16, the unit normals of these vertices
- NAME.json: `frames`, `fps`, `width`, `height`, `rows`, `vertices`, `step`, `lap`, `seconds`, `space`, `uv_set`, and
  the provenance

A vertex shader reads the textures without filtering at ``uv + (0, step * frame)``; v points down. After `lap` frames,
which last `seconds`, the first frame follows. `lap` does not count the last frame in two cases: it equals the first
frame (a loop), or the result is a copy of a file, because engines repeat its clip at the time of the last frame.
Frames are written one after another. Requires OpenEXR.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.carrier import Carrier, VertexData
from ruckle.io.fine_maps import MapStream
from ruckle.io.frame_folder import FrameFolder
from ruckle.loop import loop_period
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import Surface

__all__ = ["VatWriter"]

# Largest width and height of a texture that every graphics card supports.
WIDEST, HIGHEST = 4096, 16384

# For the estimated file size: bytes per vertex and frame in the compressed textures, measured with a garment.
VERTEX_BYTES = {"offset": 9, "position": 16}


class VatWriter(FrameFolder):
    """Writes the textures frame by frame, and then the mesh.

    Parameters
    ----------
    folder : path
    animation : Animation
    carrier : Carrier
        Document and node of the mesh.
    first_frame : int
    notes : mapping of str to str

    Raises
    ------
    ValueError
        Raised by `append` if the vertices and frames do not fit into the largest texture.
    """

    fixed = True
    budget = 10_000
    purpose = "vertex animation textures"

    def __init__(
        self, folder: Path, animation: Animation, carrier: Carrier, *, first_frame: int = 0, notes: Mapping[str, str]
    ) -> None:
        super().__init__(folder, animation, first_frame=first_frame)
        self._carrier, self._notes = carrier, dict(notes)
        self._space = "offset" if carrier.has_rest else "position"
        self._base: VertexData | None = None
        self._maps: dict[str, MapStream] = {}

    def _open(self, stack: ExitStack) -> None:
        super()._open(stack)
        self._maps_stack = stack.enter_context(ExitStack())

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes of the textures."""
        return frames * vertices * VERTEX_BYTES[self._space]

    def append(self, surface: Surface) -> None:
        """Write the texels of the next frame. The first frame also defines the vertices and the texture size."""
        fine, carrier = surface.displace(), self._carrier
        if self._base is None:
            rest = carrier.prepare(surface, fine)
            self._base = rest or carrier.vertices.of(fine)
            self._open_maps(carrier.vertices.count, np.float32 if rest is None else np.float16)
        positions, normals = carrier.unposed(self._frame, carrier.vertices.of(fine))
        offsets = positions if self._space == "position" else positions - self._base[0]
        for name, values in (("positions", offsets), ("normals", normals)):
            self._maps[name].write(self._rows(values))
        self.advance()

    def finish(self) -> None:
        """Write the mesh and the JSON file."""
        assert self._base is not None
        self._maps_stack.close()
        count, (width, rows, height) = self._carrier.vertices.count, self._layout
        numbers = np.arange(count)
        place = np.stack([(numbers % width + 0.5) / width, (numbers // width + 0.5) / height], axis=1)
        document = self._carrier.document(self._notes)
        [node, *_] = self._carrier.add_mesh(document, self._base, [], {"TEXCOORD": place.astype(np.float32)})
        [primitive, *_] = document.root["meshes"][document.root["nodes"][node]["mesh"]]["primitives"]
        uv_set = sum(name.startswith("TEXCOORD_") for name in primitive["attributes"]) - 1
        with self.create(f"{self._stem}.glb") as file:
            document.write(file)
        frames, fps, lap = self._animation.frame_count, self._animation.fps, self._lap()
        said: dict[str, Any] = {"frames": frames, "fps": fps, "lap": lap, "vertices": count, "rows": rows}
        said |= {"width": width, "height": height, "step": rows / height, "seconds": lap / fps}
        said |= {"space": self._space, "uv_set": uv_set}
        with self.create(f"{self._stem}.json") as file:
            file.write(json.dumps(said | self._notes, indent=2).encode())
        super().finish()

    def _lap(self) -> int:
        """Return the number of frames after which the first one follows."""
        period, last = loop_period(self._animation), self._animation.frame_count - 1
        # engines repeat a clip at the time of its last frame
        returns = self._space == "offset" or (period is not None and last % period == 0)
        return max(1, last if returns else last + 1)

    def _open_maps(self, count: int, dtype: type[np.floating[Any]]) -> None:
        width = min(count, WIDEST)
        rows = -(-count // width)
        height = rows * self._animation.frame_count
        if height > HIGHEST:
            raise ValueError(
                f"form: {self._animation.frame_count} frames of {count} vertices need textures of {width}x{height} "
                f"texels, expected at most {WIDEST}x{HIGHEST}; use a smaller budget or fewer frames"
            )
        self._layout = width, rows, height
        for name, kind in (("positions", dtype), ("normals", np.float16)):
            path = self._folder / f"{self._stem}_{name}.exr"
            self._maps[name] = self._maps_stack.enter_context(MapStream(path, width, height, kind))

    def _rows(self, values: Float32) -> NDArray[np.float32]:
        """Return the texels of one frame, (rows, width, 3)."""
        width, rows, _ = self._layout
        texels = np.zeros((rows * width, 3), np.float32)
        texels[: len(values)] = values
        return texels.reshape(rows, width, 3)
