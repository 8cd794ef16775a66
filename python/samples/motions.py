"""The motions as key poses. The figure faces +z, its left is +x; lengths are in metres, angles in degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .posing import FRAME_RATE, Pose, animate
from .rotation import matrices, turn

__all__ = ["MOTIONS", "motion"]

FloatArray = NDArray[np.float64]


def sawing() -> list[Pose]:
    """Return two and a half strokes of a hand saw on a bench; the left hand holds the wood."""

    def stroke(time: float, forward: bool) -> Pose:
        return Pose(
            time,
            hips=(0.0, -0.05, 0.02) if forward else (0.0, -0.04, -0.02),
            pelvis=(14.0, 6.0, 0.0) if forward else (10.0, -4.0, 0.0),
            trunk=(22.0, 14.0, 4.0) if forward else (12.0, -18.0, -4.0),
            left_hand=(0.17, 1.06, 0.36) if forward else (0.24, 1.06, 0.33),
            right_hand=(-0.14, 1.07, 0.42) if forward else (-0.27, 1.06, 0.05),
            left_foot=(0.03, 0.0, 0.16),
            right_foot=(-0.05, 0.0, -0.16),
        )

    return [
        Pose(0.0),
        stroke(0.75, False),
        stroke(1.2, True),
        stroke(1.75, False),
        stroke(2.2, True),
        stroke(2.75, False),
        stroke(3.2, True),
        stroke(3.75, False),
    ]


def chopping() -> list[Pose]:
    """Return two blows of an axe: both hands move from above the head down between the knees."""

    def raised(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.0, 0.0, 0.03),
            pelvis=(-5.0, 0.0, 0.0),
            trunk=(-12.0, -8.0, 0.0),
            left_hand=(0.07, 1.80, 0.14),
            right_hand=(-0.07, 1.84, 0.10),
            left_foot=(0.10, 0.0, 0.05),
            right_foot=(-0.10, 0.0, -0.05),
        )

    def swung(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.0, -0.04, 0.0),
            pelvis=(8.0, 0.0, 0.0),
            trunk=(8.0, -2.0, 0.0),
            left_hand=(0.06, 1.42, 0.47),
            right_hand=(-0.06, 1.45, 0.46),
            left_foot=(0.10, 0.0, 0.05),
            right_foot=(-0.10, 0.0, -0.05),
        )

    def struck(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.0, -0.14, -0.10),
            pelvis=(30.0, 0.0, 0.0),
            trunk=(38.0, 4.0, 0.0),
            left_hand=(0.05, 1.10, 0.44),
            right_hand=(-0.05, 1.12, 0.40),
            left_foot=(0.10, 0.0, 0.05),
            right_foot=(-0.10, 0.0, -0.05),
        )

    poses = [Pose(0.0), swung(0.6), raised(1.0)]
    for start in (1.1, 2.6):
        poses += [raised(start), swung(start + 0.2), struck(start + 0.38), struck(start + 0.62)]
        poses += [swung(start + 1.0), raised(start + 1.35)]
    return poses


def fist_pumping() -> list[Pose]:
    """Return four pumps of the right fist above the head; the body bounces."""

    def low(time: float) -> Pose:
        return Pose(
            time,
            hips=(-0.02, -0.05, 0.0),
            pelvis=(4.0, -4.0, -3.0),
            trunk=(8.0, -8.0, -8.0),
            left_hand=(0.28, 1.08, 0.20),
            right_hand=(-0.33, 1.40, 0.25),
        )

    def high(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.02, 0.0, 0.01),
            pelvis=(-2.0, 4.0, 2.0),
            trunk=(-6.0, 12.0, 8.0),
            left_hand=(0.30, 1.12, 0.12),
            right_hand=(-0.24, 1.92, 0.10),
        )

    poses = [Pose(0.0), low(0.7)]
    for pump in range(4):
        poses += [high(1.05 + 0.75 * pump), low(1.45 + 0.75 * pump)]
    return poses


def stretching() -> list[Pose]:
    """Return a stretch: arms overhead, bend to the left, bend to the right, twist, arms wide."""
    overhead = {"left_hand": (0.07, 1.92, 0.02), "right_hand": (-0.07, 1.92, 0.02)}
    wide = {"left_hand": (0.66, 1.40, 0.02), "right_hand": (-0.66, 1.40, 0.02)}
    return [
        Pose(0.0),
        Pose(0.8, hips=(0.0, 0.01, 0.0), trunk=(-10.0, 0.0, 0.0), **overhead),
        Pose(1.4, hips=(-0.05, 0.0, 0.0), pelvis=(0.0, 0.0, 5.0), trunk=(0.0, 0.0, 36.0), **overhead),
        Pose(2.2, hips=(0.05, 0.0, 0.0), pelvis=(0.0, 0.0, -5.0), trunk=(0.0, 0.0, -36.0), **overhead),
        Pose(2.7, trunk=(-10.0, 0.0, 0.0), **wide),
        Pose(3.2, pelvis=(0.0, 10.0, 0.0), trunk=(4.0, 45.0, 0.0), **wide),
        Pose(3.9, pelvis=(0.0, -10.0, 0.0), trunk=(4.0, -45.0, 0.0), **wide),
    ]


def jumping_jack() -> list[Pose]:
    """Return three jumping jacks: legs apart with arms up, legs together with arms down."""

    def feet(apart: float, height: float) -> dict[str, tuple[float, float, float]]:
        return {"left_foot": (apart, height, 0.0), "right_foot": (-apart, height, 0.0)}

    down = {"left_hand": (0.40, 0.92, 0.02), "right_hand": (-0.40, 0.92, 0.02)}
    level = {"left_hand": (0.68, 1.42, 0.0), "right_hand": (-0.68, 1.42, 0.0)}
    up = {"left_hand": (0.14, 1.92, 0.0), "right_hand": (-0.14, 1.92, 0.0)}
    poses = [Pose(0.0)]
    for jack in range(3):
        start = 0.5 + 1.1 * jack
        poses += [
            Pose(start, hips=(0.0, -0.06, -0.01), pelvis=(3.0, 0.0, 0.0), **down, **feet(0.0, 0.0)),
            Pose(start + 0.25, hips=(0.0, 0.10, 0.0), **level, **feet(0.14, 0.10)),
            Pose(start + 0.5, hips=(0.0, -0.12, 0.0), pelvis=(3.0, 0.0, 0.0), **up, **feet(0.28, 0.0)),
            Pose(start + 0.62, hips=(0.0, -0.12, 0.0), pelvis=(3.0, 0.0, 0.0), **up, **feet(0.28, 0.0)),
            Pose(start + 0.85, hips=(0.0, 0.08, 0.0), **level, **feet(0.14, 0.10)),
        ]
    return [*poses, Pose(3.8, hips=(0.0, -0.05, -0.01), **down)]


def shoveling() -> list[Pose]:
    """Return two shovelfuls: dig in front, lift, throw to the left."""
    stance = {"left_foot": (0.06, 0.0, 0.14), "right_foot": (-0.06, 0.0, -0.12)}

    def dig(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.0, -0.24, -0.10),
            pelvis=(36.0, -6.0, 0.0),
            trunk=(34.0, -14.0, 0.0),
            left_hand=(0.12, 1.02, 0.42),
            right_hand=(-0.22, 1.12, 0.30),
            **stance,
        )

    def throw(time: float) -> Pose:
        return Pose(
            time,
            hips=(0.05, -0.04, 0.02),
            pelvis=(4.0, 22.0, 4.0),
            trunk=(4.0, 38.0, 8.0),
            left_hand=(0.16, 1.26, 0.44),
            right_hand=(-0.12, 1.12, 0.36),
            **stance,
        )

    return [Pose(0.0), dig(0.9), dig(1.1), throw(1.75), dig(2.5), dig(2.7), throw(3.35), throw(3.9)]


WALK_HALF = 0.55
"""Duration of one step, seconds."""

WALK = (
    # per phase: fraction of the step; front foot: z, pitch; back foot: y, z, pitch; twist of the body; height of the
    # hips
    (0.00, 0.300, -18.0, 0.055, -0.300, 32.0, 1.00, -0.047),
    (0.22, 0.186, 0.0, 0.130, -0.225, 48.0, 0.75, -0.055),
    (0.50, 0.000, 0.0, 0.110, 0.050, 12.0, 0.00, -0.008),
    (0.80, -0.150, 4.0, 0.050, 0.240, -12.0, -0.70, -0.004),
)
"""Phases of a step: heel strike, loading, passing, push-off; metres and degrees."""


def walking() -> list[Pose]:
    """Return five cycles of walking on the spot; all cycles have the same poses."""

    def step(start: float, phase: int, left: bool) -> Pose:
        share, front_z, front_pitch, back_y, back_z, back_pitch, twist, height = WALK[phase]
        side = 1.0 if left else -1.0
        # the hips move over the foot that carries the weight
        loaded = side * (phase in (1, 2))
        hands = [(0.32, 0.90, 0.04 - 0.20 * twist), (0.28, 0.94, 0.08 + 0.20 * twist)]
        feet, pitches = [(0.0, 0.0, front_z), (0.0, back_y, back_z)], [front_pitch, back_pitch]
        if not left:
            hands, feet, pitches = hands[::-1], feet[::-1], pitches[::-1]
        return Pose(
            start + share * WALK_HALF,
            hips=(0.018 * loaded, height, 0.0),
            pelvis=(4.0, -7.0 * side * twist, -2.0 * loaded),
            trunk=(3.0, 12.0 * side * twist, 2.0 * loaded),
            left_hand=hands[0],
            right_hand=(-hands[1][0], *hands[1][1:]),
            left_foot=feet[0],
            right_foot=feet[1],
            left_sole=(pitches[0], 6.0, 0.0),
            right_sole=(pitches[1], -6.0, 0.0),
        )

    poses = [step(half * WALK_HALF, phase, half % 2 == 0) for half in range(10) for phase in range(len(WALK))]
    return [*poses, step(10 * WALK_HALF, 0, True)]


def dancing() -> list[Pose]:
    """Return a dance: sways to both sides, a full turn on the spot, and a final sway."""

    def foot(side: float, yaw: float, aside: float = 0.0, lift: float = 0.0) -> tuple[float, float, float]:
        # the ankle turns with the figure around the vertical axis
        at_rest = np.array([0.15 * side + aside, 0.0, -0.03])
        turned = matrices(turn(0.0, yaw, 0.0)) @ at_rest
        return float(turned[0]) - 0.15 * side, lift, float(turned[2]) + 0.03

    def sway(time: float, side: float, depth: float = 1.0) -> Pose:
        return Pose(
            time,
            hips=(0.09 * side, -0.05 * depth, 0.0),
            pelvis=(4.0, 30.0 * side, -6.0 * side),
            trunk=(0.0, 16.0 * side, 14.0 * side),
            left_hand=(0.56, 1.34 + 0.14 * side, 0.22),
            right_hand=(-0.56, 1.34 - 0.14 * side, 0.22),
            left_foot=foot(1.0, 12.0 * side, 0.06, 0.03 * (side < 0.0)),
            right_foot=foot(-1.0, 12.0 * side, -0.06, 0.03 * (side > 0.0)),
            left_sole=(18.0 * (side < 0.0), 12.0 * side + 8.0, 0.0),
            right_sole=(18.0 * (side > 0.0), 12.0 * side - 8.0, 0.0),
        )

    def twirl(time: float, yaw: float, step: int) -> Pose:
        return Pose(
            time,
            hips=(0.0, 0.035, 0.0),
            pelvis=(0.0, yaw, 0.0),
            trunk=(-4.0, 8.0, 0.0),
            left_hand=(0.42, 1.70, 0.12),
            right_hand=(-0.42, 1.70, 0.12),
            left_foot=foot(1.0, yaw, -0.06, 0.05 + 0.04 * (step % 2)),
            right_foot=foot(-1.0, yaw, 0.06, 0.05 + 0.04 * (step % 2 == 0)),
            left_sole=(35.0, yaw + 6.0, 0.0),
            right_sole=(35.0, yaw - 6.0, 0.0),
        )

    turns = [twirl(2.1 + 0.25 * step, 30.0 + 60.0 * step, step) for step in range(6)]
    return [
        Pose(0.0),
        sway(0.55, 1.0),
        sway(1.05, -1.0),
        sway(1.55, 1.0, 1.6),
        *turns,
        sway(3.85, -1.0, 0.5),
        Pose(4.45),
    ]


def walked(bones: FloatArray) -> FloatArray:
    """Return the three middle cycles of five, which repeat without a jump."""
    cycle = round(2 * WALK_HALF * FRAME_RATE)
    return bones[cycle : 4 * cycle]


MOTIONS = {
    "sawing": sawing,
    "chopping": chopping,
    "fist_pumping": fist_pumping,
    "stretching": stretching,
    "jumping_jack": jumping_jack,
    "shoveling": shoveling,
    "walking": walking,
    "dancing": dancing,
}


def motion(name: str) -> FloatArray:
    """Return the bone matrices (F, J, 3, 4) of a sample."""
    bones = animate(MOTIONS[name]())
    return walked(bones) if name == "walking" else bones
