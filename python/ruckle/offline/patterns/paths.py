"""Patterns from wrinkle paths: the folds of some frames, baked into heights that are fixed to the cloth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ruckle import _core
from ruckle.arguments import mistyped, whole_number
from ruckle.offline.patterns.noise import neighbors, spread_over
from ruckle.paths.frame import Curves, Frame
from ruckle.patterns.cells import Float64, determinant
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.modulation import gram, pattern_moments
from ruckle.patterns.modulator import common_grid
from ruckle.patterns.pattern import Pattern

__all__ = ["choose_frames", "filled_pattern", "path_pattern"]

# Rounds of averaging over neighbouring triangles at the border between pattern and filler: about the width of a fold.
FILLING_ROUNDS = 2


def choose_frames(frames: Sequence[Frame], count: int = 3) -> list[Frame]:
    """Return frames whose wrinkles together cover much of the cloth.

    Each frame is the one whose wrinkles cover the largest area that the frames before it do not cover.

    Parameters
    ----------
    frames : sequence of Frame
        Some or all frames of one run.
    count : int
        Maximum number of frames; the result has fewer if further frames would not add area.

    Returns
    -------
    list of Frame
        Frames in the order of choice; the first covers the largest area. Only the first frame of `frames` if none has
        wrinkles.

    Raises
    ------
    TypeError
        `frames` contains other objects than frames.
    ValueError
        `frames` is empty, or `count` is below 1.
    """
    candidates = _frames("frames", frames)
    area = np.sqrt(determinant(gram(candidates[0].positions, candidates[0].topology.faces)))
    covered = np.zeros((len(candidates), len(area)), bool)
    for row, frame in zip(covered, candidates, strict=True):
        # the last vertex of a path has the face index -1
        row[frame.columns.faces[frame.columns.faces >= 0]] = True
    chosen: list[Frame] = []
    for _ in range(whole_number("count", count, 1)):
        gains = covered @ area
        best = int(np.argmax(gains))
        if gains[best] == 0.0:
            break
        chosen.append(candidates[best])
        covered &= ~covered[best]
    return chosen or candidates[:1]


def path_pattern(grid: PatternGrid, frames: Frame | Sequence[Frame], *, name: str = "paths") -> Pattern:
    """Make a pattern from the wrinkles of some frames. All have the cross-section of the narrowest possible wrinkle.

    Parameters
    ----------
    grid : PatternGrid
        Grid of the mesh under the wrinkles.
    frames : Frame or sequence of them
        Frames as chosen by `choose_frames`. Where wrinkles of several frames overlap, the maximum height is used.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    TypeError
        `frames` contains other objects than frames.
    ValueError
        There are no frames, or frames are of another mesh or do not have wrinkles.
    """
    nodes = pattern_grid(grid)
    heights: Float64 = np.zeros(len(nodes.faces))
    source = _core.PathHeights(nodes.topology, threads=1)
    for frame in _frames("frames", [frames] if isinstance(frames, Frame) else frames):
        if not np.array_equal(frame.topology.faces, nodes.topology.faces):
            raise ValueError("frames: expected frames of the mesh of the grid, got frames of another mesh")
        source.update(nodes.rest, nodes.rest, *_of_one_section(frame), edge_length=0.5 * frame.length_unit)
        np.maximum(heights, source.heights(nodes.faces, nodes.barycentric)[0], out=heights)
    if not heights.max() > 0.0:
        raise ValueError("frames: have no wrinkles; give frames of a motion that compresses the cloth")
    return Pattern(nodes, heights.astype(np.float32), name)


def filled_pattern(pattern: Pattern, filler: Pattern) -> Pattern:
    """Return a pattern whose flat parts are filled with another pattern, because flat gaps cannot take up area.

    The filler is scaled to the slope of the pattern's folds. If folds cover a fraction c of a triangle, the filler is
    multiplied by √(1 - c²), so that the mean slope is equal everywhere.

    Parameters
    ----------
    pattern, filler : Pattern
        Patterns on the same grid.

    Returns
    -------
    Pattern
        The pattern has the name of `pattern`.

    Raises
    ------
    ValueError
        The patterns are on different grids.
    """
    grid = common_grid([pattern, filler])
    own, other = np.sqrt(pattern_moments(grid, np.stack([pattern.heights, filler.heights])).square_slopes).T
    # slope of the folds: mean slope over triangles, weighted by the slope itself, so that flat triangles do not count
    steepness = float((own**2).sum() / max(own.sum(), 1e-30))
    cover = spread_over(np.minimum(own / max(steepness, 1e-30), 1.0), neighbors(grid.topology.faces), FILLING_ROUNDS)
    corners = grid.topology.faces.ravel()
    counts = np.maximum(np.bincount(corners, minlength=grid.topology.vertex_count), 1)
    share = np.bincount(corners, np.repeat(cover, 3), grid.topology.vertex_count) / counts
    filling = np.sqrt(np.maximum(1.0 - grid.at(share) ** 2, 0.0)) * steepness / max(float(other.mean()), 1e-30)
    return Pattern(grid, (pattern.heights + filling * filler.heights).astype(np.float32), pattern.name)


def _of_one_section(frame: Frame) -> Curves:
    """Return the curves of a frame with equal heights and widths: half circles of the least radius.

    Without this, wide wrinkles would be low, and the factors that conserve area would be several times too large.
    """
    offsets, given = frame.curves
    samples = given.copy()
    crests = np.maximum.reduceat(given["height"], offsets[:-1][np.diff(offsets) > 0]) if len(given) else given["height"]
    lengths = np.diff(offsets)[np.diff(offsets) > 0]
    scales = np.where(crests > 0, frame.length_unit / np.where(crests > 0, crests, 1.0), 0.0)
    samples["height"] *= np.repeat(scales, lengths).astype(np.float32)
    samples["half_width"] = frame.length_unit
    return Curves(offsets, samples)


def _frames(name: str, frames: object) -> list[Frame]:
    if not isinstance(frames, Sequence) or not all(isinstance(frame, Frame) for frame in frames):
        raise mistyped(name, "frames of a run", frames)
    if not frames:
        raise ValueError(f"{name}: expected at least one, got none")
    return list(frames)
