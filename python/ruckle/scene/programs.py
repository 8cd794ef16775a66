"""Compiles shader programs from the files in `shaders/`, each program once per context.

A file can contain ``#include "common/name.glsl"``, and so can included files. Each file is included only once. A number
for ``#line`` identifies it, so that messages of the driver contain the right file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import moderngl

from ruckle.errors import GraphicsError

__all__ = ["Programs", "set_uniforms", "shader_folder", "shader_source"]

VERSION = "#version 410 core"
INCLUDE = re.compile(r'#include "([^"]+)"')

# Extensions of shader files, and the argument of `moderngl.Context.program` for each.
STAGES = {
    ".vert": "vertex_shader",
    ".tesc": "tess_control_shader",
    ".tese": "tess_evaluation_shader",
    ".geom": "geometry_shader",
    ".frag": "fragment_shader",
}

# Texture unit of each sampler by its name in the shaders; it is the same in all programs.
TEXTURE_UNITS = {
    "cloth_table": 0,
    "field_table": 1,
    "albedo": 2,
    "large_picture": 3,
    "shadow_map": 4,
    "pattern_table": 6,
    "fabric": 7,
    "pictures": 8,
    "operator_table": 9,
    "fine_table": 10,
    "around_table": 11,
    "sample_table": 12,
    "share_table": 13,
    "frame_table": 14,
    "wave_table": 15,
    "direct": 16,
    "ambient": 17,
    "depths": 18,
    "occlusion": 19,
    "floor_map": 20,
    "from_below": 21,
    "studio_map": 22,
    "sewing_map": 23,
}
# Binding point of each uniform block by its name in the shaders.
BLOCKS = {"Scene": 0, "Studio": 1}
SCENE_BINDING, STUDIO_BINDING = BLOCKS.values()


@cache
def shader_folder() -> Path:
    """Return the folder of the shaders: in the installed package, or next to `python/` in the source tree."""
    package = Path(__file__).resolve().parents[1]
    installed, source = package / "shaders", package.parents[1] / "shaders"
    folder = installed if installed.is_dir() else source
    if not folder.is_dir():
        raise GraphicsError(f"{installed}: the shaders are missing; install ruckle again")
    return folder


def shader_source(path: Path, features: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """Return the GLSL text of a file with its includes, and the list of files in the order of their `#line` numbers.

    Includes are paths relative to the shader folder. `features` are names that the files test with ``#ifdef``.
    """
    files = [path.name]
    defined = [f"#define {feature}" for feature in features]
    return "\n".join([VERSION, *defined, *_numbered(path, 0, files)]) + "\n", files


def _numbered(path: Path, number: int, files: list[str]) -> Iterator[str]:
    """Yield the lines of a file and of its includes, each file once. Append the names of the files to `files`."""
    yield f"#line 1 {number}"
    for line, text in enumerate(_text(path).splitlines(), start=1):
        include = INCLUDE.fullmatch(text.strip())
        if include is None:
            yield text
        elif include[1] in files:
            yield ""
        else:
            files.append(include[1])
            yield from _numbered(shader_folder() / include[1], len(files) - 1, files)
            yield f"#line {line + 1} {number}"


class Programs:
    """The compiled programs of one OpenGL context.

    Attributes
    ----------
    compiled : int
        Number of compiled programs.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._programs: dict[tuple[tuple[str | Path, ...], ...], moderngl.Program] = {}

    @property
    def compiled(self) -> int:
        """Number of programs compiled until now."""
        return len(self._programs)

    def get(
        self, *names: str | Path, features: tuple[str, ...] = (), varyings: tuple[str, ...] = ()
    ) -> moderngl.Program:
        """Return the program of these shader files. It is compiled on first use.

        Parameters
        ----------
        *names : str or Path
            Files in `shaders/`, or full paths; one file per shader stage.
        features : tuple of str
            Optional parts of the files: "PATTERNS", "WAVES", "FABRIC", "COLORS", "SEWN", "HEM", "LIMITS".
        varyings : tuple of str
            Outputs that transform feedback captures.
        """
        key = (names, features, varyings)
        if key not in self._programs:
            self._programs[key] = self._compile(*key)
        return self._programs[key]

    def _compile(
        self, names: tuple[str | Path, ...], features: tuple[str, ...], varyings: tuple[str, ...]
    ) -> moderngl.Program:
        sources = {STAGES[Path(name).suffix]: shader_source(shader_folder() / name, features) for name in names}
        try:
            texts: dict[str, Any] = {stage: text for stage, (text, _) in sources.items()}
            program = self._context.program(varyings=varyings, **texts)
        except moderngl.Error as error:
            numbered = "; ".join(
                f"{stage}: " + ", ".join(f"{number} is {file}" for number, file in enumerate(files))
                for stage, (_, files) in sources.items()
            )
            raise GraphicsError(f"the driver cannot compile a shader: {error}\nsource numbers: {numbered}") from error
        for name in program:
            member = program[name]
            if isinstance(member, moderngl.Uniform) and name in TEXTURE_UNITS:
                member.value = TEXTURE_UNITS[name]
            elif isinstance(member, moderngl.UniformBlock):
                member.binding = BLOCKS[name]
        return program


def set_uniforms(program: moderngl.Program, settings: Mapping[str, Any]) -> None:
    """Set the uniforms in `settings`, except uniforms that the program does not have."""
    for name, value in settings.items():
        if name in program:
            program[name] = value


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
