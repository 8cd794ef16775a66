"""Figures 4.1, 8.3, 8.4: labels with and without the graph cut.

Without pairwise costs, every triangle has its cheapest label, so the labels are as noisy as the stretch tensors. The
graph cut divides the garment into few, stable regions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import Labels
from ruckle.experiments.figures.clips import RATE, motions_of
from ruckle.experiments.figures.drawing import Drawing, canvas, panels, share, show_cloth, show_tensors, window_around
from ruckle.experiments.metrics import label_boundaries, label_changes
from ruckle.experiments.plot.colors import label_colors
from ruckle.experiments.plot.moments import choose_frames
from ruckle.experiments.plot.space import Projection
from ruckle.experiments.plot.strip import on_the_spot
from ruckle.field.label import PAIRWISE, label_costs, solve_labels
from ruckle.field.stretch import Stretch
from ruckle.io.samples import sample as open_sample
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import Topology, topology_of

__all__ = ["Labelings", "draw_moment", "draw_moments", "measure"]

# Stretch per 1/30 s at which the colour is saturated.
TOP = 1.15
ROWS = ("stretch tensors", "cheapest labels", "graph cut")


@dataclass(frozen=True, eq=False)
class Labelings:
    """Labels of a clip at 30 frames per second. The arrays start at the second frame.

    Attributes
    ----------
    animation : Animation
    topology : Topology
    motions : list of Stretch
        Stretch relative to the previous frame.
    raw, cut : (F - 1, T) uint8
        Labels without and with the graph cut, one row per frame.
    """

    animation: Animation
    topology: Topology
    motions: list[Stretch]
    raw: Labels
    cut: Labels

    @property
    def fewer_boundaries(self) -> float:
        """Number of label boundaries without the cut, divided by the number with the cut; 1 if both are 0."""
        return _ratio(label_boundaries(self.raw, self.topology), label_boundaries(self.cut, self.topology))

    @property
    def fewer_changes(self) -> float:
        """Number of label changes between frames without the cut, divided by the number with it; 1 if both are 0."""
        return _ratio(label_changes(self.raw), label_changes(self.cut))


def measure(animation: Animation, *, pairwise_costs: ArrayLike = PAIRWISE) -> Labelings:
    """Label every frame with and without the graph cut. Each cut starts from the labels of the previous frame."""
    resampled = animation.at_rate(RATE)
    topology = topology_of(resampled)
    motions = motions_of(resampled, topology)
    raw, cut = [], []
    previous: NDArray[np.uint8] | None = None
    for motion in motions:
        costs = label_costs(motion)
        raw.append(solve_labels(costs, topology, method="independent").labels)
        previous = solve_labels(costs, topology, previous=previous, pairwise=pairwise_costs).labels
        cut.append(previous)
    return Labelings(resampled, topology, motions, np.array(raw), np.array(cut))


def draw_moment(sample: str) -> Drawing:
    """Draw tensors, cheapest labels and graph-cut labels of one frame, side by side (figure 4.1)."""
    found = measure(open_sample(sample))
    frame = _moments(found, 1)[0]
    figure = canvas(10.0, 4.0)
    _fill(panels(figure, 1, 3), found, [frame])
    for axes, name in zip(figure.axes, ROWS, strict=True):
        axes.set_title(name, fontsize=9)
    one = Labelings(found.animation, found.topology, [], found.raw[frame - 1 : frame], found.cut[frame - 1 : frame])
    return Drawing(
        figure,
        seen=f"Blue compression, green rest, red stretch. The cheapest labels show the noise of the tensors; with the "
        f"cut there are {one.fewer_boundaries:.1f} times fewer boundaries between labels in this frame.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {frame}; pairwise costs 0.2 and 0.4",
    )


def draw_moments(sample: str, count: int = 4) -> Drawing:
    """Draw tensors, cheapest labels and graph-cut labels of several frames, from top to bottom (figures 8.3, 8.4)."""
    found = measure(open_sample(sample))
    frames = _moments(found, count)
    figure = canvas(2.6 * count + 0.4, 8.0)
    grid = panels(figure, 3, count)
    _fill(grid.T, found, frames)
    for axes, frame in zip(grid[0], frames, strict=True):
        axes.set_title(f"frame {frame}", fontsize=8)
    for axes, name in zip(grid[:, 0], ROWS, strict=True):
        axes.text(-0.04, 0.5, name, rotation=90, ha="center", va="center", fontsize=9, transform=axes.transAxes)
    parted = [f"{label_boundaries(labels, found.topology):.3f}" for labels in (found.raw, found.cut)]
    changed = [share(label_changes(labels)) for labels in (found.raw, found.cut)]
    return Drawing(
        figure,
        seen=f"Over the clip there are {parted[0]} boundaries per triangle without the cut and {parted[1]} with it "
        f"({found.fewer_boundaries:.1f} times fewer); {changed[0]} and {changed[1]} of the labels change from frame to "
        f"frame ({found.fewer_changes:.1f} times fewer).",
        parameters=f"sample {sample} at {RATE:g} fps; pairwise costs 0.2 and 0.4",
    )


def _moments(found: Labelings, count: int) -> list[int]:
    """Return frames with many boundaries between cheapest labels, spread over the clip."""
    inner = found.topology.edge_faces[found.topology.edge_faces[:, 1] >= 0]
    boundaries = (found.raw[:, inner[:, 0]] != found.raw[:, inner[:, 1]]).sum(axis=1)
    return [frame + 1 for frame in choose_frames(boundaries, count)]


def _fill(grid: NDArray[np.object_], found: Labelings, frames: list[int]) -> None:
    """Paint tensors, cheapest labels and graph-cut labels of each frame into one row of `grid`."""
    projection, faces = Projection(), found.topology.faces
    stages = [on_the_spot(found.animation.positions[frame], np.unique(faces)) for frame in frames]
    window = window_around(stages, projection, margin=0.03)
    for row, frame, positions in zip(grid, frames, stages, strict=True):
        show_tensors(row[0], positions, faces, found.motions[frame - 1], top=TOP, projection=projection, window=window)
        for axes, labels in zip(row[1:], (found.raw, found.cut), strict=True):
            show_cloth(
                axes, positions, faces, projection=projection, colors=label_colors(labels[frame - 1]), window=window
            )


def _ratio(without: float, with_cut: float) -> float:
    if with_cut == 0.0:
        return 1.0 if without == 0.0 else float("inf")
    return without / with_cut
