"""Writes one fine mesh to a file: OBJ, PLY, GLB, USD or Alembic."""

from __future__ import annotations

from pathlib import Path

from ruckle.io.carrier import OwnCarrier
from ruckle.io.fine_materials import FineMaterials
from ruckle.io.fine_obj import material_files, write_fine_obj
from ruckle.io.fine_ply import write_fine_ply
from ruckle.io.provenance import provenance
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["SUFFIXES", "save_fine_mesh"]

SUFFIXES = (".obj", ".ply", ".glb", ".usda", ".usdc", ".usd", ".abc")


def save_fine_mesh(fine: FineMesh, path: Path, animation: Animation | None = None) -> None:
    """Write a fine mesh. The extension of `path` must be in `SUFFIXES`.

    Parameters
    ----------
    fine : FineMesh
    path : path
    animation : Animation, optional
        Animation from which texture coordinates, materials, name and up axis are copied, if the format supports them.
    """
    # without an animation, use the coarse faces, whose vertices are the first vertices of the fine mesh
    source = Animation(fine.positions[None], fine.coarse) if animation is None else animation
    match path.suffix.lower():
        case ".ply":
            with replacing(path) as file:
                write_fine_ply(fine, source, file)
        case ".obj":
            found = FineMaterials.of(source)
            files = material_files(found.materials, path.stem)
            with replacing(path) as file:
                write_fine_obj(fine, source, found, f"{path.stem}.mtl" if files else None, file)
            for name, content in files.items():
                with replacing(path.with_name(name)) as file:
                    file.write(content)
        case ".glb":
            carrier = OwnCarrier(source)
            carrier.split(fine)
            document = carrier.document(provenance(source, {}))
            carrier.add_mesh(document, carrier.vertices.of(fine), [], {})
            with replacing(path) as file:
                document.write(file)
        case ".abc":
            from ruckle.io.alembic_file import AlembicFineWriter

            with AlembicFineWriter(path, source, first_frame=0, notes=provenance(source, {})) as archive:
                archive.append_mesh(fine)
                archive.finish()
        case _:
            from ruckle.io.fine_usd import UsdFineWriter

            with UsdFineWriter(path, source, first_frame=0, notes=provenance(source, {})) as writer:
                writer.append_mesh(fine)
                writer.finish()
