"""Arrays that shaders read by index. They are textures, because OpenGL 4.1 does not have storage buffers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32
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


class SourceTable(ABC):
    """Texels of a height source that are the same in every frame. Others are in the table of the mesh.

    Parameters
    ----------
    context : moderngl.Context

    Attributes
    ----------
    is_used : bool
        True if the last frame has a source of this kind.
    """

    _kind: type[_core.HeightSource]
    _unit: str
    _texels: Callable[[Any], Float32]  # returns the constant texels of a source
    _are_equal: Callable[[Any, Any], bool]  # True if two sources have the same constant texels

    def __init__(self, context: moderngl.Context) -> None:
        self._table = Table(context)
        self._shown: _core.HeightSource | None = None
        self._uniforms: dict[str, Any] = {}
        self.is_used = False

    @property
    def allocations(self) -> int:
        """Number of textures created until now."""
        return self._table.allocations

    def upload(self, sources: Iterable[tuple[_core.HeightSource, int]], face_count: int) -> None:
        """Set the height sources of a frame; only sources of this kind are used, and only new texels are uploaded.

        `sources` are pairs: a height source, and the index of its first texel in the table of the mesh.
        """
        self.is_used = False
        for source, first in sources:
            if isinstance(source, self._kind):
                if self._shown is None or not self._are_equal(self._shown, source):
                    texels = self._texels(source)
                    self._table.reserve(len(texels))
                    self._table.texels[: len(texels)] = texels
                    self._table.upload(len(texels))
                    self._shown = source
                self._uniforms = self._layout(source, first, face_count)
                self.is_used = True

    def use(self, *programs: moderngl.Program) -> None:
        """Bind the table to its texture unit, and set its layout in these programs."""
        self._table.use(TEXTURE_UNITS[self._unit])
        for program in programs:
            for name, value in self._uniforms.items():
                if name in program:
                    program[name] = value

    @abstractmethod
    def _layout(self, source: Any, first: int, face_count: int) -> dict[str, Any]: ...


class PatternTable(SourceTable):
    """The patterns of a mesh. The table of the mesh has their factors."""

    _kind, _unit = _core.PatternHeights, "pattern_table"
    _texels = staticmethod(lambda source: source.pattern_texels())
    _are_equal = staticmethod(lambda shown, source: shown.shares_patterns(source))

    def _layout(self, source: _core.PatternHeights, first: int, face_count: int) -> dict[str, Any]:
        return {"patterns": (first, source.pattern_count, face_count)}


class WaveTable(SourceTable):
    """The rest pose of waves. The table of the mesh has their phases and amplitudes."""

    _kind, _unit = _core.WaveHeights, "wave_table"
    _texels = staticmethod(lambda source: source.rest_texels())
    _are_equal = staticmethod(lambda shown, source: shown.shares_rest(source))

    def _layout(self, source: _core.WaveHeights, first: int, face_count: int) -> dict[str, Any]:
        states = (first, first + source.vertex_count * (source.share > 0.0), face_count)
        return {"waves": states, "wave_profile": source.profile, "wave_share": source.share}
