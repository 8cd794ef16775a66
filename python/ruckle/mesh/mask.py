"""The mask of an animation in the form that layers use: factors of vertices, and factors of faces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32, float32

__all__ = ["Mask", "require_mask"]

# Value of a layer's `remaining` for faces that must not fold. Layers reject 0; this value also prevents all folds.
CLOSED = 1e-6


class Mask(NamedTuple):
    """The mask of a mesh for layers and surfaces.

    Attributes
    ----------
    vertices : (V,) float32, in [0, 1]
        Factor, at each vertex, of the heights of wrinkles and of the curvature of the smooth surface below them.
    faces : (T,) float32
        1 for faces with a vertex whose factor is above 0, `CLOSED` (nearly 0) for other faces. A layer's `remaining` is
        multiplied by it.
    """

    vertices: Float32
    faces: Float32

    @classmethod
    def of(cls, mask: Float32 | None, own_faces: Int32, faces: Int32) -> Mask | None:
        """Return the mask of an animation after split vertices were joined; None if the animation does not have a mask.

        `own_faces` (T, 3) are the animation's faces, and `faces` (T, 3) are the same faces with joined vertices. A
        joined vertex gets the smallest value of its split vertices, so that stiff parts do not fold even at their edge.
        """
        if mask is None:
            return None
        vertices = mask.copy()
        np.minimum.at(vertices, faces.ravel(), mask[own_faces.ravel()])
        # copy the value of a joined vertex to all its split vertices
        vertices[own_faces.ravel()] = vertices[faces.ravel()]
        gate = np.where(vertices[faces].max(axis=1) > 0.0, np.float32(1.0), np.float32(CLOSED))
        for array in (vertices, gate):
            array.flags.writeable = False
        return cls(vertices, gate)

    def painted(self, paint: ArrayLike | None) -> Float32:
        """Return the paint of a layer, (V,) float32, with 0 at vertices whose mask is 0.

        Other values of the mask are not applied here, because surfaces multiply the heights by the mask.
        """
        open_vertices = (self.vertices > 0.0).astype(np.float32)
        return open_vertices if paint is None else open_vertices * float32("paint", paint)

    def left(self, remaining: ArrayLike | None) -> Float32:
        """Return `remaining` times the mask of the faces: the share of its length that each face may fold.

        The result is (T,) float32, in (0, 1]. If `remaining` is None, it is 1 at every face. If it has a wrong shape,
        it is returned unchanged.
        """
        if remaining is None:
            return self.faces
        shares = float32("remaining", remaining)
        # the layer reports the error of a wrong shape with its own name
        return shares * self.faces if shares.shape == self.faces.shape else shares


def require_mask(mask: Any, vertex_count: int) -> NDArray[np.float32]:
    """Return a mask as read-only float32. Raise ValueError if it is not one number in [0, 1] per vertex."""
    given = np.asarray(mask)
    values = np.array(float32("mask", given.astype(np.float32) if given.dtype == np.bool_ else mask))
    if values.shape != (vertex_count,):
        raise ValueError(f"mask: expected a number for each of {vertex_count} vertices, got shape {values.shape}")
    # the comparison is also False for NaN, so NaN is rejected
    inside = (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise ValueError(f"mask: vertex {vertex} has {values[vertex]:g}, allowed are 0 to 1")
    values.flags.writeable = False
    return values
