"""Neural detail: a small network over the grid of the coarse cloth adds, on a smooth base, what no matrix can know.

An option for garments both of whose meshes are grids; not of the paper. It is learnt by NumPy in a minute or two and
evaluated by the core in plain matrix products. Squared errors reward flat cloth here, too: gains, one for each row of
the fine grid, give the detail back the energy that it has in motions which were not learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ruckle.arrays import Float32, float32
from ruckle.upsampling.detail_network import Network, Weights, fit
from ruckle.upsampling.grids import WIDTH, Grids, local_frames, read_features
from ruckle.upsampling.model import UpsamplingModel
from ruckle.upsampling.training import Trainer

__all__ = ["DetailMotion", "learn_detail"]

# Features that hardly vary count as if they varied by this.
LEAST_SIZE = 1e-3

# Gains beyond this would raise noise.
MOST_GAIN = 3.0

# Where there is one motion alone, this share of its frames is kept to measure gains.
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


def learn_detail(
    trainer: Trainer,
    model: UpsamplingModel,
    motions: Sequence[DetailMotion],
    *,
    steps: int = 1200,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> UpsamplingModel:
    """Return a model whose matrix gives a smooth base, and a network the detail.

    Learnt twice: without the last origin, on which the gains and the error are measured, and then from everything.

    Parameters
    ----------
    trainer : Trainer
        Of the garment; its prior is the base.
    model : UpsamplingModel
        What it has learnt.
    motions : sequence of DetailMotion
    steps : int
        Of either fit; more of them fit closer, also what does not repeat.
    seed : int
    progress : function of the share of the work that was done, optional

    Raises
    ------
    ValueError
        No motion, or a garment whose meshes are no grids.
    """
    if not motions:
        raise ValueError("motions: expected at least one to learn from, got none")
    garment = trainer.garment
    grids = Grids.of(garment.coarse_faces, garment.coarse_count, garment.fine_faces, garment.fine_count)
    base = float32("base", trainer.learner.operator(trainer.learner.prior.rows))
    examples = [(motion.origin, examples_of(grids, base, garment.coarse_rest, motion)) for motion in motions]
    last = sorted({motion.origin for motion in motions})[-1]
    known = [part for origin, part in examples if origin != last]
    unseen = [part for origin, part in examples if origin == last]
    if not known:
        cut = int((1.0 - KEPT_SHARE) * len(unseen[0].features))
        known = [Examples(unseen[0].features[:cut], unseen[0].detail[:cut])]
        unseen = [Examples(unseen[0].features[cut:], unseen[0].detail[cut:])]
    areas = (trainer.harmonics.areas / trainer.harmonics.areas.mean()).astype(np.float32)
    weighting = areas.reshape(grids.fine_rows, grids.fine_columns)
    network = Network(grids)

    def learnt(parts: Sequence[Examples]) -> dict[str, Float32]:
        return _fitted(network, _all(parts), weighting, steps=steps, seed=seed, progress=progress)

    first = learnt(known)
    true, found = _all(unseen).detail, evaluated(network, first, _all(unseen).features)
    energies = [np.einsum("rc,frcx->r", weighting, detail**2, optimize=True) for detail in (true, found)]
    gains = np.clip(np.sqrt(energies[0] / np.maximum(energies[1], 1e-20)), 1.0, MOST_GAIN).astype(np.float32)
    left = np.einsum("rc,frcx->", weighting, (true - found) ** 2, optimize=True) / energies[0].sum()
    arrays = learnt([part for _, part in examples]) | {"gains": gains}
    numbers = [grids.rows, grids.columns, grids.fine_rows, grids.fine_columns, int(grids.closed)]
    arrays["grids"] = np.array(numbers, np.int32)
    report = {**model.report, "neural": {"origin_left_out": last, "detail_left": float(np.sqrt(left)), "steps": steps}}
    return replace(model, operator=base, detail=arrays, report=report)


def examples_of(grids: Grids, base: Float32, rest: ArrayLike, motion: DetailMotion) -> Examples:
    """Return what the network learns from a motion: base is the operator (N, M) of the smooth base."""
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


def _all(parts: Sequence[Examples]) -> Examples:
    together = parts[0]
    for part in parts[1:]:
        together = together.joined(part)
    return together


def _fitted(
    network: Network, examples: Examples, areas: Float32, *, steps: int, seed: int, progress: Any
) -> dict[str, Float32]:
    """Return the arrays of a model: weights in metres, and what features are standardised by."""
    mean, size = examples.features.mean((0, 1, 2)), np.maximum(examples.features.std((0, 1, 2)), LEAST_SIZE)
    usual = examples.detail.mean(axis=0)
    off = examples.detail - usual
    scale = np.float32(max(np.sqrt((off**2).mean()), 1e-9))
    standard = ((examples.features - mean) / size).astype(np.float32)
    tell = None if progress is None else (lambda step, left: progress(0.5 / steps))
    weights = fit(network, standard, (off / scale).astype(np.float32), areas, steps=steps, seed=seed, progress=tell)
    arrays = dict(zip(WEIGHTS, weights.arrays(), strict=True))
    arrays["patches"] = scale * weights.patches.reshape(-1, weights.patches.shape[2])
    arrays |= {"feature_mean": mean, "feature_size": size, "mean": usual.reshape(-1, 3)}
    return {name: float32(name, array) for name, array in arrays.items()}
