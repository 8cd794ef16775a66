"""Neural detail: a small network over the grid of the coarse cloth adds detail that a matrix cannot express.

An option for garments both of whose meshes are grids; not of the paper. It is learnt by NumPy in a minute or two and
evaluated by the core in plain matrix products. Squared errors favour flat detail here, too. So one gain for each row of
the fine grid raises the detail to nearly the energy that true detail has in motions that were not learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, float32
from ruckle.offline.upsampling.detail_network import Network, Weights, fit
from ruckle.offline.upsampling.training import Trainer
from ruckle.upsampling.grids import WIDTH, Grids, local_frames, read_features
from ruckle.upsampling.model import UpsamplingModel

__all__ = ["DetailMotion", "learn_detail"]

Float64 = NDArray[np.float64]

# Least standard deviation assumed of a feature.
LEAST_SIZE = 1e-3

# Share of the truth's energy to which gains raise the detail of motions left out. Below 1, because the last fit, which
# uses all motions, has 5 % more energy, motions differ by as much, and errors grow steeply near 1.
ENERGY = 0.9

# Noise added to features in fits, as a share of their standard deviations: it lowers errors on unseen motions.
NOISE = 0.4

# Gains beyond this would raise noise.
MOST_GAIN = 3.0

# Largest number of parts into which origins are divided; one part is left out at a time.
MOST_PARTS = 4

# With a single motion, this share of its frames is kept to measure gains.
KEPT_SHARE = 1.0 / 3.0

# The network's weights, in the order of `Weights`.
WEIGHTS = ("first", "first_bias", "second", "second_bias", "patches")

# Frames evaluated at once.
BLOCK = 64


class DetailMotion(NamedTuple):
    """One motion to learn from: coarse (F, M, 3) and fine (F, N, 3) float32, metres, and its frames per second.

    Motions that were made from one another, such as by mirroring, share an origin.
    """

    origin: str
    coarse: Float32
    fine: Float32
    fps: float


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Features (F, rows, columns, 15) of frames, and their detail in the frames of the base, (F, rows, columns, 3)."""

    features: Float32
    detail: Float32

    def joined(self, other: Examples) -> Examples:
        """Return both, one after the other."""
        features = np.concatenate([self.features, other.features])
        return Examples(features, np.concatenate([self.detail, other.detail]))


@dataclass(frozen=True, slots=True)
class RowEnergies:
    """Squares over the rows of the fine grid, summed over frames: of the true detail, the found one, their product."""

    true: Float64
    found: Float64
    product: Float64

    @classmethod
    def of(cls, true: Float32, found: Float32, areas: Float32) -> RowEnergies:
        """Return the sums for details (F, rows, columns, 3), weighted by areas (rows, columns)."""
        pairs = ((true, true), (found, found), (true, found))
        return cls(*(np.einsum("rc,frcx,frcx->r", areas, *pair).astype(np.float64) for pair in pairs))

    @classmethod
    def sum(cls, parts: Iterable[RowEnergies]) -> RowEnergies:
        """Return the sums over all frames together."""
        given = list(parts)
        return cls(*(np.sum([getattr(part, name) for part in given], axis=0) for name in cls.__slots__))

    def gains(self) -> Float32:
        """Return the factor that gives each row its share of the true energy, (rows,)."""
        return float32("gains", np.clip(ENERGY * np.sqrt(self.true / np.maximum(self.found, 1e-20)), 1.0, MOST_GAIN))

    def report(self, gains: Float32) -> dict[str, float]:
        """Return the energy and the error of the found detail, both over the true detail, without and with gains."""
        numbers: dict[str, float] = {}
        for suffix, gain in (("", np.ones_like(self.found)), ("_gained", gains.astype(np.float64))):
            found, product, true = ((gain**2 * self.found).sum(), (gain * self.product).sum(), self.true.sum())
            numbers["energy" + suffix] = float(np.sqrt(found / true))
            numbers["detail_left" + suffix] = float(np.sqrt(max(found - 2.0 * product + true, 0.0) / true))
        return numbers


def learn_detail(
    trainer: Trainer,
    model: UpsamplingModel,
    motions: Sequence[DetailMotion],
    *,
    steps: int = 500,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> UpsamplingModel:
    """Return a model whose matrix gives a smooth base, and a network the detail.

    The model learns from everything. Before that, up to four more fits each leave out some of the origins, every origin
    once. Gains and errors of the report come from the origins left out, pooled, because motions differ in energy.

    Parameters
    ----------
    trainer : Trainer
        Trainer of the garment; its prior is the base.
    model : UpsamplingModel
        The trainer with its motions.
    motions : sequence of DetailMotion
    steps : int
        Steps of each fit; more steps fit closer, but also fit noise.
    seed : int
    progress : function of the share of the work that was done, optional

    Raises
    ------
    ValueError
        Motions are missing, or the garment's meshes are not grids.
    """
    if not motions:
        raise ValueError("motions: expected at least one to learn from, got none")
    garment = trainer.garment
    grids = Grids.of(garment.coarse_faces, garment.coarse_count, garment.fine_faces, garment.fine_count)
    base = float32("base", trainer.learner.operator(trainer.learner.prior.rows))
    examples = [(motion.origin, examples_of(grids, base, garment.coarse_rest, motion)) for motion in motions]
    parted = splits(examples)
    areas = (trainer.harmonics.areas / trainer.harmonics.areas.mean()).astype(np.float32)
    weighting = areas.reshape(grids.fine_rows, grids.fine_columns)
    network = Network(grids)

    def tell(step: int, left: float) -> None:
        if progress is not None:
            progress(1.0 / ((len(parted) + 1) * steps))

    def learnt(parts: Sequence[Examples]) -> dict[str, Float32]:
        return _fitted(network, _all(parts), weighting, steps=steps, seed=seed, progress=tell)

    measured: dict[str, list[RowEnergies]] = {}
    for known, unseen in parted:
        arrays = learnt(known)
        for origin, part in unseen:
            found = evaluated(network, arrays, part.features)
            measured.setdefault(origin, []).append(RowEnergies.of(part.detail, found, weighting))
    pooled = {origin: RowEnergies.sum(parts) for origin, parts in measured.items()}
    gains = RowEnergies.sum(pooled.values()).gains()
    numbers = [grids.rows, grids.columns, grids.fine_rows, grids.fine_columns, int(grids.closed)]
    arrays = learnt([part for _, part in examples]) | {"gains": gains, "grids": np.array(numbers, np.int32)}
    left_out = {origin: energies.report(gains) for origin, energies in sorted(pooled.items())}
    report = {**model.report, "neural": {"steps": steps, "left_out": left_out}}
    return replace(model, operator=base, detail=arrays, report=report)


def examples_of(grids: Grids, base: Float32, rest: ArrayLike, motion: DetailMotion) -> Examples:
    """Return the training examples of a motion; `base` is the operator (N, M) of the smooth base."""
    coarse, fine = float32("coarse", motion.coarse), float32("fine", motion.fine)
    center = coarse.mean(axis=1, keepdims=True)
    smooth = np.einsum("nm,fmx->fnx", base, coarse - center, optimize=True) + center
    shape = (-1, grids.fine_rows, grids.fine_columns, 3)
    axes = local_frames(grids, smooth.reshape(shape))
    off = np.einsum("frcab,frca->frcb", axes, (fine - smooth).reshape(shape))
    return Examples(read_features(grids, float32("rest", rest), coarse, 1.0 / motion.fps), off.astype(np.float32))


def evaluated(network: Network, arrays: dict[str, Float32], features: Float32) -> Float32:
    """Return the detail that arrays of a model give for features, metres, in the frames of the base; without gains."""
    patches = arrays["patches"].reshape(network.grids.fine_rows, 4 * WIDTH, -1)
    first, first_bias, second, second_bias = (arrays[name] for name in WEIGHTS[:4])
    weights = Weights(first, first_bias, second, second_bias, patches)
    given = (features - arrays["feature_mean"]) / arrays["feature_size"]
    blocks = [network(weights, given[i : i + BLOCK]) for i in range(0, len(given), BLOCK)]
    return np.concatenate(blocks) + arrays["mean"].reshape(network.grids.fine_rows, network.grids.fine_columns, 3)


def splits(examples: Sequence[tuple[str, Examples]]) -> list[tuple[list[Examples], list[tuple[str, Examples]]]]:
    """Return training and test sets, until every origin has been left out once."""
    origins = sorted({origin for origin, _ in examples})
    if len(origins) == 1:
        # motions made from one another share frames, so errors are measured on the first one only
        origin, whole = examples[0]
        cut = int((1.0 - KEPT_SHARE) * len(whole.features))
        first, last = (Examples(whole.features[part], whole.detail[part]) for part in (slice(cut), slice(cut, None)))
        return [([first], [(origin, last)])]
    parts = [set(origins[k::MOST_PARTS]) for k in range(min(len(origins), MOST_PARTS))]
    return [
        ([e for origin, e in examples if origin not in part], [(origin, e) for origin, e in examples if origin in part])
        for part in parts
    ]


def _all(parts: Sequence[Examples]) -> Examples:
    together = parts[0]
    for part in parts[1:]:
        together = together.joined(part)
    return together


def _fitted(
    network: Network,
    examples: Examples,
    areas: Float32,
    *,
    steps: int,
    seed: int,
    progress: Callable[[int, float], None],
) -> dict[str, Float32]:
    """Return the arrays of a model: weights in metres, and the standardisation of the features."""
    mean, size = examples.features.mean((0, 1, 2)), np.maximum(examples.features.std((0, 1, 2)), LEAST_SIZE)
    usual = examples.detail.mean(axis=0)
    off = examples.detail - usual
    scale = np.float32(max(np.sqrt((off**2).mean()), 1e-9))
    standard = ((examples.features - mean) / size).astype(np.float32)
    wanted = (off / scale).astype(np.float32)
    weights = fit(network, standard, wanted, areas, steps=steps, noise=NOISE, seed=seed, progress=progress)
    arrays = dict(zip(WEIGHTS, weights.arrays(), strict=True))
    arrays["patches"] = scale * weights.patches.reshape(-1, weights.patches.shape[2])
    arrays |= {"feature_mean": mean, "feature_size": size, "mean": usual.reshape(-1, 3)}
    return {name: float32(name, array) for name, array in arrays.items()}
