"""Statistics from which operators are learned: sums over frames, which several machines can compute and add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, float32, shaped
from ruckle.offline.upsampling.harmonics import Harmonics

__all__ = ["Fit", "TrainingStatistics"]

Float64 = NDArray[np.float64]

# Number of frames in a block. In double precision, a block of a fine mesh with 7,000 vertices has 40 MB.
BLOCK_FRAMES = 256


class Fit(NamedTuple):
    """Fit of an operator's detail to the true detail, both relative to a base operator, for any gain.

    Attributes
    ----------
    found, common, true : float, m²
        Means over surface and frames: of the squared detail, of the product with the true detail, and of the squared
        true detail.
    """

    found: float
    common: float
    true: float

    def error(self, gain: float = 1.0) -> float:
        """Return the root mean square error if the detail is multiplied by `gain`, metres."""
        return float(np.sqrt(max(self.true - 2.0 * gain * self.common + gain * gain * self.found, 0.0)))

    def energy(self, gain: float = 1.0) -> float:
        """Return the root mean square of the detail multiplied by `gain`, relative to the true detail."""
        return gain * float(np.sqrt(self.found / max(self.true, 1e-300)))


@dataclass(frozen=True, slots=True, eq=False)
class TrainingStatistics:
    """Products of the frames of one or several motions; the statistics of two motions can be added.

    Pc (M, 3F) contains the coarse positions of all frames side by side, Pf (N, 3F) the fine positions, and Y = Φᵀ V Pf.

    Attributes
    ----------
    gram : (M, M) float64, m²
        Pc Pcᵀ.
    cross : (K, M) float64, m³
        Y Pcᵀ.
    energy : (K,) float64, m⁴
        Squares of Y, summed over frames.
    frames : int

    Notes
    -----
    Positions are relative to the mean of each frame's coarse vertices, which reduces rounding errors. This does not
    change the result, because rows of operators sum to 1. Rotations of a frame do not change the statistics.
    """

    gram: Float64
    cross: Float64
    energy: Float64
    frames: int

    @classmethod
    def of(cls, coarse: ArrayLike, fine: ArrayLike, harmonics: Harmonics) -> TrainingStatistics:
        """Compute the statistics of a motion.

        Parameters
        ----------
        coarse : (F, M, 3) float, metres
        fine : (F, N, 3) float, metres
            The same frames of the fine mesh.
        harmonics : Harmonics
            Harmonics of the fine mesh.

        Raises
        ------
        ValueError
            Arrays have wrong shapes, there are fewer than 2 frames, a number is not finite, or all coarse vertices are
            at one point.
        """
        few, many = _frames("coarse", coarse), _frames("fine", fine)
        if many.shape[1] != len(harmonics.areas):
            raise ValueError(
                f"fine: expected {len(harmonics.areas)} vertices, as the harmonics have, got {many.shape[1]}"
            )
        if len(few) != len(many):
            raise ValueError(f"fine: expected {len(few)} frames, as the coarse mesh has, got {len(many)}")
        if len(few) < 2:
            raise ValueError(f"coarse: expected at least 2 frames to learn from, got {len(few)}")
        count, vertices = harmonics.count, few.shape[1]
        gram, cross, energy = np.zeros((vertices, vertices)), np.zeros((count, vertices)), np.zeros(count)
        weighted = (harmonics.vectors * harmonics.areas[:, None]).T
        for start in range(0, len(few), BLOCK_FRAMES):
            block = slice(start, start + BLOCK_FRAMES)
            center = few[block].mean(axis=1, dtype=np.float64, keepdims=True)
            pc, pf = (_side_by_side(positions[block] - center) for positions in (few, many))
            y = weighted @ pf
            gram += pc @ pc.T
            cross += y @ pc.T
            energy += (y * y).sum(axis=1)
        if not np.trace(gram) > 0.0:
            raise ValueError(
                "coarse: expected vertices at different points, got all of them at one point in every frame"
            )
        return cls(gram, cross, energy, len(few))

    def __add__(self, other: TrainingStatistics) -> TrainingStatistics:
        """Return the statistics of both sets of motions together."""
        return TrainingStatistics(
            self.gram + other.gram, self.cross + other.cross, self.energy + other.energy, self.frames + other.frames
        )

    def __sub__(self, other: TrainingStatistics) -> TrainingStatistics:
        """Return the statistics without the motions of `other`, which must be included in them."""
        return TrainingStatistics(
            self.gram - other.gram, self.cross - other.cross, self.energy - other.energy, self.frames - other.frames
        )

    @property
    def scale(self) -> float:
        """Sum of squared coarse positions over frames, averaged over vertices, m²: the unit of penalties."""
        return float(np.trace(self.gram)) / len(self.gram)

    def error(self, rows: Float64, area: float) -> float:
        """Return the error of an operator's frames: root mean square over the surface, metres.

        It is computed from the statistics alone, within the harmonics: tr(Û G Ûᵀ) - 2 tr(Û Xᵀ) + Σ Y², where G is
        `gram` and X is `cross`.

        Parameters
        ----------
        rows : (K, M) float64, m
            Û = Φᵀ V U.
        area : float, m²
            Area of the fine mesh.
        """
        square = float(((rows @ self.gram - 2.0 * self.cross) * rows).sum() + self.energy.sum())
        return float(np.sqrt(max(square, 0.0) / (area * self.frames)))

    def fit(self, rows: Float64, base: Float64, area: float) -> Fit:
        """Return the fit of an operator's detail to the true detail, both relative to a base operator.

        Parameters
        ----------
        rows, base : (K, M) float64, m
            Φᵀ V times the operator, and times the base operator.
        area : float, m²
            Area of the fine mesh.
        """
        added, unit = rows - base, area * self.frames
        found = float(((added @ self.gram) * added).sum())
        common = float(((self.cross - base @ self.gram) * added).sum())
        return Fit(found / unit, common / unit, self.error(base, area) ** 2)

    def __repr__(self) -> str:
        return (
            f"TrainingStatistics({self.frames} frames, {len(self.gram)} coarse vertices, {len(self.energy)} harmonics)"
        )


def _frames(name: str, positions: ArrayLike) -> Float32:
    array = shaped(name, float32(name, positions), ("F", "V", 3))
    bad = ~np.isfinite(array).all(axis=2)
    if bad.any():
        frame, vertex = np.argwhere(bad)[0]
        raise ValueError(f"{name}: frame {frame}: vertex {vertex} is not finite; every coordinate must be finite")
    return array


def _side_by_side(positions: Float64) -> Float64:
    """Return positions (F, V, 3) as a matrix (V, 3F)."""
    frames, vertices = positions.shape[:2]
    return np.asarray(positions.transpose(1, 0, 2).reshape(vertices, 3 * frames))
