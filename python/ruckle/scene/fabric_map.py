"""The tile of a fabric as a texture on the graphics card."""

from __future__ import annotations

import moderngl
import numpy as np

from ruckle.scene.fabric import Fabric
from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["FabricMap"]


class FabricMap:
    """The tile of a fabric as a texture on the graphics card.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    allocations : int
        Number of textures created until now.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._fabric: Fabric | None = None
        self._texture: moderngl.Texture | None = None
        self.allocations = 0

    def use(self, fabric: Fabric) -> None:
        """Bind the tile of a fabric to its texture unit; a new fabric is copied to the graphics card before."""
        if self._texture is None or fabric is not self._fabric:
            texels = fabric.texels()[::-1]
            rows, columns = texels.shape[:2]
            self._texture = self._context.texture((columns, rows), 4, np.ascontiguousarray(texels), dtype="f4")
            self._texture.build_mipmaps()
            self._texture.anisotropy = 8.0
            self._fabric = fabric
            self.allocations += 1
        self._texture.use(TEXTURE_UNITS["fabric"])
