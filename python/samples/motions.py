"""The six motions as key poses. The figure faces +Z, its left is +X, lengths are metres, angles degrees."""

from __future__ import annotations

from .posing import Pose

__all__ = ["MOTIONS"]


def sawing() -> list[Pose]:
    """Return two and a half strokes of a hand saw across a bench, the left hand holding the wood."""

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
    """Return two blows of an axe: both hands from above the head down between the knees."""

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
    """Return four pumps of the right fist above the head, the body bouncing along."""

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
    """Return a stretch: arms overhead, bend to the left, to the right, twist, arms down."""
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
    """Return two shovelfuls: dig low in front, lift, throw to the left."""
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


MOTIONS = {
    "sawing": sawing,
    "chopping": chopping,
    "fist_pumping": fist_pumping,
    "stretching": stretching,
    "jumping_jack": jumping_jack,
    "shoveling": shoveling,
}
