"""Reads animations from USD and Alembic stages: one mesh or several joined meshes, with animated points and transforms.

A separate process reads the stage; this module checks its answers. Frames are one time code apart. If the samples are
equally spaced, frames have their spacing in two cases: if it is less than a time code, or if a second has very many
time codes. The frames are from the stage's start to its end; without these values, from the first sample to the last.
Polygons are split into triangles by fans or ear clipping.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.library_process import Library, LibraryProcess, read_with
from ruckle.io.part_names import is_pattern, matches
from ruckle.io.polygons import triangle_corners
from ruckle.io.reading import animation_of, character_height
from ruckle.io.stage_groups import names_of, stage_groups
from ruckle.mesh.animation import Animation, Up
from ruckle.mesh.joining import join
from ruckle.mesh.roles import cloth_among, role_of

__all__ = ["Placement", "describe_stage", "placement_in", "read_stage"]

# For the time limit: estimated nanoseconds per vertex and frame.
VERTEX_TIME = 60.0

# For the memory limit: bytes per mesh in the list of meshes.
LISTED_BYTES = 1000

# Samples are considered equally spaced if the differences of their times vary by less than this share of their mean.
# Also, a sample is considered to coincide with a frame if it is less than this share of a frame away from it.
SAME_CODE = 1e-3

# If a stage has more time codes per second than this, and equally spaced samples are more than one code apart, frames
# have the spacing of the samples.
MOST_FRAMES = 240.0

Int64 = NDArray[np.int64]

Opening = Callable[[LibraryProcess], dict[str, Any]]


def read_stage(
    library: Library,
    opened: Opening,
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None,
    fps: float | None,
    name: str | None,
    height: float | None,
    up: Up | None,
) -> Animation:
    """Read meshes of a stage as one animation.

    Parameters
    ----------
    library, opened : library, and function that opens the file in the library's process
    path : the file
    budget : Budget
    mesh : name or path of a prim, its index among the meshes, or a list of these, optional
        Names may be patterns, or "all". By default the visible, moving meshes whose name or material means cloth; if
        there are none, the moving meshes without a role. If all moving meshes have other roles, the first of them. If
        no mesh moves, the first visible mesh.
    fps : frames per second, optional
        Frame rate of the result; frames are not resampled. The default is the stage's time codes per second, divided by
        the number of time codes between two frames.
    name : str, optional
        The default is the name of the prim; for several meshes, their names, joined by "+".
    height : stage units, optional
        The default is `character_height_m` of the JSON file of the same stem, converted to stage units, otherwise the
        meshes' vertical extent.
    up : {"y", "z"}, optional
        The default is the stage's up axis.
    """
    parts, rate, axis, metres = read_with(library, path, budget, partial(_parts, opened=opened, mesh=mesh))
    if height is None and (in_metres := character_height(path, budget)) is not None:
        height = in_metres / metres
    options: dict[str, Any] = {
        "fps": rate if fps is None else fps,
        "height": height,
        "up": up or axis,
    }
    return join([animation_of(path, **part, **options) for part in parts], name=name)


class Placement(NamedTuple):
    """The meshes and time codes of a stage from which an animation is read.

    Attributes
    ----------
    paths : list of str
        Paths of the meshes, in the order of the animation's vertices and triangles.
    vertex_counts, corner_counts : lists of int and of (polygons,) int64
        Number of vertices of each mesh; number of corners of each polygon of each mesh.
    codes : (F,) float64
        Time codes of the frames.
    """

    paths: list[str]
    vertex_counts: list[int]
    corner_counts: list[Int64]
    codes: NDArray[np.float64]


def placement_in(
    library: Library,
    opened: Opening,
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None = None,
) -> Placement:
    """Return the meshes and time codes of the animation that `read_stage` would return."""
    return read_with(library, path, budget, partial(_placement, opened=opened, mesh=mesh))


def describe_stage(library: Library, opened: Opening, path: Path, budget: Budget) -> dict[str, object]:
    """Return the meshes of a stage, its up axis, unit and times."""
    stage = read_with(library, path, budget, partial(_composed, opened=opened))
    return {
        "up_axis": stage["up"],
        "meters_per_unit": stage["meters_per_unit"],
        "time_codes": [stage["start"], stage["end"]],
        "time_codes_per_second": stage["codes_per_second"],
        "prims": [mesh["path"] for mesh in stage["meshes"]],
    }


def _composed(usd: LibraryProcess, *, opened: Opening) -> dict[str, Any]:
    """Open the file of a process as a stage. Return the up axis, unit, times and meshes of the stage."""
    stage = opened(usd)
    usd.budget.hold(LISTED_BYTES * len(stage["meshes"]), str(usd.path))
    for measure in ("start", "end", "codes_per_second", "meters_per_unit"):
        if not math.isfinite(stage[measure]):
            raise FormatError(f"{usd.path}: {measure.replace('_', ' ')} of the stage is {stage[measure]}")
    if stage["codes_per_second"] <= 0.0:
        raise FormatError(f"{usd.path}: has {stage['codes_per_second']:g} time codes per second, expected more than 0")
    if stage["meters_per_unit"] <= 0.0:
        raise FormatError(f"{usd.path}: has {stage['meters_per_unit']:g} metres per unit, expected more than 0")
    return stage


def _contents(
    usd: LibraryProcess, opened: Opening, mesh: str | int | Sequence[str | int] | None
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], dict[str, Any]]], NDArray[np.float64], float]:
    """Return the stage, the selected meshes with contents, the time codes of the frames, and their step."""
    stage = _composed(usd, opened=opened)
    if not stage["meshes"]:
        copied = f" outside the point instancer {stage['instancers'][0]}" if stage["instancers"] else ""
        raise FormatError(f"{usd.path}: holds no mesh{copied}")
    chosen = [(one, usd.ask_arrays("mesh", path=one["path"])) for one in _chosen(usd.path, stage["meshes"], mesh)]
    samples = np.unique([sample for _, contents in chosen for sample in contents["samples"]])
    return stage, chosen, *_codes(usd, stage, samples[np.isfinite(samples)])


def _placement(usd: LibraryProcess, *, opened: Opening, mesh: str | int | Sequence[str | int] | None) -> Placement:
    """Return paths, counts and time codes of the selected meshes."""
    _, chosen, codes, _ = _contents(usd, opened, mesh)
    return Placement(
        [one["path"] for one, _ in chosen],
        [contents["point_count"] for _, contents in chosen],
        [_integers(usd, one["path"], "faceVertexCounts", contents["arrays"]) for one, contents in chosen],
        codes,
    )


def _parts(
    usd: LibraryProcess, *, opened: Opening, mesh: str | int | Sequence[str | int] | None
) -> tuple[list[dict[str, Any]], float, str, float]:
    """Return arrays and names of the selected meshes, the frame rate, the up axis, and the metres of a stage unit."""
    stage, chosen, codes, step = _contents(usd, opened, mesh)
    parts = []
    for one, contents in chosen:
        positions, mirrored = _positions(usd, one["path"], codes, contents["point_count"])
        part = _faces(usd, one["path"], contents, positions[0], mirrored=mirrored)
        groups = stage_groups(one, contents, part["polygons"], part["faces"])
        del part["polygons"]
        parts.append(part | {"positions": positions, "name": one["name"], "groups": groups})
    up = "z" if stage["up"] == "Z" else "y"
    return parts, stage["codes_per_second"] / step, up, stage["meters_per_unit"]


def _chosen(
    path: Path, meshes: list[dict[str, Any]], mesh: str | int | Sequence[str | int] | None
) -> list[dict[str, Any]]:
    drawn = [one for one in meshes if one["drawn"]] or meshes
    if mesh is None:
        moving = [one for one in drawn if one["moves"]]
        shown = [one for one in moving if one["drawn"]]
        cloth = cloth_among([role_of(one.get("material", ""), *names_of(one)) for one in shown])
        return [moving[number] for number in cloth] or (moving or drawn)[:1]
    wanted = [mesh] if isinstance(mesh, str | int) else list(mesh)
    found = [one for word in wanted for one in _named(path, meshes, drawn, word)]
    return list({one["path"]: one for one in found}.values())


def _named(
    path: Path, meshes: list[dict[str, Any]], drawn: list[dict[str, Any]], wanted: str | int
) -> list[dict[str, Any]]:
    """Return the meshes that `wanted` selects: one by name, path or index, or all drawn meshes that match a pattern.

    Raise FormatError if there are none.
    """
    exact = any(wanted in (one["name"], one["path"]) for one in meshes)
    if not isinstance(wanted, str) or exact or not is_pattern(wanted):
        return [_mesh(path, meshes, wanted)]
    matching = [one for one in drawn if matches(wanted, (*names_of(one), one["path"]))]
    if not matching:
        raise FormatError(f"{path}: no mesh is called like '{wanted}', only {', '.join(one['path'] for one in drawn)}")
    return matching


def _mesh(path: Path, meshes: list[dict[str, Any]], wanted: str | int) -> dict[str, Any]:
    if isinstance(wanted, int):
        if not 0 <= wanted < len(meshes):
            raise FormatError(f"{path}: has no mesh {wanted}, only 0 to {len(meshes) - 1}")
        return meshes[wanted]
    found = [one for one in meshes if wanted in (one["name"], one["path"])]
    if len(found) != 1:
        known = ", ".join(one["path"] for one in meshes)
        count = "several meshes" if found else "no mesh"
        raise FormatError(f"{path}: has {count} '{wanted}', {'their paths are' if found else 'only'} {known}")
    return found[0]


# times of a damaged stage can overflow here; the budget then rejects the number of frames
@np.errstate(over="ignore", invalid="ignore")
def _codes(
    usd: LibraryProcess, stage: dict[str, Any], samples: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return the time code of each frame, and the step between time codes."""
    first, last = stage["start"], stage["end"]
    if not (stage["authored"] and first < last):
        first, last = (samples[0], samples[-1]) if len(samples) else (first, first)
    gaps = np.diff(samples)
    spacing = float(gaps.mean()) if len(gaps) and np.ptp(gaps) < SAME_CODE * gaps.mean() else math.nan
    # frames are one time code apart; but use the spacing of the samples if it is less than one code, or if it is larger
    # and there are more codes per second than `MOST_FRAMES`
    is_fine = stage["codes_per_second"] > MOST_FRAMES and spacing > 1.0
    step = spacing if spacing < 1.0 - SAME_CODE or is_fine else 1.0
    # if all samples are integer steps apart, align the frames with the first sample: then frames coincide with samples
    phase = samples[0] if len(samples) else first
    if np.abs((samples - phase) / step - np.rint((samples - phase) / step)).max(initial=0.0) > SAME_CODE:
        phase = math.ceil(first - SAME_CODE)
    begin = phase + step * np.ceil((first - phase) / step - SAME_CODE)
    count = max(1.0, np.floor((last - begin) / step + SAME_CODE) + 1.0)
    usd.budget.hold(8.0 * count, f"{usd.path}: {count:.6g} frames")
    return begin + step * np.arange(int(count)), step


def _positions(
    usd: LibraryProcess, path: str, codes: NDArray[np.float64], count: int
) -> tuple[NDArray[np.float32], bool]:
    """Return the points (F, V, 3) at each time code in stage space, and True if the first frame's matrix mirrors them.

    Raise FormatError if the number of points is not `count` in every frame.
    """
    usd.budget.hold_positions(len(codes), count, str(usd.path))
    usd.budget.spend(VERTEX_TIME * count * len(codes), str(usd.path))
    positions = np.empty((len(codes), count, 3), np.float32)
    fault, mirrored, known, is_identity = "", False, None, False
    frames = usd.ask_frames("points", path=path, codes=codes.tolist())
    for frame, (points, matrix) in enumerate(frames):
        if len(points) != count:
            fault = f"{path} has {len(points)} points at time code {codes[frame]:g}, and {count} first"
            continue
        if frame == 0:
            mirrored = bool(np.linalg.det(matrix[:3, :3]) < 0.0)
        if matrix is not known:
            known, is_identity = matrix, np.array_equal(matrix, np.eye(4))
        # the matrix is on the right, because USD multiplies row vectors by matrices
        positions[frame] = points if is_identity else points @ matrix[:3, :3] + matrix[3, :3]
    if fault:
        raise FormatError(f"{usd.path}: {fault}")
    return positions, mirrored


def _faces(
    usd: LibraryProcess, path: str, contents: dict[str, Any], first_frame: NDArray[np.float32], *, mirrored: bool
) -> dict[str, Any]:
    """Return a dictionary: "faces", the polygon of each face ("polygons"), and "uv" and "uv_faces" if they exist.

    `contents` describes the mesh at `path`. The positions `first_frame` (V, 3) decide how polygons are divided. If
    `mirrored`, transforms mirror the positions, so the faces are turned over. Texture coordinates that change produce
    a warning, and the first ones are used. FormatError for damaged arrays.
    """
    arrays = contents["arrays"]
    counts, corners = (_integers(usd, path, name, arrays) for name in ("faceVertexCounts", "faceVertexIndices"))
    if counts.sum() != len(corners) or (counts < 0).any():
        raise FormatError(f"{usd.path}: {path} has {counts.sum()} corners, but {len(corners)} vertex indices")
    triangles = triangle_corners(counts, corners, first_frame)
    if contents["left_handed"] != (contents["mirrored"] != mirrored):
        triangles = triangles[:, ::-1]
    # index of the polygon that contains each triangle
    polygons = np.repeat(np.arange(len(counts)), counts)[triangles[:, 0]]
    whole: dict[str, Any] = {"faces": corners[triangles], "polygons": polygons}
    faces = whole["faces"]
    if "uv" not in arrays or contents["interpolation"] not in ("faceVarying", "vertex", "varying"):
        return whole
    uv, of_corners = arrays["uv"], contents["interpolation"] == "faceVarying"
    if uv.ndim != 2 or uv.shape[1] < 2:
        raise FormatError(f"{usd.path}: the texture coordinates of {path} are not pairs of numbers")
    indices = _integers(usd, path, "uv_indices", arrays) if "uv_indices" in arrays else np.arange(len(uv))
    expected = len(corners) if of_corners else contents["point_count"]
    if len(indices) != expected:
        kind = "corners" if of_corners else "points"
        raise FormatError(f"{usd.path}: {path} has {len(indices)} texture coordinates for {expected} {kind}")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(uv):
        raise FormatError(f"{usd.path}: the texture coordinates of {path} refer to number {indices.max()} of {len(uv)}")
    if not of_corners and len(corners) and not 0 <= corners.min() <= corners.max() < expected:
        raise FormatError(f"{usd.path}: the faces of {path} refer to point {corners.max()} of {expected}")
    if contents["uv_changes"]:
        warnings.warn(f"{usd.path}: the texture coordinates of {path} change; the first ones are used", stacklevel=2)
    uv_faces = indices[triangles] if of_corners else indices[faces]
    return whole | {"uv": uv[:, :2].astype(np.float32), "uv_faces": uv_faces}


def _integers(usd: LibraryProcess, path: str, name: str, arrays: dict[str, NDArray[Any]]) -> Int64:
    """Return an array of integers. It is empty if the name is missing."""
    found = arrays.get(name, np.empty(0, np.int64))
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise FormatError(f"{usd.path}: {name} of {path} are not whole numbers")
    return found.astype(np.int64)
