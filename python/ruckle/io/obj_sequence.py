"""Reads animations from OBJ or PLY files: one file per frame, a single file, or an OBJ file with a point cache."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

import numpy as np

from ruckle.errors import FormatError, MeshError, MissingFileError
from ruckle.io import point_cache
from ruckle.io.budget import Budget, unreadable
from ruckle.io.obj import Mesh, read_mesh
from ruckle.io.ply import read_ply
from ruckle.io.reading import animation_of, as_path
from ruckle.mesh.animation import Animation, Up

__all__ = ["describe", "frame_files", "is_pattern", "read"]

KINDS = (".obj", ".ply")
PRINTF = re.compile(r"%(0?)(\d{0,2})d")


def read(
    path: Path,
    budget: Budget,
    *,
    cache: str | os.PathLike[str] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
    up: Up = "y",
) -> Animation:
    """Read the frames of a path.

    Parameters
    ----------
    path : a file, a folder, or a pattern such as `frames/shirt_*.obj` or `frames/shirt_%04d.ply`
        For a folder, all its OBJ files are read, or all its PLY files if it does not contain OBJ files. Frames are in
        natural order of the names: 2 before 10. Faces and texture coordinates are from the first file.
    budget : Budget
    cache : path of a PC2 or MDD file, optional
        Point cache with the positions of the vertices of one OBJ file.
    fps : frames per second, optional
        The default is 30, or the rate that an MDD cache stores.
    name : str, optional
        The default is the stem of the file or folder; for a pattern, its beginning, otherwise the name of its folder.
    height : mesh units, optional
        The default is the vertical extent of the mesh in the first frame.
    up : {"y", "z"}
        The axis that points up.
    """
    if cache is not None:
        if path.suffix.lower() == ".ply":
            raise ValueError(f"cache: a point cache needs an OBJ file, and {path} is not one")
        moving = as_path("cache", cache)
        if moving.suffix.lower() not in point_cache.CACHES:
            raise FormatError(f"{moving}: unknown point cache, expected {' or '.join(point_cache.CACHES)}")
        return point_cache.read(moving, budget, mesh=path, fps=fps, name=name, height=height, up=up)
    files = frame_files(path)
    first = _read(files[0], budget)
    budget.hold_positions(len(files), len(first.positions), f"{path}: {len(files)} files")
    positions = np.empty((len(files), *first.positions.shape), np.float32)
    for frame, file in enumerate(files):
        mesh = first if frame == 0 else _same_topology(_read(file, budget, first), first, frame, file)
        positions[frame] = mesh.positions
    uv, uv_faces = point_cache.indexed_uv(first)
    return animation_of(
        path,
        positions,
        first.faces,
        fps=30.0 if fps is None else fps,
        uv=uv,
        uv_faces=uv_faces,
        groups=first.groups,
        name=name or _stem(path),
        height=height,
        up=up,
    )


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return the number of files that a path selects, the first file and the last file."""
    files = frame_files(path)
    return {"files": len(files), "first_file": str(files[0]), "last_file": str(files[-1])}


def is_pattern(path: Path) -> bool:
    """Return True if a path does not exist, and contains a wildcard or, in its last part, a printf pattern."""
    text = str(path)
    return (glob.has_magic(text) or PRINTF.search(path.name) is not None) and not path.exists()


def frame_files(path: Path) -> list[Path]:
    """Return the OBJ or PLY files that a path (a file, a folder or a pattern) selects, in natural order.

    From a folder, only files of the first kind that exists are selected. Raise MissingFileError if there are none.
    """
    if not is_pattern(path) and not path.is_dir():
        return [path]
    try:
        if path.is_dir():
            files = list(path.iterdir())
            by_kind = ([file for file in files if file.suffix.lower() == kind] for kind in KINDS)
            found = next(filter(None, by_kind), [])
        elif PRINTF.search(path.name):
            numbered = _numbered_name(path.name)
            found = [file for file in path.parent.iterdir() if numbered.fullmatch(file.name)]
        else:
            found = [Path(file) for file in glob.glob(str(path))]
    except OSError as error:
        raise unreadable(path, error) from error
    if not found:
        raise MissingFileError(str(path), "no OBJ or PLY file matches")
    return sorted(found, key=_natural_key)


def _read(file: Path, budget: Budget, known: Mesh | None = None) -> Mesh:
    return read_ply(file, budget) if file.suffix.lower() == ".ply" else read_mesh(file, budget, known)


def _numbered_name(pattern: str) -> re.Pattern[str]:
    """Return a regular expression for the names that a printf pattern creates for integers: %d, %4d and %04d."""
    pieces: list[str] = []
    end = 0
    for match in PRINTF.finditer(pattern):
        width = int(match[2] or 0)
        # %04d: a number has exactly four digits, or more digits without a leading zero
        number = rf"(?:[0-9]{{{width}}}|[1-9][0-9]{{{width},}})" if match[1] and width else "[ ]*(?:0|[1-9][0-9]*)"
        pieces += (re.escape(pattern[end : match.start()]), number)
        end = match.end()
    return re.compile("".join(pieces) + re.escape(pattern[end:]))


def _natural_key(path: Path) -> tuple[list[str | int], str]:
    words = re.split(r"([0-9]+)", str(path).lower())
    return [int(word) if index % 2 else word for index, word in enumerate(words)], str(path)


def _same_topology(mesh: Mesh, first: Mesh, frame: int, file: Path) -> Mesh:
    found, expected = mesh.positions.shape[0], first.positions.shape[0]
    if found != expected:
        raise MeshError(f"frame {frame} ({file.name}) has {found} vertices, but frame 0 has {expected}")
    if not np.array_equal(mesh.faces, first.faces):
        raise MeshError(f"frame {frame} ({file.name}) has other faces than frame 0")
    return mesh


def _stem(path: Path) -> str:
    """Return the default name of the animation: "shirt" for `shirt_*.obj` and `shirt_%04d.obj`."""
    if not is_pattern(path):
        return path.stem
    return re.split(r"[*?%\[]", path.stem)[0].rstrip("_-. ") or path.parent.name
