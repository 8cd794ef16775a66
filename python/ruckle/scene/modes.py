"""The modes of a picture: their shaders, and how they use heights."""

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
    """One mode for drawing the cloth.

    Attributes
    ----------
    files : tuple of str
        Shaders that follow the first shaders of the mesh (its `stages`).
    displaced, bump : bool
        `displaced`: heights move the vertices. `bump`: heights change the shading normals (bump mapping).
    faceted : bool
        True if fine triangles have flat normals.
    lit : bool
        True if the studio lights the cloth, and the cloth casts shadows. If False, the shader outputs final colours.
    """

    files: tuple[str, ...]
    displaced: bool = True
    bump: bool = True
    faceted: bool = False
    lit: bool = False


MODES: dict[ModeName, Mode] = {
    "shaded": Mode(("studio.frag",), lit=True),
    # these two modes are the variants that figure 6.3 of the thesis compares
    "normals_only": Mode(("studio.frag",), displaced=False, lit=True),
    "geometry_only": Mode(("studio.frag",), bump=False, faceted=True, lit=True),
    "wireframe": Mode(("wireframe.geom", "wireframe.frag")),
    "height": Mode(("height.frag",)),
    "factors": Mode(("factors.frag",)),
    "labels": Mode(("labels.frag",)),
    "compression": Mode(("compression.frag",)),
}

# modes that show a value of each coarse triangle
FIELD_MODES = ("labels", "compression")


def check_mode(mode: str) -> ModeName:
    """Return `mode`. Raise ValueError with the list of modes if it does not exist."""
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(get_args(ModeName))}, got {mode!r}")
    return mode


def mode_programs(
    programs: Programs, stages: Iterable[tuple[str, ...]], mode: Mode, features: tuple[str, ...] = ()
) -> list[moderngl.Program]:
    """Return the programs of a mode: one for each entry of `stages`, with `features` (see `TessellatedCloth`)."""
    return [programs.get(*files, *mode.files, features=features) for files in stages]
