"""Figure 8.1: the effect of the two parameters. If τ or R_min rises, wrinkles become fewer and frames faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ruckle.experiments.figures.clips import RATE, Clip, play
from ruckle.experiments.figures.drawing import LINEN, Drawing, canvas, panels, show_cloth, window_around
from ruckle.experiments.plot.colors import blushing
from ruckle.experiments.plot.ribbons import paint_wrinkles
from ruckle.experiments.plot.space import Projection
from ruckle.io.samples import sample as open_sample
from ruckle.mesh.animation import Animation

__all__ = ["R_MINS", "TAUS", "Setting", "draw", "measure"]

TAUS = (1.15, 1.25)
R_MINS = ("0.5%", "1%")


@dataclass(frozen=True, eq=False)
class Setting:
    """One choice of the parameters, with its result.

    Attributes
    ----------
    tau : float
    r_min : str
        Least wrinkle radius relative to the character's height.
    clip : Clip
    wrinkles : float
        Mean number of wrinkles.
    unknowns : float
        Mean number of path vertices, which is the problem size of a frame.
    milliseconds : float
        Median time per frame on this machine.
    """

    tau: float
    r_min: str
    clip: Clip
    wrinkles: float
    unknowns: float
    milliseconds: float


def measure(
    animation: Animation, *, taus: Sequence[float] = TAUS, r_mins: Sequence[str] = R_MINS
) -> dict[tuple[float, str], Setting]:
    """Run an animation with every pair of parameters."""
    found = {}
    for tau in taus:
        for r_min in r_mins:
            clip = play(animation, tau=tau, r_min=r_min)
            found[tau, r_min] = Setting(
                tau,
                r_min,
                clip,
                wrinkles=float(np.mean([len(frame.wrinkles) for frame in clip.frames])),
                unknowns=float(np.mean([sum(map(len, frame.wrinkles)) for frame in clip.frames])),
                milliseconds=float(np.median([frame.timings["total"] for frame in clip.frames])),
            )
    return found


def draw(sample: str = "sawing") -> Drawing:
    """Draw one frame with four settings."""
    found = measure(open_sample(sample))
    most = found[TAUS[0], R_MINS[0]].clip
    frame = int(np.argmax([sum(wrinkle.crest for wrinkle in of.wrinkles) for of in most.frames]))
    projection = Projection()
    window = window_around(most.frames[frame].positions, projection)
    figure = canvas(11.0, 4.0)
    for axes, setting in zip(panels(figure, 1, 4)[0], found.values(), strict=True):
        of = setting.clip.frames[frame]
        colors = blushing(of.compression, LINEN)
        show_cloth(axes, of.positions, of.topology.faces, projection=projection, colors=colors, window=window)
        paint_wrinkles(axes, of, projection=projection)
        axes.set_title(
            f"τ = {setting.tau:g}, R_min = {setting.r_min}\n{setting.wrinkles:.0f} wrinkles, "
            f"{setting.unknowns:.0f} vertices\n{setting.milliseconds:.2f} ms",
            fontsize=8,
        )
    return Drawing(
        figure,
        seen="A larger τ is a stiffer fabric: it wrinkles later. A larger R_min gives fewer, wider wrinkles. Above "
        "each setting: numbers of wrinkles and their path vertices, as means over the clip, and the median time of a "
        "frame until the shapes are known (without the surface), on the machine that drew this.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {frame}",
    )
