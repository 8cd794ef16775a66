"""Pictures of all surfaces of a comparison, one per column: front view above, back view below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.io.replacing import replacing
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.surface.frame import CoarseFrame

__all__ = ["draw_rows", "sheet_of"]

SIZE = (330, 430)
"""Width and height of each picture, pixels."""

AZIMUTHS = (20.0, 200.0)
"""Camera angles about the vertical axis in degrees: front, back."""


def draw_rows(scene: TruthScene, frame: int, surfaces: Mapping[str, Float32], path: Path) -> None:
    """Write a picture of one frame to `path`: the truth, then each surface (N, 3), labelled with its name."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    sheet = Image.fromarray(sheet_of(scene, frame, {"truth": scene.positions[frame], **surfaces}))
    with replacing(path) as file:
        sheet.save(file, path.suffix.removeprefix(".").replace("jpg", "jpeg"), quality=85)


def sheet_of(
    scene: TruthScene,
    frame: int,
    surfaces: Mapping[str, Float32],
    *,
    azimuths: Sequence[float] = AZIMUTHS,
    size: tuple[int, int] = SIZE,
) -> NDArray[np.uint8]:
    """Return one picture with a column for each surface (N, 3) and a row for each camera, with names at the top."""
    from PIL import Image, ImageDraw

    from ruckle.scene.camera import Camera
    from ruckle.scene.renderer import Renderer

    body = None
    if scene.body is not None and scene.coarse.bones is not None:
        body = CoarseFrame(scene.body.posed(scene.coarse.bones[frame]), scene.body.faces)
    lines = []
    with Renderer(*size) as renderer:
        renderer.base = "flat"
        for azimuth in azimuths:
            whole = np.concatenate(list(surfaces.values()))
            camera = Camera.framing(whole, aspect=size[0] / size[1], azimuth=azimuth)
            pictures = []
            for name, surface in surfaces.items():
                drawn = renderer.render(CoarseFrame(surface, scene.faces), camera=camera, body=body)
                picture = Image.fromarray(drawn)
                if azimuth == azimuths[0]:
                    ImageDraw.Draw(picture).text((6, 4), name, fill=(20, 20, 20))
                pictures.append(np.asarray(picture))
            lines.append(np.concatenate(pictures, axis=1))
    return np.concatenate(lines, axis=0)
