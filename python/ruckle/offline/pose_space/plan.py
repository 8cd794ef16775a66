"""Plans of poses to sample: a grid of angles for each joint, and a training clip through all samples."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance, mapping, mistyped, no_such, positive_number, whole_number
from ruckle.arrays import float64, shaped
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.rotation import rotation_matrices, rotation_vectors
from ruckle.mesh.skeleton import Skeleton
from ruckle.pose_space.joint import JointKind, ball_axes, hinge_axes, joint_rotation, sampled_angles

__all__ = ["PlannedJoint", "PosePlan", "TrainingClip", "load_plan", "plan_poses"]

Float64 = NDArray[np.float64]

# Rotation of joints in a training clip, in degrees per frame; number of frames of the pause at each sample.
SPEED, HOLD = 6.0, 20

# Frames per second of a training clip.
FRAME_RATE = 60.0

# Smallest bend or motion, in radians, from which the axis of a hinge can be computed.
STRAIGHT = np.radians(5.0)


@dataclass(frozen=True, eq=False)
class PlannedJoint:
    """A joint with the grid of its samples.

    Attributes
    ----------
    name : str
    parent_bone, child_bone : int
        Joints of the skeleton. Joints between them, as in a spine, share the rotation equally.
    kind : {"hinge", "ball"}
    axes : (3, 3) float64
        See `ruckle.joint_angles`.
    angles : tuple of D (S_d,) float64, radians
        Sampled angles of each axis; every axis includes 0.
    """

    name: str
    parent_bone: int
    child_bone: int
    kind: JointKind
    axes: Float64
    angles: tuple[Float64, ...]

    @property
    def samples(self) -> Float64:
        """Angles of all samples, (S, D) float64, radians; the last axis varies fastest."""
        return np.stack([grid.ravel() for grid in np.meshgrid(*self.angles, indexing="ij")], axis=1)

    @property
    def sample_count(self) -> int:
        """Number S of samples."""
        return int(np.prod([len(axis) for axis in self.angles]))

    @property
    def rest_sample(self) -> int:
        """Index of the sample whose angles are all 0."""
        return int(np.flatnonzero((self.samples == 0).all(axis=1))[0])


@dataclass(frozen=True, eq=False)
class TrainingClip:
    """The motion to simulate: from the rest pose to each sample and back, one joint after another.

    Attributes
    ----------
    bones : (F, B, 3, 4) float64
        Bone matrices from rest to every frame, mesh units.
    sample_frames : (1 + S,) int64
        Last frame of the pause in each pose: the rest pose, then all samples.
    fps : float
    """

    bones: Float64
    sample_frames: NDArray[np.int64]
    fps: float = FRAME_RATE


@dataclass(frozen=True, eq=False)
class PosePlan:
    """The joints of a garment with the grids of their samples; `plan_poses` creates a plan.

    Attributes
    ----------
    skeleton : Skeleton
    joints : tuple of PlannedJoint
    """

    skeleton: Skeleton
    joints: tuple[PlannedJoint, ...]

    @property
    def sample_count(self) -> int:
        """Total number of samples of all joints."""
        return sum(joint.sample_count for joint in self.joints)

    @property
    def combination_count(self) -> int:
        """Number of poses if all combinations of samples were stored, as in a database of whole poses."""
        return int(np.prod([joint.sample_count for joint in self.joints], dtype=object))

    def rotations(self, angles: Mapping[str, ArrayLike]) -> Float64:
        """Return rotations (B, 3, 3) of all joints for `angles` (D,), radians, by joint name; others are at rest."""
        turned = np.tile(np.eye(3), (self.skeleton.joint_count, 1, 1))
        planned = {joint.name: joint for joint in self.joints}
        for name, values in mapping("angles", angles).items():
            if name not in planned:
                raise ValueError(no_such("planned joint", str(name), planned))
            joint = planned[name]
            way, turn = self.skeleton.way(joint.parent_bone, joint.child_bone), joint_rotation(values, joint.axes)
            turned[way] = turn if len(way) == 1 else rotation_matrices(rotation_vectors(turn) / len(way))
        return turned

    @property
    def sample_rotations(self) -> Float64:
        """Joint rotations of the rest pose, then of all samples, (1 + S, B, 3, 3) float64."""
        poses = [self.rotations({})]
        for joint in self.joints:
            poses += [self.rotations({joint.name: angles}) for angles in joint.samples]
        return np.array(poses)

    @property
    def sample_bones(self) -> Float64:
        """Bone matrices of the rest pose, then of all samples, (1 + S, B, 3, 4) float64."""
        return self.skeleton.pose(self.sample_rotations)

    def clip(self, *, speed: float = SPEED, hold: int = HOLD, fps: float = FRAME_RATE) -> TrainingClip:
        """Return the motion to simulate: directly from the rest pose to each sample, a pause, and back.

        Parameters
        ----------
        speed : float, degrees
            Rotation of joints per frame.
        hold : int
            Number of frames of the pause at each sample.
        fps : float, frames per second
        """
        degrees, wait = positive_number("speed", speed), whole_number("hold", hold, 1)
        rest = np.tile(np.eye(3), (self.skeleton.joint_count, 1, 1))
        frames, marks = [rest] * wait, [wait - 1]
        for pose in self.sample_rotations[1:]:
            turn = rotation_vectors(pose)
            steps = max(1, int(np.ceil(np.degrees(np.linalg.norm(turn, axis=1).max()) / degrees)))
            way = [rotation_matrices(turn * (step / steps)) for step in range(1, steps + 1)]
            frames += way + [pose] * wait
            marks.append(len(frames) - 1)
            # back to rest along the same path, then a pause at rest before the next sample
            frames += [*way[-2::-1], *[rest] * wait]
        return TrainingClip(self.skeleton.pose(np.array(frames)), np.array(marks), positive_number("fps", fps))

    def save(self, path: str | os.PathLike[str], clip: TrainingClip | None = None) -> None:
        """Write the plan with its training clip to an NPZ file. The default clip is `self.clip()`.

        An existing file is replaced. Bone matrices are rounded to float32. OSError if the file cannot be written.
        """
        motion = clip or self.clip()
        arrays: dict[str, NDArray[Any]] = {
            "plan_version": np.array(1),
            "joint_names": np.array(self.skeleton.names),
            "joint_parents": self.skeleton.parents,
            "rest_joints": self.skeleton.rest_joints,
            "bone_matrices": motion.bones.astype(np.float32),
            "sample_frames": motion.sample_frames,
            "fps": np.array(motion.fps),
            "planned": np.array([joint.name for joint in self.joints]),
            "kinds": np.array([joint.kind for joint in self.joints]),
            "bones": np.array([[joint.parent_bone, joint.child_bone] for joint in self.joints], np.int32),
            "axes": np.array([joint.axes for joint in self.joints]),
        }
        for number, joint in enumerate(self.joints):
            arrays |= {f"angles_{number}_{axis}": angles for axis, angles in enumerate(joint.angles)}
        with replacing(as_path("path", path)) as file:
            np.savez_compressed(file, **{name: np.asarray(array) for name, array in arrays.items()})  # type: ignore[arg-type]

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{joint.name} {' x '.join(str(len(axis)) for axis in joint.angles)}" for joint in self.joints
        )
        return f"PosePlan({parts}: {self.sample_count} samples)"


def load_plan(path: str | os.PathLike[str]) -> tuple[PosePlan, TrainingClip]:
    """Read a plan with its training clip.

    Raises
    ------
    FormatError
        The file is not a plan, or is damaged.
    """
    file = as_path("path", path)
    archive = Archive(file, Budget())
    if "plan_version" not in archive.names:
        raise FormatError(f"{file}: is no plan of poses; it has no plan_version")
    try:
        names = [str(name) for name in archive.array("joint_names", "U").ravel()]
        skeleton = Skeleton(names, archive.array("joint_parents", "iu"), archive.array("rest_joints", "f"))
        kinds, bones = archive.array("kinds", "U"), archive.array("bones", "iu")
        axes = archive.array("axes", "f")
        joints = []
        for number, name in enumerate(archive.array("planned", "U").tolist()):
            kind, count = str(kinds[number]), 1 if kinds[number] == "hinge" else 3
            angles = [archive.array(f"angles_{number}_{axis}", "f") for axis in range(count)]
            parent, child = (int(bone) for bone in bones[number])
            rows = sampled_angles(f"{name}: angles", angles)
            joints.append(PlannedJoint(name, parent, child, kind, axes[number], rows))  # type: ignore[arg-type]
        matrices, marks = archive.array("bone_matrices", "f"), archive.array("sample_frames", "iu")
        clip = TrainingClip(matrices.astype(np.float64), marks.astype(np.int64), archive.number("fps"))
    except (ValueError, IndexError, TypeError) as error:
        raise error if isinstance(error, FormatError) else FormatError(f"{file}: is damaged ({error})") from error
    return PosePlan(skeleton, tuple(joints)), clip


def plan_poses(
    skeleton: Skeleton,
    joints: Mapping[str, Sequence[float] | Sequence[Sequence[float]]],
    *,
    axes: Mapping[str, ArrayLike] | None = None,
    motion: ArrayLike | None = None,
    above: Mapping[str, str] | None = None,
) -> PosePlan:
    """Plan the poses to sample for each joint.

    Parameters
    ----------
    skeleton : Skeleton
    joints : mapping of str to degrees
        For each joint, the angles of a hinge, or three sequences of angles of a ball joint: swing about the first axis,
        swing about the second axis, and twist. Each sequence includes 0, the rest pose.
    axes : mapping of str to (3,) float, optional
        Axes of hinges, and first axes of ball joints, in the rest pose.
    motion : (F, B, 3, 4) float, optional
        Bone matrices of a motion of the character, from which missing hinge axes are computed. Default: from the bend
        of the joint's two bones at rest.
    above : mapping of str to str, optional
        Ancestor relative to which a joint turns, in place of its parent. For example, a spine can be one ball joint
        from hips to chest, whose inner joints share the rotation.

    Returns
    -------
    PosePlan

    Raises
    ------
    ValueError
        A joint does not exist or is a root, `above` is not its ancestor, a grid does not increase or does not include
        0, or the axis of a hinge cannot be computed.

    Examples
    --------
    >>> arm = ruckle.Skeleton(["arm", "elbow", "hand"], [-1, 0, 1], [[0, 0, 0], [3, 0, 0], [5, 0, 1]])
    >>> ruckle.plan_poses(arm, {"elbow": range(0, 120, 15)})
    PosePlan(elbow 8: 8 samples)
    """
    instance("skeleton", skeleton, Skeleton)
    given, starts = mapping("axes", {} if axes is None else axes), mapping("above", {} if above is None else above)
    if motion is not None:
        motion = shaped("motion", float64("motion", motion), ("F", skeleton.joint_count, 3, 4))
    planned = []
    for name, samples in mapping("joints", joints).items():
        child = skeleton.index(name)
        if skeleton.parents[child] < 0:
            raise ValueError(f"joints: '{name}' is a root joint, which has no parent to turn against")
        parent = skeleton.index(starts[name]) if name in starts else int(skeleton.parents[child])
        if not skeleton.way(parent, child):
            raise ValueError(f"above: '{starts[name]}' is not above '{name}'")
        rows = _grid(name, samples)
        kind: JointKind = "hinge" if len(rows) == 1 else "ball"
        along = _along(skeleton, child)
        if kind == "ball":
            rotation_axes = ball_axes(along, given.get(name))
        else:
            turns = None if motion is None else skeleton.turns(motion, parent, child)
            rotation_axes = hinge_axes(given[name] if name in given else _hinge(skeleton, child, along, turns), along)
        planned.append(PlannedJoint(name, parent, child, kind, rotation_axes, rows))
    return PosePlan(skeleton, tuple(planned))


def _grid(name: str, samples: Any) -> tuple[Float64, ...]:
    place = f"joints: '{name}'"
    if isinstance(samples, str) or not isinstance(samples, (Sequence, np.ndarray, range)) or not len(samples):
        raise mistyped(place, "angles in degrees, or three sequences of them", samples)
    nested = not np.isscalar(samples[0])
    if nested and len(samples) != 3:
        raise ValueError(
            f"{place}: expected angles of a hinge or three sequences of a ball, got {len(samples)} sequences"
        )
    rows = sampled_angles(
        place, [np.radians(float64(place, np.asarray(row))) for row in (samples if nested else [samples])]
    )
    if any(0.0 not in row for row in rows):
        raise ValueError(f"{place}: expected the rest pose, angle 0, among the samples of every axis")
    return rows


def _along(skeleton: Skeleton, joint: int) -> Float64:
    """Return the vector from a joint to the mean of its children.

    Without children, return the vector from its parent.
    """
    below = np.flatnonzero(skeleton.parents == joint)
    joints = skeleton.rest_joints
    way: Float64 = joints[below].mean(axis=0) - joints[joint] if len(below) else np.zeros(3)
    return way if np.linalg.norm(way) > 0 else np.asarray(joints[joint] - joints[skeleton.parents[joint]])


def _hinge(skeleton: Skeleton, joint: int, along: Float64, turns: Float64 | None) -> Float64:
    """Return the axis of a hinge: the main axis of its rotations.

    If the rotations are missing or below `STRAIGHT`, it is the normal of the plane of the joint's two bones. ValueError
    if these bones are in line.
    """
    if turns is not None:
        vectors = rotation_vectors(turns)
        axis = np.linalg.svd(vectors)[2][0]
        amounts = vectors @ axis
        if np.abs(amounts).max() > STRAIGHT:
            # choose the sign so that the largest rotation is positive
            return np.asarray(axis * np.sign(amounts[np.abs(amounts).argmax()]))
    above = skeleton.rest_joints[joint] - skeleton.rest_joints[skeleton.parents[joint]]
    axis = np.cross(above, along)
    if np.linalg.norm(axis) < np.sin(STRAIGHT) * np.linalg.norm(above) * np.linalg.norm(along):
        raise ValueError(
            f"axes: the bones of '{skeleton.names[joint]}' are in line at rest; give the axis of its hinge, or a "
            "motion that bends it"
        )
    return axis
