"""Finds the animations of a glTF file that move a mesh.

Exporters write one animation per object and action, for example one for the skeleton and one for the morph targets of
the cloth. Animations of different objects are played together. For several animations of one object, the first is the
default.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ruckle.io.gltf_clips import channel_targets
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Target
from ruckle.io.gltf_nodes import NodeTree

__all__ = ["Movements"]

Movers = set[tuple[int, str]]


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

        The list is not empty. Animations that move only meshes in `others` are at its end.
        """
        chosen, played, objects = list[int](), set[tuple[int, str]](), set[object]()
        for movers in (self.movers(targets), self.movers(others)):
            for index in range(len(self._animations)):
                own = self.of(index)
                # most animations change the same properties as the first
                if not own <= played and own & movers and not self._objects(own) & objects:
                    chosen.append(index)
                    played |= own
                    objects |= self._objects(own)
        return chosen or [0]

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
