"""Fine shapes of the poses of a plan by our own simulation: cloth that comes to rest in each of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation
from ruckle.mesh.rotation import rotation_vectors
from ruckle.pose_space.plan import FRAME_RATE, PlannedJoint, PosePlan
from ruckle.pose_space.refine import rms
from ruckle.simulation.settling import SETTLED_SHARE, STEP, Settled, Settler
from ruckle.simulation.sheet import Sheet

__all__ = ["settle_poses", "two_ways"]

# Degrees that the arms of a star take at once: they are long, and half as many rests are half the work.
STAR_STEP = 12.0


def settle_poses(
    plan: PosePlan,
    settler: Settler,
    sheet: Sheet,
    *,
    rest: Settled | None = None,
    progress: Callable[[], None] | None = None,
) -> Animation:
    """Bring cloth to rest in the rest pose and in all samples of a plan.

    The path decides the folds, and neighbouring samples are to have folds of one family. The samples of a ball are
    reached straight from rest, as the arms of a star, so that neighbours have neighbouring paths in every direction of
    the grid; those of a hinge one after the other, out from rest to both sides.

    Parameters
    ----------
    plan : PosePlan
        Of the settler's skeleton.
    settler : Settler
    sheet : Sheet
        The settler's.
    rest : Settled, optional
        The cloth at rest, where every path begins; the settler's when not given.
    progress : function, optional
        Called after each sample.

    Returns
    -------
    Animation
        1 + S frames, metres, as `build_poses` takes them.

    Raises
    ------
    MeshError
        The cloth explodes.

    Warns
    -----
    UserWarning
        Poses in which the cloth did not come to rest.
    """
    begin = settler.rest() if rest is None else rest
    found, restless = [begin.positions], []
    for joint in plan.joints:
        settled = _sweep(plan, joint, settler, begin, progress) if joint.kind == "hinge" else []
        if joint.kind == "ball":
            for angles in joint.samples:
                settled.append(_settled(plan, joint, angles, settler, begin))
                if progress is not None:
                    progress()
        restless += [
            f"{joint.name} {np.degrees(angles).round().tolist()}"
            for angles, sample in zip(joint.samples, settled, strict=True)
            if sample.settled_share < SETTLED_SHARE
        ]
        found += [sample.positions for sample in settled]
    if restless:
        warnings.warn(
            f"the cloth did not come to rest in {len(restless)} poses: {'; '.join(restless[:8])}", stacklevel=2
        )
    return Animation(np.array(found), sheet.faces, fps=FRAME_RATE, name="fine")


def two_ways(plan: PosePlan, joint: PlannedJoint, settler: Settler, rest: Settled) -> float:
    """Return how far cloth in one pose differs when it is reached in two ways, rms over its vertices, metres.

    The pose is half way to the joint's farthest sample: once straight from rest, and once back from that sample. No
    database can be nearer to cloth than cloth is to itself.
    """
    far = joint.samples[np.linalg.norm(joint.samples, axis=1).argmax()]
    straight = _settled(plan, joint, 0.5 * far, settler, rest)
    back = _settled(plan, joint, 0.5 * far, settler, _settled(plan, joint, far, settler, straight))
    return rms(back.positions.astype(np.float64) - straight.positions)


def _sweep(
    plan: PosePlan, joint: PlannedJoint, settler: Settler, rest: Settled, progress: Callable[[], None] | None
) -> list[Settled]:
    """Return a hinge's samples in order, each reached from its neighbour nearer to rest."""
    found: dict[int, Settled] = {joint.rest_sample: rest}
    for way in (range(joint.rest_sample + 1, joint.sample_count), range(joint.rest_sample - 1, -1, -1)):
        before = rest
        for sample in way:
            before = found[sample] = _settled(plan, joint, joint.samples[sample], settler, before)
            if progress is not None:
                progress()
    return [found[sample] for sample in range(joint.sample_count)]


def _settled(
    plan: PosePlan, joint: PlannedJoint, angles: NDArray[np.float64], settler: Settler, start: Settled
) -> Settled:
    if not angles.any():
        return start
    step = STAR_STEP if joint.kind == "ball" else STEP
    return settler.settle(rotation_vectors(plan.rotations({joint.name: angles})), start, step=step)


def skinned(plan: PosePlan, sheet: Sheet) -> Float32:
    """Return where a sheet would be in the poses of a plan if it were skin, (1 + S, V, 3) float32, metres."""
    return np.array([sheet.pins(bones) for bones in plan.sample_bones])
