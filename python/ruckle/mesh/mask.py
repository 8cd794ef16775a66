"""The mask of an animation: the share of wrinkles at each vertex, and the faces that may wrinkle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32

__all__ = ["Mask", "require_mask"]

# Share of its length that cloth keeps in faces that must not fold: no layer finds compression above it. Layers need a
# number above 0.
CLOSED = 1e-6


class Mask(NamedTuple):
    """The mask of a mesh as layers and surfaces take it.

    Attributes
    ----------
    vertices : (V,) float32, in [0, 1]
        Factor of heights and of the rounded base.
    faces : (T,) float32
        1 for faces that may fold, else close to 0: multiplies the `remaining` of layers.
    """

    vertices: Float32
    faces: Float32

    @classmethod
    def of(cls, mask: Float32 | None, own_faces: Int32, faces: Int32) -> Mask | None:
        """Return the mask of an animation for its joined faces; None if it does not have one.

        A joined vertex takes the smallest number of its parts, so that stiff parts remain exact up to their edge.
        """
        if mask is None:
            return None
        vertices = mask.copy()
        np.minimum.at(vertices, faces.ravel(), mask[own_faces.ravel()])
        # parts that a seam has split off move with their representatives
        vertices[own_faces.ravel()] = vertices[faces.ravel()]
        gate = np.where(vertices[faces].max(axis=1) > 0.0, np.float32(1.0), np.float32(CLOSED))
        for array in (vertices, gate):
            array.flags.writeable = False
        return cls(vertices, gate)

    def painted(self, paint: ArrayLike | None) -> Float32:
        """Return the paint of a layer, (V,) float32, without cloth that the mask excludes.

        Surfaces multiply heights by the mask itself, so numbers above 0 remain.
        """
        open_vertices = (self.vertices > 0.0).astype(np.float32)
        return open_vertices if paint is None else open_vertices * float32("paint", paint)

    def left(self, remaining: ArrayLike | None) -> Float32:
        """Return the share of length that each face may still fold away: (T,) float32, in (0, 1]."""
        if remaining is None:
            return self.faces
        shares = float32("remaining", remaining)
        # another shape is refused by the layer, which names it
        return shares * self.faces if shares.shape == self.faces.shape else shares


def require_mask(mask: Any, vertex_count: int) -> NDArray[np.float32]:
    """Return a mask as read-only float32; ValueError unless it has a number in [0, 1] for each vertex."""
    values = np.array(float32("mask", mask))
    if values.shape != (vertex_count,):
        raise ValueError(f"mask: expected a number for each of {vertex_count} vertices, got shape {values.shape}")
    # false for NaN, too
    inside = (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise ValueError(f"mask: vertex {vertex} has {values[vertex]:g}, allowed are 0 to 1")
    values.flags.writeable = False
    return values
