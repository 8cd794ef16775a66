"""The cloth's texture on the graphics card."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["Albedo"]

# OpenGL's SRGB8_ALPHA8: filtered as light, not as codes
SRGB8_ALPHA8 = 0x8C43


class Albedo:
    """A picture that is laid over the cloth, uploaded when it changes.

    Attributes
    ----------
    allocations : int
        Textures made so far.
    is_used : bool
        There is a picture.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._pixels: NDArray[Any] | None = None
        self._texture = context.texture((1, 1), 4, b"\xff" * 4)
        self.allocations = 1

    @property
    def is_used(self) -> bool:
        """There is a picture."""
        return self._pixels is not None

    def upload(self, pixels: ArrayLike | None) -> None:
        """Take a picture (H, W, 3) uint8 in sRGB, top row first; None for none."""
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
        # v points up
        opaque[:, :, :3] = found[::-1]
        self._texture = self._context.texture(
            (found.shape[1], found.shape[0]), 4, opaque, alignment=1, internal_format=SRGB8_ALPHA8
        )
        self._texture.build_mipmaps()
        self._texture.anisotropy = 8.0
        self.allocations += 1

    def use(self) -> None:
        """Bind it to its texture unit."""
        self._texture.use(TEXTURE_UNITS["albedo"])
