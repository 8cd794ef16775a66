"""Packing of meshes and motions for the browser: few bytes, fast to unpack."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.colors import FaceColors

__all__ = ["COARSE_STEPS", "FINE_STEPS", "deflated", "moving", "quantised", "tinted_faces"]

# Maximum number of colours of a mesh. A mesh with more colours is drawn in the mean colour.
MOST_TINTS = 16
# Number of steps between minimum and maximum of a motion. Steps are 0.03 mm for samples, and 0.15 mm for bodies under
# the cloth, which saves a quarter of the bytes.
FINE_STEPS, COARSE_STEPS = 65534, 16382


def deflated(array: NDArray[Any]) -> bytes:
    """Return the bytes of an array, compressed by deflate."""
    return zlib.compress(np.ascontiguousarray(array).tobytes(), 6)


def quantised(values: NDArray[Any], last_step: int = FINE_STEPS) -> tuple[np.float32, np.float32, NDArray[np.uint16]]:
    """Return the minimum, the step size, and each value as a number of steps above the minimum, at most `last_step`.

    The step size is 1 if all values are equal.
    """
    low = np.float32(values.min())
    step = np.float32((values.max() - low) / last_step) or np.float32(1.0)
    return low, step, np.round((values - low) / step).astype(np.uint16)


def moving(values: NDArray[Any], last_step: int = FINE_STEPS) -> dict[str, Any]:
    """Return values (F, ...) for the browser: quantised, as second differences over frames, which compress well."""
    low, step, steps = quantised(values, last_step)
    flat = steps.reshape(len(steps), -1)
    for _ in range(2):
        flat = np.concatenate([flat[:1], np.diff(flat, axis=0)])
    return {"steps": deflated(flat), "count": flat.shape[1], "low": float(low), "step": float(step)}


def tinted_faces(faces: NDArray[Any], colors: FaceColors | None) -> dict[str, Any]:
    """Return a dictionary: "faces" are the compressed faces, sorted by colour; "tints" are the colours.

    Each tint has a linear colour and the index of its first corner. The colour of a face is the mean over its corners;
    textures are ignored. If there are more than `MOST_TINTS` colours, the whole mesh has the mean colour. Without
    colours, "tints" is empty.
    """
    if colors is None:
        return {"faces": deflated(faces.astype(np.int32)), "tints": []}
    shades, index = np.unique(colors.corners.mean(axis=1).round(3), axis=0, return_inverse=True)
    index = index.reshape(-1)
    if len(shades) > MOST_TINTS:
        shades, index = colors.corners.mean(axis=(0, 1))[None], np.zeros(len(faces), np.int64)
    order = np.argsort(index, kind="stable")
    starts = 3 * np.searchsorted(index[order], np.arange(len(shades)))
    tints = [{"start": int(start), "color": shade.tolist()} for start, shade in zip(starts, shades, strict=True)]
    return {"faces": deflated(faces[order].astype(np.int32)), "tints": tints}
