"""Reads animations from Alembic archives, in which points and transforms may change. Requires alembic3d.

The name of a mesh is the name of its parent object: for "/shirt/shirtShape", programs show "shirt". Alembic files do
not contain an up axis; programs write files with Y up.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from ruckle.io.library_process import ALEMBIC, LibraryProcess
from ruckle.io.provenance import provenance
from ruckle.io.stage_mesh import describe_stage, read_stage
from ruckle.mesh.animation import Animation

__all__ = ["describe", "read", "write"]


def _open_archive(process: LibraryProcess) -> dict[str, Any]:
    """Open the file in the library's process, and return the measures of its archive."""
    process.budget.count(process.path)
    return process.ask("compose", path=os.path.abspath(process.path))


read = partial(read_stage, ALEMBIC, _open_archive)
describe = partial(describe_stage, ALEMBIC, _open_archive)


def write(animation: Animation, path: Path) -> None:
    """Write name, frame rate, positions, faces and texture coordinates of an animation. Nothing else is stored."""
    from ruckle.io.alembic_file import AlembicFile

    name = animation.name or "mesh"
    with AlembicFile(path, name, animation.fps, first_frame=0, notes=provenance(animation, {})) as file:
        corners = animation.faces if animation.uv_faces is None else animation.uv_faces
        uv = None if animation.uv is None else animation.uv[corners].reshape(-1, 2)
        for positions in animation.positions:
            file.write_frame(positions, animation.faces, corner_uv=uv)
        file.finish()
