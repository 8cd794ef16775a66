"""The body under a garment, and cloth next to it, from other meshes of the garment's file or from other files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from ruckle.cli.source import SCENES, Source, as_path, number_or_name
from ruckle.errors import FormatError
from ruckle.io import FORMATS, load
from ruckle.io.budget import Budget
from ruckle.io.gltf import read_others
from ruckle.io.masks import attached_parts
from ruckle.io.npz_body import is_body_at_rest, read_body
from ruckle.io.samples import sample_body
from ruckle.mesh.animation import Animation
from ruckle.mesh.colors import FaceColors
from ruckle.mesh.joining import join, same_rate

if TYPE_CHECKING:
    from ruckle.scene.look import Look

__all__ = ["body_option", "dyed", "open_body", "with_beside", "without_colors"]

# --beside draws another mesh to the right of the garment. Distance between them, as a multiple of the largest width of
# the garment with its body.
APART = 1.1

# Value of --body that means all other meshes of the file.
OTHERS = "others"


def body_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add --body, --beside and --colors to a command with a source; the command receives --body as `bodies`."""

    @wraps(function)
    def command(body: tuple[str, ...], **others: Any) -> None:
        function(bodies=body, **others)

    colored = click.option(
        "--colors/--no-colors",
        default=None,
        help="Draw the base colours and textures of a glTF file.  [default: yes, unless a look replaces them]",
    )
    beside = click.option(
        "--beside",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="Draw this to the right of the garment, without wrinkles and over the same body, such as the fine cloth "
        "of 'ruckle simulate'.",
    )
    return click.option(
        "--body",
        multiple=True,
        metavar="MESH|FILE",
        help="Draw this under the garment, without wrinkles: the name of another mesh of the glTF file, others for all "
        "of them, or a file; may be repeated. none draws no body.  [default: the wearer of a sample, or all meshes "
        "of the glTF file that share the garment's skin]",
    )(beside(colored(command)))


def open_body(source: Source, bodies: tuple[str, ...], garment: Animation) -> Animation | None:
    """Return the body under a garment as one animation; None if there is no body.

    Parameters
    ----------
    source : Source
        Source of the garment.
    bodies : tuple of str
        Values of --body: the name or number of a mesh in the same glTF file, "others" for all meshes there that are not
        the garment, or a path. An NPZ file may contain the body at rest, with `skin_weights` for the `bone_matrices` of
        the garment's file. A glTF file is sampled at the garment's frame rate. If empty, the default is the body of a
        sample, or the other meshes of the glTF file that the garment's skeleton moves. A single "none" means no body.
    garment : Animation

    Raises
    ------
    FormatError, MeshError
        See `ruckle.load`.
    ValueError
        A body has other frames than the garment, or a mesh is named and the garment is not in a glTF file.
    """
    if bodies == ("none",):
        return None
    if not bodies:
        return sample_body(source.name) if source.is_sample else _read_others(source, of_same_skins=True)
    parts = [part for body in bodies if (part := _load(source, body, garment)) is not None]
    for part in parts:
        _require_same_frames("body", part, garment)
    return join(parts) if parts else None


def with_beside(body: Animation | None, beside: Path | None, garment: Animation, look: Look | None) -> Animation | None:
    """Return the body under a garment and the mesh next to it, as one animation; None if both are missing.

    Parameters
    ----------
    body : Animation, optional
        Body, which is drawn under the garment and under the mesh next to it.
    beside : path, optional
        File of another mesh with the same frames.
    garment : Animation
    look : Look, optional
        Look of the garment; the mesh next to it has the same cloth colour.

    Raises
    ------
    FormatError, MeshError
        See `ruckle.load`.
    ValueError
        The other mesh has other frames than the garment.
    """
    if beside is None:
        return body
    from ruckle.scene.look import Look, linear_color

    other, colors = load(beside), look or Look()
    _require_same_frames("beside", other, garment)
    under = (
        [] if body is None else [replace(body, colors=body.colors or _plain(body, linear_color("body", colors.body)))]
    )
    across = np.concatenate([part.positions[:, :, 0] for part in (garment, *under)], axis=1)
    shift = np.array([APART * np.ptp(across, axis=1).max(), 0, 0], np.float32)
    painted = replace(other, colors=other.colors or _plain(other, linear_color("cloth", colors.cloth)))
    moved = [replace(part, positions=part.positions + shift, rest_positions=None) for part in (painted, *under)]
    return join([*under, *moved])


def _plain(animation: Animation, color: NDArray[np.float64]) -> FaceColors:
    """Return one linear colour for all faces of an animation."""
    white = FaceColors.plain(animation.face_count)
    return replace(white, corners=white.corners * color.astype(np.float32))


def _require_same_frames(name: str, part: Animation, garment: Animation) -> None:
    if part.frame_count != garment.frame_count or not same_rate(part, garment):
        raise ValueError(
            f"{name}: expected the frames of {garment.name}, {_frames(garment)}, got {part.name}, {_frames(part)}"
        )


def without_colors(animation: Animation) -> Animation:
    """Return an animation without the colours of its file, so that it is drawn in default colours."""
    return replace(animation, colors=None)


def _load(source: Source, body: str, garment: Animation) -> Animation | None:
    """Return the body that a value of --body names: a file, or meshes of the garment's file; None if there are none."""
    if Path(body).suffix.lower() in FORMATS or Path(body).exists():
        return _load_file(source, as_path(body), garment.fps)
    if not _is_scene(source):
        raise ValueError(f"body: '{body}' is not a file, and {source.name} is not a glTF file that contains meshes")
    if body == OTHERS:
        return _read_others(source, of_same_skins=False)
    return load(source.name, mesh=number_or_name(body), **_body_options(source))


def _is_scene(source: Source) -> bool:
    return not source.is_sample and Path(source.name).suffix.lower() in SCENES


def _body_options(source: Source) -> dict[str, Any]:
    # the options of the garment also apply to the body, except mesh, primitive and height
    return {name: value for name, value in source.options.items() if name not in ("mesh", "primitive", "height")}


def _read_others(source: Source, *, of_same_skins: bool) -> Animation | None:
    if not _is_scene(source):
        return None
    options = _body_options(source)
    budget = Budget(options.pop("budget", 1.0))
    mesh = source.options.get("mesh")
    return read_others(as_path(source.name), budget, mesh=mesh, of_same_skins=of_same_skins, **options)


def _load_file(source: Source, path: Path, fps: float) -> Animation:
    """Load a body from a file; a body at rest is moved by the bones of the garment's file. Only glTF is resampled."""
    if path.suffix.lower() != ".npz" or not is_body_at_rest(path):
        return load(path, **({"fps": fps} if path.suffix.lower() in SCENES else {}))
    if source.is_sample:
        raise FormatError(f"{path}: holds a body at rest, and the sample '{source.name}' has no bones to move it")
    return read_body(path, as_path(source.name), fps=fps)


def _frames(animation: Animation) -> str:
    return f"{animation.frame_count} at {animation.fps:g} per second"


def dyed(animation: Animation) -> Animation:
    """Return an animation whose cloth is drawn in the colours of a look.

    Masked faces, and small rigid parts such as buttons, keep the colours of the file. A face is masked if the mask is 0
    at its three corners.
    """
    kept = attached_parts(animation)
    if animation.mask is not None:
        kept |= animation.mask == 0.0
    is_cloth: NDArray[np.bool_] = np.logical_not(kept[animation.faces].all(axis=1))
    if animation.colors is None or is_cloth.all():
        return without_colors(animation)
    return replace(animation, colors=replace(animation.colors, is_cloth=is_cloth))
