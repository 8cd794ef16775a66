"""Applies an animation from another glTF file. The nodes of the two files are matched by name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ruckle.errors import FormatError
from ruckle.io.gltf_clips import Channel, Clip
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Target
from ruckle.io.gltf_scene import Scene
from ruckle.io.reading import as_path

__all__ = ["borrowed_clip", "clip_for"]

# Two bone lengths are considered equal if their relative difference is below this value. A translation or scale is
# considered constant if it changes by less than this share of its largest number.
SAME_LENGTH = 1e-3


def clip_for(
    scene: Scene,
    targets: Sequence[Target],
    animation: str | int | None,
    motion: object = None,
    others: Sequence[Target] = (),
) -> Clip | None:
    """Return an animation of the scene (see `Scene.clip_of`), or of the file `motion` if this path is given."""
    if motion is None:
        return scene.clip_of(targets, animation, others)
    return borrowed_clip(scene, targets, Scene(Document(as_path("motion", motion), scene.document.budget)), animation)


def borrowed_clip(scene: Scene, targets: Iterable[Target], other: Scene, animation: str | int | None) -> Clip:
    """Return the animation of another file, converted for this scene. Nodes are matched by name.

    Constant translations and scales in the other file are ignored, so the bone lengths of this scene do not change. A
    translation that changes, such as that of the hips, is multiplied by the ratio of the lengths of the node's rest
    translations in this scene and in the other file. Weights of morph targets are ignored if their number differs from
    that of the node's mesh in this scene.

    Parameters
    ----------
    scene, targets : scene, and its meshes that the animation must move
    other : the scene of the other file
    animation : name or index, optional
        By default the first animation that moves these meshes.

    Raises
    ------
    FormatError
        The other file does not contain an animation or this animation, or it moves no node by which these meshes move.
    """
    path = other.document.path
    if not other.document.root.count("animations"):
        raise FormatError(f"{path}: has no animation")
    matches = _matched_nodes(scene, other)
    movers = scene.movements.movers(targets)
    if animation is None:
        movements = other.movements
        for index in range(other.document.root.count("animations")):
            if any((matches.get(node), kind) in movers for node, kind in movements.of(index)):
                animation = index
                break
    clip = other.clip(animation)
    assert clip is not None
    channels = {(matches[node], kind): channel for (node, kind), channel in clip.channels.items() if node in matches}
    if not channels.keys() & movers:
        names = sorted({other.tree.entries[node].text("name") for node, _ in clip.channels} - {""})
        example = f", such as {names[0]!r:.80}" if names else ""
        raise FormatError(f"{path}: moves no node of {scene.document.path.name}; nodes are found by name{example}")
    left = {node for node, _ in clip.channels} - matches.keys()
    if left:
        count = len({node for node, _ in clip.channels})
        warnings.warn(f"{path}: {len(left)} of {count} moving nodes are not in {scene.document.path}", stacklevel=2)
    fitted = {
        (node, kind): found
        for (node, kind), channel in channels.items()
        if (found := _fitted(scene, other, node, kind, channel, matches)) is not None
    }
    return replace(clip, channels=fitted)


def _matched_nodes(scene: Scene, other: Scene) -> dict[int, int]:
    """Map each node of `other` to the node of `scene` with an equal name, except for the spelling of some programs."""
    exact: dict[str, int] = {}
    similar: dict[str, int] = {}
    for node, entry in enumerate(scene.tree.entries):
        name = entry.text("name")
        if name:
            exact.setdefault(name, node)
            similar.setdefault(_plain(name), node)
    found = {}
    for node, entry in enumerate(other.tree.entries):
        name = entry.text("name")
        match = exact.get(name, similar.get(_plain(name)) if name else None)
        if match is not None:
            found[node] = match
    return found


def _plain(name: str) -> str:
    """Return a name without the spelling of some programs: "mixamorig:LeftArm" and "left_arm" both become "leftarm"."""
    return re.sub(r"[^a-z0-9]", "", name.lower().rpartition(":")[2].removeprefix("mixamorig"))


def _fitted(
    scene: Scene, other: Scene, node: int, kind: str, channel: Channel, matches: Mapping[int, int]
) -> Channel | None:
    """Return the channel of the other file, converted for this scene's node; None if the node must keep its value."""
    if kind == "rotation":
        return channel
    if kind == "weights":
        return channel if channel.values.shape[-1] == scene.morph_counts.get(node, 0) else None
    if np.ptp(channel.values, axis=0).max(initial=0.0) <= SAME_LENGTH * np.abs(channel.values).max(initial=0.0):
        return None
    if kind == "scale":
        return channel
    source = next(one for one, match in matches.items() if match == node)
    own, theirs = (
        float(np.linalg.norm(tree.at_rest(one)["translation"]))
        for tree, one in ((scene.tree, node), (other.tree, source))
    )
    if own and theirs and abs(own / theirs - 1.0) > SAME_LENGTH:
        return replace(channel, values=channel.values * (own / theirs))
    return channel
