"""Readers and writers of animations. Each format has its own file in this folder.

The file name's extension selects the format.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from ruckle.arguments import mistyped, positive_number
from ruckle.errors import FormatError, MeshError, MissingFileError
from ruckle.io import fine_mesh_file, gltf, gltf_contents, npz, obj_sequence, point_cache
from ruckle.io.budget import Budget
from ruckle.io.gltf import sample_gltf
from ruckle.io.masks import make_mask
from ruckle.io.reading import as_path
from ruckle.io.samples import samples
from ruckle.mesh.animation import Animation, Up, require_animation, up_name
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["describe", "load", "sample_gltf", "save", "summary"]


@dataclass(frozen=True)
class Format:
    """One file format of animations. The options of `load` are the keyword parameters of `read`, `mask` and `budget`.

    `holds` lists the possible contents of a file. `help` describes the options that only this format has, for the
    docstring of `load` and for the guide.
    """

    title: str
    holds: str
    read: Callable[..., Animation]
    describe: Callable[[Path, Budget], dict[str, object]]
    write: Callable[[Animation, Path], None] | None = None
    help: str = ""

    @property
    def options(self) -> list[str]:
        """Names of the options of `load` for this format, including "mask" and "budget"."""
        parameters = inspect.signature(self.read).parameters.values()
        own = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        return [*own, "mask", "budget"]


def _read_stage(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
    up: Up | None = None,
) -> Animation:
    options = {"mesh": mesh, "fps": fps, "name": name, "height": height, "up": up}
    animation: Animation = _stage_module(path).read(path, budget, **options)
    return animation


def _describe_stage(path: Path, budget: Budget) -> dict[str, object]:
    contents: dict[str, object] = _stage_module(path).describe(path, budget)
    return contents


def _write_alembic(animation: Animation, path: Path) -> None:
    from ruckle.io import alembic_mesh

    alembic_mesh.write(animation, path)


def _stage_module(path: Path) -> Any:
    # import on use: readers of stages import the module that starts processes for libraries, which few formats need
    if path.suffix.lower() == ".abc":
        from ruckle.io import alembic_mesh

        return alembic_mesh
    from ruckle.io import usd_mesh

    return usd_mesh


GLTF_HOLDS = "skins, morph targets, node animations, several meshes, base colours and textures"
GLTF_HELP = (
    "`mesh` (name of a node or mesh, or index of a mesh, or a list of these, read as one), `primitive` (index), "
    "`animation` (name or index), `motion` (path of another glTF file that holds the animation, for nodes of the same "
    "names); sampled at `fps`, 30 unless given"
)
USD_HOLDS = 'meshes with time samples, transforms, UsdSkel skeletons; needs `pip install "ruckle[usd]"`'
ALEMBIC_HOLDS = 'meshes with samples, transforms; needs `pip install "ruckle[alembic]"`'
USD_HELP = "`mesh` (name, path or index of a mesh, or a list of these)"
MESH_HOLDS = "one mesh, or with a folder or pattern one per frame"
MESH_HELP = "`cache` (path of a PC2 or MDD file that moves an OBJ mesh)"
CACHE_HOLDS = "point caches, with their mesh as `.obj` beside them"
CACHE_HELP = "`mesh` (path of the OBJ file; without it the one of the same stem)"

NAMED_BY_OBJ = (".obj", ".pc2", ".mdd")

CONVERTED = {".fbx": "bpy.ops.import_scene.fbx", ".blend": "bpy.ops.wm.open_mainfile"}
"""Formats that Blender can convert to glTF, each with the Blender function that opens it."""

FORMATS = {
    ".npz": Format(
        "NPZ", "the arrays of an animation, exactly; runs of `ruckle run`", npz.read, npz.describe, npz.write
    ),
    ".glb": Format("glTF binary", GLTF_HOLDS, gltf.read, gltf_contents.describe, help=GLTF_HELP),
    ".vrm": Format("VRM", GLTF_HOLDS, gltf.read, gltf_contents.describe, help=GLTF_HELP),
    ".gltf": Format("glTF", GLTF_HOLDS, gltf.read, gltf_contents.describe, help=GLTF_HELP),
    ".obj": Format("OBJ", MESH_HOLDS, obj_sequence.read, obj_sequence.describe, help=MESH_HELP),
    ".ply": Format("PLY", MESH_HOLDS, obj_sequence.read, obj_sequence.describe, help=MESH_HELP),
    **{
        suffix: Format("USD", USD_HOLDS, _read_stage, _describe_stage, help=USD_HELP)
        for suffix in (".usd", ".usda", ".usdc", ".usdz")
    },
    ".abc": Format("Alembic", ALEMBIC_HOLDS, _read_stage, _describe_stage, _write_alembic, USD_HELP),
    ".pc2": Format(
        "PC2 with OBJ", CACHE_HOLDS, point_cache.read, point_cache.describe, point_cache.write, help=CACHE_HELP
    ),
    ".mdd": Format(
        "MDD with OBJ", CACHE_HOLDS, point_cache.read, point_cache.describe, point_cache.write, help=CACHE_HELP
    ),
}
"""All formats by file extension. Every reader must be registered here."""


def load(path: str | os.PathLike[str], **options: Any) -> Animation:
    """Read an animation. The file name's extension selects the format.

    Parameters
    ----------
    path : path
        A file with the extension {extensions}. For one OBJ or PLY file per frame: a folder, or a pattern such as
        `frames/shirt_*.obj` or `frames/shirt_%04d.ply`.
    **options
        All formats: `fps` (frames per second), `name` (str), `height` (of the character, mesh units), `mask` (terms of
        `make_mask`), `budget` (factor of the usual limits of memory and time; a trusted file that exceeds them needs a
        larger factor). All formats except glTF, in which Y points up: `up` ("y" or "z", the axis that points up).

        {formats}

    Returns
    -------
    Animation

    Raises
    ------
    FormatError
        The file cannot be read, or its content does not match its extension.
    FileNotFoundError
        A file is missing. This error is also a FormatError, as in all readers of ruckle.
    MeshError
        The mesh in the file cannot be used. The message contains the file and the frame, face or vertex.
    ValueError
        An option is unknown for this format, or its value is out of range.
    TypeError
        The path or the value of an option has a wrong type.
    ModuleNotFoundError
        The format requires a package that is not installed.

    Warns
    -----
    UserWarning
        A part of the file was repaired or ignored, such as duplicate faces or an extension of glTF.

    Examples
    --------
    >>> ruckle.load("hero.glb", mesh="shirt", animation="run", fps=60)  # doctest: +SKIP
    >>> ruckle.load("frames/shirt_*.obj", fps=24)  # doctest: +SKIP
    >>> ruckle.load("shirt.obj", cache="shirt.mdd")  # doctest: +SKIP
    """
    path = as_path("path", path)
    form = _format_of(path)
    _check_options(options, form)
    return _read(form, path, Budget(options.pop("budget", 1.0)), options)


def _with_formats(docstring: str) -> str:
    """Return the docstring of `load`, with the extensions and the options of every format inserted."""
    extensions: dict[str, list[str]] = {}
    for suffix, form in FORMATS.items():
        extensions.setdefault(form.help, []).append(f"`{suffix}`")
    lines = [f"- {', '.join(suffixes)}: {words}." for words, suffixes in extensions.items() if words]
    listed = ("\n" + 8 * " ").join(lines)
    return docstring.format(extensions=", ".join(f"`{suffix}`" for suffix in FORMATS), formats=listed)


# the docstring is None under python -OO
if load.__doc__:
    load.__doc__ = _with_formats(load.__doc__)


def save(content: Animation | FineMesh, path: str | os.PathLike[str], *, animation: Animation | None = None) -> None:
    """Write an animation or a fine mesh. The file name's extension selects the format.

    See `Animation.save` and `FineMesh.save` for the contents of the files, and for existing files.

    Parameters
    ----------
    content : Animation or FineMesh
    path : path
        Extensions for an animation: `.npz`, `.abc`; for its positions only: `.pc2`, `.mdd`. Extensions for a fine mesh:
        `.obj`, `.ply`, `.glb`, `.usda`, `.usdc`, `.usd`, `.abc`.
    animation : Animation, optional
        See `FineMesh.save`.

    Raises
    ------
    FormatError
        The extension is unknown, or the file cannot be written.
    ValueError
        The number of triangles of `animation` differs from that of the coarse mesh of the fine mesh.
    ModuleNotFoundError
        The format requires a package that is not installed.
    """
    path = as_path("path", path)
    suffix = path.suffix.lower()
    try:
        if isinstance(content, FineMesh):
            _require_suffix(path, fine_mesh_file.SUFFIXES)
            if animation is not None and require_animation(animation).face_count != len(content.coarse):
                raise ValueError(
                    f"animation: expected the {len(content.coarse)} triangles of the coarse mesh, "
                    f"got {animation.face_count}"
                )
            fine_mesh_file.save_fine_mesh(content, path, animation)
        else:
            require_animation(content)
            writers = {suffix: form.write for suffix, form in FORMATS.items() if form.write}
            _require_suffix(path, tuple(writers))
            writers[suffix](content, path)
    except OSError as error:
        raise FormatError(f"{path}: cannot be written ({error.strerror or error})") from error


def _require_suffix(path: Path, writable: tuple[str, ...]) -> None:
    if path.suffix.lower() not in writable:
        suffix = path.suffix.lower()
        raise FormatError(f"{path}: cannot be written as '{suffix}', allowed are {', '.join(writable)}")


def describe(path: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Return the contents of a file as numbers, strings, lists and dictionaries that JSON can represent.

    Parameters
    ----------
    path, **options : see `load`

    Returns
    -------
    dict
        `file`, `format`; entries of the format (arrays of an NPZ file; meshes, skins and animations of a glTF file with
        names, counts, duration and a `problem` if they cannot be loaded; meshes, up axis, unit and times of a USD or
        Alembic file; files of a sequence; header of a point cache; groups and materials
        of an OBJ file); and `animation`: name, frames, fps, duration
        (seconds), vertices, faces, uv, height, height_is_guess and up of the result of `load` with these options. If
        `load` fails, `animation` is None and `problem` contains the reason.

    Raises
    ------
    FormatError
        The file cannot be read, or an entry that should be listed is damaged.
    FileNotFoundError
        The file is missing.
    ValueError, TypeError
        An option, or the type of the path, is wrong, as for `load`.
    ModuleNotFoundError
        The format requires a package that is not installed.
    """
    path = as_path("path", path)
    form = _format_of(path)
    _check_options(options, form)
    budget = Budget(options.pop("budget", 1.0))
    # numbers of a damaged file can overflow here
    with np.errstate(over="ignore", invalid="ignore"):
        contents: dict[str, Any] = {"file": str(path), "format": form.title, **form.describe(path, budget)}
    try:
        animation = _read(form, path, budget, options)
    except (FormatError, MeshError) as error:
        if isinstance(error, MissingFileError) and error.filename == str(path):
            raise
        return {**contents, "animation": None, "problem": str(error)}
    if path.suffix.lower() in NAMED_BY_OBJ and animation.groups is not None:
        names = animation.groups.names
        contents |= {"groups": names("mesh"), "materials": names("material")}
    return {**contents, "animation": summary(animation)}


def summary(animation: Animation) -> dict[str, Any]:
    """Return name, counts and measures of an animation, which `describe` returns as `animation`."""
    return {
        "name": animation.name,
        "frames": animation.frame_count,
        "fps": animation.fps,
        "duration": animation.duration,
        "vertices": animation.vertex_count,
        "faces": animation.face_count,
        "uv": animation.uv is not None,
        "height": animation.height,
        "height_is_guess": animation.height_is_guess,
        "up": animation.up,
    }


def _read(form: Format, path: Path, budget: Budget, options: dict[str, Any]) -> Animation:
    options = dict(options)
    try:
        # numbers of a damaged file can overflow here; `Animation` rejects numbers that are not finite
        with np.errstate(over="ignore", invalid="ignore"):
            mask = options.pop("mask", None)
            animation = form.read(path, budget, **options)
            found = make_mask(animation, mask, hint=path.stem)
            # without the option `mask`, `found` is the automatic mask; if it is None, the mask of the file remains
            return animation if mask is None and found is None else animation.with_mask(found)
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from error


def _format_of(path: Path) -> Format:
    suffix = ".obj" if path.is_dir() else path.suffix.lower()
    if suffix in FORMATS:
        return FORMATS[suffix]
    if not suffix and not path.exists():
        near = get_close_matches(path.name, samples(), n=1)
        hint = f'; did you mean ruckle.sample("{near[0]}")?' if near else ""
        raise MissingFileError(str(path), f"no such file or folder{hint}")
    if suffix in CONVERTED:
        program = f"bpy.ops.wm.read_factory_settings(use_empty=True); {CONVERTED[suffix]}(filepath='{path}')"
        program = f"import bpy; {program}; bpy.ops.export_scene.gltf(filepath='{path.with_suffix('.glb')}')"
        raise FormatError(f'{path}: cannot be read; Blender converts it: blender -b --python-expr "{program}"')
    allowed = f"{', '.join(FORMATS)} or a folder of .obj"
    raise FormatError(f"{path}: unknown extension '{suffix}', allowed are {allowed}; most programs export .glb")


def _check_options(options: dict[str, Any], form: Format) -> None:
    for option, value in options.items():
        if option not in form.options:
            if option == "up":
                raise ValueError(f"up: unknown option for {form.title}, which prescribes Y")
            near = get_close_matches(option, form.options, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            allowed = ", ".join(form.options)
            raise ValueError(f"{option}: unknown option for {form.title}, allowed are {allowed}{hint}")
        if option in ("fps", "height", "budget") and value is not None:
            positive_number(option, value)
        if option == "up":
            up_name(value)
        if option == "name" and not isinstance(value, (str, type(None))):
            raise mistyped(option, "a string", value)
