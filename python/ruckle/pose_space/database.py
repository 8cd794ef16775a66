"""Databases of a garment's fine cloth in sampled poses of each joint, as details relative to the coarse cloth."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import choice, instance, positive_number
from ruckle.arrays import Float32, Int32, float32, int32, triangles
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.skeleton import Skeleton
from ruckle.pose_space.binding import Binding
from ruckle.pose_space.joint import JointKind, sampled_angles
from ruckle.pose_space.skin import CoarseSkin

__all__ = ["PoseDatabase", "PoseJoint", "quantized"]

# Format name and version of the file that `ruckle.load_poses` reads.
FORMAT, VERSION = "ruckle poses", 1

# Details are stored as 16-bit integers times a step size of each joint; this is the largest integer. The error is
# 0.001 mm. With 8 bits, errors would be visible in highlights.
LARGEST_STEP_COUNT = 32767

# Weights are stored as multiples of 1/65535.
WEIGHT_STEPS = 65535


def quantized(details: ArrayLike) -> tuple[NDArray[np.int16], float]:
    """Return details (..., 3) as integer multiples of a step, and the step in mesh units.

    The step is the largest absolute value divided by `LARGEST_STEP_COUNT`, or 1 if all details are 0. The rounding
    error is at most half a step.
    """
    values = np.asarray(details, np.float64)
    step = float(np.float32(np.abs(values).max(initial=0.0) / LARGEST_STEP_COUNT)) or 1.0
    return np.rint(values / step).clip(-LARGEST_STEP_COUNT, LARGEST_STEP_COUNT).astype(np.int16), step


@dataclass(frozen=True, eq=False)
class PoseJoint:
    """One joint, and the details of fine cloth in each sampled pose of the joint.

    Attributes
    ----------
    name : str
        Name of the bone that the joint turns.
    parent_bone, child_bone : int
        Indices of two joints of the skeleton: `child_bone` turns relative to `parent_bone`.
    kind : {"hinge", "ball"}
    axes : (3, 3) float64
        Orthonormal axes of the joint, one per row, see `ruckle.joint_angles`.
    angles : tuple of D (S_d,) float64, radians
        Sampled angles of each of the D axes.
    vertices : (n,) int32
        Fine vertices that the joint affects, in increasing order.
    weights : (n,) float32, in [0, 1]
        Weight of the joint at each of these vertices (equation 4), a multiple of 1/65535.
    details : (S, n, 3) int16
        Details minus the details at rest, in units of `step`. There are S = Π S_d samples; the index of the last axis
        varies fastest.
    step : float, mesh units
    fitted : (n,) float32, in [0, 1], optional
        Weights for the rule "fitted", from a fit to poses in which several joints are bent.

    Raises
    ------
    ValueError
        Arrays do not match each other, or the angles do not increase.
    """

    name: str
    parent_bone: int
    child_bone: int
    kind: JointKind
    axes: NDArray[np.float64]
    angles: tuple[NDArray[np.float64], ...]
    vertices: Int32
    weights: Float32
    details: NDArray[np.int16]
    step: float
    fitted: Float32 | None = None

    def __post_init__(self) -> None:
        place = f"joint '{self.name}'"
        kind = choice(f"{place}: kind", self.kind, ("hinge", "ball"))
        if len(self.angles) != (1 if kind == "hinge" else 3):
            raise ValueError(
                f"{place}: a {kind} has {1 if kind == 'hinge' else 3} axes of angles, got {len(self.angles)}"
            )
        object.__setattr__(self, "angles", sampled_angles(f"{place}: angles", self.angles))
        vertices = int32("vertices", self.vertices)
        if vertices.ndim != 1 or (np.diff(vertices) <= 0).any():
            raise ValueError(f"{place}: expected vertices that strictly increase")
        count = len(vertices)
        samples = int(np.prod([len(axis) for axis in self.angles]))
        if self.details.dtype != np.int16 or self.details.shape != (samples, count, 3):
            raise ValueError(
                f"{place}: expected int16 details of shape ({samples}, {count}, 3), as it has samples and vertices, "
                f"got {self.details.dtype} {self.details.shape}"
            )
        if np.shape(self.axes) != (3, 3) or not np.allclose(self.axes @ np.transpose(self.axes), np.eye(3), atol=1e-3):
            raise ValueError(f"{place}: expected three orthonormal axes, got {np.asarray(self.axes).tolist()}")
        positive_number(f"{place}: step", self.step)
        for name in ("weights", "fitted"):
            shares = getattr(self, name)
            if shares is not None:
                object.__setattr__(self, name, _in_steps(f"{place}: {name}", shares, count))

    @property
    def sample_count(self) -> int:
        """Number of samples S."""
        return len(self.details)

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of samples along each axis."""
        return tuple(len(axis) for axis in self.angles)

    def at(self, sample: int | slice | NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the details of one or several samples, (..., n, 3) float64, mesh units."""
        return self.details[sample].astype(np.float64) * self.step

    def __repr__(self) -> str:
        grid = " x ".join(map(str, self.grid))
        return f"PoseJoint({self.name!r}: {self.kind}, {grid} samples of {len(self.vertices)} vertices)"


@dataclass(frozen=True, eq=False)
class PoseDatabase:
    """Fine shapes of a garment in sampled poses of each of its joints.

    Attributes
    ----------
    skeleton : Skeleton
    binding : Binding
        Binding of the fine mesh to the coarse mesh, with both meshes at rest.
    faces : (F, 3) int32
        Triangles of the fine mesh.
    rest_details : (V, 3) float32, mesh units
        Details at rest, in the rotating frames of the coarse cloth.
    joints : tuple of PoseJoint
    unit : str
        Name of the mesh unit, such as "metre".
    notes : dict
        Numbers and texts about the origin of the database, such as the repeatability of the simulation.
    skin : CoarseSkin, optional
        Skin weights of the coarse mesh, for the parameter `trust`.

    Raises
    ------
    ValueError
        Arrays do not match each other, or a joint contains an unknown bone or vertex.
    """

    skeleton: Skeleton
    binding: Binding
    faces: Int32
    rest_details: Float32
    joints: tuple[PoseJoint, ...]
    unit: str = "metre"
    notes: dict[str, float | str] = field(default_factory=dict)
    skin: CoarseSkin | None = None

    def __post_init__(self) -> None:
        count = instance("binding", self.binding, Binding).vertex_count
        faces = triangles("faces", self.faces)
        if faces.ndim != 2 or not len(faces) or faces.min() < 0 or faces.max() >= count:
            raise ValueError(f"faces: expected triangles of the {count} fine vertices")
        details = float32("rest_details", self.rest_details)
        if details.shape != (count, 3) or not np.isfinite(details).all():
            raise ValueError(f"rest_details: expected finite numbers of shape ({count}, 3), got {details.shape}")
        object.__setattr__(self, "faces", faces)
        object.__setattr__(self, "rest_details", details)
        object.__setattr__(self, "joints", tuple(self.joints))
        shape = (self.binding.topology.vertex_count, self.skeleton.joint_count)
        if self.skin is not None and self.skin.weights.shape != shape:
            raise ValueError(f"skin: expected weights of shape {shape}, got {self.skin.weights.shape}")
        if len({joint.name for joint in self.joints}) < len(self.joints):
            raise ValueError("joints: expected each joint once")
        for joint in self.joints:
            bones = (joint.parent_bone, joint.child_bone)
            if not all(0 <= bone < self.skeleton.joint_count for bone in bones):
                raise ValueError(f"joint '{joint.name}': expected bones below {self.skeleton.joint_count}, got {bones}")
            if len(joint.vertices) and not 0 <= joint.vertices[0] <= joint.vertices[-1] < count:
                raise ValueError(f"joint '{joint.name}': expected vertices below {count}, got {joint.vertices[-1]}")

    @property
    def sample_count(self) -> int:
        """Total number of samples of all joints."""
        return sum(joint.sample_count for joint in self.joints)

    @property
    def has_shares(self) -> bool:
        """True if all joints have fitted weights. The rule "fitted" is then the default."""
        return bool(self.joints) and all(joint.fitted is not None for joint in self.joints)

    @property
    def size(self) -> int:
        """Number of bytes of all sampled details."""
        return sum(joint.details.nbytes for joint in self.joints)

    @property
    def used_bones(self) -> list[int]:
        """Indices of the bones that a frame needs, for joint angles and for the coarse skin, in increasing order."""
        of_skin = [] if self.skin is None else np.flatnonzero(self.skin.weights.any(axis=0)).tolist()
        return sorted({bone for joint in self.joints for bone in (joint.parent_bone, joint.child_bone)} | set(of_skin))

    @cached_property
    def edge_length(self) -> float:
        """Mean length of the fine mesh's edges at rest, mesh units."""
        rest = self.binding.up(self.binding.rest) + self.rest_details
        corners = rest[self.faces]
        return float(np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2).mean())

    def joint(self, name: str) -> PoseJoint:
        """Return a joint by its name; ValueError for an unknown name."""
        names = [joint.name for joint in self.joints]
        return self.joints[names.index(choice("joint", name, names))]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the database to a file, usually called NAME.poses.npz. An existing file is replaced.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        binding, skeleton = self.binding, self.skeleton
        arrays: dict[str, NDArray[Any]] = {
            "format": np.array(FORMAT),
            "version": np.array(VERSION),
            "contents": np.array(json.dumps(_contents(self))),
            "coarse_rest": binding.rest,
            "coarse": binding.topology.faces,
            "faces": self.faces,
            "coarse_faces": binding.coarse_faces,
            "barycentric": _steps(binding.barycentric[:, :2]),
            "rest_details": self.rest_details,
            "joint_names": np.array(skeleton.names),
            "joint_parents": skeleton.parents,
            "rest_joints": skeleton.rest_joints,
        }
        if self.skin is not None:
            arrays |= {"skin_weights": _steps(self.skin.weights), "skin_distances": self.skin.distances}
        for number, joint in enumerate(self.joints):
            own: dict[str, NDArray[Any]] = {
                "vertices": joint.vertices,
                "weights": _steps(joint.weights),
                "details": joint.details,
            }
            if joint.fitted is not None:
                own["fitted"] = _steps(joint.fitted)
            arrays |= {f"joint_{number}_{name}": array for name, array in own.items()}
        with replacing(as_path("path", path)) as file:
            # do not compress: files would be only 10 % smaller, but reading would be ten times slower
            np.savez(file, **arrays)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        names = ", ".join(joint.name for joint in self.joints)
        return (
            f"PoseDatabase({names}: {self.sample_count} samples of {self.binding.vertex_count} vertices, "
            f"{self.size / 1e6:.2f} MB)"
        )


def _in_steps(name: str, values: ArrayLike, count: int) -> Float32:
    """Return weights rounded to multiples of 1/65535, as in files.

    Raise ValueError if they are not `count` numbers in [0, 1].
    """
    shares = float32(name, values)
    if shares.shape != (count,) or not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"{name}: expected a number in [0, 1] for each of {count} vertices")
    rounded: Float32 = (np.rint(shares * np.float64(WEIGHT_STEPS)) / WEIGHT_STEPS).astype(np.float32)
    return rounded


def vertex_weights(joints: Sequence[PoseJoint], count: int) -> NDArray[np.float64]:
    """Return the weights of all joints at all fine vertices, (V, J) float64; 0 if a joint does not affect a vertex."""
    weights = np.zeros((count, len(joints)))
    for number, joint in enumerate(joints):
        weights[joint.vertices, number] = joint.weights
    return weights


def _contents(database: PoseDatabase) -> dict[str, Any]:
    joints = [
        {
            "name": joint.name,
            "kind": joint.kind,
            "bones": [joint.parent_bone, joint.child_bone],
            "axes": joint.axes.tolist(),
            "angles": [axis.tolist() for axis in joint.angles],
            "step": joint.step,
        }
        for joint in database.joints
    ]
    return {"unit": database.unit, "notes": database.notes, "joints": joints}


def _steps(shares: NDArray[np.float32]) -> NDArray[np.uint16]:
    return np.rint(shares * np.float64(WEIGHT_STEPS)).astype(np.uint16)
