"""Training of a garment's operator from motions that were simulated twice, on the coarse and on the fine mesh."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance, mistyped, number, whole_number
from ruckle.arrays import Float32, float32
from ruckle.offline.simulation.pair import TrainingPair, load_pair
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.harmonics import Harmonics
from ruckle.offline.upsampling.learn import HarmonicPenalties, Learner, PriorName, prior_of
from ruckle.offline.upsampling.locality import Locality, LocalLearner, LocalSolver
from ruckle.offline.upsampling.statistics import Fit, TrainingStatistics
from ruckle.upsampling.model import UpsamplingModel

__all__ = ["Penalties", "Trainer", "TrainingMotion", "train"]

Float64 = NDArray[np.float64]

Penalties = Locality | HarmonicPenalties

# Default number of harmonics per coarse vertex. These harmonics represent all but the finest fifth of the detail.
HARMONICS_PER_VERTEX = 5

# Candidate penalties, of which those with the least error on excluded motions are chosen: penalties by distance, and
# penalties of harmonics for the prior "none". More of the latter reduce a skirt's error by at most 1 %.
STRENGTHS, REACHES = (0.001, 0.003, 0.01), (0.3, 0.4, 0.6)
HARMONIC_PENALTIES = [
    HarmonicPenalties(low, high, c) for low, high, c in product((0.003, 0.01, 0.03, 0.1), (3.0, 10.0, 30.0), (2.0, 4.0))
]

# For the prior "none", `detail` = 0 multiplies penalties by 10 to this power, and `detail` = 1 divides by the same
# factor.
DETAIL_DECADES = 2.0

# With all other priors, `detail` = 1 multiplies the operator's detail by a gain, so that it has this fraction of the
# true energy in excluded motions. For a given energy, one gain for all harmonics adds the least squared error. Smaller
# penalties with the same energy predict unseen motions less well. Separate gains for bands of harmonics turn out equal.
RICH_ENERGY, MOST_GAIN = 0.8, 4.0

# Largest difference between coarse and fine cloth in the tracked harmonics, relative to the size of the garment.
MOST_MISALIGNMENT = 0.05

# There are too few motions if the smaller half of the eigenvalues of the Gram matrix has less than this fraction of
# their sum: coarse vertices then move in less than half of all possible ways.
LEAST_VARIETY = 1e-9


class TrainingMotion(NamedTuple):
    """One training motion.

    Attributes
    ----------
    name : str
    statistics : TrainingStatistics
    origin : str
        Name of the original motion from which this one was derived, for example by mirroring. Motions of one origin are
        excluded together.
    plain : bool
        True for an original motion, false for a derived one.
    """

    name: str
    statistics: TrainingStatistics
    origin: str
    plain: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Penalties, with their errors on motions that were excluded from training.

    Attributes
    ----------
    penalties : Locality or HarmonicPenalties
    errors, linear_errors : tuple of float, metres
        Root mean square error over the surface for each origin, of the operator and of the linear map.
    """

    penalties: Penalties
    errors: tuple[float, ...]
    linear_errors: tuple[float, ...]

    def mean_square(self) -> float:
        """Return the mean of the squared errors, m²."""
        return float(np.mean(np.square(self.errors)))


class Trainer:
    """Collects the motions of one garment and trains operators; one solve takes a tenth of a second.

    This class requires scipy (extra `ruckle[train]`).

    Parameters
    ----------
    garment : Garment
    prior : {"smooth", "linear", "loop", "none"}
        The operator without training data; see `ruckle.offline.upsampling.learn.prior_of`.
    tests : int
        Number of harmonics in which the fine cloth tracked the coarse cloth.
    harmonics : Harmonics or int, optional
        Harmonics of the fine mesh, or their number; default: 5 per coarse vertex.
    cache : path, optional
        Folder in which computed harmonics are stored for later use.

    Examples
    --------
    >>> trainer = Trainer(garment)  # doctest: +SKIP
    >>> for name, coarse, fine in motions:  # doctest: +SKIP
    ...     trainer.add(name, coarse, fine)
    >>> trainer.train().save("skirt.upsampling.npz")  # doctest: +SKIP
    """

    def __init__(
        self,
        garment: Garment,
        *,
        prior: PriorName = "smooth",
        tests: int = 60,
        harmonics: Harmonics | int | None = None,
        cache: str | Path | None = None,
    ) -> None:
        self.garment = instance("garment", garment, Garment)
        if not isinstance(harmonics, Harmonics):
            usual = min(garment.fine_count, HARMONICS_PER_VERTEX * garment.coarse_count)
            count = usual if harmonics is None else harmonics
            harmonics = Harmonics.of(garment.fine_rest, garment.fine_faces, count, cache=cache)
        self.harmonics = harmonics
        self.prior = prior
        self.tests = whole_number("tests", tests, 0)
        self.learner = Learner(harmonics, prior_of(prior, garment, harmonics, exact=self.tests))
        self.motions: list[TrainingMotion] = []

    @classmethod
    def of_pairs(
        cls, pairs: Iterable[TrainingPair], *, prior: PriorName = "smooth", cache: str | Path | None = None
    ) -> Trainer:
        """Return a trainer with simulated pairs of one garment, one pair per motion; see `train`."""
        if not isinstance(pairs, Iterable):
            raise mistyped("pairs", "several pairs to learn from, one for each motion", pairs)
        trainer: Trainer | None = None
        for pair in pairs:
            if trainer is None:
                trainer = cls(Garment.of(pair), prior=prior, tests=max(pair.report.tests, 1), cache=cache)
            trainer.add_pair(pair)
        if trainer is None:
            raise ValueError("pairs: expected at least one to learn from, got none")
        return trainer

    def add(
        self, name: str, coarse: ArrayLike, fine: ArrayLike, *, origin: str | None = None, plain: bool = True
    ) -> TrainingMotion:
        """Add a training motion.

        Parameters
        ----------
        name : str
        coarse : (F, M, 3) float, metres
        fine : (F, N, 3) float, metres
            The same frames of the fine cloth, which must track the coarse cloth.
        origin : str, optional
            Name of the original motion from which this one was derived; default: `name`.
        plain : bool
            True for an original motion; errors are measured only on original motions.

        Raises
        ------
        ValueError
            Arrays have wrong shapes, there are fewer than 2 frames, numbers are not finite, or the fine cloth does not
            track the coarse cloth.
        """
        few, many = float32("coarse", coarse), float32("fine", fine)
        statistics = self.statistics(few, many)
        apart = self.misalignment(few, many)
        frame, allowed = int(apart.argmax()), MOST_MISALIGNMENT * self.garment.size
        if apart[frame] > allowed:
            raise ValueError(
                f"{name}: coarse and fine cloth are not aligned: frame {frame} differs by {apart[frame]:.2g} m, "
                f"allowed are {allowed:.2g} m; does the fine cloth track the coarse cloth in every frame?"
            )
        return self.add_statistics(name, statistics, origin=origin, plain=plain)

    def add_pair(self, pair: TrainingPair) -> TrainingMotion:
        """Add a simulated pair; see `add`. ValueError if it is of another garment."""
        self.garment.require_same(Garment.of(pair), pair.name)
        origin, plain = pair.report.motion or pair.name, pair.report.variant in ("", "plain")
        return self.add(pair.name, pair.coarse.positions, pair.fine.positions, origin=origin, plain=plain)

    def add_folders(self, folders: Sequence[Path], executor: Submitter) -> None:
        """Add pairs that other processes read: each gets a copy of this trainer and returns statistics only.

        Parameters
        ----------
        folders : sequence of path
            Folders written by `TrainingPair.save`, which must be readable for the workers.
        executor : object with `submit(function, *arguments)`
            A process pool or a Dask client. The result has the same bits for any number of workers.
        """
        blank = copy(self)
        blank.motions = []
        blank._forget()
        futures = [executor.submit(learn_folder, blank, folder) for folder in folders]
        for future in futures:
            name, statistics, origin, plain = future.result()
            self.add_statistics(name, statistics, origin=origin, plain=plain)

    def add_statistics(
        self, name: str, statistics: TrainingStatistics, *, origin: str | None = None, plain: bool = True
    ) -> TrainingMotion:
        """Add a motion from statistics that another machine may have computed; see `add`."""
        motion = TrainingMotion(name, instance("statistics", statistics, TrainingStatistics), origin or name, plain)
        self.motions.append(motion)
        self._forget()
        return motion

    def add_mirror_images(self) -> None:
        """Add the mirror image of every motion in the plane x = 0, for a symmetric garment.

        The images are computed from statistics, without frames. An image has the origin of its motion.

        Raises
        ------
        ValueError
            The garment is not symmetric at rest.
        """
        few, many = self.garment.mirror_images()
        turned = self.harmonics.project(self.harmonics.vectors[many])
        for name, seen, origin, _ in list(self.motions):
            # Energies are not changed: errors are not measured on images, and mirroring mixes almost only harmonics of
            # equal eigenvalue.
            image = replace(seen, gram=seen.gram[np.ix_(few, few)], cross=turned @ seen.cross[:, few])
            self.add_statistics(f"{name} in the mirror", image, origin=origin, plain=False)

    def _forget(self) -> None:
        """Delete cached results that depend on the motions."""
        for known in ("total", "_local_solver", "_last_change", "_known_fits"):
            vars(self).pop(known, None)

    def statistics(self, coarse: ArrayLike, fine: ArrayLike) -> TrainingStatistics:
        """Return the statistics of a motion, in the same way as `add`.

        Raise ValueError for a wrong number of vertices.
        """
        few = float32("coarse", coarse)
        if few.ndim == 3 and few.shape[1] != self.garment.coarse_count:
            raise ValueError(
                f"coarse: expected {self.garment.coarse_count} vertices, as the garment has, got {few.shape[1]}"
            )
        return TrainingStatistics.of(few, fine, self.harmonics)

    def misalignment(self, coarse: Float32, fine: Float32) -> Float64:
        """Return the root mean square deviation (F,) of each frame in the tracked harmonics, metres."""
        vectors, areas = self.harmonics.vectors[:, : max(self.tests, 1)], self.harmonics.areas
        off = fine - self.garment.linear(coarse)
        moments = np.einsum("nr,fnx->frx", vectors * areas[:, None], off, optimize=True)
        return np.asarray(np.linalg.norm(moments, axis=(1, 2)) / np.sqrt(areas.sum()))

    @cached_property
    def total(self) -> TrainingStatistics:
        """Statistics of all motions, added in the order of their names, so that every order gives the same bits."""
        if not self.motions:
            raise ValueError("motions: expected at least one to learn from, got none")
        return _sum(motion.statistics for motion in sorted(self.motions, key=lambda motion: motion.name))

    @cached_property
    def local(self) -> LocalLearner:
        """Learner with penalties by distance.

        In tracked harmonics, its operators equal the linear map if the prior is "smooth" or "linear".
        """
        return LocalLearner(self.garment, self.learner, exact=self.tests if self.prior in ("smooth", "linear") else 0)

    def operator(
        self, penalties: Penalties, statistics: TrainingStatistics | None = None, *, detail: float = 0.5
    ) -> Float64:
        """Return the operator U (N, M) learned from `statistics`, by default from all motions.

        If only `detail` differs from the last call, no equations are solved.

        Parameters
        ----------
        penalties : Locality or HarmonicPenalties
        statistics : TrainingStatistics, optional
        detail : float, in [0, 1]
            0 is smooth, 1 is rich; see `train`.
        """
        used, gain = self._solved_with(penalties, detail), self.gain(penalties, detail)
        change = self._change(used, statistics)
        added = gain * change
        # the gain must not change tracked harmonics
        if gain != 1.0 and (isinstance(used, HarmonicPenalties) or self.local.exact < self.tests):
            added += (1.0 - gain) * self.harmonics.lowest(change, self.tests)
        return self.learner.raised(added)

    def rows(
        self, penalties: Penalties, statistics: TrainingStatistics | None = None, *, detail: float = 0.5
    ) -> Float64:
        """Return the operator in harmonics, (K, M), m; see `operator`.

        This suffices for errors and energies: `TrainingStatistics.error`, `TrainingStatistics.fit`.
        """
        used, gain = self._solved_with(penalties, detail), self.gain(penalties, detail)
        rows = self._solver(self.total if statistics is None else statistics)(used)
        base = self._base(rows)
        return base + gain * (rows - base)

    def _base(self, rows: Float64) -> Float64:
        """Return the rows that remain with gain 0: the operator's in tracked harmonics, the prior's in all others."""
        return np.concatenate([rows[: self.tests], self.learner.prior.rows[self.tests :]])

    def _solver(self, statistics: TrainingStatistics) -> Callable[[Penalties], Float64]:
        """Return a solver for Û (K, M) with either kind of penalties; shared work is done only once."""
        local, of_harmonics = cache(self.local.solver), cache(self.learner.solver)

        def solve(penalties: Penalties) -> Float64:
            if isinstance(penalties, Locality):
                return local(statistics)(penalties)
            return of_harmonics(statistics)(penalties.penalties(self.harmonics.count, len(self.harmonics.areas)))

        return solve

    @cached_property
    def _local_solver(self) -> LocalSolver:
        return self.local.solver(self.total)

    @cached_property
    def _last_change(self) -> dict[Penalties, Float64]:
        return {}

    def _change(self, penalties: Penalties, statistics: TrainingStatistics | None = None) -> Float64:
        """Return the operator's change relative to the prior at the fine vertices, (N, M).

        The array must not be modified.
        """
        if statistics is None and penalties in self._last_change:
            return self._last_change[penalties]
        if isinstance(penalties, Locality):
            change = (self._local_solver if statistics is None else self.local.solver(statistics)).change(penalties)
        else:
            rows = self._solver(self.total if statistics is None else statistics)(penalties)
            change = self.harmonics.vectors @ (rows - self.learner.prior.rows)
        if statistics is None:
            self._last_change.clear()
            self._last_change[penalties] = change
        return change

    def gain(self, penalties: Penalties, detail: float) -> float:
        """Return the gain of the change relative to the prior for a value of `detail`; see `train`.

        The gain is 1 for the prior "none". Otherwise it is linear in `detail` between three values: 0 at 0, the gain of
        the penalties at 0.5, and at 1 the gain (at least that of the penalties, at most `MOST_GAIN`) with which the
        detail has the fraction `RICH_ENERGY` of the true energy in excluded motions.
        """
        share = _share(detail)
        plain, usual = _apart(penalties)
        if self.prior == "none":
            return 1.0
        if share <= 0.5:
            return 2.0 * share * usual
        energy = float(np.mean([fit.energy() for fit in self._fits([plain])[0]]))
        rich = float(np.clip(RICH_ENERGY / max(energy, 1e-9), usual, MOST_GAIN))
        return usual + (2.0 * share - 1.0) * (rich - usual)

    def _solved_with(self, penalties: Penalties, detail: float) -> Penalties:
        """Return the penalties for the solve; `detail` changes them only for the prior "none"."""
        share, plain = _share(detail), _apart(penalties)[0]
        return plain.scaled(10.0 ** (DETAIL_DECADES * (1.0 - 2.0 * share))) if self.prior == "none" else plain

    def fit(self, penalties: Penalties, statistics: TrainingStatistics) -> Fit:
        """Return the fit of the change relative to the prior, learned from all motions with gain 1, to a motion."""
        rows = self.learner.prior.rows + self.harmonics.project(self._change(_apart(penalties)[0]))
        return statistics.fit(rows, self._base(rows), self._area)

    @cached_property
    def _known_fits(self) -> dict[Penalties, list[Fit]]:
        return {}

    def _fits(self, candidates: Sequence[Penalties]) -> list[list[Fit]]:
        """Return the fits of operators to motions that were excluded from training, one origin at a time.

        One list per candidate, with one fit per origin (see `_folds`), computed from statistics. With a single origin,
        the fit is to the training motions.
        """
        known, folds = self._known_fits, self._folds()
        unknown: dict[Penalties, list[Fit]] = {penalties: [] for penalties in candidates if penalties not in known}
        for fold, held in folds:
            solve = self._solver(self.total - fold if len(folds) > 1 else self.total)
            for penalties, fits in unknown.items():
                rows = solve(penalties)
                fits.append(held.fit(rows, self._base(rows), self._area))
        known.update(unknown)
        return [known[penalties] for penalties in candidates]

    def _folds(self) -> list[tuple[TrainingStatistics, TrainingStatistics]]:
        """Return for each origin the statistics of all its motions, and of its plain motions (of all if none is)."""
        folds = []
        for origin in sorted({motion.origin for motion in self.motions}):
            made = [motion for motion in self.motions if motion.origin == origin]
            plain = [motion for motion in made if motion.plain] or made
            folds.append((_sum(m.statistics for m in made), _sum(m.statistics for m in plain)))
        return folds

    def choose(self, candidates: Sequence[Penalties] | None = None) -> Choice:
        """Return the penalties with the least error on excluded motions, excluding one origin at a time.

        A `Locality` is returned with the gain that minimises this error. If all motions have one origin, the default
        penalties are returned, without errors of operators.

        Parameters
        ----------
        candidates : sequence of Locality or HarmonicPenalties, optional
            Candidates; default: five localities, or 24 profiles for the prior "none".
        """
        linear = self.harmonics.project(self.garment.linear_map.toarray())
        linear_errors = tuple(held.error(linear, self._area) for _, held in self._folds())
        if len(linear_errors) < 2:
            return Choice(HarmonicPenalties() if self.prior == "none" else Locality(), (), linear_errors)

        def best(those: Iterable[Penalties]) -> Choice:
            plain = [_apart(penalties)[0] for penalties in those]
            found = (self._choice(*each, linear_errors) for each in zip(plain, self._fits(plain), strict=True))
            return min(found, key=Choice.mean_square)

        if candidates is not None or self.prior == "none":
            return best(HARMONIC_PENALTIES if candidates is None else candidates)
        # errors change slowly with both parameters, so the parameters are chosen one after the other
        middle = best(Locality(strength, REACHES[1]) for strength in STRENGTHS).penalties
        assert isinstance(middle, Locality)
        return best(replace(middle, reach=reach) for reach in REACHES)

    def _choice(self, penalties: Penalties, fits: Sequence[Fit], linear_errors: tuple[float, ...]) -> Choice:
        gain = 1.0
        if isinstance(penalties, Locality) and self.prior != "none":
            gain = sum(fit.common for fit in fits) / max(sum(fit.found for fit in fits), 1e-300)
            # three digits are enough, because further digits do not change the error
            gain = round(float(np.clip(gain, 0.0, MOST_GAIN)), 3)
            penalties = replace(penalties, gain=gain)
        return Choice(penalties, tuple(fit.error(gain) for fit in fits), linear_errors)

    def train(self, *, penalties: Penalties | None = None, detail: float = 0.5) -> UpsamplingModel:
        """Train an operator on all motions.

        Parameters
        ----------
        penalties : Locality or HarmonicPenalties, optional
            Penalties by distance or of harmonics; default: the penalties of `choose`.
        detail : float, in [0, 1]
            0 to 1 is smooth to rich. The value scales the change relative to the prior. 0 returns the prior. 0.5
            minimises squared errors, and looks smoother than real cloth. With 1, the detail has 0.8 of the true energy
            in excluded motions. For the prior "none", the value changes penalties instead, by up to two decades.

        Returns
        -------
        UpsamplingModel

        Raises
        ------
        ValueError
            There are no motions, or a number is out of range.

        Warns
        -----
        UserWarning
            There are fewer frames than coarse vertices, or the motions are too similar.
        """
        share = _share(detail)
        self._warn_of_little()
        chosen = self.choose() if penalties is None else Choice(penalties, (), ())
        used, gain = self._solved_with(chosen.penalties, share), self.gain(chosen.penalties, share)
        operator, garment = self.operator(chosen.penalties, detail=share), self.garment
        report = self._report(used, chosen, self.harmonics.project(operator))
        return UpsamplingModel(
            operator=float32("operator", operator),
            coarse_faces=garment.coarse_faces,
            fine_faces=garment.fine_faces,
            coarse_rest=garment.coarse_rest,
            fine_rest=garment.fine_rest,
            holders=garment.holders,
            barycentric=garment.barycentric,
            attachment=garment.attachment,
            oscillation_shapes=np.zeros((0, garment.fine_count), np.float32),
            frequencies=np.zeros(0, np.float32),
            covariance=float32("covariance", self.total.gram / (3 * self.total.frames)),
            report={**report, "detail": share, "detail_gain": gain},
        )

    def _report(self, penalties: Penalties, chosen: Choice, rows: Float64) -> dict[str, Any]:
        training = {m.name: m.statistics.error(rows, self._area) for m in self.motions}
        return {
            "prior": self.prior,
            **_numbers(penalties),
            "tests": self.tests,
            "harmonics": self.harmonics.count,
            "origins": sorted({motion.origin for motion in self.motions}),
            "motions": [{"name": m.name, "origin": m.origin, "frames": m.statistics.frames} for m in self.motions],
            "training_errors_m": training,
            "held_out_errors_m": list(chosen.errors),
            "linear_errors_m": list(chosen.linear_errors),
        }

    @property
    def _area(self) -> float:
        return float(self.harmonics.areas.sum())

    def _warn_of_little(self) -> None:
        total, count, motions = self.total, self.garment.coarse_count, len(self.motions)
        values = np.linalg.eigvalsh(total.gram)
        if total.frames < count or values[: count // 2].sum() < LEAST_VARIETY * values.sum():
            warnings.warn(
                f"motions: {total.frames} frames of {motions} motion{'s' * (motions > 1)} contain few of the shapes "
                f"that {count} coarse vertices can have; add other motions, not more frames of the same motions",
                stacklevel=3,
            )

    def __repr__(self) -> str:
        frames = sum(motion.statistics.frames for motion in self.motions)
        return f"Trainer({self.garment!r}, {len(self.motions)} motions, {frames} frames, prior {self.prior})"


class Submitter(Protocol):
    """The method of an executor that `Trainer.add_folders` calls."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Start a call; return an object with the method `result`."""


def learn_folder(trainer: Trainer, folder: Path) -> TrainingMotion:
    """Return the statistics of a simulated pair; workers call this function."""
    return trainer.add_pair(load_pair(folder))


def train(
    pairs: Iterable[TrainingPair],
    *,
    prior: PriorName = "smooth",
    penalties: Penalties | None = None,
    detail: float = 0.5,
    cache: str | Path | None = None,
) -> UpsamplingModel:
    """Train a garment's operator from simulated pairs (Kavan et al. 2011). It warns in the cases of `Trainer.train`.

    Parameters
    ----------
    pairs : iterable of TrainingPair
        Pairs of one garment, one pair per motion.
    prior : {"smooth", "linear", "loop", "none"}
        The operator without training data.
    penalties : Locality or HarmonicPenalties, optional
        Penalties by distance or of harmonics; by default, chosen by excluding the motions of one origin at a time.
    detail : float, in [0, 1]
        0 is smooth, 1 is rich.
    cache : path, optional
        Folder in which computed harmonics are stored for later use.

    Returns
    -------
    UpsamplingModel

    Raises
    ------
    ValueError
        There are no pairs, pairs are of different garments, or fine cloth does not track the coarse cloth.
    """
    return Trainer.of_pairs(pairs, prior=prior, cache=cache).train(penalties=penalties, detail=detail)


def _share(detail: float) -> float:
    share = number("detail", detail)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"detail: expected a number in [0, 1], got {share:g}")
    return share


def _apart(penalties: Penalties) -> tuple[Penalties, float]:
    """Return the penalties with gain 1, and their gain."""
    return (replace(penalties, gain=1.0), penalties.gain) if isinstance(penalties, Locality) else (penalties, 1.0)


def _numbers(penalties: Penalties) -> dict[str, Any]:
    if isinstance(penalties, Locality):
        return {"strength": penalties.strength, "reach": penalties.reach}
    return {"gamma": [penalties.low, penalties.high], "exponent": penalties.exponent}


def _sum(statistics: Iterable[TrainingStatistics]) -> TrainingStatistics:
    first, *others = statistics
    for other in others:
        first = first + other
    return first
