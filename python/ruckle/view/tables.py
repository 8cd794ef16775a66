"""Arrays that shaders read by number: OpenGL 4.1 has no storage buffers, and moderngl no buffer textures."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

__all__ = ["TABLE_WIDTH", "Table"]

# Texels per row, as in shaders/common/tables.glsl.
TABLE_WIDTH = 1024


class Table:
    """A one-dimensional array of texels in a texture that grows and never shrinks.

    Parameters
    ----------
    context : moderngl.Context
    components : int
        Numbers per texel, 1 to 4.
    dtype : "f4" or "i4"

    Attributes
    ----------
    allocations : int
        Textures made so far.
    """

    def __init__(self, context: moderngl.Context, components: int, dtype: str = "f4") -> None:
        self._context = context
        self._components = components
        self._dtype = dtype
        self.allocations = 0
        self._texture = self._allocate(1)

    def write(self, values: NDArray[Any]) -> None:
        """Store C-contiguous `values`, whose size is a multiple of the components."""
        count = values.size // self._components
        if count == 0:
            return
        rows, rest = divmod(count, TABLE_WIDTH)
        if rows + 1 > self._texture.height:
            self._texture = self._allocate(max(rows + 1, 2 * self._texture.height))
        # whole rows, then what is left of the last one: straight from the array
        flat = values.reshape(count, self._components)
        if rows:
            self._texture.write(flat[: rows * TABLE_WIDTH], viewport=(0, 0, TABLE_WIDTH, rows))
        if rest:
            self._texture.write(flat[rows * TABLE_WIDTH :], viewport=(0, rows, rest, 1))

    def use(self, unit: int) -> None:
        """Bind the table to a texture unit."""
        self._texture.use(unit)

    def _allocate(self, rows: int) -> moderngl.Texture:
        self.allocations += 1
        zeros = np.zeros(rows * TABLE_WIDTH * self._components, self._dtype)
        texture = self._context.texture((TABLE_WIDTH, rows), self._components, zeros, dtype=self._dtype, alignment=1)
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture
