"""Figure 5.2: paths that are traced from scratch in every frame jump; persistent paths change gradually."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, Clip, play
from ruckle.experiments.figures.drawing import (
    GEODESIC,
    PATH,
    PLAIN,
    Drawing,
    canvas,
    paint_path,
    show_cloth,
    window_around,
)
from ruckle.experiments.metrics import crest_change, path_drift
from ruckle.experiments.plot.space import Projection
from ruckle.io.samples import sample as open_sample
from ruckle.mesh.animation import Animation

__all__ = ["Changes", "Coherence", "changes", "draw", "measure"]


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of wrinkles from frame to frame, arrays (F - 1,) float64.

    Attributes
    ----------
    drift : widths
        95th percentile of the motion of path vertices relative to the cloth, in wrinkle widths. NaN if no path of the
        later frame has a path in the earlier frame with which it is compared.
    height : r_min
        Largest change of a wrinkle's height; the full height if a wrinkle appears or disappears.
    """

    drift: NDArray[np.float64]
    height: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Coherence:
    """One animation with paths traced from scratch in every frame, and with persistent paths."""

    independent: Clip
    coherent: Clip
    independent_changes: Changes
    coherent_changes: Changes

    @property
    def drift_ratio(self) -> float:
        """Drift of independent paths (95th percentile over frames), divided by the drift of persistent paths."""
        a, b = (np.nanpercentile(of.drift, 95) for of in (self.independent_changes, self.coherent_changes))
        return float(a / b)

    @property
    def height_ratio(self) -> float:
        """Largest height change of independent wrinkles, divided by the largest change of persistent wrinkles."""
        return float(self.independent_changes.height.max() / self.coherent_changes.height.max())


def changes(clip: Clip, *, by_identity: bool) -> Changes:
    """Measure the changes between consecutive frames.

    If `by_identity`, the drift compares each path with the earlier path of the same id, and skips new paths. Otherwise,
    it compares each path with the nearest earlier path. Heights are always compared by id.
    """
    drift, height = [], []
    for k in range(1, len(clip)):
        now, before = clip.frames[k], clip.frames[k - 1]
        moved = path_drift(now, before, by_identity=by_identity)
        drift.append(float(np.percentile(moved, 95)) if len(moved) else np.nan)
        height.append(crest_change(now, before))
    return Changes(np.array(drift), np.array(height))


def measure(animation: Animation, *, tau: float = 1.25, **parameters: Any) -> Coherence:
    """Run an animation with independent and with persistent paths."""
    independent = play(animation, tau=tau, coherent=False, **parameters)
    coherent = play(animation, tau=tau, **parameters)
    return Coherence(
        independent, coherent, changes(independent, by_identity=False), changes(coherent, by_identity=True)
    )


def draw(sample: str = "sawing") -> Drawing:
    """Draw the paths of two consecutive frames on top of each other for both methods, and their drift over the clip."""
    found = measure(open_sample(sample))
    # skip the start of the clip, in which the first paths grow
    start = len(found.independent) // 4
    frame = start + int(np.nanargmax(found.independent_changes.drift[start:])) + 1
    projection = Projection()
    figure = canvas(12.0, 3.6)
    left, right, chart = figure.subplots(1, 3, width_ratios=(4, 4, 4))
    shown = [wrinkle.points for clip in (found.independent, found.coherent) for wrinkle in clip.frames[frame].wrinkles]
    window = window_around(np.concatenate(shown), projection, margin=0.06)
    for axes, clip, title in ((left, found.independent, "traced anew"), (right, found.coherent, "kept alive")):
        now = clip.frames[frame]
        show_cloth(axes, now.positions, now.topology.faces, projection=projection, window=window)
        for moment, color, width in ((frame - 1, GEODESIC, 3.2), (frame, PATH, 1.4)):
            for wrinkle in clip.frames[moment].wrinkles:
                path = (wrinkle.edges, wrinkle.t)
                paint_path(axes, now, path, projection=projection, color=color, width=width)
        axes.set_title(f"{title}, frames {frame - 1} and {frame}", fontsize=9)
    for of, name, color in (
        (found.independent_changes, "traced anew", PLAIN),
        (found.coherent_changes, "kept alive", PATH),
    ):
        chart.semilogy(np.arange(1, len(of.drift) + 1) / RATE, np.maximum(of.drift, 1e-3), color=color, label=name)
    chart.set_xlabel("seconds", fontsize=8)
    chart.set_ylabel("drift over the cloth, widths (p95)", fontsize=8)
    chart.tick_params(labelsize=7)
    chart.legend(frameon=False, fontsize=8)
    return Drawing(
        figure,
        seen="Paths of the earlier frame, moved with the cloth, are orange; paths of the later frame are blue. Where "
        f"only blue is visible, the paths have not moved. Paths that are traced anew move {found.drift_ratio:.0f} "
        f"times farther, and their heights change {found.height_ratio:.0f} times more, than persistent paths.",
        parameters=f"sample {sample} at {RATE:g} fps; τ = {found.coherent.tau:g}, R_min 0.5 %",
    )
