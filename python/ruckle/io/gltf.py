"""Reads animations from glTF 2.0: the vertex positions of a scene's meshes, sampled at a constant frame rate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import found
from ruckle.io.budget import Budget
from ruckle.io.gltf_bind import bind_pose, skeleton_of
from ruckle.io.gltf_borrowed import clip_for
from ruckle.io.gltf_clips import Clip
from ruckle.io.gltf_cloth import chosen_targets, vertex_groups
from ruckle.io.gltf_colors import face_colors
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Target
from ruckle.io.gltf_scene import Scene
from ruckle.io.reading import animation_of, as_path, character_height
from ruckle.mesh.animation import FLAT, Animation, frame_count_of, own_extent
from ruckle.mesh.joining import join

__all__ = ["frame_times", "read", "read_others", "sample_gltf"]

INSTANCING = "EXT_mesh_gpu_instancing"


def read(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None = None,
    primitive: int | None = None,
    animation: str | int | None = None,
    motion: str | os.PathLike[str] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
) -> Animation:
    """Read one mesh, or several meshes joined to one, at frame times from the first to the last key of an animation.

    Parameters
    ----------
    path : the file
    budget : Budget
    mesh : str, int or sequence, optional
        Name of a node with a mesh; otherwise name or index of a mesh, a pattern, "all", or a list of these. By default
        the cloth, see `ruckle.io.gltf_cloth.cloth_targets`.
    primitive : index, optional
        By default all primitives of the mesh that consist of triangles, joined in order.
    animation : name or index, optional
        By default the first animation that moves the mesh, played together with the animations of other objects that
        also move the mesh. A document without animations becomes one frame.
    motion : path of another glTF file, optional
        File with the animation. Its nodes are matched to the nodes of this file by name.
    fps : frames per second, optional
        Frame rate, default 30.
    name : str, optional
        By default the name of the node; if the node has no name, of the mesh; otherwise of the file.
    height : scene units, optional
        By default `character_height_m` of the JSON file of the same stem. Without this file: the vertical extent of the
        skinned meshes in the rest pose, or of all meshes if none is skinned. All meshes and animations of a file thus
        have one height.
    """
    fps = 30.0 if fps is None else fps
    document = Document(path, budget)
    scene = Scene(document)
    targets = chosen_targets(scene, mesh, animation)
    for target in targets:
        if target.node is not None and INSTANCING in (scene.tree.entries[target.node].entry("extensions") or ()):
            document.leave_out(f"{INSTANCING} is ignored, so one copy is read", scene.name(target) or "mesh")
    clip = clip_for(scene, targets, animation, motion)
    chosen = _checked_primitive(primitive)
    times = np.zeros(1) if clip is None else frame_times(scene, clip, fps)
    stated = character_height(path, budget) if height is None else height
    height = stated or scene.character_height()
    parts = [_animated(scene, target, chosen, clip, times, fps, height) for target in targets]
    if clip is not None and clip.ignored:
        document.leave_out("KHR_animation_pointer is ignored, except for nodes", f"{clip.ignored} channels")
    document.remark()
    joined = join(parts, name=name)
    first = joined.positions[0]
    # the vertical extent of flat cloth may be rounding noise, so its height is its largest extent; the range of all
    # coordinates is not less, and faster to compute
    if stated is not None or joined.height >= FLAT * float(first.max() - first.min()):
        return joined
    extent = own_extent(first, joined.faces, joined.up)
    return replace(joined, height=extent) if joined.height < FLAT * extent else joined


def read_others(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None,
    of_same_skins: bool = False,
    **options: Any,
) -> Animation | None:
    """Read all other triangle meshes of the scene, joined to one, in the frames in which `read` returns `mesh`.

    The given meshes choose the animation and the times of the frames. Return None if there are no other meshes.

    Parameters
    ----------
    path : the file
    budget : Budget
    mesh : see `read`
        The excluded meshes; by default the clothes.
    of_same_skins : bool
        Read only meshes that share a joint with an excluded mesh, or have a joint above or below its joints: the rest
        of a character without its props.
    **options
        `animation`, `motion` and `fps`, see `read`.
    """
    scene = Scene(Document(path, budget))
    targets = chosen_targets(scene, mesh, options.get("animation"))
    others = scene.others(targets, of_same_skins=of_same_skins)
    if not others:
        return None
    picked = options.get("animation"), options.get("motion")
    clip, whole = clip_for(scene, targets, *picked), clip_for(scene, targets, *picked, others)
    fps = 30.0 if options.get("fps") is None else options["fps"]
    times = np.zeros(1) if clip is None else frame_times(scene, clip, fps)
    return join([_animated(scene, target, None, whole, times, fps, None) for target in others])


def _animated(
    scene: Scene,
    target: Target,
    primitive: int | None,
    clip: Clip | None,
    times: NDArray[np.float64],
    fps: float,
    height: float | None,
) -> Animation:
    """Return one mesh at the given times, in seconds of the clip."""
    geometry, skin = scene.geometry(target, primitive)
    skeleton = None if skin is None else skeleton_of(scene, skin)
    bones = None if skin is None or skeleton is None else scene.room_for_bones(skin, times.size)
    positions = scene.pose(target, geometry, skin, clip, times, bones)
    # pose the mesh before calling `faces`, which then uses the cached matrices of the first frame
    geometry = replace(geometry, faces=scene.faces(target, geometry, skin, clip, times))
    if bones is not None and not np.isfinite(bones).all():
        # ignore the skeleton if a matrix is not finite; the mesh can be usable, for example if no vertex has weights
        skeleton = bones = None
    return animation_of(
        scene.document.path,
        positions,
        geometry.faces,
        fps=fps,
        uv=geometry.uv,
        rest_positions=None if skin is None else bind_pose(scene, target, geometry, skin),
        name=scene.name(target) or scene.document.path.stem,
        height=height,
        skeleton=skeleton,
        bones=bones,
        colors=face_colors(scene.document, geometry),
        groups=vertex_groups(scene, target, geometry, skin),
    )


def sample_gltf(
    path: str | Path,
    times: ArrayLike,
    *,
    mesh: str | int | None = None,
    primitive: int | None = None,
    animation: str | int | None = None,
    budget: float = 1.0,
) -> NDArray[np.float32]:
    """Return the vertex positions of meshes at given times of an animation.

    Parameters
    ----------
    path : path of a `.glb` or `.gltf` file
    times : (F,) numbers, seconds from the origin of the animation's time axis
        Times before the first key are clamped to this key, and times after the last key to the last key.
    mesh, primitive, animation, budget
        See `ruckle.load`.

    Returns
    -------
    (F, V, 3) float32, scene units

    Raises
    ------
    FormatError
        The file cannot be read, or it does not contain this mesh or animation.
    ValueError
        `times` is not a one-dimensional array of finite numbers.
    """
    given = np.asarray(times)
    if given.dtype.kind not in "fiu" or given.ndim != 1 or not np.isfinite(given).all():
        raise ValueError(f"times: expected finite numbers of shape (F,), got {found(times)}")
    moments = given.astype(np.float64)
    scene = Scene(Document(as_path("path", path), Budget(budget)))
    targets = chosen_targets(scene, mesh, animation)
    clip = scene.clip_of(targets, animation)
    chosen = _checked_primitive(primitive)
    parts = []
    for target in targets:
        geometry, skin = scene.geometry(target, chosen)
        parts.append(scene.pose(target, geometry, skin, clip, moments))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _checked_primitive(primitive: int | None) -> int | None:
    if primitive is not None and (isinstance(primitive, bool) or not isinstance(primitive, int) or primitive < 0):
        raise ValueError(f"primitive: expected an index from 0, got {primitive!r}")
    return primitive


def frame_times(scene: Scene, clip: Clip, fps: float) -> NDArray[np.float64]:
    """Return the frame times in seconds, from the first key of the clip (which may differ from 0) to the last key."""
    duration = clip.end - clip.start
    # a damaged key time could result in a clip that lasts years
    location = f"{scene.document.path}: animation '{clip.name:.80}', {duration:g} s at {fps:g} fps"
    scene.document.budget.hold(16 * duration * fps, location)
    return clip.start + np.arange(frame_count_of(duration, fps)) / fps
