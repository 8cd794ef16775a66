"""Which animations of a glTF file move a mesh, those of several objects together, and clips of another file.

Exporters write one animation per object and action: the skeleton's, and that of the cloth's morph targets. Animations
of different objects play together. Those of one object are alternatives, of which the first is the default.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ruckle.errors import FormatError
from ruckle.io.gltf_clips import Channel, Clip, channel_targets

if TYPE_CHECKING:
    from ruckle.io.gltf import Scene, Target

__all__ = ["Movements", "borrowed_clip"]

# Share by which two lengths of a bone may differ and still be one.
SAME_LENGTH = 1e-3

Movers = set[tuple[int, str]]


class Movements:
    """The nodes and properties that each animation of a scene changes, without its keys."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._animations = scene.document.root.elements("animations")
        self._found: dict[int, Movers] = {}

    def of(self, index: int) -> Movers:
        """Return the nodes and properties that an animation changes."""
        if index not in self._found:
            self._found[index] = channel_targets(self._animations[index])
        return self._found[index]

    def movers(self, targets: Iterable[Target]) -> Movers:
        """Return the nodes and properties that can move some meshes."""
        tree, found = self._scene.tree, set[int]()
        targets = list(targets)
        for target in targets:
            nodes = [target.node] if target.skin is None else self._joints[target.skin]
            for node in nodes:
                member = -1 if node is None else node
                while member != -1 and member not in found:
                    found.add(member)
                    member = tree.parents[member]
        moved = {(node, kind) for node in found for kind in ("translation", "rotation", "scale")}
        return moved | {(target.node, "weights") for target in targets if target.node is not None}

    def first(self, targets: Iterable[Target], others: Iterable[Target] = ()) -> list[int]:
        """Return the first animation that moves some meshes, and those of other objects that do; at least one.

        Animations that move other meshes only are the last.
        """
        chosen, objects = list[int](), set[object]()
        for movers in (self.movers(targets), self.movers(others)):
            for index in range(len(self._animations)):
                own = self.of(index)
                if own & movers and not self._objects(own) & objects:
                    chosen.append(index)
                    objects |= self._objects(own)
        return chosen or [0]

    def _objects(self, changed: Movers) -> set[object]:
        """Return the objects of an animation: skins, nodes outside skins, and morph targets of a node."""
        return {
            ("weights", node) if kind == "weights" else ("skin", self._skin_of[node]) if node in self._skin_of else node
            for node, kind in changed
        }

    @cached_property
    def _joints(self) -> list[list[int]]:
        root = self._scene.document.root
        return [skin.indices("joints", root.count("nodes")) for skin in root.elements("skins")]

    @cached_property
    def _skin_of(self) -> dict[int, int]:
        """The first skin of each joint."""
        found: dict[int, int] = {}
        for number, joints in enumerate(self._joints):
            for joint in joints:
                # skins that share a joint are one object
                found.setdefault(joint, next((found[other] for other in joints if other in found), number))
        return found


def borrowed_clip(scene: Scene, targets: Iterable[Target], other: Scene, animation: str | int | None) -> Clip:
    """Return an animation of another file for this scene, whose nodes are found by name.

    Bones keep their own length. Moving nodes, such as the hips, move as far as their own rest position says.

    Parameters
    ----------
    scene, targets : the scene, and its meshes that are to move
    other : the scene of the other file
    animation : name or index, optional
        By default the first that moves the meshes.

    Raises
    ------
    FormatError
        The other file does not have such an animation, or none of its moving nodes has a name of this scene.
    """
    path = other.document.path
    if not other.document.root.count("animations"):
        raise FormatError(f"{path}: has no animation")
    matches = _matched_nodes(scene, other)
    movers = Movements(scene).movers(targets)
    if animation is None:
        movements = Movements(other)
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
    """Return the node of a scene for each node of another of the same name, or of one that differs in style only."""
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
    """Return a name without the style of programs: "mixamorig:LeftArm" and "left_arm" are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower().rpartition(":")[2].removeprefix("mixamorig"))


def _fitted(
    scene: Scene, other: Scene, node: int, kind: str, channel: Channel, matches: Mapping[int, int]
) -> Channel | None:
    """Return a channel of another file for a node; None if the node's own value is the right one."""
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
