"""Paint maps: one factor of the heights per vertex, for all layers with heights."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import read_geometry
from ruckle.io.npz import Archive, read_array
from ruckle.io.reading import as_path
from ruckle.mesh.animation import Animation, require_animation
from ruckle.patterns.images import load_grey_image

__all__ = ["load_paint"]

Values = NDArray[Any]


def load_paint(path: str | os.PathLike[str], animation: Animation) -> Float32:
    """Read a paint map for an animation's vertices.

    Parameters
    ----------
    path : path
        ``.npz`` with an array `paint`, or ``.npy``: one number in [0, 1] per vertex. ``.glb``, ``.gltf``: the red
        channel of the vertex colours of the first mesh that has colours and the same number of vertices. Other files: a
        grey image over the texture coordinates, white for 1, see `ruckle.patterns.images.load_grey_image`.
    animation : Animation

    Returns
    -------
    (V,) float32, in [0, 1]
        Input of `Wrinkler.for_animation`, `Modulator.for_animation` and other layers.

    Raises
    ------
    FormatError
        The file does not contain paint or is damaged, or a number is outside [0, 1].
    ValueError
        The number of vertices differs, or the file is an image and the animation has no texture coordinates.
    OSError
        The file cannot be read.
    """
    file, count = as_path("path", path), require_animation(animation).vertex_count
    file.stat()  # raises OSError for a missing file, which the readers would report as damaged
    kind = file.suffix.lower()
    readers = {".npz": _array, ".npy": _single_array, ".glb": _colors, ".gltf": _colors}
    values = np.asarray(readers[kind](file, count) if kind in readers else _image(file, animation), np.float64)
    if values.shape != (count,):
        raise ValueError(f"{file}: expected paint for {count} vertices, got an array of shape {values.shape}")
    # the mask is also False for NaN, so NaN is rejected
    inside = (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise FormatError(f"{file}: vertex {vertex} has paint {values[vertex]:g}, allowed are 0 to 1")
    return values.astype(np.float32)


def _array(file: Path, _count: int) -> Values:
    return Archive(file, Budget()).array("paint", "fiu")


def _single_array(file: Path, _count: int) -> Values:
    budget = Budget()
    return read_array(io.BytesIO(budget.read(file)), f"{file}: the array", "fiu", budget)


def _colors(file: Path, count: int) -> Values:
    """Return the red channel of the vertex colours, from the first mesh that has colours and `count` vertices.

    Raise FormatError if the file does not contain such a mesh.
    """
    document = Document(file, Budget())
    found = [read_geometry(document, mesh, None, None) for mesh in range(document.root.count("meshes"))]
    fitting = [one.colors for one in found if one.colors is not None and len(one.colors) == count]
    if not fitting:
        painted = sum(one.colors is not None for one in found)
        raise FormatError(
            f"{file}: expected a mesh of {count} vertices with colours; {painted} of its {len(found)} meshes have some"
        )
    red: Values = fitting[0][:, 0]
    return red


def _image(file: Path, animation: Animation) -> Values:
    """Return the image's value at each vertex, scaled to [0, 1]; 1 at vertices without faces.

    At a seam, the value is the mean over the texture coordinates of the vertex. Raise ValueError if the animation does
    not have texture coordinates.
    """
    if animation.uv is None:
        raise ValueError(f"{file}: a painted image needs texture coordinates, but the animation has none")
    texels = load_grey_image(file)
    # the largest texel determines the number that means white: 1, or the largest integer of 8 or of 16 bits
    white = 1.0 if texels.max() <= 1.0 else 255.0 if texels.max() <= 255.0 else 65535.0
    uv = np.asarray(animation.uv, np.float64)
    corners = animation.faces if animation.uv_faces is None else animation.uv_faces
    sampled = bilinear(texels / white, uv)[corners].ravel()
    counts = np.bincount(animation.faces.ravel(), minlength=animation.vertex_count)
    total = np.bincount(animation.faces.ravel(), sampled, animation.vertex_count)
    return np.where(counts > 0, total / np.maximum(counts, 1), 1.0)


def bilinear(texels: NDArray[np.float64], uv: NDArray[np.float64]) -> NDArray[np.float64]:
    """Interpolate texels (H, W) bilinearly at texture coordinates (N, 2). The image repeats; the top edge is v = 1."""
    rows, columns = texels.shape
    x, y = uv[:, 0] * columns - 0.5, (1.0 - uv[:, 1]) * rows - 0.5
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    found: NDArray[np.float64] = np.zeros(len(uv))
    for b, below in enumerate((1.0 - (y - j), y - j)):
        for a, beside in enumerate((1.0 - (x - i), x - i)):
            found += below * beside * texels[(j + b) % rows, (i + a) % columns]
    return found
