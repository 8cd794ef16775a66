"""Compression and stretch of the cloth at each vertex. Shaders use them as weights of hand-made wrinkle maps."""

from __future__ import annotations

import numpy as np

from ruckle.arrays import Float32
from ruckle.mesh.geometry import triangle_areas
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import LayerFrame

__all__ = ["fine_tension", "vertex_tension"]


def vertex_tension(frame: LayerFrame) -> Float32:
    """Return the tension map of a frame: linear red, green and blue of each vertex.

    Parameters
    ----------
    frame : LayerFrame
        Frame of a layer that computes the stretch of the cloth, such as `Wrinkler`.

    Returns
    -------
    (V, 3) float32, in [0, 1]
        Red: share of its length that the cloth has lost across its folds, 1 - 1/compression. Green: relative length
        that the cloth has gained by stretching, at most 1. Blue: 0. Each value is the area-weighted mean over the faces
        at the vertex.

    Raises
    ------
    ValueError
        None of the frame's layers computes a stretch.
    """
    if frame.stretch is None:
        raise ValueError("tension: no layer of the frame measures the stretch of the cloth; add wrinkle paths")
    # clip at 0: cloth that is stretched in both directions has not lost length
    lost = np.clip(1.0 - 1.0 / frame.stretch.compression, 0.0, 1.0)
    gained = np.clip(frame.stretch.max - 1.0, 0.0, 1.0)
    faces = frame.topology.faces
    areas, count = triangle_areas(frame.positions, faces), len(frame.positions)
    total = np.maximum(np.bincount(faces.ravel(), np.repeat(areas, 3), count), 1e-300)
    tension = np.zeros((count, 3), np.float32)
    for channel, values in enumerate((lost, gained)):
        tension[:, channel] = np.bincount(faces.ravel(), np.repeat(areas * values, 3), count) / total
    # a vertex that a UV seam has split gets the value of the joined vertex
    joined = np.arange(count)
    joined[frame.faces.ravel()] = faces.ravel()
    return tension[joined]


def fine_tension(frame: LayerFrame, fine: FineMesh) -> Float32:
    """Return the tension map of a frame at the vertices of its fine mesh, (N, 3) float32."""
    corners = vertex_tension(frame)[fine.coarse[fine.coarse_faces]]
    result: Float32 = np.einsum("nk,nkc->nc", fine.barycentric, corners)
    return result
