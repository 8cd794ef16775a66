"""Arrays that shaders read by index. They are textures, because OpenGL 4.1 does not have storage buffers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["CLOTH_TABLE_WIDTH", "TABLE_WIDTH", "ClothTable", "PatternTable", "Table", "WaveTable"]

# Numbers of texels per row: of constant tables (as in shaders/common/tables.glsl), and of tables that are uploaded in
# each frame. Only whole rows are uploaded, so short rows save time.
TABLE_WIDTH, CLOTH_TABLE_WIDTH = 1024, 128


class Table:
    """A one-dimensional array of RGBA texels in a texture. It can grow, but never shrinks.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    allocations : int
        Number of textures created until now.
    texels : (N, 4) float32
        Source of `upload`, which the caller fills. It has whole rows, so that one call can copy them.
    """

    texels: NDArray[Any]
    _width, _kind = TABLE_WIDTH, "f4"
    _scalar: type[np.generic] = np.float32

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self.allocations = 0
        self._texture = self._allocate(1)

    def reserve(self, count: int) -> None:
        """Reserve space for `count` texels. If the table must grow, it loses its contents."""
        if count > len(self.texels):
            self._texture = self._allocate(max(-(-count // self._width), 2 * self._texture.height))

    def upload(self, count: int) -> None:
        """Copy the first `count` texels to the graphics card."""
        rows = -(-count // self._width)
        self._texture.write(self.texels[: rows * self._width], viewport=(0, 0, self._width, rows))

    def use(self, unit: int) -> None:
        """Bind the table to a texture unit."""
        self._texture.use(unit)

    def _allocate(self, rows: int) -> moderngl.Texture:
        self.allocations += 1
        self.texels = np.zeros((rows * self._width, 4), self._scalar)
        texture = self._context.texture((self._width, rows), 4, self.texels, dtype=self._kind, alignment=1)
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture


class ClothTable(Table):
    """A table of (N, 4) uint32 with short rows, uploaded in each frame, for shaders/common/cloth_table.glsl."""

    _width, _kind, _scalar = CLOTH_TABLE_WIDTH, "u4", np.uint32


class PatternTable:
    """The patterns of a mesh, uploaded once. The factors of each frame are in the table of the mesh.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    is_used : bool
        True if the last frame has patterns.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._table = Table(context)
        self._shown: _core.PatternHeights | None = None
        self._uniform = (0, 0, 0)
        self.is_used = False

    @property
    def allocations(self) -> int:
        """Number of textures created until now."""
        return self._table.allocations

    def upload(self, sources: Iterable[tuple[_core.HeightSource, int]], face_count: int) -> None:
        """Set the height sources of a frame; only pattern sources are used, and only new patterns are uploaded.

        `sources` are pairs: a height source, and the index of its first texel in the table of the mesh.
        """
        self.is_used = False
        for source, first in sources:
            if isinstance(source, _core.PatternHeights):
                self._copy(source)
                self._uniform = (first, source.pattern_count, face_count)
                self.is_used = True

    def _copy(self, source: _core.PatternHeights) -> None:
        if self._shown is not None and self._shown.shares_patterns(source):
            return
        texels = source.pattern_texels()
        self._table.reserve(len(texels))
        self._table.texels[: len(texels)] = texels
        self._table.upload(len(texels))
        self._shown = source

    def use(self, *programs: moderngl.Program) -> None:
        """Bind the table to its texture unit, and set its layout in these programs."""
        self._table.use(TEXTURE_UNITS["pattern_table"])
        for program in programs:
            if "patterns" in program:
                program["patterns"] = self._uniform


class WaveTable:
    """The rest pose of waves, uploaded once. The values of each frame are in the table of the mesh.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    is_used : bool
        True if the last frame has waves.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._table = Table(context)
        self._shown: _core.WaveHeights | None = None
        self._uniforms: dict[str, Any] = {}
        self.is_used = False

    @property
    def allocations(self) -> int:
        """Number of textures created until now."""
        return self._table.allocations

    def upload(self, sources: Iterable[tuple[_core.HeightSource, int]], face_count: int) -> None:
        """Set the height sources of a frame; only wave sources are used, and only a new rest pose is uploaded.

        `sources` are pairs: a height source, and the index of its first texel in the table of the mesh.
        """
        self.is_used = False
        for source, first in sources:
            if isinstance(source, _core.WaveHeights):
                self._copy(source)
                states = (first, first + source.vertex_count * (source.share > 0.0), face_count)
                self._uniforms = {"waves": states, "wave_profile": source.profile, "wave_share": source.share}
                self.is_used = True

    def _copy(self, source: _core.WaveHeights) -> None:
        if self._shown is not None and self._shown.shares_rest(source):
            return
        texels = source.rest_texels()
        self._table.reserve(len(texels))
        self._table.texels[: len(texels)] = texels
        self._table.upload(len(texels))
        self._shown = source

    def use(self, *programs: moderngl.Program) -> None:
        """Bind the table to its texture unit, and set its layout in these programs."""
        self._table.use(TEXTURE_UNITS["wave_table"])
        for program in programs:
            for name, value in self._uniforms.items():
                if name in program:
                    program[name] = value
