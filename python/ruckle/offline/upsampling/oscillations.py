"""Oscillations of cloth that a linear operator cannot represent: pairs of shapes, each pair with one frequency.

D (N, F) is the difference of fine frames from U p_c along the normals. A pair of shapes E (N, 2) and a frequency ω
approximate D ≈ E (sin ωt, cos ωt). Every vertex has its own height and phase, so waves can travel (Kavan et al. 2011,
section 5). For a given ω, E is computed by least squares.

**Departs from the paper:** the paper computes ω from autocorrelation and regression. We choose the ω with the largest
least-squares reduction near the highest peak of the periodogram. A pair is kept only if it reduces the error on frames
outside the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import positive_number, whole_number
from ruckle.arrays import float32
from ruckle.mesh.geometry import vertex_normals
from ruckle.upsampling.model import UpsamplingModel

__all__ = ["Oscillation", "fit_oscillations", "normal_residual", "with_oscillations"]

Float64 = NDArray[np.float64]

# Smallest number of frames and of periods for a fit. Fewer frames do not define a frequency, and fewer periods do not
# show that the motion repeats.
LEAST_FRAMES, LEAST_PERIODS = 8, 2.0

# Factor of zero padding before the periodogram, so that peaks are located to an eighth of their width.
PADDING = 8

# Fraction of the frames to which pairs are fitted. A pair must reduce the error in the remaining frames.
FITTED_SHARE = 2.0 / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Oscillation:
    """A pair of shapes that oscillates with one frequency.

    Attributes
    ----------
    frequency : float, Hz
    shapes : (N, 2) float64, metres
        Displacements along the normals that are multiplied by sin ωt and by cos ωt; t is the time since frame 0.
    """

    frequency: float
    shapes: Float64

    def at(self, times: ArrayLike) -> Float64:
        """Return displacements (F, N) along the normals at times (F,), metres and seconds."""
        return _waves(self.frequency, np.asarray(times, np.float64)) @ self.shapes.T


def normal_residual(model: UpsamplingModel, coarse: ArrayLike, fine: ArrayLike) -> Float64:
    """Return the difference D, (F, N) float64, of fine frames from the operator's result along the normals, metres.

    Parameters
    ----------
    model : UpsamplingModel
    coarse : (F, M, 3) float, metres
    fine : (F, N, 3) float, metres
    """
    few, many = float32("coarse", coarse), float32("fine", fine)
    residual = np.empty(many.shape[:2])
    for frame, (positions, true) in enumerate(zip(few, many, strict=True)):
        center = positions.mean(axis=0)
        found = model.operator @ (positions - center) + center
        residual[frame] = ((true - found) * vertex_normals(found, model.fine_faces)).sum(axis=1)
    return residual


def fit_oscillations(residual: ArrayLike, fps: float, *, pairs: int = 1) -> list[Oscillation]:
    """Return the pairs of shapes that explain most of the residual and reduce the error on later frames.

    Pairs are fitted one after another to the first two thirds of the frames. Fitting stops if a pair does not improve
    the last third.

    Parameters
    ----------
    residual : (F, N) float, metres
        D as returned by `normal_residual`.
    fps : float
        Frames per second.
    pairs : int, in [1, 16]
        Maximum number of pairs.

    Returns
    -------
    list of Oscillation
        The list is empty if the residual is not periodic.

    Raises
    ------
    ValueError
        There are fewer than 8 frames, or a number is out of range.
    """
    found = np.asarray(residual, np.float64)
    rate, most = positive_number("fps", fps), whole_number("pairs", pairs, 1, 16)
    if found.ndim != 2 or len(found) < LEAST_FRAMES:
        raise ValueError(f"residual: expected an array (F, N) of at least {LEAST_FRAMES} frames, got {found.shape}")
    times, fitted = np.arange(len(found)) / rate, int(FITTED_SHARE * len(found))
    early, late = found[:fitted].copy(), found[fitted:].copy()
    kept: list[Oscillation] = []
    for _ in range(most):
        pair = _strongest(early, rate)
        left = late - pair.at(times[fitted:])
        if not (left**2).sum() < (late**2).sum():
            break
        early -= pair.at(times[:fitted])
        late = left
        kept.append(pair)
    return kept


def with_oscillations(model: UpsamplingModel, oscillations: Sequence[Oscillation]) -> UpsamplingModel:
    """Return a copy of the model with the given oscillations instead of its own."""
    shapes = [shape for one in oscillations for shape in one.shapes.T]
    return replace(
        model,
        oscillation_shapes=np.array(shapes, np.float32).reshape(-1, model.fine_count),
        frequencies=np.array([one.frequency for one in oscillations], np.float32),
    )


def _strongest(residual: Float64, fps: float) -> Oscillation:
    """Return the pair whose least-squares fit reduces the residual (F, N) most."""
    count = len(residual)
    times = np.arange(count) / fps
    # the (F, F) products of frames contain all information, and are small, because there are far more vertices than
    # frames
    values, vectors = np.linalg.eigh(residual @ residual.T)
    series = vectors * np.sqrt(np.maximum(values, 0.0))

    def removed(frequency: float) -> float:
        basis, _ = np.linalg.qr(_waves(frequency, times))
        return float(((basis.T @ series) ** 2).sum())

    power = (np.abs(np.fft.rfft(series, PADDING * count, axis=0)) ** 2).sum(axis=1)
    hertz = np.fft.rfftfreq(PADDING * count, 1.0 / fps)
    power[hertz < LEAST_PERIODS * fps / count] = 0.0
    best, step = float(hertz[power.argmax()]), float(hertz[1])
    for _ in range(40):
        best = max((max(best - step, 0.5 * hertz[1]), best, best + step), key=removed)
        step *= 0.6
    shapes = np.linalg.lstsq(_waves(best, times), residual, rcond=None)[0].T
    return Oscillation(best, np.asarray(shapes, np.float64))


def _waves(frequency: float, times: Float64) -> Float64:
    """Return sin ωt and cos ωt as an array (F, 2)."""
    phases = 2.0 * np.pi * frequency * times
    return np.stack([np.sin(phases), np.cos(phases)], axis=1)
