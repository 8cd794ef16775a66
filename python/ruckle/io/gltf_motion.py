"""Finds the animations of a glTF file that move a mesh.

Exporters write one animation per object and action, for example one for the skeleton and one for the morph targets of
the cloth. Animations of different objects are played together. For several animations of one object, the default is the
first that does not only hold a pose.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from ruckle.errors import FormatError
from ruckle.io.gltf_accessors import read_floats
from ruckle.io.gltf_clips import channel_target, channel_targets
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Target
from ruckle.io.gltf_nodes import NodeTree

__all__ = ["Movements"]

Movers = set[tuple[int, str]]

# Keys are considered equal if they differ by less than this share of the largest number, or of 1 if it is larger:
# exporters round equal keys differently.
EQUAL = 1e-5


class Movements:
    """The nodes and properties that each animation of a scene changes. The keys are not read."""

    def __init__(self, document: Document, tree: NodeTree) -> None:
        self._document, self._tree = document, tree
        self._animations = document.root.elements("animations")
        self._found: dict[int, Movers] = {}

    def of(self, index: int) -> Movers:
        """Return the (node, property) pairs that an animation changes."""
        if index not in self._found:
            self._found[index] = channel_targets(self._animations[index])
        return self._found[index]

    def movers(self, targets: Iterable[Target]) -> Movers:
        """Return the (node, property) pairs that can move these meshes."""
        tree, found = self._tree, set[int]()
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
        """Return the animations that play together by default: for each object, the first that moves these meshes.

        The list is not empty. Animations that move only meshes in `others` are at its end. An animation that holds a
        pose, such as "T-Pose", is chosen only if no other one moves the object.
        """
        chosen, played, objects = list[int](), set[tuple[int, str]](), set[object]()
        for movers in (self.movers(targets), self.movers(others)):
            order, poses = list(range(len(self._animations))), set[int]()
            for index in order:
                own = self.of(index)
                # most animations change the same properties as the first
                if not own <= played and own & movers and not self._objects(own) & objects:
                    if len(self._animations) > 1 and index not in poses and self._holds(index, movers):
                        poses.add(index)
                        order.append(index)
                        continue
                    chosen.append(index)
                    played |= own
                    objects |= self._objects(own)
        return chosen or [0]

    def _holds(self, index: int, movers: Movers) -> bool:
        """Return True if all keys of an animation are equal, for the (node, property) pairs in `movers`."""
        animation, count = self._animations[index], self._document.root.count("accessors")
        try:
            for channel in animation.elements("channels"):
                if channel_target(channel) not in movers:
                    continue
                sampler = animation.element("samplers", channel.integer("sampler", below=animation.count("samplers")))
                keys = self._document.root.element("accessors", sampler.integer("input", below=count)).integer("count")
                values = read_floats(self._document, sampler.integer("output", below=count)).reshape(keys, -1)
                # tangents of CUBICSPLINE are ignored: with equal values, exporters write tangents of 0
                rows = 3 if sampler.text("interpolation") == "CUBICSPLINE" else 1
                width = values.shape[1] // rows
                values = values[:, (rows // 2) * width : (rows // 2 + 1) * width]
                if np.ptp(values, axis=0).max() > EQUAL * max(1.0, np.abs(values).max()):
                    return False
        except (FormatError, ValueError):
            # the animation is damaged; reading it gives the error message
            return False
        return True

    def _objects(self, changed: Movers) -> set[object]:
        """Return the objects that an animation changes: skins, nodes outside skins, and morph targets of nodes."""
        return {
            ("weights", node) if kind == "weights" else ("skin", self._skin_of[node]) if node in self._skin_of else node
            for node, kind in changed
        }

    @cached_property
    def _joints(self) -> list[list[int]]:
        root = self._document.root
        return [skin.indices("joints", root.count("nodes")) for skin in root.elements("skins")]

    @cached_property
    def _skin_of(self) -> dict[int, int]:
        """Index of the first skin that contains each joint."""
        found: dict[int, int] = {}
        for number, joints in enumerate(self._joints):
            for joint in joints:
                # skins that share a joint get the number of the first skin, so they are treated as one object
                found.setdefault(joint, next((found[other] for other in joints if other in found), number))
        return found
