"""Scenes to simulate: skirt, flag, curtain and cape as in Kavan et al. 2011, a banner, a sleeve, a shirt, and trousers.

A scene contains animated bones, cones that move with the bones, and the same cloth twice: coarse as in a game, and
fine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import choice
from ruckle.arrays import Float32, float32
from ruckle.offline.simulation.fitted import Cut, fitted_sheets, shirt_cuts, trouser_cuts
from ruckle.offline.simulation.parting import parted
from ruckle.offline.simulation.settling import Settler
from ruckle.simulation.body import Body, Motion, clearance, fit_cones, mesh_clearance, pose_cones, require_wearer
from ruckle.simulation.material import COARSE_LARGEST_STRETCH
from ruckle.simulation.sheet import BLEND, Sheet, grid_sheet, smooth_attachment
from ruckle.simulation.simulated import COARSE_MARGIN

__all__ = ["SCENES", "Scene", "gusty_wind", "scene_named"]

# Number of frames of the transition from rest to the motion, and of a pause at the first frame of the motion. Both
# belong to the warm-up and are not recorded.
LEAD, HOLD = 60, 60

# In metres: distance of a shirt and of trousers from the skin. If a shirt is 1 cm narrower, one edge in a hundred is
# strained by more than 5 % with hanging arms. Wider trousers get caught between dancing legs.
SHIRT_EASE, TROUSER_EASE = 0.06, 0.0475

# Distance in metres of the coarse cloth of a skirt from bodies. It is the depth e² / 8r by which an edge of length e =
# 80 mm cuts into a limb of radius r = 70 mm.
SKIRT_MARGIN = 0.012

# In metres: spacing of points on coarse faces that remain outside the body's mesh. A skirt has edges of 120 mm at its
# hem, as wide as a calf. Edges of 40 mm cut only 4 mm into a limb of radius 50 mm. For close garments, the margin
# suffices.
CONTACT_SPACING = 0.04

# In metres: margin of fine cloth over a body's mesh, because edges cut into round skin. Edges of 16 mm cut 1.5 mm into
# an arm of radius 25 mm, and 5 mm into a ridge of the skin of radius 7 mm. The margin of shirts is larger, because
# there is more space around arms than between thighs.
FINE_MARGIN, SHIRT_FINE_MARGIN = 0.0035, 0.005

# Largest stretch (length / rest length) of the coarse cloth of close garments. Fine cloth follows it, and may stretch
# to 1.05 at most. Coarse cloth of hanging garments may stretch more, so that its own waves do not throw it upward.
FITTED_STRETCH = 1.04

FRAME_RATE = 60.0

# Standard deviation of temporal smoothing in frames. Captured motions shake by millimetres between frames, and cloth
# copies this noise. A larger value flattens the peaks of punches. With a smaller value, folds jitter.
SMOOTHING = 0.7

# In metres: largest motion of a body per substep. A motion as long as the contact distance (4 mm) drags cloth along by
# single vertices, and the solver cannot shorten their edges in time.
SUBSTEP_WAY = 0.0025
LEAST_SUBSTEPS, MOST_SUBSTEPS = 16, 64

LEGS = [("LeftUpLeg", "LeftLeg"), ("RightUpLeg", "RightLeg"), ("LeftLeg", "LeftFoot"), ("RightLeg", "RightFoot")]
FEET = [("LeftFoot", "LeftToeBase"), ("RightFoot", "RightToeBase")]
ARMS = [
    ("LeftArm", "LeftForeArm"),
    ("LeftForeArm", "LeftHand"),
    ("RightArm", "RightForeArm"),
    ("RightForeArm", "RightHand"),
]
HANDS = ("LeftHand", "RightHand")
# Limbs that are rotated away from a body with a shirt: upper arms first, then forearms, which may still touch the body
# if elbows bend.
SHIRT_LIMBS = ("LeftArm", "RightArm", "LeftForeArm", "RightForeArm")
# Limbs that are rotated away from the thighs; their distance, m; and the shares of the calf's length between which the
# required distance grows from 0 to its full value (`ramp` of `parted`). Captured skin does not compress like flesh, so
# calves enter the thighs if knees bend by more than 128 degrees.
CALVES, KNEE_ROOM, KNEE_RAMP = ("LeftLeg", "RightLeg"), 0.016, (0.2, 0.4)
TRUNK = {
    ("LowerBack", "Spine1"): ["LowerBack", "Spine"],
    ("Spine1", "Neck"): ["Spine1", "LeftShoulder", "RightShoulder"],
    ("Neck1", "Head"): ["Neck", "Neck1", "Head"],
}


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Inputs of a simulation at two resolutions.

    Attributes
    ----------
    name : str
    motion : Motion
        Bones at 60 frames per second, including the transition from rest.
    warm : int
        Number of warm-up frames at the beginning, which lead into the motion.
    coarse, fine : Sheet
    cones : (C, 8) float32, metres
        Rounded cones at rest, which represent the body: two centres with radii.
    cone_bones : (C,) int
        Bone that moves each cone.
    wind : (3,) tuple of float, m/s
        Mean wind velocity.
    gust : float
        Amplitude of the gusts, relative to the mean wind.
    pulse, pulse_rate : float
        Amplitude relative to the mean wind, and frequency in Hz, of a pulsation that is uniform in space.
    body : Body, optional
        A mesh that the cloth must not enter; its skin follows the motion's bones.
    fine_margin : float, metres
        Additional distance of the fine cloth from bodies: `margin` of `ClothSimulation`.
    coarse_margin : float, metres
        Additional distance of the coarse cloth, whose straight edges cut into limbs.
    coarse_spacing : float, metres
        Spacing of contact points on coarse faces: `contact_spacing` of `ClothSimulation`.
    coarse_stretch : float
        Limit of the stretch of the coarse cloth: `largest_stretch` of `Material`.
    skins : (F, B, 3) float32, optional, metres
        Vertices of the body in every frame, if they do not only follow the bones.
    """

    name: str
    motion: Motion
    warm: int
    coarse: Sheet
    fine: Sheet
    cones: Float32
    cone_bones: NDArray[np.int64]
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gust: float = 0.0
    pulse: float = 0.0
    pulse_rate: float = 0.0
    body: Body | None = None
    fine_margin: float = 0.0
    coarse_margin: float = COARSE_MARGIN
    coarse_spacing: float = 0.0
    coarse_stretch: float = COARSE_LARGEST_STRETCH
    skins: Float32 | None = None

    @property
    def frame_count(self) -> int:
        """Number of frames, including warm-up frames."""
        return len(self.motion.bones)

    def clearance(self) -> float:
        """Return the least distance of fine cloth from the body at the start, metres; negative if cloth is inside.

        Infinite without cones and body.
        """
        start, cones, body = self.fine.pins(self.motion.bones[0]), self.cones_at(0), self.body_at(0)
        least = np.inf if cones is None else float(clearance(start, cones).min())
        if self.body is None or body is None:
            return least
        return min(least, float(mesh_clearance(start, body, self.body.faces)[0].min()))

    def body_at(self, frame: int) -> Float32 | None:
        """Return the vertices (B, 3) of the body's mesh in one frame, metres; None if there is no mesh."""
        if self.skins is not None:
            skin: Float32 = self.skins[frame]
            return skin
        return None if self.body is None else self.body.posed(self.motion.bones[frame])

    def against_mesh(self, body: Body) -> Scene:
        """Return the scene with a body's mesh in place of the cones, and with contact distances for meshes.

        Raises
        ------
        ValueError
            The fine cloth starts inside the body; the message names the place.
        """
        empty = np.empty((0, 8), np.float32), np.empty(0, np.int64)
        made = replace(
            self, cones=empty[0], cone_bones=empty[1], body=body, fine_margin=FINE_MARGIN,
            coarse_spacing=CONTACT_SPACING,
        )  # fmt: skip
        first = made.motion.bones[0]
        distances, _ = mesh_clearance(made.fine.pins(first), body.posed(first), body.faces)
        require_outside(made.fine, distances)
        return made

    def substeps(self) -> int:
        """Return the number of substeps per frame from the body's speed: in [16, 64] and a multiple of 8."""
        skins = (self.body_at, lambda frame: None if (cones := self.cones_at(frame)) is None else cones.reshape(-1, 4))
        farthest = 0.0
        for skin_at in skins:
            points = [skin_at(frame) for frame in range(self.frame_count)]
            for before, after in pairwise(p[:, :3] for p in points if p is not None):
                farthest = max(farthest, float(np.linalg.norm(after - before, axis=1).max()))
        return int(np.clip(8 * np.ceil(farthest / SUBSTEP_WAY / 8), LEAST_SUBSTEPS, MOST_SUBSTEPS))

    def settler(self) -> Settler:
        """Return a `Settler`, which brings the fine cloth to rest in poses of the wearer."""
        return Settler(self.fine, self.motion, self.cones, self.cone_bones, body=self.body)

    def cones_at(self, frame: int) -> Float32 | None:
        """Return the cones (C, 8) in one frame, metres; None if the scene does not have cones."""
        return pose_cones(self.cones, self.cone_bones, self.motion.bones[frame]) if len(self.cones) else None

    def wind_at(self, positions: ArrayLike, frame: int) -> Float32 | None:
        """Return the air velocity (V, 3) at positions (V, 3) in one frame, m/s; None for still air."""
        if not any(self.wind):
            return None
        time = frame / self.motion.fps
        swell = 1.0 + self.pulse * np.sin(2.0 * np.pi * self.pulse_rate * time)
        return gusty_wind(positions, time, np.asarray(self.wind) * swell, self.gust)


def require_outside(sheet: Sheet, distances: NDArray[np.float64]) -> None:
    """Raise ValueError if free cloth is inside its body by more than 0.1 mm; distances (V,) in metres."""
    # pinned cloth is excluded, because it follows its pins and is not strained
    depths = np.where(sheet.attachment < 1.0, -distances, 0.0)
    deepest = int(depths.argmax())
    if depths[deepest] > 1e-4:
        x, y, z = sheet.rest[deepest]
        raise ValueError(
            f"garment: vertex {deepest} at ({x:.3f}, {y:.3f}, {z:.3f}) lies {1000 * depths[deepest]:.1f} mm inside "
            "the body at rest; move it out of the body, because body contact would stretch the cloth"
        )


def without_arms(body: Body, motion: Motion) -> Body:
    """Return a body without arm faces, as an open mesh, so that hands cannot catch on skirts."""
    arms = [bone for first, _ in ARMS for bone in motion.skeleton.below(motion.index(first))]
    on_arm = np.isin(body.weights.argmax(axis=1), arms)
    used, compact = np.unique(body.faces[~on_arm[body.faces].all(axis=1)], return_inverse=True)
    return Body(body.positions[used], compact.reshape(-1, 3).astype(np.int32), body.weights[used])


def with_mittens(body: Body, motion: Motion) -> Body:
    """Return a body whose hands are replaced by their convex hulls, because cloth catches on pointed thumbs."""
    from scipy.spatial import ConvexHull

    owners, faces = body.weights.argmax(axis=1), body.faces
    which = [np.arange(len(body.positions))]
    for name in HANDS:
        hand = np.flatnonzero(np.isin(owners, motion.skeleton.below(motion.index(name))))
        if not len(hand):
            # the skin of this hand is attached to the forearm, so there is no hand to replace
            continue
        points = body.positions[hand].astype(np.float64)
        hull = ConvexHull(points)
        a, b, c = points[hull.simplices].transpose(1, 0, 2)
        inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
        corners = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices) + sum(map(len, which))
        # the hull is separate, because otherwise edges at the wrist would have three faces: two of the arm and one of
        # the hull
        faces = np.concatenate([faces[~np.isin(faces, hand).all(axis=1)], corners.astype(np.int32)])
        which.append(hand)
    used, compact = np.unique(faces, return_inverse=True)
    kept = np.concatenate(which)[used]
    return Body(body.positions[kept], compact.reshape(-1, 3).astype(np.int32), body.weights[kept])


def with_room_behind_knees(motion: Motion, legs: Body) -> Motion:
    """Return a motion with limited knee bends, so that cloth has space behind the knees."""
    return parted(motion, legs, CALVES, room=KNEE_ROOM, ramp=KNEE_RAMP)


def gusty_wind(positions: ArrayLike, time: float, mean: ArrayLike, gust: float) -> Float32:
    """Return the wind velocity (V, 3) float32, m/s.

    It depends only on position and time, so coarse and fine cloth feel the same wind.

    Parameters
    ----------
    positions : (V, 3) float, mesh units: metres
    time : float, seconds
    mean : (3,) float, m/s
    gust : float
        Amplitude of the gusts, relative to the mean speed.
    """
    x, y, _ = np.asarray(positions, np.float64).T
    wind = np.asarray(mean, np.float64)
    # two waves change the velocity along x, two others the velocity along y and z; all have different periods
    along = np.sin(2.1 * time + 1.3 * y) + 0.6 * np.sin(5.3 * time - 2.0 * x + 0.7)
    across = np.sin(3.7 * time - 1.7 * x + 2.1 * y) + 0.5 * np.sin(8.9 * time - 3.1 * x)
    changes = np.stack([0.3 * along, 0.15 * across, 0.6 * across], axis=1)
    return float32("wind", wind + changes * gust * np.linalg.norm(wind))


def standing(frames: int) -> Motion:
    """Return a motion of one bone that does not move."""
    bones = np.repeat(np.eye(3, 4)[None, None], frames, axis=0)
    return Motion(bones, np.zeros((1, 3)), np.array([-1], np.int32), ("root",), FRAME_RATE)


def flag(frames: int = 600) -> Scene:
    """Return the scene of a flag of 1.5 by 1 m on a pole, in gusty wind of 6 m/s."""

    def sheet(columns: int, rows: int) -> Sheet:
        rest, faces = grid_sheet(columns, rows, lambda u, v: np.stack([1.5 * u, 2 + v, 0 * u], 1))
        return Sheet(rest, faces, (rest[:, 0] < 1e-6).astype(np.float32), np.ones((len(rest), 1), np.float32))

    empty = np.empty((0, 8), np.float32), np.empty(0, np.int64)
    return Scene("flag", standing(frames + HOLD), HOLD, sheet(15, 10), sheet(96, 64), *empty, (6.0, 0.0, 0.8), 0.5)


def banner(frames: int = 600) -> Scene:
    """Return a flag fixed at both ends, in wind that pulses three times per second, so that it swings persistently.

    `fit_oscillations` learns persistent waves. A flag with a free end does not have such waves.
    """
    free = flag(frames)

    def held(sheet: Sheet) -> Sheet:
        x = sheet.rest[:, 0]
        return replace(sheet, attachment=((x < 1e-6) | (x > x.max() - 1e-6)).astype(np.float32))

    coarse, fine = held(free.coarse), held(free.fine)
    wind = (1.0, 0.0, 6.0)
    return replace(free, name="banner", coarse=coarse, fine=fine, wind=wind, gust=0.0, pulse=1.5, pulse_rate=3.0)


def curtain(frames: int = 600) -> Scene:
    """Return the scene of a gathered curtain of 1.4 by 1.6 m, and a ball that swings through it."""
    time = np.arange(frames + HOLD) / FRAME_RATE
    bones = np.repeat(np.eye(3, 4)[None, None], len(time), axis=0).repeat(2, axis=1)
    # the ball waits in front of the curtain, and then crosses its plane once per second
    bones[:, 1, 2, 3] = 0.55 * np.cos(np.pi * np.maximum(time - HOLD / FRAME_RATE, 0))
    bones[:, 1, 0, 3] = 0.2 * np.sin(0.7 * np.maximum(time - HOLD / FRAME_RATE, 0))
    motion = Motion(bones, np.zeros((2, 3)), np.array([-1, 0], np.int32), ("rail", "ball"), FRAME_RATE)

    def sheet(columns: int, rows: int) -> Sheet:
        def hang(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
            # seven pleats, so that the curtain is narrower than its cloth
            return np.stack([1.2 * (u - 0.5), 2 - 1.6 * v, 0.03 * np.sin(14 * np.pi * u)], 1)

        rest, faces = grid_sheet(columns, rows, hang, inside_out=True)
        weights = np.tile(np.array([1, 0], np.float32), (len(rest), 1))
        return Sheet(rest, faces, (rest[:, 1] > 2 - 1e-6).astype(np.float32), weights)

    ball = np.array([[0, 1.0, 0, 0.16, 0, 1.0, 0, 0.16]], np.float32)
    return Scene("curtain", motion, HOLD, sheet(29, 12), sheet(85, 71), ball, np.array([1]))


def pelvis_cones(body: Body, motion: Motion, waist: float) -> NDArray[np.float64]:
    """Return three cones (3, 8) for the hips, metres: between both hip joints, and from the waist to each hip joint."""
    rest, hip_height = body.positions.astype(np.float64), motion.joints[motion.index("LeftUpLeg"), 1]
    waist_center, waist_axes = ellipse(rest, waist, 0.25)
    hip_center, hip_axes = ellipse(rest, hip_height, 0.3)
    r, top = 0.95 * hip_axes[1], 0.95 * waist_axes[1]
    side, top_side = hip_axes[0] - r, max(waist_axes[0] - top, 0.0)
    hips = [[s * side, hip_height, hip_center[1], r] for s in (-1, 1)]
    tops = [[s * top_side, waist, waist_center[1], top] for s in (-1, 1)]
    return np.array([[*hips[0], *hips[1]], [*tops[0], *hips[0]], [*tops[1], *hips[1]]])


def ellipse(
    points: NDArray[np.float64], height: float, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return centre and half axes along x and z, (2,) each, of the skin within 5 cm of a height, metres."""
    near = points[(np.abs(points[:, 1] - height) < 0.05) & (np.abs(points[:, 0]) < reach)][:, [0, 2]]
    low, high = near.min(axis=0), near.max(axis=0)
    return (low + high) / 2, (high - low) / 2


def worn(motion: Motion) -> Motion:
    """Return a motion at the scenes' frame rate, smoothed against capture noise, after a transition from rest."""
    return motion.at_rate(FRAME_RATE).smoothed(SMOOTHING).from_rest(LEAD, HOLD)


def on_bone(rest: Float32, motion: Motion, bone: str) -> Float32:
    """Return weights (V, J) that attach all vertices to one bone."""
    weights = np.zeros((len(rest), len(motion.names)), np.float32)
    weights[:, motion.index(bone)] = 1
    return weights


def skirt(motion: Motion, body: Body) -> Scene:
    """Return the scene of a flared skirt of half a metre length on an animated body."""
    waist = motion.joints[motion.index("LowerBack"), 1] + 0.03
    center, axes = ellipse(body.positions.astype(np.float64), waist, 0.25)
    # the cones include the feet, because dancing lifts them up to the skirt
    legs, leg_bones = fit_cones(body, motion, LEGS + FEET, covered=100.0)
    cones = np.concatenate([legs, float32("cones", pelvis_cones(body, motion, waist))])
    bones = np.r_[leg_bones, [motion.index("Hips")] * 3]
    length, flare, gap = 0.5, 0.3, 0.02

    def cone(u: NDArray[np.float64], v: NDArray[np.float64], wider: NDArray[np.float64] | float) -> NDArray[np.float64]:
        a, b = axes[0] + gap + wider, axes[1] + gap + wider
        x, z = a * np.cos(2 * np.pi * u), center[1] + b * np.sin(2 * np.pi * u)
        return np.stack([center[0] + x, waist - length * v, z], 1)

    # the skirt is widened at places where it would cut into the hips; it never becomes narrower downward
    heights, around = np.linspace(0, 1, 41), np.linspace(0, 1, 72, endpoint=False)
    width = flare * heights
    for i, height in enumerate(heights):
        while clearance(cone(around, np.full(72, height), width[i]), cones).min() < 0.5 * gap:
            width[i] += 0.005
    width = np.maximum.accumulate(width)

    def sheet(columns: int, rows: int) -> Sheet:
        rest, faces = grid_sheet(
            columns, rows, lambda u, v: cone(u, v, np.interp(v, heights, width)), closed=True, inside_out=True
        )
        attachment = smooth_attachment((waist - rest[:, 1]) * np.hypot(length, flare) / length, BLEND)
        return Sheet(rest, faces, attachment, on_bone(rest, motion, "Hips"))

    sheets = sheet(24, 8), sheet(144, 48)
    return Scene("skirt", worn(motion), LEAD + HOLD, *sheets, cones, bones, coarse_margin=SKIRT_MARGIN)


def cape(motion: Motion, body: Body) -> Scene:
    """Return the scene of a cape that hangs from the shoulders of an animated body."""
    limbs, limb_bones = fit_cones(body, motion, {part: [part[0]] for part in LEGS + ARMS} | TRUNK)
    waist = motion.joints[motion.index("LowerBack"), 1] + 0.03
    cones = np.concatenate([limbs, float32("cones", pelvis_cones(body, motion, waist))])
    bones = np.r_[limb_bones, [motion.index("Hips")] * 3]
    left, right = (motion.joints[motion.index(name)] for name in ("LeftArm", "RightArm"))
    top, length = motion.joints[motion.index("Neck"), 1] + 0.02, 1.0

    def fall(u: NDArray[np.float64], v: NDArray[np.float64], back: NDArray[np.float64] | float) -> NDArray[np.float64]:
        # the cape becomes wider toward the hem, and its folds become deeper
        x = (right[0] + (left[0] - right[0]) * u) * (0.9 + 0.9 * v)
        return np.stack([x, top - length * v, back + 0.03 * (0.2 + v) * np.sin(9 * np.pi * u)], 1)

    # each row is as close to the back as possible, but not closer than the row above it
    heights, across = np.linspace(0, 1, 41), np.linspace(0, 1, 73)
    back = np.full(41, motion.joints[motion.index("Neck"), 2])
    for i, height in enumerate(heights):
        while clearance(fall(across, np.full(73, height), back[i]), cones).min() < 0.01:
            back[i] -= 0.005
    back = np.minimum.accumulate(back)

    def sheet(columns: int, rows: int) -> Sheet:
        rest, faces = grid_sheet(columns, rows, lambda u, v: fall(u, v, np.interp(v, heights, back)))
        return Sheet(rest, faces, smooth_attachment(top - rest[:, 1], BLEND), on_bone(rest, motion, "Spine1"))

    return Scene("cape", worn(motion), LEAD + HOLD, sheet(19, 14), sheet(73, 91), cones, bones)


def sleeve(motion: Motion, body: Body) -> Scene:
    """Return the scene of a fitted sleeve on the left arm of an animated body."""
    cones, bones = fit_cones(body, motion, ARMS[:2])
    shoulder, elbow, hand = (motion.joints[motion.index(name)] for name in ("LeftArm", "LeftForeArm", "LeftHand"))
    upper, lower = float(np.linalg.norm(elbow - shoulder)), float(np.linalg.norm(hand - elbow))
    # The sleeve begins below the shoulder and ends before the hand. It is wide enough for an elbow bent by 115 degrees.
    first, last, room = 0.12 * upper, upper + 0.92 * lower, 0.035

    def sheet(columns: int, rows: int) -> Sheet:
        def around(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
            s = first + (last - first) * v
            on_upper = s < upper
            t = np.where(on_upper, s / upper, (s - upper) / lower)[:, None]
            axis = np.where(on_upper[:, None], shoulder + t * (elbow - shoulder), elbow + t * (hand - elbow))
            ends = cones[:, [3, 7]].astype(np.float64)
            radii = np.array([ends[0, 0], max(ends[0, 1], ends[1, 0]), ends[1, 1]]) + room
            radius = np.interp(s, np.array([0.0, upper, upper + lower]), radii)
            e = (hand - shoulder) / np.linalg.norm(hand - shoulder)
            side = np.cross(e, [0.0, 0.0, 1.0])
            side /= np.linalg.norm(side)
            circle = np.cos(2 * np.pi * u)[:, None] * side + np.sin(2 * np.pi * u)[:, None] * np.cross(e, side)
            return np.asarray(axis + radius[:, None] * circle)

        rest, faces = grid_sheet(columns, rows, around, closed=True, inside_out=True)
        along = np.repeat((last - first) * np.linspace(0, 1, rows), columns)
        weights = on_bone(rest, motion, "LeftArm")
        return Sheet(rest, faces, smooth_attachment(along, BLEND), weights)

    sheets = sheet(12, 18), sheet(60, 92)
    return Scene("sleeve", worn(motion), LEAD + HOLD, *sheets, cones, bones, coarse_stretch=FITTED_STRETCH)


def shirt(motion: Motion, body: Body) -> Scene:
    """Return the scene of a wide shirt, cut from the skin of a body; its motion keeps the arms away from the trunk."""
    made = fitted("shirt", motion, body, shirt_cuts(motion), SHIRT_EASE, SHIRT_FINE_MARGIN)
    return replace(made, motion=parted(made.motion, body, SHIRT_LIMBS), body=with_mittens(body, motion))


def trousers(motion: Motion, body: Body) -> Scene:
    """Return the scene of trousers, cut from the skin of a body, with limited knee bends."""
    legs = without_arms(body, motion)
    made = fitted("trousers", motion, legs, trouser_cuts(motion), TROUSER_EASE, FINE_MARGIN)
    return replace(made, motion=with_room_behind_knees(made.motion, legs))


def fitted(name: str, motion: Motion, skin: Body, cuts: list[Cut], ease: float, margin: float) -> Scene:
    """Return a scene whose cloth collides with the skin itself, because cones cannot represent shoulders."""
    sheets = fitted_sheets(skin, cuts, ease)
    empty = np.empty((0, 8), np.float32), np.empty(0, np.int64)
    made = Scene(name, worn(motion), LEAD + HOLD, *sheets, *empty, body=skin, fine_margin=margin)
    return replace(made, coarse_stretch=FITTED_STRETCH)


STANDING: dict[str, Callable[[], Scene]] = {"flag": flag, "banner": banner, "curtain": curtain}
WORN: dict[str, Callable[[Motion, Body], Scene]] = {
    "skirt": skirt,
    "cape": cape,
    "sleeve": sleeve,
    "shirt": shirt,
    "trousers": trousers,
}

SCENES = (*WORN, *STANDING)
"""Names of the scenes; the first five require a motion and a body."""


def scene_named(name: str, motion: Motion | None = None, body: Body | None = None) -> Scene:
    """Return a scene by name. Worn garments require a motion and a body.

    A warning is issued if the motion's joints do not match the body, because the motion is then from another body.

    Raises
    ------
    ValueError
        The name is unknown, motion or body of a worn garment is missing, or body and motion have different bones.
    """
    known = choice("scene", name, SCENES)
    if known in STANDING:
        return STANDING[known]() if motion is None else replace(STANDING[known](), name=known)
    if motion is None or body is None:
        raise ValueError(f"motion: '{known}' needs a wearer; give the file of a motion and the file of a body")
    require_wearer(motion, body)
    return WORN[known](motion, body)
