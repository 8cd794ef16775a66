"""Skeletons: joints, their positions at rest, and their rotations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance, mistyped, no_such
from ruckle.arrays import Float32, Int32, first_true, float32, float64, int32
from ruckle.mesh.rotation import nearest_rotations

__all__ = ["Skeleton", "require_bones"]

# Tolerance of the entries of a bone's rotation matrix, after its scale is removed.
RIGID_TOLERANCE = 1e-3


@dataclass(frozen=True, init=False, eq=False)
class Skeleton:
    """A tree of joints. Each joint moves one bone, which is the part between the joint and its child joints.

    Parameters
    ----------
    names : sequence of str
        Different names of the B joints.
    parents : (B,) int
        Index of each joint's parent; -1 for a root.
    rest_joints : (B, 3) float, mesh units
        Positions of the joints at rest.

    Raises
    ------
    ValueError
        Arrays do not match, a parent does not exist, the parents form a cycle, a name occurs twice, or a position is
        not finite.
    TypeError
        Names are not strings.

    Examples
    --------
    >>> arm = ruckle.Skeleton(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]])
    >>> arm.index("elbow")
    1
    """

    names: tuple[str, ...]
    parents: Int32
    rest_joints: NDArray[np.float64]

    def __init__(self, names: Sequence[str], parents: ArrayLike, rest_joints: ArrayLike) -> None:
        if (
            isinstance(names, str)
            or not isinstance(names, Iterable)
            or not all(isinstance(name, str) for name in names)
        ):
            raise mistyped("names", "a sequence of strings", names)
        above, at_rest = np.array(int32("parents", parents)), np.array(float64("rest_joints", rest_joints))
        count = len(names)
        if above.shape != (count,) or at_rest.shape != (count, 3) or not count:
            raise ValueError(
                f"names, parents, rest_joints: expected B names, (B,) parents and (B, 3) positions of at least one "
                f"joint, got {count}, {above.shape} and {at_rest.shape}"
            )
        if len(set(names)) < count:
            twice = next(name for name in names if list(names).count(name) > 1)
            raise ValueError(f"names: '{twice}' occurs twice")
        outside = (above < -1) | (above >= count)
        if outside.any():
            joint = int(np.argmax(outside))
            raise ValueError(f"parents: joint {joint} has the parent {above[joint]}, allowed are -1 to {count - 1}")
        if not np.isfinite(at_rest).all():
            raise ValueError(f"rest_joints: joint {first_true(~np.isfinite(at_rest))[0]} is not finite")
        for array in (above, at_rest):
            array.flags.writeable = False
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "parents", above)
        object.__setattr__(self, "rest_joints", at_rest)
        if len(self.order) < count:
            raise ValueError("parents: some joints form a cycle")

    @property
    def joint_count(self) -> int:
        """Number of joints B."""
        return len(self.names)

    @property
    def order(self) -> list[int]:
        """The indices of the joints. A parent comes before its children."""
        children: list[list[int]] = [[] for _ in self.names]
        for joint, above in enumerate(self.parents.tolist()):
            if above >= 0:
                children[above].append(joint)
        found = [joint for joint, above in enumerate(self.parents.tolist()) if above < 0]
        for joint in found:
            found += children[joint]
        return found

    def index(self, name: str) -> int:
        """Return the index of a joint. For an unknown name, the ValueError suggests the most similar name."""
        if name not in self.names:
            raise ValueError(no_such("joint", str(name), self.names))
        return self.names.index(name)

    def below(self, joint: int) -> list[int]:
        """Return the indices of `joint` and all its descendants."""
        found = {joint}
        for other in self.order:
            if self.parents[other] in found:
                found.add(other)
        return sorted(found)

    def way(self, above: int, joint: int) -> list[int]:
        """Return the joints from the child of `above` to `joint`, inclusive; empty if `above` is not an ancestor."""
        found = [joint]
        while found[0] >= 0 and self.parents[found[0]] != above:
            found.insert(0, int(self.parents[found[0]]))
        return found if found[0] >= 0 else []

    def pose(self, rotations: ArrayLike, root: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
        """Return the bone matrices of one or several poses.

        Parameters
        ----------
        rotations : (..., B, 3, 3) float
            Rotation of each bone relative to its parent, in the axes of the parent at rest.
        root : (3,) float, mesh units
            Translation of the roots from their rest positions.

        Returns
        -------
        (..., B, 3, 4) float64
            Rotation left, translation right, mesh units.
        """
        local = float64("rotations", rotations)
        bones = np.zeros((*local.shape[:-1], 4))
        for joint in self.order:
            above, at_rest = self.parents[joint], self.rest_joints[joint]
            if above < 0:
                turned, position = local[..., joint, :, :], at_rest + np.asarray(root)
            else:
                outer = bones[..., above, :, :3]
                turned, position = outer @ local[..., joint, :, :], outer @ at_rest + bones[..., above, :, 3]
            bones[..., joint, :, :3], bones[..., joint, :, 3] = turned, position - turned @ at_rest
        return bones

    def joint_rotations(self, bone_matrices: ArrayLike) -> NDArray[np.float64]:
        """Return the rotation of each joint since rest: A_parentᵀ A_child, if A are the rotations of the bones.

        For a root, it is A of the root. For any other joint, the motion of the root does not change the result. A
        uniform scale of a bone is removed.

        Parameters
        ----------
        bone_matrices : (..., B, 3, 4) float
            Bone matrices from rest to pose, mesh units.

        Returns
        -------
        (..., B, 3, 3) float64

        Raises
        ------
        ValueError
            The shape is wrong, or a bone is not finite or not rigid. The message contains the frame and the bone.
        """
        matrices = float64("bone_matrices", bone_matrices)
        if matrices.ndim < 3 or matrices.shape[-3:] != (self.joint_count, 3, 4):
            raise ValueError(
                f"bone_matrices: expected shape (..., {self.joint_count}, 3, 4), as the skeleton has joints, "
                f"got {matrices.shape}"
            )
        turned = matrices[..., :3]
        self._check(np.asarray(np.isfinite(matrices).all(axis=(-2, -1))), "is not finite")
        volumes = np.linalg.det(turned)
        scale = np.cbrt(np.where(volumes > 0, volumes, 1.0))[..., None, None]
        rotations = nearest_rotations(turned / scale)
        error = np.abs(turned / scale - rotations).max(axis=(-2, -1))
        self._check((volumes > 0) & (error < RIGID_TOLERANCE), "is not rigid: it scales one way more than another")
        above = np.maximum(self.parents, 0)
        relative: NDArray[np.float64] = np.swapaxes(rotations[..., above, :, :], -1, -2) @ rotations
        relative[..., self.parents < 0, :, :] = rotations[..., self.parents < 0, :, :]
        return relative

    def turns(self, bone_matrices: ArrayLike, above: int, joint: int) -> NDArray[np.float64]:
        """Return the rotation of a joint relative to its ancestor `above`, (..., 3, 3); see `joint_rotations`.

        Raise ValueError if `above` is not an ancestor of the joint.
        """
        rotations = self.joint_rotations(bone_matrices)
        way = self.way(above, joint)
        if not way:
            raise ValueError(f"above: '{self.names[above]}' is not above '{self.names[joint]}'")
        turned: NDArray[np.float64] = rotations[..., way[0], :, :]
        for between in way[1:]:
            turned = turned @ rotations[..., between, :, :]
        return turned

    def _check(self, sound: NDArray[np.bool_], fault: str) -> None:
        if not sound.all():
            *frame, joint = first_true(~sound)
            place = f"frame {frame[0]}, " if frame else ""
            raise ValueError(f"bone_matrices: {place}bone '{self.names[joint]}' {fault}")

    def __repr__(self) -> str:
        return (
            f"Skeleton({self.joint_count} joints: {', '.join(self.names[:4])}{', …' if self.joint_count > 4 else ''})"
        )


def require_bones(skeleton: Skeleton | None, bones: ArrayLike | None, frame_count: int) -> Float32 | None:
    """Return an animation's bone matrices (F, B, 3, 4), read-only; ValueError if skeleton and matrices do not match."""
    count = 0 if skeleton is None else instance("skeleton", skeleton, Skeleton).joint_count
    matrices = None if bones is None else float32("bones", bones)
    if skeleton is None or matrices is None:
        if skeleton is not None or matrices is not None:
            raise ValueError("skeleton, bones: expected both, or neither")
        return None
    if matrices.shape != (frame_count, count, 3, 4):
        raise ValueError(f"bones: expected shape ({frame_count}, {count}, 3, 4), got {matrices.shape}")
    if not np.isfinite(matrices).all():
        frame, joint, *_ = first_true(~np.isfinite(matrices))
        raise ValueError(f"bones: frame {frame}, bone '{skeleton.names[joint]}' is not finite")
    view = matrices.view()
    view.flags.writeable = False
    return view
