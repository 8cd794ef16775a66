"""The wrinkled surface of every frame as files that other programs open: which path asks for which writer.

A folder gets one OBJ or PLY file per frame, or baked maps; `.pc2` and `.mdd` one point cache with its mesh beside it;
`.usda`, `.usdc` and `.usd` one USD file with time samples.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol, get_args

from ruckle.io.point_cache import CACHES
from ruckle.mesh.animation import Animation
from ruckle.surface.surface import Surface

__all__ = ["FineWriter", "Form", "fine_writer"]

USD = (".usda", ".usdc", ".usd")

Form = Literal["obj", "ply", "maps"]


class FineWriter(AbstractContextManager["FineWriter"], Protocol):
    """Takes the surface of one frame after another; nothing appears under its name before `finish`."""

    @property
    def fixed(self) -> bool:
        """Whether every frame must have the same fine faces."""

    def append(self, surface: Surface) -> None:
        """Add the next frame."""

    def finish(self) -> None:
        """Move what was written to its name."""


def fine_writer(
    path: Path, animation: Animation, *, form: Form = "obj", first_frame: int = 0, map_size: int = 1024
) -> FineWriter:
    """Return the writer that a path asks for.

    Parameters
    ----------
    path : path
        A folder that is new or empty, or a file `.pc2`, `.mdd`, `.usda`, `.usdc`, `.usd`.
    animation : Animation
        What the surfaces are of: its name, frame rate and texture coordinates are written.
    form : {"obj", "ply", "maps"}
        What a folder gets.
    first_frame : int
        Number of the first frame.
    map_size : int
        Texels along each side of baked maps.

    Raises
    ------
    ValueError
        Another extension, or maps of an animation without texture coordinates inside the unit square.
    ModuleNotFoundError
        USD is wanted and usd-core is not installed, or maps and OpenEXR.
    OSError
        The place cannot be written.
    """
    if form not in get_args(Form):
        raise ValueError(f'form: expected "obj", "ply" or "maps", got "{form}"')
    suffix = path.suffix.lower()
    if suffix in CACHES:
        from ruckle.io.fine_cache import FineCacheWriter

        return FineCacheWriter(path, animation)
    if suffix in USD:
        from ruckle.io.fine_usd import UsdFineWriter

        return UsdFineWriter(path, animation, first_frame=first_frame)
    if suffix and not path.is_dir():
        files = ", ".join((*CACHES, *USD))
        raise ValueError(f"{path}: fine meshes are written as a folder of files or as {files}, got '{suffix}'")
    if form == "maps":
        from ruckle.io.fine_maps import MapWriter

        return MapWriter(path, animation, first_frame=first_frame, size=map_size)
    if form == "ply":
        from ruckle.io.fine_ply import PlyFineWriter

        return PlyFineWriter(path, animation, first_frame=first_frame)
    from ruckle.io.fine_obj import ObjFineWriter

    return ObjFineWriter(path, animation, first_frame=first_frame)
