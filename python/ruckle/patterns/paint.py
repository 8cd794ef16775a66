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
from ruckle.patterns.images import GREY_MODES, exr_channels, open_image

__all__ = ["load_paint"]

Values = NDArray[Any]

# Largest difference between the channels of a grey texel, from 0 to 1. JPEG files have small differences.
GREY = 0.04

# Tolerance for texture coordinates in [0, 1], which exporters round.
EDGE = 1e-4

# Values of white texels, by Pillow's mode. Other modes have 16 bits.
WHITE = {"1": 1.0, "L": 255.0, "F": 1.0}


def load_paint(path: str | os.PathLike[str], animation: Animation) -> Float32:
    """Read a paint map for an animation's vertices.

    Parameters
    ----------
    path : path
        ``.npz`` with an array `paint` or `mask`, or ``.npy``: one number in [0, 1] or one boolean per vertex, or per
        vertex of the file before the repair of its faces. ``.glb``, ``.gltf``: the red channel of the vertex colours of
        the first mesh that has colours and the same number of vertices. ``.png``, ``.jpg``, ``.webp``, ``.exr``: a grey
        image over the texture coordinates, white for 1; transparent texels are 0.
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
    FileNotFoundError
        The file is missing.
    ImportError
        The file is an image, and Pillow or OpenEXR is not installed.
    """
    file, count = as_path("path", path), require_animation(animation).vertex_count
    kind = file.suffix.lower()
    readers = {".npz": _array, ".npy": _single_array, ".glb": _colors, ".gltf": _colors}
    values = np.asarray(readers[kind](file, count) if kind in readers else _image(file, animation), np.float64)
    values = values if animation.groups is None else animation.groups.of_file(values)
    if values.shape != (count,):
        raise ValueError(f"{file}: expected paint for {count} vertices, got an array of shape {values.shape}")
    # the mask is also False for NaN, so NaN is rejected
    inside = (values >= 0.0) & (values <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise FormatError(f"{file}: vertex {vertex} has paint {values[vertex]:g}, allowed are 0 to 1")
    return values.astype(np.float32)


def _array(file: Path, _count: int) -> Values:
    archive = Archive(file, Budget())
    # `Animation.save` writes the array `mask`
    name = "mask" if "mask" in archive.names and "paint" not in archive.names else "paint"
    return archive.array(name, "fiub")


def _single_array(file: Path, _count: int) -> Values:
    budget = Budget()
    return read_array(io.BytesIO(budget.read(file)), f"{file}: the array", "fiub", budget)


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
    if animation.uv is None and file.exists():
        raise ValueError(f"{file}: a painted image needs texture coordinates, but the animation has none")
    texels = _exr_texels(file) if file.suffix.lower() == ".exr" else _texels(file)
    uv = np.asarray(animation.uv, np.float64)
    corners = animation.faces if animation.uv_faces is None else animation.uv_faces
    sampled = bilinear(texels, uv)[corners].ravel()
    counts = np.bincount(animation.faces.ravel(), minlength=animation.vertex_count)
    total = np.bincount(animation.faces.ravel(), sampled, animation.vertex_count)
    return np.where(counts > 0, total / np.maximum(counts, 1), 1.0)


def _texels(file: Path) -> NDArray[np.float64]:
    """Return the texels (H, W) of a PNG, JPEG or WebP image, in [0, 1]. A colour image must contain only greys."""
    # per texel: 4 bytes of colours and transparency, 4 of single channels, and 16 of float64 numbers
    picture = open_image(file, texel_bytes=24.0)
    if picture.mode in GREY_MODES:
        grey: NDArray[np.float64] = np.asarray(picture).astype(np.float64) / WHITE.get(picture.mode, 65535.0)
        return grey
    # many programs store grey as three equal channels, with transparency or as a palette
    texels = np.asarray(picture.convert("RGB" if picture.mode == "CMYK" else "RGBA"))
    _require_grey(file, texels[..., :3] * (texels[..., 3:] > 0) if texels.shape[2] == 4 else texels, 255.0)
    opacity = texels[..., 3] / 255.0 if texels.shape[2] == 4 else 1.0
    return texels[..., 1] / 255.0 * opacity


def _exr_texels(file: Path) -> NDArray[np.float64]:
    """Return the texels (H, W) of an EXR image. Values above 1 are considered integers of 8 or 16 bits."""
    channels = exr_channels(file)
    colors = next((channels[name] for name in ("RGBA", "RGB") if name in channels), None)
    if "Y" not in channels and len(channels) != 1:
        raise FormatError(f"{file}: has channels {', '.join(channels)}; expected one, or Y among them")
    if "Y" not in channels and colors is not None:
        _require_grey(file, colors[..., :3], 1.0)
        channels = {"Y": colors[..., 1]}
    texels = np.asarray(channels["Y" if "Y" in channels else next(iter(channels))], np.float64)
    highest = float(texels.max(initial=0.0))
    return texels / (1.0 if highest <= 1.0 else 255.0 if highest <= 255.0 else 65535.0)


def _require_grey(file: Path, colors: Values, white: float) -> None:
    """Raise FormatError if the channels (H, W, 3) of a texel differ."""
    if float(np.ptp(colors, axis=2).max(initial=0)) > GREY * white:
        raise FormatError(f"{file}: has colours; expected a grey image, white where the cloth wrinkles")


def bilinear(texels: NDArray[np.float64], uv: NDArray[np.float64]) -> NDArray[np.float64]:
    """Interpolate texels (H, W) bilinearly at texture coordinates (N, 2). The top edge of the image is v = 1.

    The image repeats if a coordinate is outside [0, 1]. Otherwise, opposite edges of the image do not mix.
    """
    rows, columns = texels.shape
    if uv.size and uv.min() >= -EDGE and uv.max() <= 1.0 + EDGE:
        texels = np.pad(texels, 1, mode="edge")
        uv = (np.clip(uv, 0.0, 1.0) * (columns, rows) + 1.0) / (columns + 2, rows + 2)
        rows, columns = texels.shape
    x, y = uv[:, 0] * columns - 0.5, (1.0 - uv[:, 1]) * rows - 0.5
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    found: NDArray[np.float64] = np.zeros(len(uv))
    for b, below in enumerate((1.0 - (y - j), y - j)):
        for a, beside in enumerate((1.0 - (x - i), x - i)):
            found += below * beside * texels[(j + b) % rows, (i + a) % columns]
    return found
