"""Sample garments for pose databases: cloth, body, database, and additional poses for tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, Int32
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.mesh.rotation import rotation_vectors
from ruckle.mesh.skeleton import Skeleton
from ruckle.offline.pose_space.build import build_poses, sample_rows
from ruckle.offline.pose_space.plan import PosePlan, plan_poses
from ruckle.offline.pose_space.refine import REPEATED, refine_plan
from ruckle.offline.pose_space.settle import SettledPoses, settle_ways, two_ways, ways_of
from ruckle.offline.simulation.settling import SETTLED_SHARE, Settled, Settler
from ruckle.pose_space.database import PoseDatabase
from ruckle.simulation.body import Body, Motion, skin
from ruckle.simulation.sheet import Sheet, grid_faces, grid_sheet, smooth_attachment

__all__ = ["GARMENTS", "HeldOut", "PosedGarment", "load_held_out", "simulate_garment", "sleeve"]

# Length in metres over which skin weights change from one bone to the next.
PASSAGE = 0.1

# Length in metres over which the attachment of the cloth decreases from 1 at the pinned ends to 0.
BLEND = 0.03

# Random initial displacement of the cloth in metres. Without it, a tube that is too long buckles late and suddenly.
UNEVENNESS = 2e-4

# Largest number of additional waits, of up to 5 seconds each, until cloth is at rest in the rest pose.
MORE_RESTS = 6

# Positions in files are integers: 32768 steps per metre, so 0.03 mm per step.
STEPS = 32768

Float64 = NDArray[np.float64]


class Executor(Protocol):
    """Interface of objects that run calls in other processes: `concurrent.futures` executors, Dask's `Client`."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any:
        """Return a future of ``fn(*args)``; function and arguments must be picklable."""


@dataclass(frozen=True, slots=True, eq=False)
class SlackSheet(Sheet):
    """Cloth that is longer than the body part under it, so that folds form.

    Attributes
    ----------
    worn : (V, 3) float32, metres
        Positions of the pinned vertices on the body at rest.
    """

    worn: Float32

    def pins(self, bones: ArrayLike) -> Float32:
        """Return the positions (V, 3) float32, metres, to which bones (J, 3, 4) move the cloth on the body."""
        return skin(self.worn, self.weights, bones)


@dataclass(frozen=True, slots=True, eq=False)
class PosedGarment:
    """A garment with all data for simulation in sampled poses.

    Attributes
    ----------
    plan : PosePlan
    fine : Sheet
        The simulated cloth.
    kept : (V,) int32
        Vertices that are stored in the database, a part of the simulated ones. If the simulated mesh were as coarse as
        the stored mesh, folds would jump from row to row instead of moving smoothly.
    faces : (F, 3) int32
        Triangles of the stored vertices.
    coarse, coarse_weights, coarse_faces : (C, 3) float32, metres; (C, B) float; (T, 3) int32
        The game's garment: positions at rest, skin weights, faces.
    cones, cone_bones : (N, 8) float32, metres; (N,) int
        Rounded cones that represent the body, and the bone that moves each cone.
    held_out : list of mapping of str to degrees
        Sequences of poses that are not in the plan. Each pose is reached from the previous one; the first starts at
        rest.
    body : Body, optional
        A mesh that the cloth must not enter, in addition to the cones; its weights refer to the plan's skeleton.
    repeated : tuple of str, optional
        Joints whose repeatability is measured, by one pose that is reached along two paths; default: all joints.
    is_skin : bool
        True if the database stores `coarse_weights`, so that the garment can follow other motions.
    waits : bool
        True if the cloth comes to rest at intermediate steps; see `Settler.settle`.
    spread : float, metres
        See `build_poses`.
    """

    plan: PosePlan
    fine: Sheet
    kept: Int32
    faces: Int32
    coarse: Float32
    coarse_weights: Float64
    coarse_faces: Int32
    cones: Float32
    cone_bones: tuple[int, ...]
    held_out: list[list[dict[str, list[float]]]]
    body: Body | None = None
    repeated: tuple[str, ...] | None = None
    is_skin: bool = False
    waits: bool = True
    spread: float = 0.0

    def settler(self) -> Settler:
        """Return a `Settler` (simulator until rest) for this garment, its body and its cones."""
        skeleton = self.plan.skeleton
        count = skeleton.joint_count
        still = Motion(
            np.tile(np.eye(3, 4), (1, count, 1, 1)), skeleton.rest_joints, skeleton.parents, skeleton.names, 60.0
        )
        return Settler(self.fine, still, self.cones, np.array(self.cone_bones, np.int64), body=self.body)

    def at_rest(self, settler: Settler) -> Settled:
        """Return the cloth at rest in the rest pose, simulated from its initial positions.

        Equal calls have equal bits.
        """
        put_on = self.fine.pins(self.plan.sample_bones[0])
        rested = settler.rest(put_on + np.random.default_rng(0).normal(0, UNEVENNESS, put_on.shape))
        # if the cloth still slipped at rest, it would slip in each sample, and this slip would become details of a
        # joint
        for _ in range(MORE_RESTS):
            if rested.settled_share >= SETTLED_SHARE:
                break
            rested = settler.settle(rested.pose, rested)
        return rested

    def skinned(self, bones: ArrayLike) -> Float32:
        """Return the coarse garment (F, C, 3) float32 in poses given by bones (F, B, 3, 4), metres."""
        return np.array([skin(self.coarse, self.coarse_weights, pose) for pose in np.asarray(bones)])


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Simulated shapes of a garment in poses that were not used to build its database.

    Attributes
    ----------
    fine : (F, V, 3) float32, metres
    bones : (F, B, 3, 4) float32
    ways : (F,) int32
        Index of the pose's sequence in `PosedGarment.held_out`.
    coarse_weights : (C, B) float32
        Skin weights of the game's garment.
    """

    fine: Float32
    bones: Float32
    ways: Int32
    coarse_weights: Float32

    def animations(
        self, database: PoseDatabase, chosen: ArrayLike | slice = slice(None)
    ) -> tuple[Animation, Animation]:
        """Return fine and coarse garment in the chosen poses, as input of `check_poses`."""
        fine, bones = self.fine[chosen], self.bones[chosen]  # type: ignore[index]
        binding, skeleton = database.binding, database.skeleton
        coarse = np.array([skin(binding.rest, self.coarse_weights, pose) for pose in bones])
        return (
            Animation(fine, database.faces, name="truth"),
            Animation(coarse, binding.topology.faces, name="coarse", skeleton=skeleton, bones=bones),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the shapes to an NPZ file, rounded to 1/32768 m. An existing file is replaced.

        Raise ValueError if a coordinate is above 1 m.
        """
        steps = np.rint(self.fine.astype(np.float64) * STEPS)
        if np.abs(steps).max(initial=0) > np.iinfo(np.int16).max:
            raise ValueError("fine: expected shapes within a metre of the origin")
        with replacing(as_path("path", path)) as file:
            np.savez_compressed(
                file, fine=steps.astype(np.int16), bones=self.bones, ways=self.ways, coarse_weights=self.coarse_weights
            )


def load_held_out(path: str | os.PathLike[str]) -> HeldOut:
    """Read shapes from a file of `HeldOut.save`. Raise FormatError if the file is missing or damaged."""
    archive = Archive(as_path("path", path), Budget())
    fine = archive.array("fine", "i").astype(np.float64) / STEPS
    bones, weights = archive.array("bones", "f"), archive.array("coarse_weights", "f")
    return HeldOut(fine.astype(np.float32), bones, archive.array("ways", "iu").astype(np.int32), weights)


def simulate_garment(
    garment: PosedGarment,
    *,
    refine: float | None = None,
    notes: dict[str, float | str] | None = None,
    progress: Callable[[], None] | None = None,
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    parts: int = 1,
) -> tuple[PoseDatabase, HeldOut]:
    """Simulate a garment in all poses of its plan, and build its database.

    Samples in which the cloth does not come to rest are removed. If they are at the ends of a grid, the grid is
    shortened; inside, they are interpolated. The database's notes contain the number of removed samples, and the time
    per sample.

    Parameters
    ----------
    garment : PosedGarment
    refine : float, metres, optional
        If given, the spacing of samples is halved where the error midway between samples exceeds this value. The error
        must also exceed the difference of one pose that is reached along two paths; see `refine_plan`.
    notes : mapping, optional
        Numbers and texts that are stored with the database, in addition to the measured notes.
    progress : function, optional
        Function that is called after each pose.
    folder : path, optional
        Folder for finished samples, with which an interrupted run can continue.
    executor : Executor, optional
        Executor that runs the simulations in other processes, which must be able to access `folder`. It needs `folder`.
    parts : int
        Number of calls to the executor; the samples are divided among these calls.

    Returns
    -------
    PoseDatabase
    HeldOut

    Raises
    ------
    MeshError
        The cloth becomes unstable in the rest pose, or in a pose outside the plan.
    ValueError
        An executor is given without a folder.

    Warns
    -----
    UserWarning
        See `build_poses`.
    """
    if executor is not None and folder is None:
        raise ValueError("executor: needs a folder, through which its processes return their samples")
    settler = garment.settler()
    rest = garment.at_rest(settler)
    if refine is not None:
        garment = replace(garment, plan=_refined(garment, settler, rest, refine))
    if executor is not None:
        futures = [executor.submit(_settle_part, garment, folder, part, parts) for part in range(parts)]
        for future in futures:
            future.result()
    ways = list(ways_of(garment.plan))
    settled = settle_ways(
        garment.plan, ways, settler, garment.fine, rest, waits=garment.waits, folder=folder, progress=progress
    )
    repeated = _repeatability(garment, settler, rest, settled.is_known)
    sample_count = max(sum(len(way.samples) for way in ways), 1)
    facts = {
        **(notes or {}),
        **{f"{name}: {REPEATED}": round(value, 6) for name, value in repeated.items()},
        "seconds of a processor per sample": round(settled.seconds / sample_count, 2),
    }
    return _database(garment, settled, facts), _held_out(garment, settler, rest, progress)


def _database(garment: PosedGarment, settled: SettledPoses, notes: dict[str, float | str]) -> PoseDatabase:
    """Return the database of a garment, built from the cloth at rest in its samples."""
    coarse = Animation(garment.skinned(garment.plan.sample_bones), garment.coarse_faces)
    fine = Animation(settled.positions[:, garment.kept], garment.faces)
    shares = garment.coarse_weights if garment.is_skin else None
    return build_poses(
        garment.plan, fine, coarse, notes=notes, is_known=settled.is_known, skin_weights=shares, spread=garment.spread
    )


def _held_out(garment: PosedGarment, settler: Settler, rest: Settled, progress: Callable[[], None] | None) -> HeldOut:
    """Simulate the garment in its sequences of poses outside the plan. Return the shapes."""
    plan = garment.plan
    shapes, poses, numbers = [], [], []
    for number, way in enumerate(garment.held_out):
        reached = rest
        for state in way:
            pose = plan.rotations({name: np.radians(angles) for name, angles in state.items()})
            reached = settler.settle(rotation_vectors(pose), reached)
            shapes.append(reached.positions[garment.kept])
            poses.append(plan.skeleton.pose(pose))
            numbers.append(number)
            if progress is not None:
                progress()
    count = len(numbers)
    return HeldOut(
        np.array(shapes, np.float32).reshape(count, len(garment.kept), 3),
        np.array(poses, np.float32).reshape(count, plan.skeleton.joint_count, 3, 4),
        np.array(numbers, np.int32),
        garment.coarse_weights.astype(np.float32),
    )


def _settle_part(garment: PosedGarment, folder: str | os.PathLike[str], part: int, parts: int) -> None:
    """Simulate one of `parts` equal parts of the paths to a garment's samples, and store the results in a folder.

    Other processes call this function.
    """
    settler = garment.settler()
    ways = list(ways_of(garment.plan))[part::parts]
    settle_ways(garment.plan, ways, settler, garment.fine, garment.at_rest(settler), waits=garment.waits, folder=folder)


def _repeatability(
    garment: PosedGarment, settler: Settler, rest: Settled, is_known: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Return for each joint the difference of the cloth in one pose that is reached along two paths, metres."""
    rows = sample_rows(garment.plan)
    found = {}
    for joint in garment.plan.joints:
        if garment.repeated is None or joint.name in garment.repeated:
            known = None if is_known is None else is_known[rows[joint.name]]
            found[joint.name] = two_ways(garment.plan, joint, settler, rest, known, waits=garment.waits)
    return found


def _refined(garment: PosedGarment, settler: Settler, rest: Settled, tolerance: float) -> PosePlan:
    """Return the plan of a garment with additional samples, so that errors are below a tolerance in metres."""
    plan, repeatability = garment.plan, max(_repeatability(garment, settler, rest).values())

    def shape_at(name: str, angles: Float64) -> Float32:
        pose = rotation_vectors(plan.rotations({name: angles}))
        return settler.settle(pose, rest).positions[garment.kept]

    def coarse_at(bones: Float64) -> Float32:
        return skin(garment.coarse, garment.coarse_weights, bones)

    return refine_plan(
        plan, shape_at, coarse_at, garment.coarse_faces, tolerance=tolerance, repeatability=repeatability
    )[0]


# Radii of the arm and of the sleeve (metres) at chest, shoulder, elbow and wrist, and their positions along the arm.
ARM, ARM_AT = (0.062, 0.060, 0.046, 0.034), (-0.20, 0.0, 0.28, 0.54)
SLEEVE, SLEEVE_AT = (0.072, 0.075, 0.066, 0.052), (-0.16, 0.0, 0.28, 0.50)

# Length of the sleeve divided by the length of the arm under it.
SLACK = 1.04

# Last poses in degrees of the sequences in which both joints turn: shoulder (two swings and a twist), elbow; number of
# poses in each sequence.
FAR_POSES = (([72, 0, 48], 96), ([72, 0, 0], 48), ([36, 0, 48], 96), ([60, 0, 24], 72))
STATES = 12


def sleeve(columns: int = 48, rows: int = 73) -> PosedGarment:
    """Return a sleeve from the chest almost to the wrist, on an arm with shoulder and elbow joints.

    Parameters
    ----------
    columns : int
        Number of simulated vertices around the arm. Every second vertex is stored.
    rows : int
        Number of simulated vertices along the arm; must be odd.
    """
    skeleton = Skeleton(["chest", "arm", "elbow"], [-1, 0, 1], [[at, 0.0, 0.0] for at in ARM_AT[:3]])
    plan = plan_poses(
        skeleton,
        {"elbow": range(0, 97, 12), "arm": [[0, 24, 48, 72], [0], [0, 24, 48]]},
        axes={"elbow": [0, -1, 0], "arm": [0, 0, -1]},
    )
    first, last = SLEEVE_AT[0], SLEEVE_AT[-1]

    def tube(around: int, along: int) -> tuple[Float32, Int32]:
        def at(u: Float64, v: Float64) -> Float64:
            x, turn = first + (last - first) * v, 2 * np.pi * u
            radius = np.interp(x, SLEEVE_AT, SLEEVE)
            return np.stack([x, radius * np.cos(turn), radius * np.sin(turn)], axis=1)

        return grid_sheet(around, along, at, closed=True, inside_out=True)

    worn, faces = tube(columns, rows)
    rest = worn.copy()
    rest[:, 0] = first + SLACK * (worn[:, 0] - first)
    held = np.maximum(smooth_attachment(worn[:, 0] - first, BLEND), smooth_attachment(last - worn[:, 0], BLEND))
    fine = SlackSheet(rest, faces, held, bone_shares(worn).astype(np.float32), worn)
    kept = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)[::2, ::2]
    coarse, coarse_faces = tube(12, 22)
    cones = [[ARM_AT[k], 0, 0, ARM[k], ARM_AT[k + 1], 0, 0, ARM[k + 1]] for k in range(3)]
    bending = [{"elbow": [float(angle)]} for angle in range(6, 97, 6)]
    ways = [
        [
            {"arm": [share * angle for angle in arm], "elbow": [share * elbow]}
            for share in np.arange(1, STATES + 1) / STATES
        ]
        for arm, elbow in FAR_POSES
    ]
    return PosedGarment(
        plan, fine, kept.ravel(), np.ascontiguousarray(grid_faces(*kept.shape[::-1], closed=True)[:, ::-1]), coarse,
        bone_shares(coarse), coarse_faces, np.array(cones, np.float32), (0, 1, 2), [bending, *ways],
    )  # fmt: skip


def bone_shares(points: ArrayLike) -> Float64:
    """Return smooth skin weights (V, 3) of chest, arm and elbow at points (V, 3), metres."""
    x = np.asarray(points, np.float64)[:, 0]
    arm, elbow = (np.clip((x - at) / PASSAGE + 0.5, 0, 1) for at in (ARM_AT[1], ARM_AT[2]))
    return np.stack([1 - arm, arm * (1 - elbow), arm * elbow], axis=1)


GARMENTS: dict[str, Callable[[], PosedGarment]] = {"sleeve": sleeve}
"""Functions that create the garments, by name, with the sizes of our databases."""
