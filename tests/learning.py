"""A small garment given by formulas, and motions that are fast to simulate, for tests of upsampling."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.offline.simulation import Scene, TrainingPair, scene_named, simulate_pair
from ruckle.offline.upsampling import Garment, Harmonics
from ruckle.simulation.sheet import Sheet, grid_sheet
from ruckle.upsampling import UpsamplingModel

Array = NDArray[Any]


def flag_sheet(columns: int, rows: int) -> Sheet:
    rest, faces = grid_sheet(columns, rows, lambda u, v: np.stack([1.5 * u, 2.0 + v, 0.0 * u], 1))
    pinned = (rest[:, 0] < 1e-6).astype(np.float32)
    return Sheet(rest, faces, pinned, np.ones((len(rest), 1), np.float32))


def garment(coarse: tuple[int, int] = (4, 3), fine: tuple[int, int] = (7, 5)) -> Garment:
    """Return a flat rectangle as a garment.

    `coarse` and `fine` are the numbers of vertices along both sides of the coarse and the fine mesh.
    """
    few, many = flag_sheet(*coarse), flag_sheet(*fine)
    return Garment(few.rest, few.faces, many.rest, many.faces, many.attachment)


def all_harmonics(cloth: Garment) -> Harmonics:
    return Harmonics.of(cloth.fine_rest, cloth.fine_faces, cloth.fine_count)


def random_motion(cloth: Garment, frames: int = 30, seed: int = 0) -> tuple[Array, Array]:
    """Return random coarse frames (F, M, 3) and random fine frames (F, N, 3), float64, without any relation."""
    random = np.random.default_rng(seed)
    return random.normal(size=(frames, cloth.coarse_count, 3)), random.normal(size=(frames, cloth.fine_count, 3))


def planted_operator(cloth: Garment, seed: int = 3) -> Array:
    """Return a random upsampling matrix (N, M). The sum of each row is 1, so that it preserves translations."""
    operator = np.random.default_rng(seed).normal(size=(cloth.fine_count, cloth.coarse_count))
    return operator + (1.0 - operator.sum(axis=1, keepdims=True)) / cloth.coarse_count


def applied(operator: Array, coarse: Array) -> Array:
    """Return the fine frames (F, N, 3): the operator (N, M) times each coarse frame (M, 3)."""
    return np.einsum("nm,fmx->fnx", operator, coarse)


@dataclass(frozen=True)
class Blown:
    """A scene of a flag in wind. Different motions have different directions of the wind."""

    angle: float = 0.0

    def scene(self) -> Scene:
        blown = scene_named("flag")
        wind = (6.0 * np.cos(self.angle), 0.0, 6.0 * np.sin(self.angle) + 0.5)
        motion = replace(blown.motion, bones=blown.motion.bones[:60])
        return replace(blown, motion=motion, warm=20, coarse=flag_sheet(6, 5), fine=flag_sheet(19, 13), wind=wind)


@cache
def blown_pair(angle: float) -> TrainingPair:
    """Return a training pair from a simulation of 40 frames: a flag with 30 coarse and 247 fine vertices."""
    pair = simulate_pair(Blown(angle).scene(), tests=12, substeps=8).named_after(f"from_{angle:g}")
    return replace(pair, name=f"flag_{angle:g}")


def random_model(cloth: Garment | None = None, *, pairs: int = 0, **changes: Any) -> UpsamplingModel:
    """Return a model with a random operator, and `pairs` random oscillations."""
    cloth = cloth or garment()
    random = np.random.default_rng(7)
    arrays = {
        "operator": planted_operator(cloth).astype(np.float32),
        "oscillation_shapes": (0.01 * random.normal(size=(2 * pairs, cloth.fine_count))).astype(np.float32),
        "frequencies": np.arange(1, pairs + 1, dtype=np.float32),
        "covariance": np.eye(cloth.coarse_count, dtype=np.float32),
    }
    names = ("coarse_faces", "fine_faces", "coarse_rest", "fine_rest", "holders", "barycentric", "attachment")
    return UpsamplingModel(**{name: getattr(cloth, name) for name in names} | arrays | changes)
