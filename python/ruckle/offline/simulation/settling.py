"""Simulation of cloth until it rests in given poses, for pose databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import positive_number, whole_number
from ruckle.arrays import Float32, float64, shaped
from ruckle.mesh.rotation import rotation_matrices, rotation_vectors
from ruckle.simulation.body import Body, Motion, pose_cones
from ruckle.simulation.cloth import FRAME_TIME, ClothSimulation
from ruckle.simulation.sheet import Sheet

__all__ = ["Settled", "Settler"]

# Default of the largest rotation of a joint between two states at rest, in degrees.
STEP = 6.0

# Number of frames in which the joints rotate by one step; largest number of frames until the cloth is at rest.
TURN_FRAMES, WAIT_FRAMES = 6, 300

# Damping in 1/s in addition to the damping of the material, so that the cloth comes to rest sooner.
EXTRA_DAMPING = 8.0

# Pinched cloth trembles, because body parts push it alternately. If cloth is faster than CALM_SPEED (m/s) after
# CALM_FRAMES, damping grows in each frame, up to MOST_DAMPING (1/s). Then it decreases again, because damped cloth
# creeps. Even at MOST_DAMPING, a force of 1 % of the weight still moves cloth.
CALM_SPEED, CALM_FRAMES, MOST_DAMPING = 0.02, 30, 60.0
GROWTH, DECAY = 1.2, 1.1

# Required fraction of vertices that are slower than SETTLED_SPEED (m/s) over a whole frame. Speeds within substeps are
# unsuitable, because contact and strain limit push pinched cloth back and forth.
SETTLED_SHARE, SETTLED_SPEED = 0.999, 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Cloth at rest in a pose, or after the largest number of frames (300) if it did not come to rest.

    Attributes
    ----------
    positions : (V, 3) float32, mesh units: metres
    settled_share : float
        Fraction of free vertices slower than 1 mm/s in the last frame.
    largest_speed : float, m/s
        Speed of the fastest free vertex in the last frame.
    frames : int
        Number of simulated frames.
    state : bytes
        Saved state from which a simulation can continue.
    pose : (J, 3) float
        Pose of the joints: rotation vectors (radians) relative to the parents.
    """

    positions: Float32
    settled_share: float
    largest_speed: float
    frames: int
    state: bytes
    pose: NDArray[np.float64]


class Settler:
    """Brings cloth to rest in poses. On the way from one pose to another, each joint turns about a fixed axis.

    Folds depend on the path to a pose. For similar folds, poses must be reached along similar paths. By default, each
    path starts at the rest pose (Wang et al., Example-Based Wrinkle Synthesis for Clothing Animation, 2010, section 5);
    it can also start at any state at rest, such as a neighbouring sample.

    Parameters
    ----------
    sheet : Sheet
    motion : Motion
        The motion's skeleton is used, but not its frames.
    cones : (C, 8) float, metres
        Rounded cones at rest.
    cone_bones : (C,) int
        Bone that moves each cone.
    make : function of a sheet that returns a ClothSimulation, optional
        Default: cotton with 16 substeps.
    body : Body, optional
        A mesh that the cloth must not enter, in addition to the cones.
    """

    def __init__(
        self,
        sheet: Sheet,
        motion: Motion,
        cones: ArrayLike,
        cone_bones: ArrayLike,
        *,
        make: Callable[[Sheet], ClothSimulation] | None = None,
        body: Body | None = None,
    ) -> None:
        self._sheet, self._motion, self._cones, self._cone_bones = sheet, motion, cones, cone_bones
        self._cloth, self._body = (make or _cotton)(sheet), body
        if body is not None:
            self._cloth.collide_with(body.faces, len(body.positions))

    def rest(self, positions: ArrayLike | None = None) -> Settled:
        """Return the cloth at rest in the rest pose, which is the usual start of a path.

        Its folds may depend on earlier motion of this object's cloth. Paths that must be similar should therefore start
        from the same result.

        Parameters
        ----------
        positions : (V, 3) float, metres, optional
            Initial positions; default: the rest shape.
        """
        self._cloth.place(self._sheet.rest if positions is None else positions)
        pose = np.zeros((len(self._motion.names), 3))
        return self._wait(pose, 0)

    def settle(
        self, pose: ArrayLike, start: Settled | None = None, *, step: float = STEP, waits: bool = True
    ) -> Settled:
        """Return the cloth at rest in a pose.

        Parameters
        ----------
        pose : (J, 3) float
            Rotation vector (radians) of each joint, relative to its parent.
        start : Settled, optional
            Initial state; default: cloth at rest in the rest pose.
        step : float, degrees
            Largest rotation of a joint at a time.
        waits : bool
            True waits until the cloth is at rest after every step. False waits only at the end, which takes a third of
            the time on long paths.
        """
        begin = self.rest() if start is None else start
        self._cloth.restore(begin.state)
        wanted = shaped("pose", float64("pose", pose), begin.pose.shape)
        turn = rotation_vectors(np.swapaxes(rotation_matrices(begin.pose), -1, -2) @ rotation_matrices(wanted))
        largest = np.degrees(np.linalg.norm(turn, axis=-1).max())
        steps = whole_number("steps", max(1, int(np.ceil(largest / positive_number("step", step) - 1e-9))))
        first, reached, frames = rotation_matrices(begin.pose), begin, 0
        for number in range(steps):
            for part in range(TURN_FRAMES):
                share = (number + (part + 1) / TURN_FRAMES) / steps
                self._advance(first @ rotation_matrices(turn * share))
            frames += TURN_FRAMES
            if not waits and number + 1 < steps:
                continue
            reached = self._wait(rotation_vectors(first @ rotation_matrices(turn * ((number + 1) / steps))), frames)
            frames = reached.frames
        return reached

    def _advance(self, local: NDArray[np.float64], damping: float = EXTRA_DAMPING) -> tuple[Float32, float, float]:
        """Simulate one frame, to joint rotations (J, 3, 3) relative to the parents.

        Return the positions, the share of free vertices slower than `SETTLED_SPEED`, and the largest speed of free
        vertices, m/s.
        """
        bones, before = self._motion.pose(local), self._cloth.positions
        frame = self._cloth.step(
            pins=self._sheet.pins(bones),
            cones=pose_cones(self._cones, self._cone_bones, bones),
            body=None if self._body is None else self._body.posed(bones),
            extra_damping=damping,
        )
        way = np.linalg.norm(frame.positions - before, axis=1)[self._sheet.attachment < 1.0]
        # the appended 0 makes the mean and the maximum defined if there are no free vertices
        speeds = np.append(way / FRAME_TIME, 0.0)
        return frame.positions, float((speeds < SETTLED_SPEED).mean()), float(speeds.max())

    def _wait(self, pose: NDArray[np.float64], frames: int) -> Settled:
        """Simulate in one pose until the cloth is at rest, at most `WAIT_FRAMES`; `frames` were simulated before."""
        local = rotation_matrices(pose)
        damping = EXTRA_DAMPING
        for waited in range(WAIT_FRAMES):
            positions, share, speed = self._advance(local, damping)
            frames += 1
            if share >= SETTLED_SHARE:
                break
            if waited >= CALM_FRAMES:
                damping *= GROWTH if speed > CALM_SPEED else 1.0 / DECAY
                damping = min(max(damping, EXTRA_DAMPING), MOST_DAMPING)
        return Settled(positions, share, speed, frames, self._cloth.state(), pose)


def _cotton(sheet: Sheet) -> ClothSimulation:
    return ClothSimulation(sheet.rest, sheet.faces, sheet.attachment)
