"""Patterns made of wrinkle paths: the folds of some frames, baked into heights that stay on the cloth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ruckle.arguments import mistyped, whole_number
from ruckle.patterns.cells import Float64, determinant
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.modulation import gram
from ruckle.patterns.pattern import Pattern
from ruckle.surface.frame import Curves, LayerFrame
from ruckle.surface.surface import Surface

__all__ = ["choose_frames", "path_pattern"]


class _BakedFrame(LayerFrame):
    """The curves of a frame on the cloth at rest, all of one section: the half circle of their least radius.

    As they are, they would be low where they are wide, and heights that conserve area would be several times too high.
    """

    def __init__(self, grid: PatternGrid, frame: LayerFrame) -> None:
        super().__init__(grid.rest, grid.topology, length_unit=frame.length_unit)
        given = frame.curves
        profiles = given.profiles.copy()
        profiles["middle_width"], profiles["perimeter"] = 2.0 * frame.length_unit, np.pi * frame.length_unit
        profiles["fade"] = 1.0
        crests = np.maximum.reduceat(given.heights, given.offsets[:-1]) if len(given.heights) else given.heights
        scales = np.where(crests > 0, frame.length_unit / np.where(crests > 0, crests, 1.0), 0.0)
        heights = given.heights * np.repeat(scales, np.diff(given.offsets)).astype(np.float32)
        self._curves = given._replace(heights=heights.astype(np.float32), profiles=profiles)

    @property
    def curves(self) -> Curves:
        return self._curves


def choose_frames(frames: Sequence[LayerFrame], count: int = 3) -> list[LayerFrame]:
    """Return the frames whose wrinkles together run over most of the cloth, one after the other.

    Parameters
    ----------
    frames : sequence of LayerFrame
        Of one run, such as all of them.
    count : int
        How many to choose; fewer where the rest would add nothing.

    Returns
    -------
    list of LayerFrame
        The one that covers most first.

    Raises
    ------
    TypeError, ValueError
        Something else than frames, or no frame.
    """
    candidates = _frames("frames", frames)
    area = np.sqrt(determinant(gram(candidates[0].positions, candidates[0].topology.faces)))
    covered = np.zeros((len(candidates), len(area)), bool)
    for row, frame in zip(covered, candidates, strict=True):
        curves = frame.curves
        # the face of a curve's last vertex means nothing
        inner = np.delete(curves.faces, curves.offsets[1:] - 1)
        row[inner] = True
    chosen: list[LayerFrame] = []
    for _ in range(whole_number("count", count, 1)):
        gains = covered @ area
        best = int(np.argmax(gains))
        if gains[best] == 0.0:
            break
        chosen.append(candidates[best])
        covered &= ~covered[best]
    return chosen or candidates[:1]


def path_pattern(grid: PatternGrid, frames: LayerFrame | Sequence[LayerFrame], *, name: str = "paths") -> Pattern:
    """Make a pattern of the wrinkles of some frames, all with the section of the narrowest one.

    Parameters
    ----------
    grid : PatternGrid
        Of the mesh on which the wrinkles run.
    frames : LayerFrame or sequence of them
        See `choose_frames`. Where wrinkles of several frames cross, the higher counts.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    TypeError
        Something else than frames.
    ValueError
        No frame, frames of another mesh, or without any wrinkle.
    """
    nodes = pattern_grid(grid)
    heights: Float64 = np.zeros(len(nodes.faces))
    surface = Surface(nodes.topology, base="flat")
    for frame in _frames("frames", [frames] if isinstance(frames, LayerFrame) else frames):
        if not np.array_equal(frame.topology.faces, nodes.topology.faces):
            raise ValueError("frames: are of another mesh than the grid")
        surface.update(_BakedFrame(nodes, frame))
        np.maximum(heights, surface.evaluate(nodes.faces, nodes.barycentric).heights, out=heights)
    if not heights.max() > 0.0:
        raise ValueError("frames: have no wrinkles; give frames of a motion that compresses the cloth")
    return Pattern(nodes, heights.astype(np.float32), name)


def _frames(name: str, frames: object) -> list[LayerFrame]:
    if not isinstance(frames, Sequence) or not all(isinstance(frame, LayerFrame) for frame in frames):
        raise mistyped(name, "frames of a run", frames)
    if not frames:
        raise ValueError(f"{name}: expected at least one, got none")
    return list(frames)
