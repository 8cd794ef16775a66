"""Simulation of fine cloth until it rests in each pose of a plan."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle._core import __version__
from ruckle.arguments import instance
from ruckle.arrays import Float32
from ruckle.errors import FormatError, MeshError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.mesh.rotation import rotation_vectors
from ruckle.offline.pose_space.plan import FRAME_RATE, PlannedJoint, PosePlan
from ruckle.offline.pose_space.refine import rms
from ruckle.offline.simulation.settling import SETTLED_SHARE, STEP, Settled, Settler
from ruckle.simulation.sheet import Sheet

__all__ = ["SettledPoses", "Way", "settle_poses", "settle_way", "settle_ways", "two_ways", "ways_of"]

# Degrees per step on the paths from the rest pose to samples of a ball joint. These paths are long, so the step is
# twice the usual step, which halves the time.
STAR_STEP = 12.0

# A sample is accepted in two cases. Either a fraction HELD_SHARE of the vertices is at rest and the others are slower
# than HELD_SPEED (m/s); these are pinched by limbs and tremble by less than a centimetre. Or all vertices are slower
# than CREEP (m/s).
HELD_SHARE, HELD_SPEED, CREEP = 0.97, 2.0, 0.03


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Path through samples of a joint. It begins in the rest pose, and continues from each sample to the next.

    Attributes
    ----------
    joint : PlannedJoint
    samples : tuple of int
        Indices of the samples in the joint's grid, in the order of simulation.
    """

    joint: PlannedJoint
    samples: tuple[int, ...]

    @property
    def name(self) -> str:
        """Name of the joint with the angles of the last sample in degrees, for example LeftArm_-30_0_40."""
        return "_".join(
            [self.joint.name, *(f"{np.degrees(angle):g}" for angle in self.joint.samples[self.samples[-1]])]
        )


@dataclass(frozen=True, slots=True, eq=False)
class SettledPoses:
    """Cloth at rest in the rest pose and in all samples of a plan.

    Attributes
    ----------
    positions : (1 + S, V, 3) float32, metres
        Positions in each pose; unknown samples have the positions of the rest pose.
    is_known : (1 + S,) bool
        True if the cloth came to rest in the pose.
    seconds : float
        Total CPU time of the simulations.
    """

    positions: Float32
    is_known: NDArray[np.bool_]
    seconds: float


def ways_of(plan: PosePlan) -> Iterator[Way]:
    """Yield the paths to all samples of a plan; the rest pose is not included.

    Folds depend on the path to a pose, and folds of neighbouring samples must correspond. Therefore each sample of a
    ball joint is reached directly from rest, so that all neighbours in the grid have similar paths. Samples of a hinge
    are reached one after another, from rest outward in both directions.
    """
    for joint in plan.joints:
        rest, count = joint.rest_sample, joint.sample_count
        if joint.kind == "ball":
            yield from (Way(joint, (sample,)) for sample in range(count) if sample != rest)
        else:
            sides = range(rest + 1, count), range(rest - 1, -1, -1)
            yield from (Way(joint, tuple(side)) for side in sides if len(side))


def settle_way(plan: PosePlan, way: Way, settler: Settler, rest: Settled, *, waits: bool = True) -> Iterator[Settled]:
    """Yield the cloth at rest, or almost at rest, in the samples of a path. See `Settler.settle` for `waits`."""
    reached = rest
    for sample in way.samples:
        reached = _settled(plan, way.joint, way.joint.samples[sample], settler, reached, waits)
        yield reached


def settle_ways(
    plan: PosePlan,
    ways: list[Way],
    settler: Settler,
    sheet: Sheet,
    rest: Settled,
    *,
    waits: bool = True,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[], None] | None = None,
) -> SettledPoses:
    """Simulate cloth until it is at rest in the samples of a plan.

    A path ends before the first sample in which the cloth becomes unstable or does not come to rest. Missing samples
    inside the grid are interpolated (see `build_poses`).

    Parameters
    ----------
    plan : PosePlan
        Plan whose skeleton the settler uses.
    ways : list of Way
        All or some of the paths from `ways_of`.
    settler : Settler
    sheet : Sheet
        Cloth that the settler simulates.
    rest : Settled
        The cloth at rest in the rest pose, where every path starts.
    waits : bool
        True if the cloth comes to rest at intermediate steps; see `Settler.settle`.
    folder : path, optional
        Folder for results of paths. Existing results are read instead of simulated, so an interrupted command can
        continue.
    progress : function, optional
        Function that is called after each sample.

    Returns
    -------
    SettledPoses
    """
    positions = np.repeat(rest.positions[None], 1 + plan.sample_count, axis=0)
    known, seconds = np.zeros(len(positions), bool), 0.0
    first, number = {}, 1
    for joint in plan.joints:
        first[joint.name] = number
        known[number + joint.rest_sample] = True
        number += joint.sample_count
    known[0] = True
    for way in ways:
        file = None if folder is None else Path(folder) / f"{way.name}.npz"
        key = _key(plan, way, sheet, rest, waits)
        kept = None if file is None else _read(file, key)
        if kept is None:
            kept = _simulated(plan, way, settler, rest, waits)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with replacing(file) as stream:
                    np.savez(stream, key=np.array(key), shapes=kept[0], seconds=np.array(max(kept[1], 1e-6)))
        rows = [first[way.joint.name] + sample for sample in way.samples[: len(kept[0])]]
        positions[rows], known[rows] = kept[0], True
        seconds += kept[1]
        for _ in way.samples if progress is not None else ():
            progress()  # type: ignore[misc]
    return SettledPoses(positions, known, seconds)


def _simulated(plan: PosePlan, way: Way, settler: Settler, rest: Settled, waits: bool) -> tuple[Float32, float]:
    """Return the shapes (K, V, 3) of a path up to the last sample at rest, and the CPU time in seconds.

    K can be 0.
    """
    began, shapes = time.process_time(), []
    try:
        for settled in settle_way(plan, way, settler, rest, waits=waits):
            if not _is_held(settled):
                break
            shapes.append(settled.positions)
    except MeshError:
        # the cloth became unstable; the samples before are valid
        pass
    found = np.array(shapes, np.float32).reshape(-1, *rest.positions.shape)
    return found, time.process_time() - began


def _is_held(settled: Settled) -> bool:
    share, speed = settled.settled_share, settled.largest_speed
    return speed <= CREEP or (share >= HELD_SHARE and speed <= HELD_SPEED)


def _key(plan: PosePlan, way: Way, sheet: Sheet, rest: Settled, waits: bool) -> str:
    """Return a hash of all inputs that change the shapes of a path, so that stored results can be recognized."""
    digest = hashlib.sha256(f"{__version__} {waits}".encode())
    arrays = (plan.skeleton.rest_joints, way.joint.axes, way.joint.samples[list(way.samples)], sheet.faces, sheet.rest)
    for array in (*arrays, sheet.attachment, rest.positions):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _read(file: Path, key: str) -> tuple[Float32, float] | None:
    """Return shapes and CPU seconds from a file; None if it is missing, damaged, or from other inputs."""
    try:
        archive = Archive(file, Budget())
        if archive.text("key") != key:
            return None
        return archive.array("shapes", "f").astype(np.float32), float(archive.number("seconds"))
    except (OSError, FormatError):
        return None


def settle_poses(
    plan: PosePlan,
    settler: Settler,
    sheet: Sheet,
    *,
    rest: Settled | None = None,
    progress: Callable[[], None] | None = None,
) -> Animation:
    """Simulate cloth until it is at rest in the rest pose and in all samples of a plan.

    Samples of a ball joint are reached directly from rest, samples of a hinge one after another; see `ways_of`.

    Parameters
    ----------
    plan : PosePlan
        Plan whose skeleton the settler uses.
    settler : Settler
    sheet : Sheet
        Cloth that the settler simulates.
    rest : Settled, optional
        The cloth at rest in the rest pose, where every path starts; default: computed by the settler.
    progress : function, optional
        Function that is called after each sample.

    Returns
    -------
    Animation
        1 + S frames, metres, as input of `build_poses`.

    Raises
    ------
    MeshError
        The cloth becomes unstable.

    Warns
    -----
    UserWarning
        The cloth did not come to rest in some poses. Their frames contain the cloth of the last simulated frame.
    """
    instance("plan", plan, PosePlan, "ruckle.plan_poses makes one")
    begin = instance("settler", settler, Settler).rest() if rest is None else rest
    found, restless = [begin.positions], []
    ways = list(ways_of(plan))
    for joint in plan.joints:
        settled = {joint.rest_sample: begin}
        for way in (way for way in ways if way.joint is joint):
            for sample, reached in zip(way.samples, settle_way(plan, way, settler, begin), strict=True):
                settled[sample] = reached
                if progress is not None:
                    progress()
        for sample, angles in enumerate(joint.samples):
            if settled[sample].settled_share < SETTLED_SHARE:
                restless.append(f"{joint.name} {np.degrees(angles).round().tolist()}")
            found.append(settled[sample].positions)
    if restless:
        warnings.warn(
            f"the cloth did not come to rest in {len(restless)} poses: {'; '.join(restless[:8])}", stacklevel=2
        )
    return Animation(np.array(found), sheet.faces, fps=FRAME_RATE, name="fine")


def two_ways(
    plan: PosePlan,
    joint: PlannedJoint,
    settler: Settler,
    rest: Settled,
    is_known: NDArray[np.bool_] | None = None,
    *,
    waits: bool = True,
) -> float:
    """Return the root mean square difference, metres, of the cloth in one pose that is reached along two paths.

    The pose is midway to the joint's farthest known sample (`is_known`, (S,)). One path comes directly from rest, the
    other comes back from the farthest sample. The error of a database cannot be smaller than this difference.
    """
    ways = np.linalg.norm(joint.samples, axis=1)
    far = joint.samples[(ways if is_known is None else np.where(is_known, ways, 0.0)).argmax()]
    straight = _settled(plan, joint, 0.5 * far, settler, rest, waits)
    beyond = _settled(plan, joint, far, settler, straight, waits)
    back = _settled(plan, joint, 0.5 * far, settler, beyond, waits)
    return rms(back.positions.astype(np.float64) - straight.positions)


def _settled(
    plan: PosePlan, joint: PlannedJoint, angles: NDArray[np.float64], settler: Settler, start: Settled, waits: bool
) -> Settled:
    if not angles.any():
        return start
    step = STAR_STEP if joint.kind == "ball" and waits else STEP
    return settler.settle(rotation_vectors(plan.rotations({joint.name: angles})), start, step=step, waits=waits)


def skinned(plan: PosePlan, sheet: Sheet) -> Float32:
    """Return the positions (1 + S, V, 3) float32, metres, to which bones move a sheet in the poses of a plan."""
    return np.array([sheet.pins(bones) for bones in plan.sample_bones])
