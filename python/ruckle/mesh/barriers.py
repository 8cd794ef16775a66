"""Paint that reduces wrinkles at seams and patches, where the garment is stiffer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.sewing import seam_sides

__all__ = ["seam_paint"]

# Factors of the wrinkle heights at seams and on patches. Stitches and several layers of cloth are stiff there.
AT_SEAMS, ON_PATCHES = 0.4, 0.6


def seam_paint(animation: Animation) -> Float32 | None:
    """Return paint: factors (V,) of wrinkle heights that are below 1 at seams and patches.

    `AT_SEAMS` at vertices of seams, `ON_PATCHES` at other vertices inside patches, and 1 elsewhere. The result is None
    if the mesh does not have texture coordinates, or has its own colours.
    """
    if animation.uv is None or animation.colors is not None:
        return None
    faces = animation.faces
    corners = animation.uv[faces if animation.uv_faces is None else animation.uv_faces]
    paint = np.ones(animation.vertex_count, np.float32)
    for patch in [] if animation.sewing is None else animation.sewing.patches:
        paint[faces[_is_inside(corners, patch)]] = ON_PATCHES
    is_cut = seam_sides(faces, corners)
    paint[faces[is_cut]] = AT_SEAMS
    paint[np.roll(faces, -1, axis=1)[is_cut]] = AT_SEAMS
    return paint


def _is_inside(points: NDArray[np.floating], outline: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return a mask: True for points (..., 2) inside an outline (N, 2), by the parity of crossings of a ray."""
    inside = np.zeros(points.shape[:-1], bool)
    x, y = points[..., 0], points[..., 1]
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        if ay != by:
            inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return inside
