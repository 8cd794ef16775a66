"""Level of detail: how finely wrinkles and outlines are divided, and how wrinkle heights fade."""

from __future__ import annotations

from math import radians, tan
from typing import Literal

import numpy as np

from ruckle.arguments import number
from ruckle.arrays import Float32
from ruckle.scene.camera import Camera
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import HeightFrame

__all__ = ["Detail", "check_detail", "detail_at", "shows_heights", "viewpoint_of"]

Detail = float | Literal["distance"]

# For detail "distance": least length of a fine edge in pixels. Shaders that compute heights do so at each pixel, so
# longer edges do not blur the shading.
EDGE_PIXELS = 4.0

# For detail "distance": size in pixels of the least wrinkle radius. Below the first number, wrinkles fade; below the
# second number, wrinkles are invisible.
FADING_PIXELS, FADED_PIXELS = 1.0, 0.5

# For detail "distance": if all layers with heights are waves, and their heights are below this size in pixels, heights
# do not move vertices. They then change only the shading normals.
NORMAL_PIXELS = 2.0

# Largest invisible gap between a curved outline and its chords, in pixels.
OUTLINE_PIXELS = 0.5

# For detail as a number: heights decrease to 0 below this number, so that wrinkles do not disappear suddenly.
FADE_BELOW = 0.25


def check_detail(detail: Detail) -> Detail:
    """Return `detail`. Raise ValueError if it is not a number in [0, 1] or "distance"."""
    expected = 'a number in [0, 1] or "distance"'
    if isinstance(detail, str) and detail == "distance":
        return detail
    if isinstance(detail, str) or not 0.0 <= number("detail", detail, expected) <= 1.0:
        raise ValueError(f"detail: expected {expected}, got {detail!r}")
    return detail


def detail_at(detail: Detail, r_min: float, camera: Camera | None, height: int) -> tuple[float, float]:
    """Return the length of fine edges, mesh units, and a factor of the heights, in [0, 1].

    Number d: length 0.5 `r_min` / max(d, 1/4), factor min(1, 4 d). "distance": the larger of 0.5 `r_min` and
    `EDGE_PIXELS`; the factor falls linearly from 1 at `r_min` = `FADING_PIXELS` to 0 at `FADED_PIXELS`.

    Parameters
    ----------
    detail : float or "distance"
    r_min : float, mesh units
        Least radius of the wrinkles. At full detail, fine edges have half this length (thesis 7). 0 (no wrinkles) gives
        length 0.
    camera : Camera, optional
        Camera of the picture. If None, "distance" means full detail.
    height : int, pixels
        Height of the picture.
    """
    full = 0.5 * r_min
    if not isinstance(detail, str):
        return full / max(detail, FADE_BELOW), min(1.0, detail / FADE_BELOW)
    if camera is None:
        return full, 1.0
    pixel = camera.pixel_size(height)
    fade = (r_min / pixel - FADED_PIXELS) / (FADING_PIXELS - FADED_PIXELS)
    return max(full, EDGE_PIXELS * pixel) if r_min > 0.0 else 0.0, min(max(fade, 0.0), 1.0)


def viewpoint_of(camera: Camera, height: int) -> Float32:
    """Return `Division.viewpoint` for a camera and pictures that are `height` pixels high, (4,) float32."""
    pixel = 2.0 * tan(0.5 * radians(camera.field_of_view)) / height
    return np.array([*camera.eye, OUTLINE_PIXELS * pixel], np.float32)


def shows_heights(detail: Detail, frame: LayerFrame, camera: Camera | None, height: int) -> bool:
    """Return True if heights move the surface. If False, heights only change the normals of pixels.

    False requires `detail` "distance", a camera, and only waves lower than `NORMAL_PIXELS` as layers with heights.
    """
    if camera is None or not isinstance(detail, str):
        return True
    parts = [part for part in frame.parts if isinstance(part, HeightFrame)]
    far = all(
        part.shader == "waves.glsl" and part.highest < NORMAL_PIXELS * camera.pixel_size(height) for part in parts
    )
    return not parts or not far
