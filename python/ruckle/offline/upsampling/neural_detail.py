"""Neural detail: a small network over the grid of the coarse cloth adds detail that a matrix cannot express.

An option for garments both of whose meshes are grids; not of the paper. It is learnt by NumPy in a minute or two and
evaluated by the core in plain matrix products. The matrix gives a share of its own detail, because both err differently
on motions that were not learnt from. Squared errors favour flat detail here, too. So one gain for each row of the fine
grid raises the detail to nearly the energy that true detail has in such motions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Float32, float32
from ruckle.offline.upsampling.detail_network import Network, Weights, fit
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.locality import Locality
from ruckle.offline.upsampling.training import Penalties, Trainer
from ruckle.upsampling.grids import WIDTH, Grids, local_frames, read_features, standardised
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

# Factors by which shares may be lowered, in order of preference.
LOWERED = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)

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

    Motions that were made from one another, such as by mirroring, share an origin. Errors are measured on plain ones.
    """

    origin: str
    coarse: Float32
    fine: Float32
    fps: float
    plain: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Frames to learn from.

    Attributes
    ----------
    features : (F, rows, columns, 15) float32
    detail : (F, fine_rows, fine_columns, 3) float32, metres
        In the frames of the smooth base.
    coarse : (F, M, 3) float32, metres
    plain : bool
        False for variants of a motion, on which no error is measured.
    """

    features: Float32
    detail: Float32
    coarse: Float32
    plain: bool = True

    def joined(self, other: Examples) -> Examples:
        """Return both, one after the other."""
        return Examples(
            np.concatenate([self.features, other.features]),
            np.concatenate([self.detail, other.detail]),
            np.concatenate([self.coarse, other.coarse]),
        )

    def part(self, frames: slice) -> Examples:
        """Return some of the frames."""
        return Examples(self.features[frames], self.detail[frames], self.coarse[frames], self.plain)


@dataclass(frozen=True, slots=True)
class Unseen:
    """Motions that were not learnt from: products of the true detail, the matrix's and the network's.

    Attributes
    ----------
    products : (fine_rows, 3, 3) float64, m²
        Of the rows of the fine grid, summed over frames and weighted by area.
    frames : (F, 3, 3) float64, m²
        The same of the frames.
    linear : (F,) float64, m²
        Squared error of the linear map in each frame.
    """

    products: Float64
    frames: Float64
    linear: Float64

    @classmethod
    def of(cls, true: Float32, matrix: Float32, network: Float32, linear: Float32, areas: Float32) -> Unseen:
        """Return the products of details (F, rows, columns, 3), weighted by areas (rows, columns)."""
        given = np.stack([true, matrix, network])
        products = np.einsum("rc,afrcx,bfrcx->frab", areas, given, given, optimize=True).astype(np.float64)
        off = np.einsum("rc,frcx->f", areas, (true - linear) ** 2).astype(np.float64)
        return cls(products.sum(axis=0), products.sum(axis=1), off)

    @classmethod
    def sum(cls, parts: Iterable[Unseen]) -> Unseen:
        """Return all frames together."""
        given = list(parts)
        joined = (np.concatenate([getattr(part, name) for part in given]) for name in ("frames", "linear"))
        return cls(np.sum([part.products for part in given], axis=0), *joined)

    def shares(self) -> tuple[float, float]:
        """Return the shares of the matrix's and of the network's detail that together leave the least squared error.

        Both are below 1: either errs on motions that it was not learnt from, and their errors differ. They are lowered
        together if that makes frames better than the linear map that were worse.
        """
        whole = self.products.sum(axis=0)
        square, wanted = whole[1:, 1:], whole[1:, 0]
        # without detail, its share is 0
        found = np.linalg.solve(square + 1e-9 * (np.trace(square) + 1e-30) * np.eye(2), wanted)
        best = np.clip(found, 0.0, 1.0)
        lowered = [best * factor for factor in LOWERED]
        matrix, network = min(lowered, key=lambda shares: (self.errors(shares) > self.linear).sum()).tolist()
        return matrix, network

    def errors(self, shares: Sequence[float] | Float64) -> Float64:
        """Return the squared error of each frame with these shares, (F,) m²."""
        weights = np.array([1.0, -shares[0], -shares[1]])
        return np.asarray(np.einsum("a,fab,b->f", weights, self.frames, weights))

    def gains(self, shares: tuple[float, float]) -> Float32:
        """Return the factor of the network's share that gives each row `ENERGY` of the true energy, (rows,)."""
        weights = np.array([[0.0, shares[0], 0.0], [0.0, 0.0, shares[1]]])
        square = np.einsum("ka,rab,lb->rkl", weights, self.products, weights)
        base, both, own = square[:, 0, 0], square[:, 0, 1], np.maximum(square[:, 1, 1], 1e-20)
        # |base + gain own|² = ENERGY² |true|²
        root = np.maximum(both**2 - own * (base - ENERGY**2 * self.products[:, 0, 0]), 0.0)
        return float32("gains", np.clip((np.sqrt(root) - both) / own, 1.0, MOST_GAIN))

    def report(self, shares: tuple[float, float], gains: Float32) -> dict[str, float]:
        """Return what a model of these shares and gains leaves.

        The energy and the error of the found detail, both over the true detail, without and with gains; the error over
        that of the linear map; and the share of frames with a larger one.
        """
        errors = self.errors(shares)
        ratio = float(np.sqrt(max(errors.sum(), 0.0) / max(self.linear.sum(), 1e-300)))
        numbers = {"ratio": ratio, "worse_frames": float((errors > self.linear).mean())}
        true = self.products[:, 0, 0].sum()
        for suffix, gain in (("", np.ones(len(gains))), ("_gained", gains.astype(np.float64))):
            weights = np.stack([np.ones_like(gain), np.full_like(gain, -shares[0]), -shares[1] * gain], axis=1)
            left = np.einsum("ra,rab,rb->", weights, self.products, weights)
            weights[:, 0] = 0.0
            energy = np.einsum("ra,rab,rb->", weights, self.products, weights)
            numbers["energy" + suffix] = float(np.sqrt(max(energy, 0.0) / true))
            numbers["detail_left" + suffix] = float(np.sqrt(max(left, 0.0) / true))
        return numbers


def learn_detail(
    trainer: Trainer,
    model: UpsamplingModel,
    motions: Sequence[DetailMotion],
    *,
    penalties: Penalties | None = None,
    mirror: bool = False,
    steps: int = 500,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> UpsamplingModel:
    """Return a model whose matrix gives a part of the detail, and a network another.

    The model learns from everything. Before that, up to four more fits each leave out some of the origins, every origin
    once. Shares of matrix and network, gains, and errors of the report come from the origins left out, pooled, because
    motions differ in energy. With a single origin the matrix gives the smooth base alone.

    Parameters
    ----------
    trainer : Trainer
        Trainer of the garment with its motions; its prior is the base.
    model : UpsamplingModel
        A model of the trainer.
    motions : sequence of DetailMotion
    penalties : Locality or HarmonicPenalties, optional
        Penalties of the matrix; those of `Trainer.choose` when not given.
    mirror : bool
        Also learn from mirror images in the plane x = 0, of a garment that is its own.
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
    matrices = _Matrices(trainer, trainer.choose().penalties if penalties is None else penalties)
    base = matrices.base
    shown = [*motions, *_images(trainer.garment, motions)] if mirror else motions
    examples = [(motion.origin, examples_of(grids, base, garment.coarse_rest, motion)) for motion in shown]
    parted = splits(examples)
    areas = (trainer.harmonics.areas / trainer.harmonics.areas.mean()).astype(np.float32)
    weighting = areas.reshape(grids.fine_rows, grids.fine_columns)
    network = Network(grids)

    def tell(step: int, left: float) -> None:
        if progress is not None:
            progress(1.0 / ((len(parted) + 1) * steps))

    def learnt(parts: Sequence[Examples]) -> dict[str, Float32]:
        return _fitted(network, _all(parts), weighting, steps=steps, seed=seed, progress=tell)

    measured: dict[str, list[Unseen]] = {}
    for known, unseen in parted:
        arrays, change = learnt(known), matrices.change_without({origin for origin, _ in unseen})
        for origin, part in [one for one in unseen if one[1].plain] or unseen:
            few = part.coarse
            by_matrix = in_frames(grids, base, few, _product(change, few))
            by_network = evaluated(network, arrays, part.features)
            linear = in_frames(grids, base, few, garment.linear(few) - _smooth(base, few))
            measured.setdefault(origin, []).append(Unseen.of(part.detail, by_matrix, by_network, linear, weighting))
    pooled = {origin: Unseen.sum(parts) for origin, parts in measured.items()}
    whole = Unseen.sum(pooled.values())
    shares = whole.shares()
    gains = whole.gains(shares)
    numbers = [grids.rows, grids.columns, grids.fine_rows, grids.fine_columns, int(grids.closed)]
    arrays = learnt([part for _, part in examples])
    for name in ("patches", "mean"):
        arrays[name] = arrays[name] * np.float32(shares[1])
    arrays |= {"gains": gains, "grids": np.array(numbers, np.int32)}
    left_out = {origin: products.report(shares, gains) for origin, products in sorted(pooled.items())}
    neural = {"steps": steps, "matrix_share": shares[0], "network_share": shares[1], "left_out": left_out}
    operator = base + np.float32(shares[0]) * matrices.change_without(set())
    return replace(model, operator=operator, detail=arrays, report={**model.report, "neural": neural})


class _Matrices:
    """The matrix of the smooth base, and the changes of it that motions teach."""

    def __init__(self, trainer: Trainer, penalties: Penalties) -> None:
        self.trainer = trainer
        # shares replace the gain
        self.penalties = replace(penalties, gain=1.0) if isinstance(penalties, Locality) else penalties
        self.base = float32("base", trainer.learner.operator(trainer.learner.prior.rows))

    def change_without(self, origins: set[str]) -> Float32:
        """Return the change (N, M) that all motions but those of some origins teach; 0 without any motion."""
        known = [motion.statistics for motion in self.trainer.motions if motion.origin not in origins]
        if not known:
            return np.zeros_like(self.base)
        statistics = known[0]
        for other in known[1:]:
            statistics = statistics + other
        return float32("change", self.trainer.operator(self.penalties, statistics)) - self.base


def _images(garment: Garment, motions: Sequence[DetailMotion]) -> list[DetailMotion]:
    """Return the mirror images of motions in the plane x = 0."""
    few, many = garment.mirror_images()
    across = np.array([-1.0, 1.0, 1.0], np.float32)
    return [
        motion._replace(coarse=motion.coarse[:, few] * across, fine=motion.fine[:, many] * across, plain=False)
        for motion in motions
    ]


def examples_of(grids: Grids, base: Float32, rest: ArrayLike, motion: DetailMotion) -> Examples:
    """Return the training examples of a motion; `base` is the operator (N, M) of the smooth base."""
    coarse, fine = float32("coarse", motion.coarse), float32("fine", motion.fine)
    detail = in_frames(grids, base, coarse, fine - _smooth(base, coarse))
    features = read_features(grids, float32("rest", rest), coarse, 1.0 / motion.fps)
    return Examples(features, detail, coarse, motion.plain)


def in_frames(grids: Grids, base: Float32, coarse: Float32, offsets: Float32) -> Float32:
    """Return offsets (F, N, 3) in the frames of the smooth base, (F, fine_rows, fine_columns, 3) float32."""
    shape = (-1, grids.fine_rows, grids.fine_columns, 3)
    axes = local_frames(grids, _smooth(base, coarse).reshape(shape))
    return np.asarray(np.einsum("frcab,frca->frcb", axes, offsets.reshape(shape)), np.float32)


def _smooth(base: Float32, coarse: Float32) -> Float32:
    return np.asarray(_product(base, coarse) + coarse.mean(axis=1, keepdims=True))


def _product(matrix: Float32, coarse: Float32) -> Float32:
    """Return a matrix (N, M) times frames (F, M, 3) about their centers."""
    about = coarse - coarse.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("nm,fmx->fnx", matrix, about, optimize=True))


def evaluated(network: Network, arrays: dict[str, Float32], features: Float32) -> Float32:
    """Return the detail that arrays of a model give for features, metres, in the frames of the base; without gains."""
    patches = arrays["patches"].reshape(network.grids.fine_rows, 4 * WIDTH, -1)
    first, first_bias, second, second_bias = (arrays[name] for name in WEIGHTS[:4])
    weights = Weights(first, first_bias, second, second_bias, patches)
    given = standardised(features, arrays["feature_mean"], arrays["feature_size"])
    blocks = [network(weights, given[i : i + BLOCK]) for i in range(0, len(given), BLOCK)]
    return np.concatenate(blocks) + arrays["mean"].reshape(network.grids.fine_rows, network.grids.fine_columns, 3)


def splits(examples: Sequence[tuple[str, Examples]]) -> list[tuple[list[Examples], list[tuple[str, Examples]]]]:
    """Return training and test sets, until every origin has been left out once."""
    origins = sorted({origin for origin, _ in examples})
    if len(origins) == 1:
        # motions made from one another share frames, so errors are measured on the first one only
        origin, whole = examples[0]
        cut = int((1.0 - KEPT_SHARE) * len(whole.features))
        return [([whole.part(slice(cut))], [(origin, whole.part(slice(cut, None)))])]
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
    standard = standardised(examples.features, mean, size)
    wanted = (off / scale).astype(np.float32)
    weights = fit(network, standard, wanted, areas, steps=steps, noise=NOISE, seed=seed, progress=progress)
    arrays = dict(zip(WEIGHTS, weights.arrays(), strict=True))
    arrays["patches"] = scale * weights.patches.reshape(-1, weights.patches.shape[2])
    arrays |= {"feature_mean": mean, "feature_size": size, "mean": usual.reshape(-1, 3)}
    return {name: float32(name, array) for name, array in arrays.items()}
