"""Rotation of limbs that intersect or touch the body, so that there is space for cloth.

Many captured motions contain such limbs. One least-squares problem computes the rotations of all frames. The rotations
are as small and as smooth as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import positive_number
from ruckle.arrays import Int32
from ruckle.mesh.rotation import rotation_matrices
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.remeshing import boundary_loops
from ruckle.simulation.body import Body, Motion, mesh_clearance

__all__ = ["parted"]

# In metres: default distance of limbs from the body. Two layers of coarse cloth need 24 mm (4 mm distance and 8 mm
# margin each); the value is larger, because rotations are approximate.
ROOM = 0.03

# Positions on the first bone of a limb, relative to its length. Before the first position, no distance is required.
# From the second position on, the full distance is required.
RAMP = (0.35, 0.75)

# In Hz: sampling rate of the rotations, which is sufficient because they are smooth
RATE = 30.0

# Number of rounds that compute distances again; number of inner rounds that choose the points with missing distance.
ROUNDS, CHOICES = 6, 5

# The rounds end if no rotation changes by more than this angle in radians.
SETTLED = 2e-3

# Points are included if their distance exceeds the required distance by at most this length in metres.
RESERVE = 0.02

# In metres: the square is the weight of rotations in the least-squares problem. Points with a shorter lever arm have
# little effect, because a small gain of distance there would need a large rotation.
LEAST_LEVER = 0.05

# In seconds and metres: smoothing halves a sine wave of this period at this lever arm, so that limbs move without jerks
PERIOD, LEVER = 0.25, 0.5

# Weight of the condition that the first frame does not rotate, relative to the other terms.
START = 1e3

# Distance in metres between the bodies of successive frames, which are combined into one mesh for distance queries.
APART = 10.0

Float64 = NDArray[np.float64]


def parted(
    motion: Motion, body: Body, joints: Sequence[str], *, room: float = ROOM, ramp: tuple[float, float] = RAMP
) -> Motion:
    """Return a motion whose limbs keep a distance from the rest of the body, by minimal rotations about joints.

    This function requires scipy.

    Parameters
    ----------
    motion : Motion
        The motion; its first frame remains almost unchanged.
    body : Body
    joints : sequence of str
        First joints of the limbs, such as a shoulder. Each limb rotates rigidly, in the given order.
    room : float, metres
        Required distance between the skin of a limb and the other skin; smaller near the joint, see `ramp`.
    ramp : tuple of 2 float, rising
        Fractions of the first bone's length. Before the first one, no distance is required. From the second one on, the
        full distance is required.

    Raises
    ------
    ValueError
        A joint is unknown or does not have a child, or the ramp does not increase.
    """
    wanted, bones = positive_number("room", room), motion.bones
    if not ramp[0] < ramp[1]:
        raise ValueError(f"ramp: expected two ascending numbers, got {ramp[0]:g} and {ramp[1]:g}")
    stride = max(1, round(motion.fps / RATE))
    frames = np.arange(len(bones))
    keys = np.unique(np.append(frames[::stride], frames[-1]))
    for name in joints:
        limb = _Limb.of(body, motion, motion.index(name), wanted, ramp)
        turns = _turns(limb, body, bones[keys], motion.fps / stride)
        bones = limb.turned(bones, np.stack([np.interp(frames, keys, along) for along in turns.T], axis=1))
    return replace(motion, bones=bones)


@dataclass(frozen=True, slots=True, eq=False)
class _Limb:
    """A limb that rotates about a joint.

    Attributes
    ----------
    joint : int
    center : (3,) float, metres
        Position of the joint at rest.
    bones : (K,) int
        The bones that rotate with the joint.
    ends : (N, 2) int
        Vertex pairs whose midpoints must keep the distance: each limb vertex twice, and the ends of each limb edge.
    rooms : (N,) float, metres
        Required distance of each point.
    rest_faces : (T, 3) int
        Faces of the other skin, and of lids on its holes. The centre vertices of lids come after all other vertices.
    rims : list of (L,) int
        Vertex loops around the holes.
    span : float, metres
        Largest possible distance between a point on a face and the nearest corner of the face.
    """

    joint: int
    center: Float64
    bones: NDArray[np.int64]
    ends: NDArray[np.int64]
    rooms: Float64
    rest_faces: Int32
    rims: list[NDArray[np.int64]]
    span: float

    @classmethod
    def of(cls, body: Body, motion: Motion, joint: int, room: float, ramp: tuple[float, float]) -> _Limb:
        if joint not in motion.parents:
            raise ValueError(f"joints: '{motion.names[joint]}' has no joint below it, so no limb begins there")
        bones, center = motion.skeleton.below(joint), motion.joints[joint]
        along = motion.joints[motion.parents.tolist().index(joint)] - center
        on_limb = np.isin(body.weights.argmax(axis=1), bones)
        edges = Topology(body.faces, len(body.positions)).edges
        vertices = np.flatnonzero(on_limb)
        ends = np.concatenate([np.stack([vertices, vertices], axis=1), edges[on_limb[edges].all(axis=1)]])
        shares = (body.positions[ends].mean(axis=1) - center) @ along / (along @ along)
        far = shares > ramp[0]
        rooms = room * np.clip((shares[far] - ramp[0]) / (ramp[1] - ramp[0]), 0.0, 1.0)
        faces = body.faces[~on_limb[body.faces].any(axis=1)]
        # lids close the mesh, so that inside and outside are also defined near holes
        rims, closed = boundary_loops(faces), [faces]
        for number, rim in enumerate(rims):
            top = np.full(len(rim), len(body.positions) + number)
            closed.append(np.stack([np.roll(rim, -1), rim, top], axis=1).astype(np.int32))
        longest = np.linalg.norm(body.positions[edges[:, 0]] - body.positions[edges[:, 1]], axis=1).max()
        span = float(longest / np.sqrt(3.0))
        return cls(joint, center, np.array(bones), ends[far], rooms, np.concatenate(closed), rims, span)

    def turned(self, bones: Float64, turns: Float64) -> Float64:
        """Return bones (F, J, 3, 4) with the limb rotated about its joint by rotation vectors (F, 3), radians."""
        rotations, result, centers = (
            rotation_matrices(turns)[:, None],
            bones.copy(),
            self.places(bones)[:, None, :, None],
        )
        result[:, self.bones] = rotations @ bones[:, self.bones]
        result[..., 3][:, self.bones] += (centers - rotations @ centers)[..., 0]
        return result

    def places(self, bones: Float64) -> Float64:
        """Return the position of the joint in each frame, (F, 3) metres."""
        return np.asarray(bones[:, self.joint, :, :3] @ self.center + bones[:, self.joint, :, 3])

    def lacks(self, body: Body, bones: Float64) -> tuple[NDArray[np.int64], Float64, Float64]:
        """Return the points of the limb with too little or barely enough distance in frames of bones (F, J, 3, 4).

        Returns
        -------
        frames : (K,) int
            Frame of each point.
        lacks : (K,) float, metres
            Missing distance of each point. Negative values, down to -`RESERVE`, mean more distance than required.
        levers : (K, 3) float, metres
            Change of each distance per radian about each axis.
        """
        from scipy.spatial import KDTree

        places = np.arange(len(bones))[:, None] * [APART, 0.0, 0.0]
        posed = np.array([body.posed(frame) for frame in bones], np.float64) + places[:, None]
        lids = [posed[:, rim].mean(axis=1, keepdims=True) for rim in self.rims]
        rest, points = np.concatenate([posed, *lids], axis=1), posed[:, self.ends].mean(axis=2)
        corners = rest[:, np.unique(self.rest_faces)].reshape(-1, 3)
        away = KDTree(corners).query(points.reshape(-1, 3))[0].reshape(points.shape[:2])
        frames, near = np.nonzero(away < self.rooms + RESERVE + self.span)
        if not len(frames):
            return frames, np.zeros(0), np.zeros((0, 3))
        looked = np.unique(frames)
        faces = self.rest_faces + rest.shape[1] * np.arange(len(looked))[:, None, None]
        distances, outward = mesh_clearance(points[frames, near], rest[looked].reshape(-1, 3), faces.reshape(-1, 3))
        arms = points[frames, near] - places[frames] - self.places(bones)[frames]
        lacks = self.rooms[near] - distances
        kept = lacks > -RESERVE
        return frames[kept], lacks[kept], np.cross(arms, outward)[kept]


def _turns(limb: _Limb, body: Body, bones: Float64, rate: float) -> Float64:
    """Return the rotation vector (F, 3), radians, of a limb in each frame of bones (F, J, 3, 4)."""
    turns = np.zeros((len(bones), 3))
    for _ in range(ROUNDS):
        frames, lacks, levers = limb.lacks(body, limb.turned(bones, turns))
        # the first frame must not rotate, even if distance is missing
        later = frames > 0
        frames, lacks, levers = frames[later], lacks[later], levers[later]
        # missing distances if nothing were rotated
        whole = lacks + (levers * turns[frames]).sum(axis=1)
        before, turns = turns, _least_turns(len(bones), frames, whole, levers, turns, rate)
        if np.abs(turns - before).max() < SETTLED:
            break
    return turns


def _least_turns(
    count: int, frames: NDArray[np.int64], lacks: Float64, levers: Float64, start: Float64, rate: float
) -> Float64:
    """Return the rotation vectors (F, 3) that create the missing distances.

    They minimise the squares of remaining missing distances, of rotations, and of second differences. Points with
    enough distance are ignored. These points are determined in a few rounds, starting from the rotations `start`.
    `frames`, `lacks` and `levers` describe K points, see `_Limb.lacks`. There are `count` frames, `rate` per second.
    """
    import scipy.sparse as sparse
    from scipy.sparse.linalg import spsolve

    # matrix of second differences, without incomplete rows
    bends = sparse.diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(count + 2, count + 2)).tocsr()
    bends = bends[: max(count - 2, 0), :count]
    smooth = LEVER**2 * (PERIOD * rate / (2.0 * np.pi)) ** 4 * (bends.T @ bends)
    still = np.full(count, LEAST_LEVER**2)
    still[0] = START
    inert = sparse.kron(smooth + sparse.diags_array(still), sparse.eye_array(3))
    turns = start
    for _ in range(CHOICES):
        lacking = lacks - (levers * turns[frames]).sum(axis=1) > 0.0
        push, at = levers[lacking], frames[lacking]
        blocks, forces = np.zeros((count, 3, 3)), np.zeros((count, 3))
        np.add.at(blocks, at, push[:, :, None] * push[:, None, :])
        np.add.at(forces, at, push * lacks[lacking, None])
        turns = spsolve((inert + sparse.block_diag(list(blocks))).tocsc(), forces.ravel()).reshape(count, 3)
    return turns
