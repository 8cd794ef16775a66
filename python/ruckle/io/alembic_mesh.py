"""Animations from Alembic archives, with points and transforms over time. Needs alembic3d.

Meshes are named by the object that holds them: a file has "/shirt/shirtShape", and programs show "shirt". Alembic does
not state an axis: programs write Y up.
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
    """Open the archive of a process; return its measures."""
    process.budget.count(process.path)
    return process.ask("compose", path=os.path.abspath(process.path))


read = partial(read_stage, ALEMBIC, _open_archive)
describe = partial(describe_stage, ALEMBIC, _open_archive)


def write(animation: Animation, path: Path) -> None:
    """Write an animation; its bind pose, skeleton and height are lost."""
    from ruckle.io.alembic_file import AlembicFile

    name = animation.name or "mesh"
    with AlembicFile(path, name, animation.fps, first_frame=0, notes=provenance(animation, {})) as file:
        corners = animation.faces if animation.uv_faces is None else animation.uv_faces
        uv = None if animation.uv is None else animation.uv[corners].reshape(-1, 2)
        for positions in animation.positions:
            file.write_frame(positions, animation.faces, corner_uv=uv)
        file.finish()
