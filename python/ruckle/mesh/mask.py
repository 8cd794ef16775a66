"""The mask of an animation in the form that layers use: factors of vertices, and faces that may wrinkle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32

__all__ = ["Mask", "require_mask"]

# Value of `remaining` in faces that must not fold, which hides all compression. Layers need a number above 0.
CLOSED = 1e-6


class Mask(NamedTuple):
    """The mask of a mesh as used by layers and surfaces.

    Attributes
    ----------
    vertices : (V,) float32, in [0, 1]
        Factor of heights and of the rounded base.
    faces : (T,) float32
        1 for faces that may fold, otherwise close to 0; multiplies `remaining` of layers.
    """

    vertices: Float32
    faces: Float32

    @classmethod
    def of(cls, mask: Float32 | None, own_faces: Int32, faces: Int32) -> Mask | None:
        """Return the mask of an animation whose split vertices were joined; None if it has no mask.

        A joined vertex gets the smallest value of its parts, so that stiff parts are exact up to their edge.
        """
        if mask is None:
            return None
        vertices = mask.copy()
        np.minimum.at(vertices, faces.ravel(), mask[own_faces.ravel()])
        # vertices that a seam has split get the values of their joined vertices
        vertices[own_faces.ravel()] = vertices[faces.ravel()]
        gate = np.where(vertices[faces].max(axis=1) > 0.0, np.float32(1.0), np.float32(CLOSED))
        for array in (vertices, gate):
            array.flags.writeable = False
        return cls(vertices, gate)

    def painted(self, paint: ArrayLike | None) -> Float32:
        """Return the paint of a layer, (V,) float32, with 0 where the mask is 0.

        Values of the mask above 0 are not applied here, because surfaces multiply heights by the mask.
        """
        open_vertices = (self.vertices > 0.0).astype(np.float32)
        return open_vertices if paint is None else open_vertices * float32("paint", paint)

    def left(self, remaining: ArrayLike | None) -> Float32:
        """Return the share of its length that each face may still fold away: (T,) float32, in (0, 1]."""
        if remaining is None:
            return self.faces
        shares = float32("remaining", remaining)
        # a wrong shape is passed on, because the layer reports it with its name
        return shares * self.faces if shares.shape == self.faces.shape else shares


def require_mask(mask: Any, vertex_count: int) -> NDArray[np.float32]:
    """Return a mask as read-only float32; ValueError unless it has one number in [0, 1] per vertex."""
    values = np.array(float32("mask", mask))
    if values.shape != (vertex_count,):
        raise ValueError(f"mask: expected a number for each of {vertex_count} vertices, got shape {values.shape}")
    # also False for NaN
    inside = (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise ValueError(f"mask: vertex {vertex} has {values[vertex]:g}, allowed are 0 to 1")
    values.flags.writeable = False
    return values
