"""The body under a garment: other meshes of the garment's file, or other files, over the same frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np

from ruckle.cli.source import Source, as_path, number_or_name
from ruckle.errors import FormatError
from ruckle.io import FORMATS, load
from ruckle.io.npz_body import is_body_at_rest, read_body
from ruckle.mesh.animation import Animation
from ruckle.samples import sample_body

__all__ = ["body_option", "open_body"]

SCENES = (".glb", ".gltf")

# Two rates that differ by less than this share are one.
SAME_RATE = 1e-3


def body_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add --body to a command with a source; the command gets `bodies`, as they were written."""

    @wraps(function)
    def command(body: tuple[str, ...], **rest: Any) -> None:
        function(bodies=body, **rest)

    return click.option(
        "--body",
        multiple=True,
        metavar="MESH|FILE",
        help="Draw this under the garment, without wrinkles: another mesh of a glTF file, or a file; may be repeated. "
        "Samples have a body; none leaves it away.",
    )(command)


def open_body(source: Source, bodies: tuple[str, ...], garment: Animation) -> Animation | None:
    """Return what to draw under a garment as one mesh; None for nothing.

    Parameters
    ----------
    source : Source
        The garment's.
    bodies : tuple of str
        Each the name or number of a mesh of the same glTF file, or a path. An NPZ file may hold the body at rest, with
        `skin_weights` for the `bone_matrices` of the garment's file; a glTF file is sampled at the garment's rate.
        Empty for the body that comes with a sample; "none" alone for nothing.
    garment : Animation

    Raises
    ------
    FormatError, MeshError
        As `ruckle.load`.
    ValueError
        A body has other frames than the garment, or is named and the garment is not in a glTF file.
    """
    if bodies == ("none",):
        return None
    if not bodies:
        return sample_body(source.name) if source.is_sample else None
    parts = [_load(source, body, garment) for body in bodies]
    for part in parts:
        same_rate = abs(part.fps - garment.fps) <= SAME_RATE * garment.fps
        if part.frame_count != garment.frame_count or not same_rate:
            raise ValueError(
                f"body: expected the frames of {garment.name}, {_frames(garment)}, got {part.name}, {_frames(part)}"
            )
    starts = np.cumsum([0, *(part.vertex_count for part in parts[:-1])])
    return Animation(
        np.concatenate([part.positions for part in parts], axis=1),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        fps=garment.fps,
        name=" and ".join(part.name for part in parts),
    )


def _load(source: Source, body: str, garment: Animation) -> Animation:
    in_scene = not source.is_sample and Path(source.name).suffix.lower() in SCENES
    if Path(body).suffix.lower() in FORMATS or Path(body).exists():
        return _load_file(source, as_path(body), garment.fps)
    if not in_scene:
        raise ValueError(f"body: '{body}' is no file, and {source.name} no glTF file that has meshes to pick")
    # what else was picked holds for both; a part of the garment's mesh is none of the body's
    options = {name: value for name, value in source.options.items() if name not in ("mesh", "primitive", "height")}
    return load(source.name, mesh=number_or_name(body), **options)


def _load_file(source: Source, path: Path, fps: float) -> Animation:
    if path.suffix.lower() != ".npz" or not is_body_at_rest(path):
        return load(path, **({"fps": fps} if path.suffix.lower() in SCENES else {}))
    if source.is_sample:
        raise FormatError(f"{path}: holds a body at rest, and the sample '{source.name}' has no bones to move it")
    return read_body(path, as_path(source.name), fps=fps)


def _frames(animation: Animation) -> str:
    return f"{animation.frame_count} at {animation.fps:g} per second"
