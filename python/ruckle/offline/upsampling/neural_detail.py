"""Neural detail: a small network over the grid of the coarse cloth adds detail that a linear operator cannot express.

This is an option for garments whose meshes are both grids, and is not part of the paper. NumPy trains the network in
one to two minutes; the core evaluates it with matrix products. The operator still contributes a share of its own
detail, because network and operator have different errors on unseen motions. Squared errors favour flat detail.
Therefore one gain per row of the fine grid raises the detail to nearly the energy of true detail in unseen motions.
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

# Smallest divisor of a feature. Features are divided by their standard deviations, unless these are smaller.
LEAST_SIZE = 1e-3

# Fraction of the true energy to which gains raise the detail of unseen motions. It is below 1, because the final fit
# uses all motions and has 5 % more energy, motions differ by a similar amount, and errors grow steeply near 1.
ENERGY = 0.9

# Standard deviation of noise added to features in training, relative to the standard deviation of the features. The
# noise reduces errors on unseen motions.
NOISE = 0.4

# Largest gain, because larger gains would amplify noise.
MOST_GAIN = 3.0

# Factors by which both shares may be reduced. If several factors are equally good, the first is used.
LOWERED = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)

# Largest number of groups into which the origins of motions are divided for cross-validation.
MOST_PARTS = 4

# If all motions have the same origin, gains are measured on this fraction of the frames, which is excluded from
# training.
KEPT_SHARE = 1.0 / 3.0

# Names of the network's weights, in the order of `Weights`.
WEIGHTS = ("first", "first_bias", "second", "second_bias", "patches")

# Number of frames that are evaluated at once.
BLOCK = 64


class DetailMotion(NamedTuple):
    """One training motion: coarse (F, M, 3) and fine (F, N, 3) float32, metres, and its frames per second.

    Motions that were derived from one motion, for example by mirroring, have the same origin. Errors are measured only
    on plain motions, which were not derived.
    """

    origin: str
    coarse: Float32
    fine: Float32
    fps: float
    plain: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Frames for training or testing.

    Attributes
    ----------
    features : (F, rows, columns, 15) float32
    detail : (F, fine_rows, fine_columns, 3) float32, metres
        Detail in the local frames of the smooth base.
    coarse : (F, M, 3) float32, metres
    plain : bool
        False for derived motions, on which errors are not measured.
    """

    features: Float32
    detail: Float32
    coarse: Float32
    plain: bool = True

    def joined(self, other: Examples) -> Examples:
        """Return the frames of both objects."""
        return Examples(
            np.concatenate([self.features, other.features]),
            np.concatenate([self.detail, other.detail]),
            np.concatenate([self.coarse, other.coarse]),
        )

    def part(self, frames: slice) -> Examples:
        """Return the examples of some frames."""
        return Examples(self.features[frames], self.detail[frames], self.coarse[frames], self.plain)


@dataclass(frozen=True, slots=True)
class Unseen:
    """Products of true detail, operator detail and network detail in unseen motions.

    Attributes
    ----------
    products : (fine_rows, 3, 3) float64, m²
        Products of the details for each row of the fine grid, summed over frames and weighted by area.
    frames : (F, 3, 3) float64, m²
        The same products for each frame, summed over the rows.
    linear : (F,) float64, m²
        Squared error of linear interpolation in each frame.
    """

    products: Float64
    frames: Float64
    linear: Float64

    @classmethod
    def of(cls, true: Float32, matrix: Float32, network: Float32, linear: Float32, areas: Float32) -> Unseen:
        """Compute the products of details (F, rows, columns, 3), weighted by areas (rows, columns)."""
        given = np.stack([true, matrix, network])
        products = np.einsum("rc,afrcx,bfrcx->frab", areas, given, given, optimize=True).astype(np.float64)
        off = np.einsum("rc,frcx->f", areas, (true - linear) ** 2).astype(np.float64)
        return cls(products.sum(axis=0), products.sum(axis=1), off)

    @classmethod
    def sum(cls, parts: Iterable[Unseen]) -> Unseen:
        """Return the products of several motions as one object."""
        given = list(parts)
        joined = (np.concatenate([getattr(part, name) for part in given]) for name in ("frames", "linear"))
        return cls(np.sum([part.products for part in given], axis=0), *joined)

    def shares(self) -> tuple[float, float]:
        """Return the shares of operator detail and network detail that minimise the squared error of their sum.

        Both shares are usually below 1, because both details have errors on unseen motions, and these errors differ.
        The shares are reduced together if more frames then become better than linear interpolation.
        """
        whole = self.products.sum(axis=0)
        square, wanted = whole[1:, 1:], whole[1:, 0]
        # the added small number makes both shares 0 if there is no detail
        found = np.linalg.solve(square + 1e-9 * (np.trace(square) + 1e-30) * np.eye(2), wanted)
        best = np.clip(found, 0.0, 1.0)
        lowered = [best * factor for factor in LOWERED]
        matrix, network = min(lowered, key=lambda shares: (self.errors(shares) > self.linear).sum()).tolist()
        return matrix, network

    def errors(self, shares: Sequence[float] | Float64) -> Float64:
        """Return the squared error (F,) of each frame with given shares, m²."""
        weights = np.array([1.0, -shares[0], -shares[1]])
        return np.asarray(np.einsum("a,fab,b->f", weights, self.frames, weights))

    def gains(self, shares: tuple[float, float]) -> Float32:
        """Return gains (rows,) of the network detail, with which each row has the fraction `ENERGY` of true energy.

        The gains are limited to [1, `MOST_GAIN`].
        """
        weights = np.array([[0.0, shares[0], 0.0], [0.0, 0.0, shares[1]]])
        square = np.einsum("ka,rab,lb->rkl", weights, self.products, weights)
        base, both, own = square[:, 0, 0], square[:, 0, 1], np.maximum(square[:, 1, 1], 1e-20)
        # solve |base + gain own|² = ENERGY² |true|² for the gain
        root = np.maximum(both**2 - own * (base - ENERGY**2 * self.products[:, 0, 0]), 0.0)
        return float32("gains", np.clip((np.sqrt(root) - both) / own, 1.0, MOST_GAIN))

    def report(self, shares: tuple[float, float], gains: Float32) -> dict[str, float]:
        """Return error measures of a model with given shares and gains.

        These are energy and error of the detail relative to the true detail, with and without gains; the error relative
        to linear interpolation; and the fraction of frames that are worse than linear interpolation.
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
    """Return a model whose detail comes partly from the operator and partly from a network.

    The final fit trains on all motions. Before that, up to four fits each exclude some origins, so that every origin is
    excluded once. The shares of operator and network, the gains, and the errors in the report are computed from all
    excluded origins together. With a single origin, the operator contributes only the smooth base.

    Parameters
    ----------
    trainer : Trainer
        Trainer of the garment with the training motions; its prior is the smooth base.
    model : UpsamplingModel
        A model that the trainer has trained.
    motions : sequence of DetailMotion
    penalties : Locality or HarmonicPenalties, optional
        Penalties of the operator; default: the penalties of `Trainer.choose`.
    mirror : bool
        True also trains on mirror images in the plane x = 0; the garment must be symmetric.
    steps : int
        Steps of each fit. More steps fit more closely, but also fit noise.
    seed : int
    progress : function of the newly finished fraction of the work, optional

    Raises
    ------
    ValueError
        There are no motions, the garment's meshes are not grids, or `mirror` is True and it is not symmetric.
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
    """The operator of the smooth base, and its change from training motions."""

    def __init__(self, trainer: Trainer, penalties: Penalties) -> None:
        self.trainer = trainer
        # the gain of the penalties is not used, because the shares replace it
        self.penalties = replace(penalties, gain=1.0) if isinstance(penalties, Locality) else penalties
        self.base = float32("base", trainer.learner.operator(trainer.learner.prior.rows))

    def change_without(self, origins: set[str]) -> Float32:
        """Return the change (N, M) learned from all motions except those of some origins; 0 if there are none."""
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
    """Return offsets (F, N, 3) in local frames of the smooth base, (F, fine_rows, fine_columns, 3) float32."""
    shape = (-1, grids.fine_rows, grids.fine_columns, 3)
    axes = local_frames(grids, _smooth(base, coarse).reshape(shape))
    return np.asarray(np.einsum("frcab,frca->frcb", axes, offsets.reshape(shape)), np.float32)


def _smooth(base: Float32, coarse: Float32) -> Float32:
    return np.asarray(_product(base, coarse) + coarse.mean(axis=1, keepdims=True))


def _product(matrix: Float32, coarse: Float32) -> Float32:
    """Return matrix (N, M) times frames (F, M, 3), whose positions are relative to the centre of each frame."""
    about = coarse - coarse.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("nm,fmx->fnx", matrix, about, optimize=True))


def evaluated(network: Network, arrays: dict[str, Float32], features: Float32) -> Float32:
    """Return the detail that a model's arrays compute from features, in local frames of the base, without gains."""
    patches = arrays["patches"].reshape(network.grids.fine_rows, 4 * WIDTH, -1)
    first, first_bias, second, second_bias = (arrays[name] for name in WEIGHTS[:4])
    weights = Weights(first, first_bias, second, second_bias, patches)
    given = standardised(features, arrays["feature_mean"], arrays["feature_size"])
    blocks = [network(weights, given[i : i + BLOCK]) for i in range(0, len(given), BLOCK)]
    return np.concatenate(blocks) + arrays["mean"].reshape(network.grids.fine_rows, network.grids.fine_columns, 3)


def splits(examples: Sequence[tuple[str, Examples]]) -> list[tuple[list[Examples], list[tuple[str, Examples]]]]:
    """Return pairs of training and test sets, so that every origin is excluded from training once.

    With a single origin, the only pair is the beginning and the last third (`KEPT_SHARE`) of the first motion.
    """
    origins = sorted({origin for origin, _ in examples})
    if len(origins) == 1:
        # derived motions share frames with the original, so errors are measured only on the first motion
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
    """Train the network on examples. Return the arrays of a model: weights in metres, mean and size of features.

    Errors are weighted by `areas` (fine_rows, fine_columns). `progress` is called after each step, see `fit`.
    """
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
