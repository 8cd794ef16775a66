"""The modes of a picture: the shaders of each mode, and the parts of the wrinkles that it uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import moderngl

    from ruckle.scene.programs import Programs

__all__ = ["FIELD_MODES", "MODES", "Mode", "ModeName", "check_mode", "mode_programs"]

ModeName = Literal["shaded", "normals_only", "geometry_only", "wireframe", "height", "factors", "labels", "compression"]


@dataclass(frozen=True)
class Mode:
    """One way to draw the cloth.

    Attributes
    ----------
    files : tuple of str
        Shaders after the tessellator.
    displaced, bump : bool
        Heights displace the geometry; heights bend the shading normal (bump mapping).
    faceted : bool
        The fine triangles are lit with flat normals.
    lit : bool
        The studio lights the cloth, which casts shadows; otherwise the shader gives finished colours.
    """

    files: tuple[str, ...]
    displaced: bool = True
    bump: bool = True
    faceted: bool = False
    lit: bool = False


MODES: dict[ModeName, Mode] = {
    "shaded": Mode(("studio.frag",), lit=True),
    # the variants of figure 6.3
    "normals_only": Mode(("studio.frag",), displaced=False, lit=True),
    "geometry_only": Mode(("studio.frag",), bump=False, faceted=True, lit=True),
    "wireframe": Mode(("wireframe.geom", "wireframe.frag")),
    "height": Mode(("height.frag",)),
    "factors": Mode(("factors.frag",)),
    "labels": Mode(("labels.frag",)),
    "compression": Mode(("compression.frag",)),
}

# modes that need more data of the triangles than their positions
FIELD_MODES = ("labels", "compression")


def check_mode(mode: str) -> ModeName:
    """Return `mode`; ValueError listing the modes there are."""
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(get_args(ModeName))}, got {mode!r}")
    return mode


def mode_programs(
    programs: Programs, stages: Iterable[tuple[str, ...]], mode: Mode, features: tuple[str, ...] = ()
) -> list[moderngl.Program]:
    """Return the programs that draw a mode, one for each of a mesh's `stages`, with its `features`: see `Cloth`."""
    return [programs.get(*files, *mode.files, features=features) for files in stages]
