"""Finds the head, hands and feet of a skeleton from its shape, for skeletons without meaningful names.

A person has two arms that extend farthest to the sides, and a head above the joint where the arms meet. The feet are at
the lowest ends, and the hands end in fingers. Other skeletons, such as skeletons of animals, do not get roles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["roles_by_shape"]

# Shares of the skeleton's height. The chest is above CHEST, the ankles are below ANKLE. The distance of head and chest
# from the middle plane is below MIDDLE.
CHEST, ANKLE, MIDDLE = 0.5, 0.12, 0.1

# Largest distance between wrist and fingertips, and largest difference between the lengths to which both arms extend
# sideways; both as shares of the height.
HAND, UNEVEN = 0.16, 0.15

LEAST_FINGERS = 3

# Least distance between a foot and the middle plane, as a share of the height.
LEAST_SIDE = 0.01

# Least number of joints of a person, and of ends of chains: two hands, two feet and a head.
LEAST_JOINTS, LEAST_LEAVES = 9, 5


def roles_by_shape(parents: Sequence[int], joints: ArrayLike) -> list[str | None]:
    """Return "head", "hand" or "foot" for these bones of a person, and None for all other bones.

    Parameters
    ----------
    parents : sequence of int
        Index of each bone's parent; -1 for a root.
    joints : (B, 3) float
        Start of each bone at rest, in any unit. Y or Z may point up. The person may be lying.
    """
    points = np.asarray(joints, np.float64)
    if len(points) >= LEAST_JOINTS:
        for axis, sign in ((1, 1.0), (2, 1.0), (2, -1.0)):
            found = _Person(parents, sign * points, axis).roles()
            if any(found):
                return found
    return [None] * len(points)


class _Person:
    """A skeleton with its up axis and its side axis, which is the longer one of the other two axes."""

    def __init__(self, parents: Sequence[int], joints: NDArray[np.float64], up: int) -> None:
        self.parents = list(parents)
        self.children: list[list[int]] = [[] for _ in parents]
        for bone, above in enumerate(parents):
            if above >= 0:
                self.children[above].append(bone)
        extents = np.ptp(joints, axis=0)
        wide = max((axis for axis in range(3) if axis != up), key=lambda axis: float(extents[axis]))
        # in units of the height: `tall` is the height above the lowest joint, `side` the offset from the median joint
        self.joints = joints / max(float(extents[up]), np.finfo(float).tiny)
        self.tall = self.joints[:, up] - self.joints[:, up].min()
        self.side = self.joints[:, wide] - np.median(self.joints[:, wide])

    def roles(self) -> list[str | None]:
        """Return the role of each bone. All roles are None if the skeleton is not a person."""
        found: list[str | None] = [None] * len(self.parents)
        leaves = [bone for bone, below in enumerate(self.children) if not below and self.parents[bone] >= 0]
        if len(leaves) < LEAST_LEAVES:
            return found
        left = min(leaves, key=lambda bone: self.side[bone])
        right = max(leaves, key=lambda bone: self.side[bone])
        # subtract the sideways offset, because the end of a cape or of hair can be higher than the head
        top = max(leaves, key=lambda bone: self.tall[bone] - abs(self.side[bone]))
        chest = self._meeting(left, right)
        is_even = abs(self.side[left] + self.side[right]) < UNEVEN
        if chest is None or not is_even or self.tall[chest] < CHEST or abs(self.side[chest]) > MIDDLE:
            return found
        neck = self._below(chest, top)
        feet = [self._foot(leaf) for leaf in self._lowest([leaf for leaf in leaves if chest not in self._above(leaf)])]
        if neck is None or len(feet) < 2 or abs(self.side[top]) > MIDDLE:
            return found
        nodding = self.children[neck]
        head = neck if not nodding else max(nodding, key=lambda bone: bone in self._above(top))
        for role, roots in (("head", [head]), ("hand", [self._hand(left), self._hand(right)]), ("foot", feet)):
            for root in roots:
                for bone in self._subtree(root):
                    found[bone] = role
        return found

    def _above(self, bone: int) -> list[int]:
        """Return the list of a bone and all its ancestors."""
        path: list[int] = []
        while bone >= 0 and len(path) <= len(self.parents):
            path.append(bone)
            bone = self.parents[bone]
        return path

    def _meeting(self, bone: int, other: int) -> int | None:
        common = set(self._above(other))
        return next((one for one in self._above(bone) if one in common), None)

    def _below(self, bone: int, leaf: int) -> int | None:
        """Return the child of a bone on the chain to a leaf (a bone without children)."""
        path = self._above(leaf)
        return path[path.index(bone) - 1] if bone in path and bone != leaf else None

    def _subtree(self, root: int) -> list[int]:
        found = [root]
        for bone in found:
            found += self.children[bone]
        return found

    def _lowest(self, leaves: list[int]) -> list[int]:
        """Return the lowest leaf of the left and of the right side, without leaves above the ankle height."""
        sides = [[leaf for leaf in leaves if self.side[leaf] * sign > 0.0] for sign in (-1.0, 1.0)]
        lowest = [min(side, key=lambda leaf: self.tall[leaf]) for side in sides if side]
        return [leaf for leaf in lowest if self.tall[leaf] < ANKLE]

    def _foot(self, leaf: int) -> int:
        """Return the highest bone below `ANKLE` among a leaf and its ancestors, off the middle plane; else the leaf."""
        low = [bone for bone in self._above(leaf) if self.tall[bone] < ANKLE]
        # a root on the ground, in the middle, is not a foot
        sideways = [bone for bone in low if abs(self.side[bone]) > LEAST_SIDE]
        return max(sideways, key=lambda bone: self.tall[bone], default=leaf)

    def _hand(self, leaf: int) -> int:
        """Return the last ancestor of a fingertip within `HAND` from which at least 3 fingers start; else the leaf."""
        near = [bone for bone in self._above(leaf) if np.linalg.norm(self.joints[bone] - self.joints[leaf]) < HAND]
        palms = [bone for bone in near if len(self.children[bone]) >= LEAST_FINGERS]
        return palms[-1] if palms else leaf
