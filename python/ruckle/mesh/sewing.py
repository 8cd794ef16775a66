"""Patches (plackets, pockets, cuffs) and buttons of a garment, in texture coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["Sewing", "seam_sides"]

# Two faces have a seam at their common edge if their texture coordinates there differ by more than this share of the
# extent of all texture coordinates.
CUT = 1e-4


@dataclass(frozen=True, eq=False)
class Sewing:
    """Patches and buttons of a garment.

    Attributes
    ----------
    patches : sequence of (N, 2) float32
        Outlines in texture coordinates, counterclockwise. A patch is a second layer of cloth with stitches along its
        outline.
    buttons : (B, 2) float32
        Centres of the buttons in texture coordinates.
    """

    patches: Sequence[Float32] = ()
    buttons: Float32 | None = None


def seam_sides(faces: NDArray[np.integer], corner_uv: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return a mask (T, 3) of face sides, corner k to k + 1, that are seams: cut in the pattern and sewn together.

    Parameters
    ----------
    faces : (T, 3) int
        Triangles of a manifold mesh.
    corner_uv : (T, 3, 2) float
        Texture coordinates of the face corners. An edge is a seam if they differ between its two triangles.
    """
    starts, ends = faces, np.roll(faces, -1, axis=1)
    codes = np.minimum(starts, ends).astype(np.int64) * (int(faces.max()) + 1) + np.maximum(starts, ends)
    order = np.argsort(codes, axis=None, kind="stable")
    pairs = np.flatnonzero(np.diff(codes.ravel()[order]) == 0)
    first, second = order[pairs], order[pairs + 1]
    # texture coordinates at both ends of each side; the end with the smaller vertex index first
    both = np.stack([corner_uv, np.roll(corner_uv, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    both = np.where((starts > ends).reshape(-1, 1, 1), both[:, ::-1], both)
    apart = np.abs(both[first] - both[second]).max(axis=(1, 2)) > CUT * np.ptp(corner_uv, axis=(0, 1)).max()
    is_cut = np.zeros(faces.size, bool)
    is_cut[first[apart]] = is_cut[second[apart]] = True
    return is_cut.reshape(faces.shape)
