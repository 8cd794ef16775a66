"""Fine cloth that is kept outside of the body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import number
from ruckle.arrays import float64, triangles
from ruckle.pose_space.binding import closest_triangles

__all__ = ["push_out"]


def push_out(
    positions: ArrayLike, body: ArrayLike, body_faces: ArrayLike, *, gap: float = 0.0, only: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Move vertices that are inside of a body out of it, along the normal of the nearest triangle.

    Details relative to skinned cloth cannot enter the body at samples; between them they can, as at the inside of an
    elbow. As in the paper, a vertex is inside where it lies behind the nearest triangle.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    body : (B, 3) float, mesh units
        In the same pose.
    body_faces : (T, 3) int
        Wound so that normals point outward.
    gap : float, mesh units
        Distance to which vertices are moved; those nearer than it are inside, too.
    only : (V,) bool, optional
        Vertices that may be moved, such as those that no sample has inside; all when not given.

    Returns
    -------
    (V, 3) float64, mesh units

    Raises
    ------
    ValueError
        An array of another shape, or numbers that are not finite.
    """
    points, skin, distance = float64("positions", positions), float64("body", body), number("gap", gap)
    for name, array in (("positions", points), ("body", skin)):
        if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite positions of shape (V, 3), got {array.shape}")
    faces = triangles("body_faces", body_faces)
    if not len(faces) or faces.min() < 0 or faces.max() >= len(skin):
        raise ValueError(f"body_faces: expected triangles of the {len(skin)} vertices of the body")
    chosen = np.ones(len(points), bool) if only is None else np.asarray(only, bool)
    if chosen.shape != (len(points),):
        raise ValueError(f"only: expected one flag for each of {len(points)} vertices, got {chosen.shape}")
    moved = points.copy()
    corners = skin[faces]
    found, weights = closest_triangles(points[chosen], corners)
    a, b, c = corners[found].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    nearest = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c
    missing = distance - ((points[chosen] - nearest) * normals).sum(axis=1)
    moved[chosen] += np.maximum(missing, 0.0)[:, None] * normals
    return moved
