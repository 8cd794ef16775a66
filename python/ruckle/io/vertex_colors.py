"""Vertex colours of an animation, computed from textures, base colours and vertex colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.io.budget import Budget
from ruckle.mesh.animation import Animation
from ruckle.mesh.colors import Image

__all__ = ["vertex_colors"]

Float64 = NDArray[np.float64]


def vertex_colors(animation: Animation) -> Float64:
    """Return the mean sRGB colour (V, 3) float64 in [0, 1] of the face corners at each vertex.

    Raises
    ------
    ValueError
        The animation has no colours.
    FormatError
        An image is damaged.
    ImportError
        Pillow is not installed.
    """
    colors = animation.colors
    if colors is None:
        raise ValueError("mask: the file does not have colours or textures")
    corners = colors.corners.astype(np.float64)
    for number, image in enumerate(colors.images):
        here = colors.face_images == number
        corners[here] *= _linear(_texels(image, colors.uv[here]))
    total = np.zeros((animation.vertex_count, 3))
    np.add.at(total, animation.faces.ravel(), _encoded(corners.reshape(-1, 3)))
    counts = np.bincount(animation.faces.ravel(), minlength=animation.vertex_count)
    mean: Float64 = total / np.maximum(counts, 1)[:, None]
    return mean


def _texels(image: Image, uv: NDArray[np.floating]) -> Float64:
    """Return the nearest texels (T, 3, 3) at texture coordinates (T, 3, 2).

    The image repeats. Its first row is at v = 1.
    """
    try:
        from ruckle.io.pictures import open_picture
    except ImportError as error:
        raise ImportError('masks by texture colours need Pillow: pip install "ruckle[patterns]"') from error
    picture = open_picture(image.read(), image.place, Budget(image.budget), texel_bytes=8.0)
    pixels = np.asarray(picture.convert("RGB"))
    rows, columns = pixels.shape[:2]
    column = np.floor(uv[..., 0] * columns).astype(np.int64) % columns
    row = np.floor((1.0 - uv[..., 1]) * rows).astype(np.int64) % rows
    texels: Float64 = pixels[row, column] / 255.0
    return texels


def _linear(encoded: Float64) -> Float64:
    result: Float64 = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return result


def _encoded(linear: Float64) -> Float64:
    bounded = np.clip(linear, 0.0, 1.0)
    result: Float64 = np.where(bounded <= 0.0031308, 12.92 * bounded, 1.055 * bounded ** (1 / 2.4) - 0.055)
    return result
