"""Finds rigid parts from their shape: robots, and small parts that are attached to clothes, such as buttons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Int32
from ruckle.mesh.geometry import connected_roots, triangle_areas
from ruckle.mesh.groups import GroupKind
from ruckle.mesh.topology import weld

__all__ = ["attached_vertices", "is_jointed"]

# Least weight of a vertex's bone if no other bone moves the vertex noticeably.
RIGID = 0.99

# Least share of the area in rigid parts, and least number of bones that move these parts. Of 60 public characters,
# robots had shares of 0.47 to 0.73 on 9 bones; people had at most 0.14 on 2 bones, or 0.65 on 1 bone.
LEAST_SHARE, LEAST_BONES = 0.4, 6

# A part is rigid if this share of its area is rigid. Parts below SMALL of the whole area, such as screws, do not count.
WHOLE, SMALL = 0.98, 0.005

# Largest difference of skin weights that are considered equal. Exporters round weights to 1/255.
EQUAL_WEIGHTS = 0.02

# Largest share of the area of a part that is attached to clothes. Pouches, buckles and belts of public characters have
# at most 0.03. A rigid cape or skirt is larger.
ATTACHED = 0.05


def attached_vertices(
    positions: NDArray[np.floating], faces: Int32, bones: GroupKind, counted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return a mask (V,) of the vertices of small separate parts that no pose deforms: buttons, buckles and pouches.

    All vertices of such a part have equal skin weights. If such parts have more than half of the counted area, they are
    the body of a rigid character, and the result is False everywhere.

    Parameters
    ----------
    positions, faces, bones, counted
        See `is_jointed`.
    """
    found = np.zeros(len(positions), bool)
    used = bones.weights > EQUAL_WEIGHTS
    order = np.argsort(np.where(used, bones.numbers, -1), axis=1)
    numbers, weights = (
        np.take_along_axis(np.where(used, table, -1), order, axis=1) for table in (bones.numbers, bones.weights)
    )
    equal = counted.copy()
    for side in range(2):
        a, b = faces[:, side], faces[:, side + 1]
        equal &= ((numbers[a] == numbers[b]) & (np.abs(weights[a] - weights[b]) < EQUAL_WEIGHTS)).all(axis=1)
    # most characters without attached parts end here
    if not equal.any():
        return found
    areas = triangle_areas(positions, faces) * counted
    part = _parts(positions, faces)
    whole, own = np.bincount(part, areas), np.bincount(part, areas * equal)
    is_rigid = own >= whole
    if whole[is_rigid].sum() <= 0.5 * areas.sum():
        chosen = is_rigid & (whole > 0.0) & (whole <= ATTACHED * areas.sum())
        found[faces[chosen[part]]] = True
    return found


def _parts(positions: NDArray[np.floating], faces: Int32) -> NDArray[np.int64]:
    """Return the number (T,) of the connected component of each face. Vertices at equal positions are joined."""
    welded = weld(positions, faces)
    edges = np.concatenate([welded[:, :2], welded[:, 1:]])
    return np.asarray(connected_roots(edges, len(positions))[welded[:, 0]])


def is_jointed(positions: NDArray[np.floating], faces: Int32, bones: GroupKind, counted: NDArray[np.bool_]) -> bool:
    """Return True if separate rigid parts have at least `LEAST_SHARE` of the counted area, and `LEAST_BONES` move them.

    A part is a connected component of the surface. It is rigid if nearly all its area consists of faces whose corners
    all follow one and the same bone (`RIGID`, `WHOLE`).

    Parameters
    ----------
    positions : (V, 3) float, any unit
    faces : (T, 3) int32
    bones : GroupKind
        Bones with their weights at each vertex.
    counted : (T,) bool
        False for faces that do not count, such as those of heads and hands.
    """
    rows = np.arange(len(bones.numbers))
    first = bones.numbers[rows, np.argmax(bones.weights, axis=1)]
    weight = (bones.weights * (bones.numbers == first[:, None])).sum(axis=1)
    leaders = np.where(weight > RIGID, first, -1)[faces]
    rigid = (leaders[:, 0] >= 0) & (leaders == leaders[:, :1]).all(axis=1)
    areas = triangle_areas(positions, faces) * counted
    least = LEAST_SHARE * float(areas.sum())
    # do not search for parts if all rigid faces together have too little area
    if not least > 0.0 or float(areas[rigid].sum()) < least:
        return False
    part = _parts(positions, faces)
    whole = np.bincount(part, areas)
    is_rigid = np.bincount(part, areas * rigid) > np.maximum(WHOLE * whole, SMALL * areas.sum())
    among = is_rigid[part] & rigid & counted
    return bool(areas[is_rigid[part]].sum() >= least and len(np.unique(leaders[among, 0])) >= LEAST_BONES)
