"""Pictures on meshes as textures on the graphics card: the texture of the cloth, and pictures from the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL.Image import Image as Picture

from ruckle.io.budget import Budget
from ruckle.io.pictures import open_picture
from ruckle.mesh.colors import Image
from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["Albedo", "Pictures"]

# number of OpenGL's texture format SRGB8_ALPHA8, whose texels are filtered in linear light
SRGB8_ALPHA8 = 0x8C43

# Longest side of a picture in texels. Larger pictures are scaled down, so that a character fits on any graphics card.
LARGEST_SIDE = 2048

# Memory of one decoding in bytes per texel: 151 MB for 4096 x 4096 texels, of 160 MB that a small file may use.
DECODING_BYTES = 9.0

# Memory of a decoded picture, in bytes per texel.
KEPT_BYTES = 8.0


class Albedo:
    """A picture over the cloth. It is uploaded only if it has changed.

    Attributes
    ----------
    allocations : int
        Number of textures created until now.
    is_used : bool
        True if there is a picture.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._pixels: NDArray[Any] | None = None
        self._texture = context.texture((1, 1), 4, b"\xff" * 4)
        self.allocations = 1

    @property
    def is_used(self) -> bool:
        """True if there is a picture."""
        return self._pixels is not None

    def upload(self, pixels: ArrayLike | None) -> None:
        """Set a picture (H, W, 3) uint8 in sRGB, top row first; None removes the picture.

        An unchanged picture is not uploaded again. Raise ValueError for a wrong shape or type.
        """
        if pixels is None:
            self._pixels = None
            return
        found = np.asarray(pixels)
        if found.dtype != np.uint8 or found.ndim != 3 or found.shape[2] != 3 or found.size == 0:
            raise ValueError(f"albedo: expected uint8 array of shape (H, W, 3), got {found.dtype} {found.shape}")
        if self._pixels is not None and np.array_equal(found, self._pixels):
            return
        self._pixels = found.copy()
        opaque = np.full((*found.shape[:2], 4), 255, np.uint8)
        # v points up, so the order of the rows is reversed
        opaque[:, :, :3] = found[::-1]
        self._texture = self._context.texture(
            (found.shape[1], found.shape[0]), 4, opaque, alignment=1, internal_format=SRGB8_ALPHA8
        )
        self._texture.build_mipmaps()
        self._texture.anisotropy = 8.0
        self.allocations += 1

    def use(self) -> None:
        """Bind the texture to its texture unit, so that shaders can read it."""
        self._texture.use(TEXTURE_UNITS["albedo"])


class Pictures:
    """All pictures of one mesh as texture layers of equal size. Layer 0 is white.

    Parameters
    ----------
    context : moderngl.Context
    images : sequence of Image
        Pictures of the layers from 1 on.

    Raises
    ------
    FormatError
        A file is not a picture.
    """

    def __init__(self, context: moderngl.Context, images: Sequence[Image]) -> None:
        layers = stacked(decoded(images))
        count, height, width = layers.shape[:3]
        self._texture = context.texture_array((width, height, count), 4, layers, alignment=1)
        self._texture.build_mipmaps()
        self._texture.anisotropy = 8.0

    def use(self) -> None:
        """Bind the textures to their unit."""
        self._texture.use(TEXTURE_UNITS["pictures"])


def stacked(pictures: Sequence[Picture]) -> NDArray[np.uint8]:
    """Return white and the pictures as (N, H, W, 4) uint8, bottom row first.

    All are scaled to the largest width and the largest height of the pictures, each at most `LARGEST_SIDE`.
    """
    width, height = (min(max((picture.size[axis] for picture in pictures), default=1), LARGEST_SIDE) for axis in (0, 1))
    white = np.full((height, width, 4), 255, np.uint8)
    # v points up, so the order of the rows is reversed
    fitted = [np.asarray(picture.resize((width, height)))[::-1] for picture in pictures]
    return np.stack([white, *fitted])


def decoded(images: Sequence[Image]) -> list[Picture]:
    """Return the decoded pictures as RGBA, with sides of at most `LARGEST_SIDE` texels; each file is decoded once.

    Larger sides are reduced separately, so the aspect ratio can change. Alpha is 0 in pixels whose opacity is below the
    `cutout` of the image, and 255 in all others; without `cutout`, it is 255 everywhere.
    """
    files: dict[str, Picture] = {}
    total = Budget(max((image.budget for image in images), default=1.0))
    pictures = []
    for image in images:
        if image.place not in files:
            content = image.read()
            total.count_bytes(len(content))
            # only one picture is decoded at a time, so each decoding has its own memory limit
            budget = Budget(image.budget)
            budget.count_bytes(len(content))
            picture = open_picture(content, image.place, budget, texel_bytes=DECODING_BYTES).convert("RGBA")
            width, height = (min(side, LARGEST_SIDE) for side in picture.size)
            files[image.place] = picture.resize((width, height))
        picture = files[image.place].copy()
        total.hold(KEPT_BYTES * picture.width * picture.height, image.place)
        cutout = 0.0 if image.cutout is None else 255 * image.cutout
        picture.putalpha(picture.getchannel("A").point(lambda alpha, cutout=cutout: 255 * (alpha >= cutout)))
        pictures.append(picture)
    return pictures
