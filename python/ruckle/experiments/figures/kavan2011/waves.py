"""Figures 7 and 8: free oscillations of cloth, which a linear operator on the coarse mesh cannot represent."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import Drawing, canvas, panels
from ruckle.experiments.figures.kavan2011.pictures import draw_rows
from ruckle.experiments.figures.kavan2011.wardrobe import FPS, KEPT, SUBSTEPS, TESTS, WARM, resampled
from ruckle.mesh.geometry import vertex_normals
from ruckle.offline.simulation.pair import TrainingPair, simulate_pair
from ruckle.offline.simulation.scenes import banner
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.learn import HarmonicPenalties
from ruckle.offline.upsampling.oscillations import Oscillation, fit_oscillations, normal_residual
from ruckle.offline.upsampling.training import Trainer
from ruckle.simulation.material import MATERIALS
from ruckle.simulation.sheet import Sheet
from ruckle.upsampling.model import UpsamplingModel

__all__ = ["Swinging", "draw_pair", "draw_shapes", "swinging"]


@dataclass(frozen=True, eq=False)
class Swinging:
    """A banner that is fixed at both ends, in a wind whose speed oscillates three times per second.

    Attributes
    ----------
    pair : TrainingPair
    model : UpsamplingModel
    residual : (F, N) float64, metres
        Signed distance from the operator's result to the fine cloth, along the normals.
    kept : list of Oscillation
        Oscillations that were fitted to the residual.
    """

    pair: TrainingPair
    model: UpsamplingModel
    residual: NDArray[np.float64]
    kept: list[Oscillation]

    @property
    def waves(self) -> NDArray[np.float64]:
        """Displacement along the normals by all kept oscillations, (F, N) metres."""
        times = np.arange(len(self.residual)) / FPS
        added: NDArray[np.float64] = np.sum([one.at(times) for one in self.kept], axis=0)
        return added

    @property
    def late(self) -> slice:
        """The last third of the frames. The oscillations were not fitted to these frames."""
        return slice(2 * len(self.residual) // 3, None)

    def later(self) -> tuple[float, float]:
        """Return the root mean square residual of the late frames in metres, without and with the oscillations."""
        parts = self.residual[self.late], (self.residual - self.waves)[self.late]
        return float(np.sqrt((parts[0] ** 2).mean())), float(np.sqrt((parts[1] ** 2).mean()))


# A light and stiff material without bend damping, so that the banner swings as a whole.
NYLON = replace(MATERIALS["tablecloth"], density=0.08, stretch=1000.0, bending=6e-5, bend_damping=0.0)


@cache
def swinging() -> Swinging:
    """Simulate the banner, learn an operator, and fit oscillations; the result is cached."""
    frames = 2 * KEPT
    scene = banner(frames + WARM)
    small = resampled(replace(scene, name="flag"), (13, 9), (49, 33))
    scene = replace(scene, coarse=_held_at_both_ends(small.coarse), fine=_held_at_both_ends(small.fine), warm=WARM)
    pair = simulate_pair(scene, tests=TESTS, substeps=SUBSTEPS, frames=frames, material=NYLON)
    trainer = Trainer(Garment.of(pair), tests=TESTS)
    trainer.add_pair(pair)
    with warnings.catch_warnings():
        # ignore the warning about too little variety, because the banner has a single training motion
        warnings.simplefilter("ignore", UserWarning)
        model = trainer.train(penalties=HarmonicPenalties(0.3, 10.0, 8.0))
    residual = normal_residual(model, pair.coarse.positions, pair.fine.positions)
    return Swinging(pair, model, residual, fit_oscillations(residual, FPS, pairs=3))


def draw_shapes() -> Drawing:
    """Draw the two shapes of the strongest oscillation (figure 7)."""
    found = swinging()
    strongest, rest = found.kept[0], found.pair.fine_rest
    top = 1000 * np.abs(strongest.shapes).max()
    figure = canvas(7.5, 2.6)
    for axes, shape, title in zip(panels(figure, 1, 2)[0], strongest.shapes.T, ("sin ωt", "cos ωt"), strict=True):
        axes.tripcolor(
            rest[:, 0], rest[:, 1], found.pair.fine.faces, 1000 * shape, cmap="RdBu_r", vmin=-top, vmax=top,
            shading="gouraud",
        )  # fmt: skip
        axes.set(aspect="equal", title=f"with {title}: up to {1000 * np.abs(shape).max():.1f} mm")
        axes.set_axis_off()
    return Drawing(
        figure,
        seen=f"The strongest pair of shapes oscillates at {strongest.frequency:.2f} Hz; the wind increases 3 times a "
        "second.",
        parameters=f"Banner, {found.model.coarse_count} to {found.model.fine_count} vertices, "
        f"{len(found.residual)} frames; {len(found.kept)} pairs were kept.",
    )


def draw_pair() -> Drawing:
    """Draw the banner without the oscillations, with the oscillations, and simulated (figure 8)."""
    found = swinging()
    waves = found.waves
    frame = found.late.start + int((waves[found.late] ** 2).sum(axis=1).argmax())
    coarse, faces = found.pair.coarse.positions[frame], found.pair.fine.faces
    center = coarse.mean(axis=0)
    plain = (found.model.operator @ (coarse - center) + center).astype(np.float32)
    waving = (plain + vertex_normals(plain, faces) * waves[frame][:, None]).astype(np.float32)
    row = [("without", plain), ("with waves", waving), ("simulated", found.pair.fine.positions[frame])]
    without, with_ = found.later()
    return Drawing(
        draw_rows("flag", {"": [(title, (positions, faces)) for title, positions in row]}),
        seen=f"On frames to which the waves were not fitted, they reduce the error along the normals from "
        f"{1000 * without:.2f} to {1000 * with_:.2f} mm.",
        parameters=f"Banner, frame {frame} of {len(found.residual)}, {len(found.kept)} pairs.",
    )


def _held_at_both_ends(sheet: Sheet) -> Sheet:
    x = sheet.rest[:, 0]
    return replace(sheet, attachment=((x < 1e-6) | (x > x.max() - 1e-6)).astype(np.float32))
