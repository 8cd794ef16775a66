"""What pictures of labels and of the compression field know about each triangle, as texels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import labels_uint8
from ruckle.field.stretch import Stretch
from ruckle.plot.space import axes_in_space

__all__ = ["field_texels"]

REST = 1


def field_texels(
    positions: NDArray[np.float32], faces: NDArray[np.int32], labels: ArrayLike | None, stretch: Stretch | None
) -> NDArray[np.float32]:
    """Return the texels of shaders/common/field.glsl.

    Parameters
    ----------
    positions : (V, 3) float32, mesh units
    faces : (T, 3) int32
    labels : (T,) uint8, optional
        Rest where not given.
    stretch : Stretch, optional
        The wrinkling field; undeformed where not given.

    Returns
    -------
    (T, 3, 4) float32

    Raises
    ------
    ValueError
        Another number of triangles.
    """
    count = len(faces)
    texels = np.zeros((count, 3, 4), np.float32)
    corners = positions[faces]
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    double_area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    perimeter = sides.sum(axis=1)
    # the centre of the inscribed circle: corners weighted by the sides opposite them
    weights = np.roll(sides, -1, axis=1)
    safe = np.where(perimeter > 0, perimeter, 1.0)
    texels[:, 0, :3] = (weights[:, :, None] * corners).sum(axis=1) / safe[:, None]
    texels[:, 0, 3] = double_area / safe
    texels[:, 1, 3] = 1.0
    texels[:, 2, :2] = REST, 1.0
    if labels is not None:
        texels[:, 2, 0] = _for_each_face("labels", labels_uint8("labels", labels), count)
    if stretch is not None:
        texels[:, 1, 3] = _for_each_face("stretch", stretch.compression, count)
        texels[:, 1, :3] = axes_in_space(positions, faces, stretch.axis)
        texels[:, 2, 1] = stretch.max
    return texels


def _for_each_face(name: str, values: NDArray[np.generic], count: int) -> NDArray[np.generic]:
    if values.shape != (count,):
        raise ValueError(f"{name}: expected one for each of {count} faces, got shape {values.shape}")
    return values
