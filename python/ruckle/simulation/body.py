"""Bodies moved by bones: poses, cones fitted to the skin, and a transition from the rest pose to a motion."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import choice
from ruckle.arrays import Float32, Int32, float32
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.mesh.rotation import nearest_rotations, rotation_matrices, rotation_vectors
from ruckle.mesh.skeleton import Skeleton

__all__ = [
    "VARIANTS",
    "Body",
    "Motion",
    "clearance",
    "fit_cones",
    "load_body",
    "load_motion",
    "mesh_clearance",
    "pose_cones",
    "skin",
]

# Percentage of the skin of a body part that its cone must contain. With 100, a few vertices would make it too thick.
COVERED_SHARE = 90.0

# Least radius at each end of a cone, in metres.
LEAST_RADIUS = 0.03

# A bend of the skin is the mean position of the skin that the bones on both sides of a joint move. This is the largest
# median distance between bends and joints, as a share of the diagonal of the joints' bounding box. The distance is 2 %
# for the right body, and 6 to 7 % for a taller body. A larger distance means that the motion is of another body.
LARGEST_OFFSET = 0.04

VARIANTS = ("plain", "reversed", "mirrored", "faster", "slower")
"""Variations of a motion, which serve as additional training data. See `Motion.variant`."""

# Factor of the speed for "faster", and divisor for "slower".
RETIMING = 1.25

# Left and right are exchanged in joint names in two steps, through the placeholder characters 0 and 1. This table maps
# the placeholders to the new names.
SIDES = {0: "Right", 1: "Left"}


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """The bones of a moving character, frame by frame.

    Attributes
    ----------
    bones : (F, J, 3, 4) float
        Bone matrices from rest to each frame: columns 0 to 2 are the rotation, column 3 the translation in metres.
    joints : (J, 3) float, metres
        Joint positions at rest.
    parents : (J,) int
        Parent of each joint; -1 for the root.
    names : tuple of str
    fps : float
    """

    bones: NDArray[np.float64]
    joints: NDArray[np.float64]
    parents: Int32
    names: tuple[str, ...]
    fps: float

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton at rest."""
        return Skeleton(self.names, self.parents, self.joints)

    def index(self, name: str) -> int:
        """Return the index of a joint; ValueError for an unknown name."""
        if name not in self.names:
            raise ValueError(f"joint: expected one of {', '.join(self.names)}, got '{name}'")
        return self.names.index(name)

    def local(self, frame: int) -> NDArray[np.float64]:
        """Return each bone's rotation relative to its parent in one frame, (J, 3, 3)."""
        rotations = self.bones[frame, :, :, :3]
        above = np.where(self.parents >= 0, self.parents, 0)
        relative = np.swapaxes(rotations[above], -1, -2) @ rotations
        root = self.parents < 0
        relative[root] = rotations[root]
        return relative

    def pose(self, local: NDArray[np.float64], root: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
        """Return the bone matrices (J, 3, 4) of a pose.

        Parameters
        ----------
        local : (J, 3, 3) float
            Rotations of the bones relative to their parents.
        root : (3,) float, metres
            Translation of the root joint from its rest position.
        """
        return self.skeleton.pose(local, root)

    def from_rest(self, lead: int, hold: int = 0) -> Motion:
        """Return the motion with a transition from the rest pose and a pause before its first frame.

        A cloth simulation must start at rest. Cloth that is skinned into another pose can penetrate itself, and cannot
        get free.

        Parameters
        ----------
        lead : int
            Number of frames of the transition. Every joint turns about a constant axis. The root joint does not move;
            its position is that of the first frame.
        hold : int
            Number of frames of the pause in the first pose.
        """
        local = rotation_vectors(self.local(0))
        root = self.bones[0, 0, :, :3] @ self.joints[0] + self.bones[0, 0, :, 3] - self.joints[0]
        way = []
        for step in range(lead):
            share = step / lead
            turned = rotation_matrices(local * (share * share * (3 - 2 * share)))
            way.append(self.pose(turned, root))
        bones = np.concatenate(
            [np.array(way).reshape(-1, *self.bones.shape[1:]), np.repeat(self.bones[:1], hold, 0), self.bones]
        )
        return Motion(bones, self.joints, self.parents, self.names, self.fps)

    def variant(self, name: str) -> Motion:
        """Return a variation of the motion. In training, it is more useful than more frames of the same motion.

        Parameters
        ----------
        name : {"plain", "reversed", "mirrored", "faster", "slower"}
            Unchanged; backward; left and right exchanged; 25 % faster; speed divided by 1.25. `fps` does not change.
        """
        match choice("variant", name, VARIANTS):
            case "reversed":
                return replace(self, bones=self.bones[::-1].copy())
            case "mirrored":
                return self._mirrored()
            case "faster":
                return replace(self.at_rate(self.fps / RETIMING), fps=self.fps)
            case "slower":
                return replace(self.at_rate(self.fps * RETIMING), fps=self.fps)
            case _:
                return self

    def _mirrored(self) -> Motion:
        """Return the motion with left and right exchanged, on the same skeleton: mirrored along the x axis.

        Joints whose names contain "Left" or "Right" exchange their rotations; other joints keep theirs.
        """
        exchanged = [
            name.translate(SIDES) for name in (n.replace("Left", "\0").replace("Right", "\1") for n in self.names)
        ]
        partners = [self.names.index(name) if name in self.names else own for own, name in enumerate(exchanged)]
        mirror, poses = np.diag([-1.0, 1.0, 1.0]), []
        for frame, bones in enumerate(self.bones):
            root = bones[0, :, :3] @ self.joints[0] + bones[0, :, 3] - self.joints[0]
            poses.append(self.pose(mirror @ self.local(frame)[partners] @ mirror, mirror @ root))
        return replace(self, bones=np.array(poses))

    def smoothed(self, frames: float) -> Motion:
        """Return the motion without capture noise: Gaussian-weighted means of neighbouring poses.

        Before the first and after the last frame, their poses are repeated.

        Parameters
        ----------
        frames : float
            Standard deviation of the Gaussian, in frames, above 0.
        """
        reach = int(np.ceil(3 * frames))
        weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / frames) ** 2)
        every = np.clip(np.arange(len(self.bones))[:, None] + np.arange(-reach, reach + 1), 0, len(self.bones) - 1)
        local = np.array([self.local(frame) for frame in range(len(self.bones))])
        root = self.bones[:, 0, :, :3] @ self.joints[0] + self.bones[:, 0, :, 3] - self.joints[0]
        weights /= weights.sum()
        turned = nearest_rotations(np.einsum("k,fkjab->fjab", weights, local[every]))
        moved = np.einsum("k,fka->fa", weights, root[every])
        return replace(self, bones=np.array([self.pose(pose, way) for pose, way in zip(turned, moved, strict=True)]))

    def at_rate(self, fps: float) -> Motion:
        """Return the motion at another frame rate. Bones between frames are interpolated and orthonormalized."""
        count = int((len(self.bones) - 1) * fps / self.fps + 1e-6) + 1
        times = np.arange(count) * self.fps / fps
        before = np.minimum(times.astype(int), len(self.bones) - 1)
        after = np.minimum(before + 1, len(self.bones) - 1)
        share = (times - before)[:, None, None, None]
        mixed = self.bones[before] * (1 - share) + self.bones[after] * share
        mixed[..., :3] = nearest_rotations(mixed[..., :3])
        return Motion(mixed, self.joints, self.parents, self.names, fps)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A body in its rest pose, with skin weights of its bones.

    Attributes
    ----------
    positions : (B, 3) float32, mesh units: metres
    faces : (T, 3) int32
    weights : (B, J) float32
        Skin weight of each bone at each vertex.
    """

    positions: Float32
    faces: Int32
    weights: Float32

    def posed(self, bones: ArrayLike) -> Float32:
        """Return the skin (B, 3) float32, metres, in the pose of the bones (J, 3, 4)."""
        return skin(self.positions, self.weights, bones)


def load_motion(path: str | os.PathLike[str]) -> Motion:
    """Read a motion from an NPZ file with bone_matrices, joints, joint_parents, joint_names and fps.

    `joints` (F, J, 3) are positions in each frame. Positions at rest are computed from those in the first frame.

    Raises
    ------
    FormatError
        An array is missing, has a wrong shape, or contains a number that is not finite.
    """
    archive = Archive(as_path("path", path), Budget())
    bones = shaped(archive, "bone_matrices", "f", (None, None, 3, 4)).astype(np.float64)
    frames, count = bones.shape[:2]
    at_first = shaped(archive, "joints", "f", (frames, count, 3))[0].astype(np.float64)
    # solve p' = R p + t for the joint p at rest, with p' and R, t of the first frame
    joints = np.einsum("jba,jb->ja", bones[0, :, :, :3], at_first - bones[0, :, :, 3])
    names = tuple(str(name) for name in shaped(archive, "joint_names", "U", (count,)))
    parents = shaped(archive, "joint_parents", "iu", (count,)).astype(np.int32)
    return Motion(bones, joints, parents, names, archive.number("fps"))


def load_body(path: str | os.PathLike[str]) -> Body:
    """Read a body from an NPZ file with rest_positions, faces and skin_weights.

    Raises
    ------
    FormatError
        An array is missing, has a wrong shape, or contains a number that is not finite.
    """
    archive = Archive(as_path("path", path), Budget())
    positions = shaped(archive, "rest_positions", "f", (None, 3)).astype(np.float32)
    return Body(
        positions,
        shaped(archive, "faces", "iu", (None, 3)).astype(np.int32),
        shaped(archive, "skin_weights", "f", (len(positions), None)).astype(np.float32),
    )


def shaped(archive: Archive, name: str, kinds: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return an array of a file if it has this shape and numbers that are finite as float32.

    None in `shape` allows any size. Otherwise raise FormatError; also if the array has 0 rows.
    """
    array = archive.array(name, kinds)
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape, strict=True))
    with np.errstate(over="ignore"):
        is_finite = array.dtype.kind != "f" or bool(np.isfinite(array.astype(np.float32, copy=False)).all())
    if not fits or not array.shape[0] or not is_finite:
        wanted = ", ".join("any" if extent is None else str(extent) for extent in shape)
        raise FormatError(f"{archive.path}: array '{name}' {array.shape} is not one of shape ({wanted}) and finite")
    return array


def skin(positions: ArrayLike, weights: ArrayLike, bones: ArrayLike) -> Float32:
    """Return positions (V, 3), metres, as a skin with weights (V, J) of bones (J, 3, 4), float32."""
    mixed = np.einsum("vj,jab->vab", np.asarray(weights, np.float64), np.asarray(bones, np.float64), optimize=True)
    moved = np.einsum("vab,vb->va", mixed[:, :, :3], np.asarray(positions, np.float64)) + mixed[:, :, 3]
    return float32("positions", moved)


def require_wearer(motion: Motion, body: Body) -> None:
    """Raise ValueError if body and motion differ in the number of bones. Warn if the skin bends at other positions."""
    names, skeleton = motion.names, motion.skeleton
    if body.weights.shape[1] != len(names):
        raise ValueError(f"body: has weights for {body.weights.shape[1]} bones, but the motion has {len(names)}")
    below = np.stack([body.weights[:, skeleton.below(joint)].sum(axis=1) for joint in range(len(names))], axis=1)
    bending = below * (1.0 - below)
    amounts = bending.sum(axis=0)
    bends = amounts > 1e-3
    if not bends.any():
        return
    places = bending[:, bends].T @ body.positions / amounts[bends, None]
    off = float(np.median(np.linalg.norm(places - motion.joints[bends], axis=1)))
    if off > LARGEST_OFFSET * np.linalg.norm(np.ptp(motion.joints, axis=0)):
        warnings.warn(
            f"body: bends {1000 * off:.0f} mm away from the motion's joints (median); they belong to another body",
            stacklevel=3,
        )


def fit_cones(
    body: Body,
    motion: Motion,
    parts: Sequence[tuple[str, str]] | Mapping[tuple[str, str], Sequence[str]],
    *,
    covered: float = COVERED_SHARE,
) -> tuple[Float32, NDArray[np.int64]]:
    """Fit rounded cones to a body at rest. Return cones (C, 8) float32, metres, and the bone (C,) of each cone.

    Each part is a cone between two joints, fitted to the skin that its bones move most. The radius changes linearly
    along the part, or is constant if the skin covers less than 30 % of it. The radius is then changed until the cone
    contains `covered` percent of that skin, but is at least `LEAST_RADIUS`. Skin beyond the joints is
    ignored if there is enough between them.

    Parameters
    ----------
    body : Body
    motion : Motion
        Only the joints and their names are used.
    parts : pairs of joint names
        First and last joint of each part. A mapping also lists the joints whose skin is used; default: the first joint.
    covered : float, percent
        Percentage of the skin inside the cone. Other skin could penetrate cloth that touches the cone.

    Raises
    ------
    ValueError
        A joint does not exist, or its bones move no skin more than other bones do.
    """
    owners = body.weights.argmax(axis=1)
    groups = parts if isinstance(parts, Mapping) else {part: [part[0]] for part in parts}
    cones, bones = [], []
    for (first, last), members in groups.items():
        a, b = motion.joints[motion.index(first)], motion.joints[motion.index(last)]
        own = body.positions[np.isin(owners, [motion.index(name) for name in members])].astype(np.float64)
        if not len(own):
            raise ValueError(f"parts: bones {', '.join(members)} of part '{first}' do not move any skin the most")
        axis = b - a
        t = np.clip((own - a) @ axis / (axis @ axis), 0, 1)
        radii = np.linalg.norm(own - a - t[:, None] * axis, axis=1)
        between = (t > 0.02) & (t < 0.98)
        between = between if np.count_nonzero(between) > 6 else np.ones(len(t), bool)
        slope, radius = np.polyfit(t[between], radii[between], 1) if np.ptp(t[between]) > 0.3 else (0.0, radii.mean())
        radius += np.percentile(radii[between] - slope * t[between] - radius, covered)
        cones.append([*a, max(radius, LEAST_RADIUS), *b, max(radius + slope, LEAST_RADIUS)])
        bones.append(motion.index(first))
    return float32("cones", cones), np.array(bones)


def pose_cones(cones: ArrayLike, owners: ArrayLike, bones: ArrayLike) -> Float32:
    """Return cones (C, 8), metres, moved by bones (J, 3, 4). `owners` (C,) is the bone of each cone."""
    at_rest = np.asarray(cones, np.float64).reshape(-1, 2, 4)
    own = np.asarray(bones, np.float64)[np.asarray(owners)]
    moved = at_rest.copy()
    moved[..., :3] = np.einsum("cab,ceb->cea", own[:, :, :3], at_rest[..., :3]) + own[:, None, :, 3]
    return float32("cones", moved.reshape(-1, 8))


def clearance(points: ArrayLike, cones: ArrayLike) -> NDArray[np.float64]:
    """Return the distance (V,) of points from the nearest of the rounded cones (C, 8), metres.

    It is negative inside, and infinite without cones.
    """
    p = np.asarray(points, np.float64)
    least = np.full(len(p), np.inf)
    for first, r, last, s in ((c[:3], c[3], c[4:7], c[7]) for c in np.asarray(cones, np.float64)):
        axis = last - first
        square = axis @ axis
        if (s - r) ** 2 >= square:
            # the cone is a sphere, because one of the spheres at its ends contains the other
            center, radius = (first, r) if r > s else (last, s)
            least = np.minimum(least, np.linalg.norm(p - center, axis=1) - radius)
            continue
        along = (p - first) @ axis / square
        across = np.linalg.norm(p - first - along[:, None] * axis, axis=1)
        t = np.clip(along + across * (s - r) / (square * np.sqrt(1 - (s - r) ** 2 / square)), 0, 1)
        least = np.minimum(least, np.linalg.norm(p - first - t[:, None] * axis, axis=1) - r - t * (s - r))
    return least


def mesh_clearance(
    points: ArrayLike, positions: ArrayLike, faces: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return signed distances (V,) of points from a mesh, metres, negative inside, and unit directions outward (V, 3).

    The sign comes from the normal at the closest point, as in the core (Baerentzen and Aanaes 2005). On a face, this is
    the face normal; on an edge, the sum of both face normals; at a vertex, the angle-weighted sum of the normals
    around. Requires scipy.

    Parameters
    ----------
    points : (V, 3) float, metres
    positions : (B, 3) float, metres
    faces : (T, 3) int
        Triangles whose normals point outward.
    """
    from ruckle.mesh.closest import closest_points

    p, body, corners = np.asarray(points, np.float64), np.asarray(positions, np.float64), np.asarray(faces)
    holders, weights = closest_points(body, corners, p)
    x = body[corners]
    crosses = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    units = crosses / np.maximum(np.linalg.norm(crosses, axis=1, keepdims=True), 1e-30)
    around = np.zeros_like(body)
    for k in range(3):
        first, second = x[:, k - 2] - x[:, k], x[:, k - 1] - x[:, k]
        angles = np.arctan2(np.linalg.norm(np.cross(first, second), axis=1), (first * second).sum(axis=1))
        np.add.at(around, corners[:, k], units * angles[:, None])
    # number the edges; edge k of a face is opposite to corner k
    first, second = np.sort(corners[:, [1, 2, 2, 0, 0, 1]].reshape(-1, 2).astype(np.int64), axis=1).T
    numbers = np.unique(first * len(body) + second, return_inverse=True)[1].reshape(-1, 3)
    across = np.zeros((numbers.max() + 1, 3))
    np.add.at(across, numbers.ravel(), np.repeat(units, 3, axis=0))
    nearest = np.einsum("nk,nkx->nx", weights, x[holders])
    # number of corners whose weight is above rounding errors: 3 in a face, 2 on an edge, 1 at a vertex
    kinds = (weights > 1e-9).sum(axis=1)[:, None]
    on_edge = across[numbers[holders, weights.argmin(axis=1)]]
    at_corner = around[corners[holders, weights.argmax(axis=1)]]
    side = np.where(kinds == 3, units[holders], np.where(kinds == 2, on_edge, at_corner))
    way = p - nearest
    distances = np.linalg.norm(way, axis=1) * np.where((way * side).sum(axis=1) < 0.0, -1.0, 1.0)
    # Along an edge, the direction is interpolated between its vertices, so that pushed cloth remains smooth. The edge
    # normal, which decides the sign, would jump at the vertices.
    shared = np.einsum("nk,nkx->nx", weights, around[corners[holders]])
    outward = np.where(kinds == 3, units[holders], shared)
    return distances, outward / np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-30)
