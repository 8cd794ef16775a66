"""Texture coordinates of a fine mesh. The first entries are the texture coordinates of its animation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ruckle.arrays import Float32, Int32
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["Texture", "fine_texture"]


class Texture(NamedTuple):
    """Indexed texture coordinates.

    Attributes
    ----------
    uv : (U, 2) float32
        The coordinates of the animation in the same order, followed by new coordinates.
    faces : (M, 3) int32
        Index into `uv` of each corner of each fine face.
    """

    uv: Float32
    faces: Int32


def fine_texture(fine: FineMesh, animation: Animation) -> Texture | None:
    """Return the texture coordinates of a fine mesh; None if the animation does not have any."""
    if animation.uv is None:
        return None
    own = np.ascontiguousarray(animation.uv)
    corners = fine.corner_values(own, animation.faces if animation.uv_faces is None else animation.uv_faces)
    # compare u and v together as one int64: coordinates are joined if their bits are equal
    keys = np.concatenate([own.view(np.int64)[:, 0], corners.reshape(-1, 2).view(np.int64)[:, 0]])
    unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    added = first >= len(own)
    index = np.where(added, len(own) + np.cumsum(added) - 1, first)
    uv = np.concatenate([own, unique[added].view(np.float32).reshape(-1, 2)])
    return Texture(uv, index[inverse[len(own) :]].reshape(-1, 3).astype(np.int32))
