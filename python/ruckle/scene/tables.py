"""Arrays that shaders read by number: OpenGL 4.1 has no storage buffers, and moderngl no buffer textures."""

from __future__ import annotations

import moderngl
import numpy as np

from ruckle.arrays import Float32

__all__ = ["TABLE_WIDTH", "Table"]

# Texels per row, as in shaders/common/tables.glsl.
TABLE_WIDTH = 1024


class Table:
    """A one-dimensional array of RGBA texels in a texture that grows and never shrinks.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    allocations : int
        Textures made so far.
    texels : (N, 4) float32
        What `upload` copies, for the caller to fill: whole rows, so that one call copies them.
    """

    texels: Float32

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self.allocations = 0
        self._texture = self._allocate(1)

    def reserve(self, count: int) -> None:
        """Make room for `count` texels; those that are there are lost where there was too little."""
        if count > len(self.texels):
            self._texture = self._allocate(max(-(-count // TABLE_WIDTH), 2 * self._texture.height))

    def upload(self, count: int) -> None:
        """Copy the first `count` texels to the graphics card."""
        rows = -(-count // TABLE_WIDTH)
        self._texture.write(self.texels[: rows * TABLE_WIDTH], viewport=(0, 0, TABLE_WIDTH, rows))

    def use(self, unit: int) -> None:
        """Bind the table to a texture unit."""
        self._texture.use(unit)

    def _allocate(self, rows: int) -> moderngl.Texture:
        self.allocations += 1
        self.texels = np.zeros((rows * TABLE_WIDTH, 4), np.float32)
        texture = self._context.texture((TABLE_WIDTH, rows), 4, self.texels, dtype="f4", alignment=1)
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture
