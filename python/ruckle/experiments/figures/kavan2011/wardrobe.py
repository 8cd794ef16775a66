"""The paper's four garments, small enough to simulate for a figure, each in a training motion and in an unseen motion.

Skirt and cape are on a doll of a few cones that moves in sine waves, so this module does not read files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.offline.simulation.pair import TrainingPair, simulate_pair
from ruckle.offline.simulation.scenes import Scene, scene_named
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.learn import HarmonicPenalties, PriorName
from ruckle.offline.upsampling.locality import Locality
from ruckle.offline.upsampling.subdivision import loop_map
from ruckle.offline.upsampling.training import Trainer
from ruckle.simulation.body import Motion
from ruckle.simulation.sheet import Sheet, grid_sheet, smooth_attachment

__all__ = ["GARMENTS", "TESTS", "Wardrobe", "simulated", "skirt_scene", "wardrobe"]

FPS = 60.0

# Number of frames from rest into the motion, and number of frames after these.
WARM, KEPT = 60, 150

# Number of tracked harmonics, and of substeps per frame. Both are lower than usual, so that figures are drawn sooner.
TESTS, SUBSTEPS = 40, 12

Float64 = NDArray[np.float64]


def turned(axis: int, angles: Float64, about: tuple[float, float, float]) -> Float64:
    """Return rotations (F, 3, 4) about a coordinate axis through the point `about`; angles in radians."""
    a, b = [k for k in range(3) if k != axis]
    sign = -1.0 if axis == 1 else 1.0
    matrices = np.repeat(np.eye(3, 4)[None], len(angles), axis=0)
    matrices[:, a, a] = matrices[:, b, b] = np.cos(angles)
    matrices[:, b, a], matrices[:, a, b] = sign * np.sin(angles), -sign * np.sin(angles)
    point = np.array(about)
    matrices[:, :, 3] = point - matrices[:, :, :3] @ point
    return matrices


def chained(outer: Float64, inner: Float64) -> Float64:
    """Return the compositions (F, 3, 4) of rigid motions; `inner` is applied first."""
    linear = outer[:, :, :3] @ inner[:, :, :3]
    moved = np.einsum("fab,fb->fa", outer[:, :, :3], inner[:, :, 3]) + outer[:, :, 3]
    return np.concatenate([linear, moved[:, :, None]], axis=2)


HIPS, LEFT, RIGHT = (0.0, 0.95, 0.0), (0.1, 0.9, 0.0), (-0.1, 0.9, 0.0)
JOINTS = np.array([HIPS, LEFT, RIGHT])

# For each motion: strides per second, swing of the legs forward and sideways (radians), turn (radians) and rise (m) of
# the hips.
STEPS = {
    "walk": (1.0, 0.5, 0.0, 0.15, 0.02),
    "run": (1.7, 0.8, 0.0, 0.25, 0.05),
    "dance": (0.7, 0.25, 0.25, 0.9, 0.03),
}


def doll(kind: str) -> Motion:
    """Return the motion of hips and two legs that start at rest and walk, run or dance."""
    rate, forward, aside, turn, rise = STEPS[kind]
    time = np.arange(WARM + KEPT) / FPS
    ease = np.clip(time * FPS / WARM, 0.0, 1.0) ** 2
    swing = ease * np.sin(2 * np.pi * rate * time)
    hips = turned(1, turn * swing, HIPS)
    hips[:, 1, 3] += rise * ease * np.sin(4 * np.pi * rate * time)
    legs = [
        chained(hips, chained(turned(2, side * aside * np.abs(swing), joint), turned(0, side * forward * swing, joint)))
        for side, joint in ((1.0, LEFT), (-1.0, RIGHT))
    ]
    return Motion(
        np.stack([hips, *legs], axis=1), JOINTS, np.array([-1, 0, 0], np.int32), ("hips", "left", "right"), FPS
    )


# Cones of pelvis, legs, trunk and shoulders: position and radius of both ends, metres; then the bone of each cone.
LIMBS = np.array(
    [
        [*LEFT, 0.13, *RIGHT, 0.13],
        [*LEFT, 0.1, 0.1, 0.45, 0.0, 0.07],
        [*RIGHT, 0.1, -0.1, 0.45, 0.0, 0.07],
        [0.0, 1.05, 0.0, 0.12, 0.0, 1.4, 0.0, 0.15],
        [0.17, 1.4, 0.0, 0.06, -0.17, 1.4, 0.0, 0.06],
    ],
    np.float32,
)
LIMB_BONES = np.array([0, 1, 2, 0, 0])


def on_hips(rest: Float32) -> Float32:
    """Return bone weights (V, 3) that attach all vertices of the cloth to the hips."""
    return np.tile(np.array([1, 0, 0], np.float32), (len(rest), 1))


def skirt_scene(kind: str) -> Scene:
    """Return the scene of a flared skirt on a doll."""

    def sheet(columns: int, rows: int) -> Sheet:
        def around(u: Float64, v: Float64) -> Float64:
            wide, deep = 0.25 + 0.17 * v, 0.18 + 0.2 * v
            return np.stack([wide * np.cos(2 * np.pi * u), 1.0 - 0.5 * v, deep * np.sin(2 * np.pi * u)], 1)

        rest, faces = grid_sheet(columns, rows, around, closed=True, inside_out=True)
        return Sheet(rest, faces, smooth_attachment(1.0 - rest[:, 1], 0.03), on_hips(rest))

    return Scene("skirt", doll(kind), WARM, sheet(18, 7), sheet(72, 28), LIMBS[:3], LIMB_BONES[:3])


def cape_scene(kind: str) -> Scene:
    """Return the scene of a cape that hangs from the shoulders of a doll."""

    def sheet(columns: int, rows: int) -> Sheet:
        def fall(u: Float64, v: Float64) -> Float64:
            x = (u - 0.5) * (0.42 + 0.5 * v)
            return np.stack([x, 1.45 - 0.9 * v, -0.22 - 0.1 * v + 0.02 * (0.2 + v) * np.sin(7 * np.pi * u)], 1)

        rest, faces = grid_sheet(columns, rows, fall)
        return Sheet(rest, faces, smooth_attachment(1.45 - rest[:, 1], 0.03), on_hips(rest))

    return Scene("cape", doll(kind), WARM, sheet(11, 10), sheet(41, 46), LIMBS, LIMB_BONES)


def resampled(scene: Scene, coarse: tuple[int, int], fine: tuple[int, int]) -> Scene:
    """Return a shortened copy of the flag or curtain scene, with other (columns, rows) of its coarse and fine mesh."""

    def sheet(old: Sheet, columns: int, rows: int) -> Sheet:
        low, high = old.rest.min(axis=0), old.rest.max(axis=0)
        deep = 0.03 if scene.name == "curtain" else 0.0

        def flat(u: Float64, v: Float64) -> Float64:
            x, y = low[0] + u * (high[0] - low[0]), high[1] - v * (high[1] - low[1])
            return np.stack([x, y, deep * np.sin(10 * np.pi * u)], 1)

        rest, faces = grid_sheet(columns, rows, flat)
        held = rest[:, 0] < low[0] + 1e-6 if scene.name == "flag" else rest[:, 1] > high[1] - 1e-6
        weights = np.tile(old.weights[:1], (len(rest), 1))
        return Sheet(rest, faces, held.astype(np.float32), weights)

    motion = replace(scene.motion, bones=scene.motion.bones[: WARM + KEPT])
    return replace(scene, motion=motion, warm=WARM, coarse=sheet(scene.coarse, *coarse), fine=sheet(scene.fine, *fine))


def flag_scene(kind: str) -> Scene:
    """Return the scene of a flag in wind."""
    speed = {"breeze": 6.0, "gale": 11.0}[kind]
    return replace(resampled(scene_named("flag"), (13, 9), (49, 33)), wind=(speed, 0.0, 0.13 * speed))


def curtain_scene(kind: str) -> Scene:
    """Return the scene of a curtain with a ball that swings through it."""
    scene = resampled(scene_named("curtain"), (21, 12), (61, 45))
    radius = {"small ball": 0.1, "large ball": 0.16}[kind]
    cones = scene.cones.copy()
    cones[:, [3, 7]] = radius
    bones = scene.motion.bones.copy()
    # a smaller, slower swing than in the original scene, because a faster ball could pass between the few vertices here
    bones[:, 1, 2, 3] *= 0.6
    return replace(scene, cones=cones, motion=replace(scene.motion, bones=bones))


GARMENTS: dict[str, tuple[Callable[[str], Scene], str, str]] = {
    "skirt": (skirt_scene, "walk", "dance"),
    "flag": (flag_scene, "breeze", "gale"),
    "curtain": (curtain_scene, "small ball", "large ball"),
    "cape": (cape_scene, "walk", "run"),
}
"""For each garment: a function that returns its scene, its training motion, and its unseen motion."""


@cache
def simulated(name: str, kind: str, *, tests: int = TESTS) -> TrainingPair:
    """Simulate a garment in one motion, on both meshes; results are cached."""
    pair = simulate_pair(GARMENTS[name][0](kind), tests=tests, substeps=SUBSTEPS).named_after(kind)
    return replace(pair, name=f"{name} {kind}")


@dataclass(frozen=True, eq=False)
class Wardrobe:
    """A garment with its motions and its trainers.

    Attributes
    ----------
    pairs : dict of TrainingPair
        Simulated motions by name: first the training motion, then the unseen motion.
    """

    pairs: dict[str, TrainingPair]

    @cached_property
    def trainers(self) -> dict[PriorName, Trainer]:
        """One trainer with our prior ("smooth") and one with the paper's ("none"); both share the harmonics."""
        garment = Garment.of(next(iter(self.pairs.values())))
        ours = Trainer(garment, tests=TESTS)
        theirs = Trainer(garment, tests=TESTS, prior="none", harmonics=ours.harmonics)
        return {"smooth": ours, "none": theirs}

    @property
    def garment(self) -> Garment:
        """The coarse and the fine mesh at rest."""
        return self.trainers["smooth"].garment

    @property
    def known(self) -> TrainingPair:
        """The training motion."""
        return next(iter(self.pairs.values()))

    @property
    def unseen(self) -> TrainingPair:
        """The unseen motion."""
        return list(self.pairs.values())[1]

    def operator(self, penalties: Locality | HarmonicPenalties, *kinds: str, prior: PriorName = "smooth") -> Float64:
        """Return the operator (N, M) learned from the named motions, by default from the training motion."""
        trainer = self.trainers[prior]
        chosen = [self.pairs[kind] for kind in kinds or list(self.pairs)[:1]]
        statistics = [trainer.statistics(pair.coarse.positions, pair.fine.positions) for pair in chosen]
        return trainer.operator(penalties, sum(statistics[1:], statistics[0]))

    @cached_property
    def loop(self) -> Float64:
        """The operator of Loop subdivision, (N, M)."""
        map_: Float64 = loop_map(self.garment.coarse_rest, self.garment.coarse_faces, self.garment.fine_rest).toarray()
        return map_

    def ratio(self, operator: Float64, pair: TrainingPair) -> float:
        """Return the error of an operator on a motion, divided by the error of linear interpolation."""
        off = applied(operator, pair.coarse.positions) - pair.fine.positions
        linear = self.garment.linear(pair.coarse.positions) - pair.fine.positions
        areas = self.trainers["smooth"].harmonics.areas
        return float(np.sqrt(np.einsum("n,fnx->", areas, off**2) / np.einsum("n,fnx->", areas, linear**2)))


def applied(operator: Float64, coarse: Float32) -> Float32:
    """Return the fine vertices U p (F, N, 3) for an operator U and coarse frames p (F, M, 3)."""
    center = coarse.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("nm,fmx->fnx", operator, coarse - center, optimize=True) + center, np.float32)


@cache
def wardrobe(name: str) -> Wardrobe:
    """Return one of the paper's garments, simulated in its two motions."""
    _, *kinds = GARMENTS[name]
    return Wardrobe({kind: simulated(name, kind) for kind in kinds})
