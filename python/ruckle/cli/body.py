"""The body under a garment: other meshes of the garment's file, or other files, over the same frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ruckle.cli.source import SCENES, Source, as_path, number_or_name
from ruckle.errors import FormatError
from ruckle.io import FORMATS, load
from ruckle.io.budget import Budget
from ruckle.io.gltf import read_others
from ruckle.io.npz_body import is_body_at_rest, read_body
from ruckle.mesh.animation import Animation
from ruckle.mesh.joining import join, same_rate
from ruckle.samples import sample_body

__all__ = ["body_option", "open_body", "without_colors"]

# What stands for all other meshes of a file.
OTHERS = "others"


def body_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add --body and --colors to a command with a source; the command gets `bodies`, as they were written."""

    @wraps(function)
    def command(body: tuple[str, ...], **rest: Any) -> None:
        function(bodies=body, **rest)

    colored = click.option(
        "--colors/--no-colors",
        default=None,
        help="Draw what a glTF file has of base colours and textures.  [default: yes, unless a look has its own]",
    )
    return click.option(
        "--body",
        multiple=True,
        metavar="MESH|FILE",
        help="Draw this under the garment, without wrinkles: another mesh of a glTF file, others for all of "
        "them, or a file; may be repeated. Samples have a body; none leaves it away.",
    )(colored(command))


def open_body(source: Source, bodies: tuple[str, ...], garment: Animation) -> Animation | None:
    """Return what to draw under a garment as one mesh; None for nothing.

    Parameters
    ----------
    source : Source
        The garment's.
    bodies : tuple of str
        Each the name or number of a mesh of the same glTF file, "others" for all meshes there that are not the garment,
        or a path. An NPZ file may hold the body at rest, with
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
    parts = [part for body in bodies if (part := _load(source, body, garment)) is not None]
    for part in parts:
        if part.frame_count != garment.frame_count or not same_rate(part, garment):
            raise ValueError(
                f"body: expected the frames of {garment.name}, {_frames(garment)}, got {part.name}, {_frames(part)}"
            )
    return join(parts) if parts else None


def without_colors(animation: Animation) -> Animation:
    """Return an animation that is drawn in the colours of pictures, whatever its file says."""
    return replace(animation, colors=None)


def _load(source: Source, body: str, garment: Animation) -> Animation | None:
    in_scene = not source.is_sample and Path(source.name).suffix.lower() in SCENES
    if Path(body).suffix.lower() in FORMATS or Path(body).exists():
        return _load_file(source, as_path(body), garment.fps)
    if not in_scene:
        raise ValueError(f"body: '{body}' is no file, and {source.name} no glTF file that has meshes to pick")
    # what else was picked holds for both; a part of the garment's mesh is none of the body's
    options = {name: value for name, value in source.options.items() if name not in ("mesh", "primitive", "height")}
    if body == OTHERS:
        budget = Budget(options.pop("budget", 1.0))
        return read_others(as_path(source.name), budget, mesh=source.options.get("mesh"), **options)
    return load(source.name, mesh=number_or_name(body), **options)


def _load_file(source: Source, path: Path, fps: float) -> Animation:
    if path.suffix.lower() != ".npz" or not is_body_at_rest(path):
        return load(path, **({"fps": fps} if path.suffix.lower() in SCENES else {}))
    if source.is_sample:
        raise FormatError(f"{path}: holds a body at rest, and the sample '{source.name}' has no bones to move it")
    return read_body(path, as_path(source.name), fps=fps)


def _frames(animation: Animation) -> str:
    return f"{animation.frame_count} at {animation.fps:g} per second"
