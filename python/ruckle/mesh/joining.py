"""Joins meshes with the same frames, such as the garments of a character or the meshes of its body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import mistyped
from ruckle.arrays import Float32, Int32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.colors import joined_colors
from ruckle.mesh.geometry import edge_lengths
from ruckle.mesh.groups import joined_groups

__all__ = ["join", "same_rate"]

# Two frame rates are regarded as equal if their relative difference is below this number.
SAME_RATE = 1e-3

# A mesh is rigid if its edge lengths vary by less than this share of the largest coordinate. Rounding of the
# coordinates causes such variations.
RIGID = 1e-5

# Largest number of mesh names in the name of a joined mesh. For more meshes, it contains two names and a count.
NAMED = 3


def join(animations: Sequence[Animation], *, name: str | None = None) -> Animation:
    """Join meshes with the same frames into one animation. Vertices and faces are concatenated in order.

    Parameters
    ----------
    animations : sequence of Animation
        Animations with equal numbers of frames, frame rates and up axes.
    name : str, optional
        Name of the result; default: all names, joined by "+".

    Returns
    -------
    Animation
        The height is the largest height that is not a guess; if all are guesses, it is guessed from the joined mesh.
        Meshes without texture coordinates get 0 if another mesh has some. The result has a bind pose if a mesh has one,
        and every other mesh has one or is rigid. It has a skeleton if all meshes have the same skeleton and the same
        bone matrices. If a mesh has a mask or colours, meshes without get 1 or white. The result does not have
        `sewing`. A single animation is returned with all its parts.

    Raises
    ------
    ValueError
        There is no animation, or the frames or up axes differ.
    TypeError
        An entry is not an animation.

    Examples
    --------
    >>> outfit = ruckle.join([ruckle.load("hero.glb", mesh=mesh) for mesh in ("shirt", "coat")])  # doctest: +SKIP
    """
    first, *others = _checked(animations)
    if not others:
        return first if name is None else replace(first, name=name)
    shifts = np.cumsum([0, *(one.vertex_count for one in animations[:-1])])
    uv, uv_faces = _joined_texture(animations)
    rests = _rests(animations)
    same_bones = all(_same_skeleton(one, first) for one in others)
    known = [one.height for one in animations if not one.height_is_guess]
    return Animation(
        np.concatenate([one.positions for one in animations], axis=1),
        np.concatenate([one.faces + shift for one, shift in zip(animations, shifts, strict=True)]),
        fps=first.fps,
        uv=uv,
        uv_faces=uv_faces,
        rest_positions=None if rests is None else np.concatenate(rests),
        name=_joined_name([one.name for one in animations]) if name is None else name,
        height=max(known, default=None),
        up=first.up,
        skeleton=first.skeleton if same_bones else None,
        bones=first.bones if same_bones else None,
        mask=_joined_mask(animations),
        groups=joined_groups(
            *([getattr(one, name) for one in animations] for name in ("groups", "name", "vertex_count"))
        ),
        colors=joined_colors([one.colors for one in animations], [one.face_count for one in animations]),
    )


def _checked(animations: Sequence[Animation]) -> Sequence[Animation]:
    if not isinstance(animations, Sequence):
        raise mistyped("animations", "a sequence of animations", animations)
    if not animations:
        raise ValueError("animations: expected at least one, got none")
    for one in animations:
        _check_same_frames(require_animation(one), animations[0])
    return animations


def same_rate(one: Animation, other: Animation) -> bool:
    """Return True if two animations have the same frame rate, within the precision of files."""
    return abs(one.fps - other.fps) <= SAME_RATE * other.fps


def _check_same_frames(one: Animation, first: Animation) -> None:
    if one.frame_count != first.frame_count or not same_rate(one, first):
        raise ValueError(f"animations: expected the frames of {_frames(first)}, got {_frames(one)}")
    if one.up != first.up:
        raise ValueError(f"animations: {first.name} has {first.up} up, and {one.name} {one.up}")


def _frames(animation: Animation) -> str:
    return f"{animation.name}, {animation.frame_count} at {animation.fps:g} per second"


def _joined_texture(animations: Sequence[Animation]) -> tuple[Float32 | None, Int32 | None]:
    """Return the joined texture coordinates and texture faces; (None, None) if no mesh has texture coordinates.

    A mesh without texture coordinates gets (0, 0) at every vertex. The texture faces are None if all texture
    coordinates are per vertex.
    """
    if all(one.uv is None for one in animations):
        return None, None
    coordinates = [np.zeros((one.vertex_count, 2), np.float32) if one.uv is None else one.uv for one in animations]
    indices = [one.faces if one.uv_faces is None else one.uv_faces for one in animations]
    shifts = np.cumsum([0, *(len(part) for part in coordinates[:-1])])
    faces = [part + np.int32(shift) for part, shift in zip(indices, shifts, strict=True)]
    separate = any(one.uv_faces is not None for one in animations)
    return np.concatenate(coordinates), np.concatenate(faces) if separate else None


def _same_skeleton(one: Animation, other: Animation) -> bool:
    if one.skeleton is None or other.skeleton is None or one.bones is None or other.bones is None:
        return False
    return one.skeleton.names == other.skeleton.names and _equal(one.bones, other.bones)


def _equal(a: NDArray[np.float32], b: NDArray[np.float32]) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _rests(animations: Sequence[Animation]) -> list[Float32] | None:
    """Return the bind pose of each mesh; for a rigid mesh without a bind pose, the first frame.

    Return None if no mesh has a bind pose, or if a mesh that is not rigid does not have one.
    """
    if all(one.rest_positions is None for one in animations):
        return None
    rests = []
    for one in animations:
        if one.rest_positions is None and not _is_rigid(one):
            return None
        rests.append(one.positions[0] if one.rest_positions is None else one.rest_positions)
    return rests


def _joined_mask(animations: Sequence[Animation]) -> Float32 | None:
    """Return the concatenated masks; None if no mesh has a mask. A mesh without a mask gets 1 at every vertex."""
    if all(one.mask is None for one in animations):
        return None
    masks = [np.ones(one.vertex_count, np.float32) if one.mask is None else one.mask for one in animations]
    return np.concatenate(masks)


def _is_rigid(animation: Animation) -> bool:
    """Return True if the mesh is rigid: its edge lengths differ between frames only by rounding."""
    sides = animation.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    first = edge_lengths(animation.positions[0], sides)
    tolerance = RIGID * float(np.abs(animation.positions[0]).max())
    return all(float(np.abs(edge_lengths(frame, sides) - first).max()) <= tolerance for frame in animation.positions)


def _joined_name(names: Sequence[str]) -> str:
    if len(names) <= NAMED:
        return "+".join(names)
    return f"{names[0]}+{names[1]}+{len(names) - 2}_more"
