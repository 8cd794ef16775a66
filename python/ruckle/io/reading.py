"""Functions for all readers: file paths, JSON, and the animation made from a file's arrays. Errors contain the file."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import path_text, positive_number
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.mesh.animation import Animation
from ruckle.mesh.colors import FaceColors
from ruckle.mesh.groups import VertexGroups
from ruckle.mesh.repair import repair_faces

__all__ = ["animation_of", "as_path", "character_height", "parse_json"]


def animation_of(
    path: Path,
    positions: NDArray[np.float32],
    faces: NDArray[np.integer],
    *,
    uv: NDArray[np.floating] | None = None,
    uv_faces: NDArray[np.integer] | None = None,
    rest_positions: NDArray[np.float32] | None = None,
    colors: FaceColors | None = None,
    mask: NDArray[np.floating] | None = None,
    groups: VertexGroups | None = None,
    **fields: Any,
) -> Animation:
    """Create an animation from a file's arrays, and repair its faces. A warning describes the repair.

    The indices of existing vertices do not change: a repair that copies vertices appends the copies.

    Parameters
    ----------
    path : the file, for the warning
    positions, faces, uv, uv_faces, rest_positions, colors, mask, groups, **fields : see `Animation`
    """
    # do not repair arrays with a wrong shape or type; `Animation` raises the error
    triangles = faces.ndim == 2 and faces.shape[1] == 3 and faces.dtype.kind in "iu" and len(faces) > 0
    if triangles and positions.ndim == 3 and faces.min() >= 0 and faces.max() < positions.shape[1]:
        repair = repair_faces(faces, positions.shape[1])
        if repair.remark and len(repair.faces):
            warnings.warn(f"{path}: {repair.remark}", stacklevel=2)
            faces = repair.faces
            copied = repair.copied
            positions = np.concatenate([positions, positions[:, copied]], axis=1)
            rest_positions = (
                None if rest_positions is None else np.concatenate([rest_positions, rest_positions[copied]])
            )
            uv_faces = None if uv_faces is None else uv_faces[repair.kept]
            uv = uv if uv is None or uv_faces is not None else np.concatenate([uv, uv[copied]])
            colors = None if colors is None else colors.of_faces(repair.kept)
            mask = None if mask is None else np.concatenate([mask, mask[copied]])
            every = np.concatenate([np.arange(positions.shape[1] - len(copied)), copied])
            groups = (groups or VertexGroups({})).of_vertices(every) if len(copied) else groups
    textured: dict[str, Any] = {"uv": uv, "uv_faces": uv_faces, "colors": colors}
    return Animation(positions, faces, rest_positions=rest_positions, mask=mask, groups=groups, **textured, **fields)


def as_path(option: str, value: object) -> Path:
    """Return a path argument as Path. Raise TypeError if it is not a path, or ValueError if it is empty."""
    return Path(path_text(option, value))


def parse_json(content: bytes, name: str) -> Any:
    """Return the value of a JSON text. If it is not valid, raise a FormatError that starts with `name`."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise FormatError(f"{name}: is not valid JSON ({reason})") from error


def character_height(path: Path, budget: Budget) -> float | None:
    """Return `character_height_m` in metres from the JSON file of the same stem, or None if it is missing."""
    sidecar = path.with_suffix(".json")
    if not sidecar.is_file():
        return None
    contents = parse_json(budget.read(sidecar), str(sidecar))
    if not isinstance(contents, dict) or "character_height_m" not in contents:
        return None
    try:
        return positive_number("character_height_m", contents["character_height_m"])
    except (TypeError, ValueError) as error:
        raise FormatError(f"{sidecar}: {error}") from error
