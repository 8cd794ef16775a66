"""Figure 4.6: evolution of reference triangles.

If the cloth stretches beyond the reference triangle, the current triangle replaces the reference. Under compression,
the reference relaxes toward the current triangle: both principal stretches between the two approach 1, and their axes
do not turn. At rest, the reference does not change (thesis 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ruckle.arrays import Float32, Labels
from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import INK, MUTED, PATH, Drawing, canvas
from ruckle.experiments.plot.colors import LABELS
from ruckle.field.stretch import stretch

__all__ = ["RELAXATION", "Evolution", "draw", "measure"]

# Fraction by which relaxation reduces the difference of each principal stretch from 1, per 1/30 s.
RELAXATION = 0.05
COMPRESSION, REST, STRETCH = 0, 1, 2

# Number of drawn frames.
MOMENTS = 9


@dataclass(frozen=True, eq=False)
class Evolution:
    """Reference triangles over a clip, and deviations of their updates from the rules of the labels.

    Attributes
    ----------
    labels : (F, T) uint8
    reference, current : (F, T, 2, 2) float32, mesh units
        Edge matrices of the reference triangles and of the current triangles.
    kept, replaced, relaxed : int
        Number of references, after the first frame, that were unchanged at rest, replaced by the current triangle
        under stretch, and relaxed under compression.
    broken : int
        Number of updates that break the rule: rest labels with a changed reference, and stretch labels with another
        reference than the rule demands.
    damping_error : float
        Largest difference of a relaxed principal stretch from 0.95 λ + 0.05, where λ is its value before.
    axis_error : float, degrees
        Largest rotation of the compression axis by a relaxation, over triangles whose principal stretches differ by
        more than 5 %.
    """

    labels: Labels
    reference: Float32
    current: Float32
    kept: int
    replaced: int
    relaxed: int
    broken: int
    damping_error: float
    axis_error: float


def measure(clip: Clip) -> Evolution:
    """Compare every update of a clip with the rule of its label."""
    labels = np.array([frame.labels for frame in clip.frames])
    reference = np.array([frame.reference for frame in clip.frames])
    current = np.array([frame.current for frame in clip.frames])
    kept = replaced = relaxed = broken = 0
    damping = turn = 0.0
    for k in range(1, len(clip)):
        before, after = stretch(reference[k - 1], current[k]), stretch(reference[k], current[k])
        same = (reference[k] == reference[k - 1]).all(axis=(1, 2))
        taken = (reference[k] == current[k]).all(axis=(1, 2))
        beyond = (before.min > 1.0) & (before.max > 1.0)
        rest, stretched = labels[k] == REST, labels[k] == STRETCH
        damped = (labels[k] == COMPRESSION) & ~before.degenerate
        kept, replaced = kept + int(same[rest].sum()), replaced + int((taken & stretched & beyond).sum())
        broken += int((~same & rest).sum() + (stretched & beyond & ~taken).sum() + (stretched & ~beyond & ~same).sum())
        relaxed += int(damped.sum())
        for old, new in ((before.min, after.min), (before.max, after.max)):
            wanted = (1.0 - RELAXATION) * old.astype(np.float64) + RELAXATION
            damping = max(damping, float(np.abs(new - wanted)[damped].max(initial=0.0)))
        clear = damped & (before.max > 1.05 * before.min)
        sine = before.axis[:, 0] * after.axis[:, 1] - before.axis[:, 1] * after.axis[:, 0]
        turn = max(turn, float(np.degrees(np.arcsin(np.clip(np.abs(sine[clear]), 0.0, 1.0))).max(initial=0.0)))
    return Evolution(labels, reference, current, kept, replaced, relaxed, broken, damping, turn)


def draw(sample: str = "sawing") -> Drawing:
    """Draw one triangle of a sample, and its reference over the clip."""
    clip = play_sample(sample)
    found = measure(clip)
    face = _eventful(found)
    figure = canvas(10.5, 4.6)
    upper, lower = figure.subplots(2, 1, height_ratios=(3, 2))
    frames = np.linspace(0, len(clip) - 1, MOMENTS).round().astype(int)
    _triangles(upper, found, face, frames)
    _history(lower, clip, found, face, frames)
    figure.legend(
        handles=[Patch(color=color, label=name) for name, color in LABELS.items()],
        loc="outside lower center", ncols=3, frameon=False, fontsize=8,
    )  # fmt: skip
    return Drawing(
        figure,
        seen="One triangle (above, in the colour of its label) and its reference (below, white). The reference grows "
        "if the cloth stretches beyond it, relaxes slowly under compression, and is constant at rest. The chart "
        f"shows the compression of the triangle relative to its reference. Over the clip {found.replaced} references "
        f"were replaced, {found.relaxed} relaxed and {found.kept} kept.",
        parameters=f"sample {sample} at {RATE:g} fps, triangle {face}; relaxation {RELAXATION:g} per 1/30 s",
    )


def _eventful(found: Evolution) -> int:
    """Return the triangle with most replaced references, among triangles that have each label in more than 3 frames."""
    every = np.all([(found.labels == label).sum(axis=0) > 3 for label in range(3)], axis=0)
    changed = (found.reference[1:] != found.reference[:-1]).any(axis=(2, 3))
    taken = (found.reference[1:] == found.current[1:]).all(axis=(2, 3))
    return int(np.argmax(np.where(every, (changed & taken).sum(axis=0), -1)))


def _triangles(axes: Axes, found: Evolution, face: int, frames: NDArray[np.intp]) -> None:
    """Draw the current triangle above its reference for several frames, all at the same scale."""
    shapes = np.stack([found.current[frames, face], found.reference[frames, face]])
    corners = np.concatenate([np.zeros((2, len(frames), 1, 2)), shapes.swapaxes(2, 3)], axis=2)
    corners -= (corners.min(axis=2, keepdims=True) + corners.max(axis=2, keepdims=True)) / 2
    size = np.ptp(corners, axis=2).max(axis=(0, 1))
    colors = list(LABELS.values())
    for column, frame in enumerate(frames):
        for row, fill in ((0, colors[found.labels[frame, face]]), (1, "white")):
            offset = np.array([column * size[0] * 1.25, -row * size[1] * 1.2])
            axes.fill(*(corners[row, column] + offset).T, fc=fill, ec=INK, lw=0.9)
        axes.text(column * size[0] * 1.25, size[1] * 0.62, f"{frame / RATE:.1f} s", ha="center", fontsize=8)
    axes.set(aspect="equal")
    axes.autoscale_view()
    axes.set_axis_off()


def _history(axes: Axes, clip: Clip, found: Evolution, face: int, frames: NDArray[np.intp]) -> None:
    """Draw the compression of a triangle relative to its reference over time, on bands in the colours of its labels."""
    times = np.arange(len(clip)) / RATE
    for k, label in enumerate(found.labels[:, face]):
        axes.axvspan((k - 0.5) / RATE, (k + 0.5) / RATE, color=list(LABELS.values())[label], alpha=0.45, lw=0)
    axes.plot(times, [frame.compression[face] for frame in clip.frames], color=PATH, lw=1.4)
    axes.axhline(1.0, color=MUTED, lw=0.6)
    axes.plot(frames / RATE, [clip.frames[k].compression[face] for k in frames], "o", color=PATH, ms=3)
    axes.set(xlim=(times[0], times[-1]))
    axes.set_xlabel("seconds", fontsize=8)
    axes.set_ylabel("compression", fontsize=8)
    axes.tick_params(labelsize=7)
