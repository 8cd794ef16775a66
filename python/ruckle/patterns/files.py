"""Pattern files. NAME.pattern.npz contains the subdivision of a grid, the heights, and a hash of the mesh."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle._core import Topology as CoreTopology
from ruckle.arrays import finite_rows
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.topology import mesh_topology
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.modulator import common_grid
from ruckle.patterns.pattern import Pattern

__all__ = ["load_patterns", "save_patterns"]

FORMAT_VERSION = 1

# the arrays that a file contains, and for each the allowed `dtype.kind`
ARRAYS = {"format_version": "iu", "mesh": "U", "rest": "f", "edge_parts": "iu", "heights": "f", "names": "U"}


def _mesh_hash(topology: CoreTopology) -> str:
    return hashlib.sha256(np.ascontiguousarray(topology.faces, "<i4").tobytes()).hexdigest()


def save_patterns(patterns: Sequence[Pattern], path: str | os.PathLike[str]) -> None:
    """Write patterns of one grid to a file, usually called ``NAME.pattern.npz``. An existing file is replaced.

    Parameters
    ----------
    patterns : sequence of Pattern
        1 to 4 patterns of one grid.
    path : path

    Raises
    ------
    ValueError
        There is no pattern, there are more than 4, or the patterns have different grids.
    TypeError
        `patterns` is not a sequence of Pattern.
    OSError
        The file cannot be written.
    """
    grid = common_grid(patterns)
    with replacing(as_path("path", path)) as file:
        np.savez_compressed(
            file,
            format_version=np.int32(FORMAT_VERSION),
            mesh=np.array(_mesh_hash(grid.topology)),
            rest=grid.rest,
            edge_parts=grid.edge_parts.astype(np.uint8),
            heights=np.stack([pattern.heights for pattern in patterns]),
            names=np.array([pattern.name for pattern in patterns]),
        )


def load_patterns(path: str | os.PathLike[str], topology: CoreTopology, rest: ArrayLike | None = None) -> list[Pattern]:
    """Read patterns from a file.

    Parameters
    ----------
    path : path
    topology : Topology
        Topology of the mesh, in which vertices at equal positions are joined.
    rest : (V, 3) float, mesh units, optional
        Positions of the undeformed cloth; they replace the positions in the file.

    Returns
    -------
    list of Pattern

    Raises
    ------
    FormatError
        The file is not a pattern file, is damaged, or has a format version that is too new.
    FileNotFoundError
        The file is missing.
    ValueError
        The patterns were made for another mesh, or `rest` has a wrong shape or a number that is not finite.
    """
    file, mesh = as_path("path", path), mesh_topology(topology)
    content = _read(file)
    if str(content["mesh"]) != _mesh_hash(mesh):
        raise ValueError(f"{file}: its patterns belong to another mesh than this one of {mesh.face_count} faces")
    names, heights = content["names"], content["heights"]
    if names.ndim != 1 or heights.ndim != 2 or len(names) != len(heights):
        raise FormatError(f"{file}: is damaged (heights {heights.shape} of patterns {names.shape})")
    given = None if rest is None else finite_rows("rest", rest, (mesh.vertex_count, 3))
    try:
        shape = content["rest"] if given is None else given
        grid = PatternGrid(mesh, shape, edge_parts=content["edge_parts"].astype(np.int32))
        return [Pattern(grid, values, str(name)) for name, values in zip(names, heights, strict=True)]
    except ValueError as error:
        raise FormatError(f"{file}: is damaged ({error})") from error


def _read(file: Path) -> dict[str, NDArray[Any]]:
    archive = Archive(file, Budget())
    missing = [name for name in ARRAYS if name not in archive.names]
    if missing:
        raise FormatError(f"{file}: is no pattern file; it has no {missing[0]}")
    version = archive.scalar("format_version", "iu")
    if version > FORMAT_VERSION:
        raise FormatError(f"{file}: has format version {version}; this ruckle reads up to {FORMAT_VERSION}")
    return {name: archive.array(name, kinds) for name, kinds in ARRAYS.items()}
