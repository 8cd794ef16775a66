"""Lists of segments as runs: what a shader reads vertex by vertex."""

from __future__ import annotations

import numpy as np

from ruckle.stages import Float32, Int32

__all__ = ["segment_runs"]


def segment_runs(offsets: Int32, segments: Int32, curve_vertices: Float32) -> tuple[Int32, Int32]:
    """Join the segments that reach each triangle to runs, which a shader reads in half the time.

    Parameters
    ----------
    offsets, segments : (T + 1,) and (K,) int32
        The segments of face f are ``segments[offsets[f]:offsets[f + 1]]``, ascending.
    curve_vertices : (N, 3, 4) float32

    Returns
    -------
    offsets : (T + 1,) int32
        The runs of each face.
    runs : (R, 4) int32
        First segment, how many follow each other, wrinkle number, 0. No run goes from one wrinkle to the next, because
        a wrinkle's last vertex begins no segment.
    """
    begins = np.ones(len(segments) + 1, bool)
    begins[1:-1] = np.diff(segments) != 1
    begins[offsets] = True
    places = np.flatnonzero(begins)
    runs = np.zeros((len(places) - 1, 4), np.int32)
    runs[:, 0] = segments[places[:-1]]
    runs[:, 1] = np.diff(places)
    runs[:, 2] = curve_vertices[runs[:, 0], 2, 1]
    return np.searchsorted(places, offsets).astype(np.int32), runs
