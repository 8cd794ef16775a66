"""A laboratory for learned upsampling: change `detail` from smooth to rich, and see cloth, error and energy."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ruckle.arguments import whole_number
from ruckle.experiments.figures.drawing import MUTED, PATH, PLAIN, STRONG, Drawing, canvas, show_cloth, window_around
from ruckle.experiments.laboratory.sliders import Column, panel, widgets
from ruckle.experiments.plot.space import Projection
from ruckle.offline.simulation.pair import TrainingPair
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.locality import Locality
from ruckle.offline.upsampling.statistics import Fit
from ruckle.offline.upsampling.training import Trainer

__all__ = ["DetailLaboratory"]

Float64 = NDArray[np.float64]

# Values of `detail` at which the chart shows the error and the energy.
SHARES = np.linspace(0.0, 1.0, 41)


class DetailLaboratory:
    """Upsamples one motion with variable `detail` and penalties.

    If only `detail` changes, the operator is a sum of two precomputed matrices, and no equations are solved.

    Parameters
    ----------
    trainer : Trainer
        A trainer with a prior, and with training motions from at least two origins. An origin is an original motion,
        which its variants share.
    pair : TrainingPair
        A motion of the same garment outside the training, for which errors are computed.
    frame : int, optional
        Frame to show. The default is the frame in which simulated and interpolated cloth differ most.
    azimuth, elevation : float, degrees
        Direction of the view of the cloth.

    Attributes
    ----------
    trainer, pair, frame
        The constructor's arguments.
    locality : Locality
        Penalties that the trainer has chosen.
    motion : TrainingStatistics
        Statistics of the pair's motion.
    projection : Projection

    Raises
    ------
    ValueError
        All motions have one origin, the trainer's prior is "none", the pair belongs to another garment, or the frame
        does not exist.
    """

    def __init__(
        self,
        trainer: Trainer,
        pair: TrainingPair,
        *,
        frame: int | None = None,
        azimuth: float = 0.0,
        elevation: float = 0.0,
    ) -> None:
        trainer.garment.require_same(Garment.of(pair), pair.name)
        count, origins = pair.coarse.frame_count, {motion.origin for motion in trainer.motions}
        if len(origins) < 2 or trainer.prior == "none":
            raise ValueError(
                f"trainer: expected a prior and motions of at least two origins, got the prior {trainer.prior} and "
                f"{len(origins)}"
            )
        if frame is not None:
            whole_number("frame", frame, 0, count - 1)
        chosen = trainer.choose().penalties
        assert isinstance(chosen, Locality)
        self.trainer, self.pair, self.locality = trainer, pair, chosen
        self._fits: dict[Locality, Fit] = {}
        self.projection = Projection(azimuth, elevation)
        self.motion = trainer.statistics(pair.coarse.positions, pair.fine.positions)
        linear = trainer.harmonics.project(trainer.garment.linear_map.toarray())
        # error after projection onto the harmonics, so that it is comparable with the errors of the fits
        self._linear_error = self.motion.error(linear, float(trainer.harmonics.areas.sum()))
        self._linear = self._errors(trainer.garment.linear(pair.coarse.positions))
        self.frame = int(self._linear.argmax()) if frame is None else frame

    def _errors(self, positions: NDArray[Any]) -> Float64:
        """Return the root mean square error of frames (F, N, 3) against the simulated frames: (F,) metres."""
        areas = self.trainer.harmonics.areas
        squares = ((positions - self.pair.fine.positions) ** 2).sum(axis=2)
        return np.asarray(np.sqrt(squares @ areas / areas.sum()))

    def upsample(self, detail: float = 0.5, *, locality: Locality | None = None) -> NDArray[np.float32]:
        """Return the upsampled frames of the motion, trained on other motions: (F, N, 3) float32, metres.

        Parameters
        ----------
        detail : float, in [0, 1]
            0 is smooth, 1 is rich.
        locality : Locality, optional
            Penalties; default: the trainer's choice.
        """
        operator = self.trainer.operator(locality or self.locality, detail=detail).astype(np.float32)
        return np.asarray(np.einsum("nm,fmx->fnx", operator, self.pair.coarse.positions, optimize=True))

    def draw(self, detail: float = 0.5, *, locality: Locality | None = None, frame: int | None = None) -> Drawing:
        """Draw coarse, upsampled and simulated cloth of one frame, and error and energy over `detail`.

        Parameters
        ----------
        detail, locality
            See `upsample`.
        frame : int, optional
            Default: `self.frame`.

        Returns
        -------
        Drawing
            A figure with a caption; notebooks display it.

        Raises
        ------
        ValueError
            The frame does not exist.
        """
        pair, used = self.pair, locality or self.locality
        shown = self.frame if frame is None else whole_number("frame", frame, 0, pair.coarse.frame_count - 1)
        found = self.upsample(detail, locality=used)
        cloths = (
            ("coarse", pair.coarse.positions[shown], pair.coarse.faces),
            (f"upsampled, detail {detail:g}", found[shown], pair.fine.faces),
            ("simulated", pair.fine.positions[shown], pair.fine.faces),
        )
        figure = canvas(11.0, 5.6)
        rows = figure.add_gridspec(2, 1, height_ratios=(3, 2))
        views, charts = (rows[k].subgridspec(1, 3 - k).subplots(squeeze=False)[0] for k in range(2))
        window = window_around(np.concatenate([positions for _, positions, _ in cloths]), self.projection)
        for axes, (title, positions, faces) in zip(views, cloths, strict=True):
            show_cloth(axes, positions, faces, projection=self.projection, window=window)
            axes.set_title(title, fontsize=9)
        error, energy = self._draw_price(charts[0], used, detail)
        self._draw_history(charts[1], self._errors(found), shown)
        return Drawing(
            figure,
            seen=f"{error:.2f} of interpolation's error on {pair.name}, which was not learnt, and {energy:.2f} of the "
            "energy of its detail.",
            parameters=f"frame {shown}, detail {detail:g}, {used}",
        )

    def widget(self) -> Any:
        """Return sliders for a notebook, with a picture that they update.

        Raises
        ------
        ModuleNotFoundError
            ipywidgets is not installed.
        """
        ipywidgets, last = widgets(), self.pair.coarse.frame_count - 1
        usual, slow = self.locality, {"continuous_update": False}
        decades = {"base": 10, "min": -4, "max": 0, "step": 0.25, "readout_format": ".2g"}
        columns = (
            Column(
                {
                    "detail": ipywidgets.FloatSlider(0.5, min=0, max=1, step=0.05, description="detail", **slow),
                    "frame": ipywidgets.IntSlider(self.frame, min=0, max=last, description="frame", **slow),
                }
            ),
            Column(
                {
                    "strength": ipywidgets.FloatLogSlider(usual.strength, description="strength", **decades, **slow),
                    "reach": ipywidgets.FloatSlider(
                        usual.reach, min=0.2, max=2, step=0.1, description="reach, edges", **slow
                    ),
                },
                "7em",
                "22em",
            ),
        )

        def draw(values: dict[str, Any]) -> Drawing:
            locality = self._best(Locality(values["strength"], values["reach"]))
            return self.draw(values["detail"], locality=locality, frame=values["frame"])

        return panel(columns, draw)

    def _best(self, locality: Locality) -> Locality:
        """Return the same penalties, with the gain that minimises the error on motions excluded from training."""
        best = self.trainer.choose([locality]).penalties
        assert isinstance(best, Locality)
        return best

    def _draw_price(self, axes: Axes, locality: Locality, detail: float) -> tuple[float, float]:
        """Draw error and energy as functions of detail. Return both values at the given detail."""
        if locality not in self._fits:
            self._fits[locality] = self.trainer.fit(locality, self.motion)
        fit = self._fits[locality]

        def of(share: float) -> tuple[float, float]:
            gain = self.trainer.gain(locality, share)
            return fit.error(gain) / self._linear_error, fit.energy(gain)

        chosen, lines = of(detail), np.array([of(share) for share in SHARES])
        for values, color, name in zip(
            lines.T, (PATH, STRONG), ("error, of interpolation's", "energy, of the truth's"), strict=True
        ):
            axes.plot(SHARES, values, color=color, lw=1.4, label=name)
        axes.axhline(1.0, color=MUTED, lw=0.6)
        axes.axvline(detail, color=MUTED, lw=0.6)
        for value, color in zip(chosen, (PATH, STRONG), strict=True):
            axes.plot(detail, value, "o", color=color, ms=5)
        axes.set(xlim=(0, 1), ylim=(0, None))
        axes.set_xlabel("detail", fontsize=8)
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        axes.tick_params(labelsize=7)
        return chosen

    def _draw_history(self, axes: Axes, errors: Float64, frame: int) -> None:
        """Draw the error of each frame, and the error of interpolation in grey."""
        times = np.arange(len(errors)) / self.pair.coarse.fps
        axes.plot(times, 1000 * self._linear, color=PLAIN, lw=1.0, label="interpolated")
        axes.plot(times, 1000 * errors, color=PATH, lw=1.4, label="upsampled")
        axes.axvline(times[frame], color=MUTED, lw=0.6)
        axes.set(xlim=(0, times[-1]), ylim=(0, None))
        axes.set_xlabel("time, s", fontsize=8)
        axes.set_ylabel("error, mm", fontsize=8)
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        axes.tick_params(labelsize=7)
